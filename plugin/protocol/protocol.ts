/**
 * The protocol between the panel and the dev server. The functions of `plugin/protocol/state/` make what the
 * server answers, and its types are those of their results. `plugin/panel/server/actions.ts` answers actions.
 *
 * The panel has an origin of its own, `plugin/panel/server/origin.ts`. All paths are relative to its page,
 * `http://127.0.0.1:PORT/NAME/`. Its built files are in `dist/plugin/panel/`: `index.html`, and the files that it names
 * by relative addresses (it is built with `base: './'`). A Content-Security-Policy limits the page to scripts, styles,
 * pictures and requests of this origin, and allows `data:` and `blob:` pictures besides. It forbids inline scripts and
 * inline `<style>`; styles that a script sets are fine.
 *
 * | request          | what                                                                               |
 * | ---------------- | ---------------------------------------------------------------------------------- |
 * | `GET api/names`  | Names of all sprites, sorted. Known long before their states.                      |
 * | `GET api/state`  | {@link PanelState}, whole and small. With the token's header `access.mayAct` shows |
 * |                  | if it may act. `?open=hero` adds the details of that sprite. `?whole` reads all    |
 * |                  | files again, also if nothing is known to have changed.                             |
 * | `GET api/events` | Server-sent events: `event: state` with {@link StateEvent}, `event: progress` with |
 * |                  | `PanelProgress`.                                                                   |
 * | `GET api/sprite` | `?name=hero`: `PanelSprite`, with its pictures made.                               |
 * | `GET api/ledger` | {@link PanelLedger}: all purchases.                                                |
 * | `GET api/frames` | `?animation=hero.walk&take=2` (`take` is optional): `PanelFrames`,                 |
 * |                  | all delivered frames.                                                              |
 * | `GET api/atlases`| `PanelAtlases`: the atlas groups as a build would pack them.                       |
 * | `GET pages/NAME` | A packed page, by a `url` of the answers above.                                    |
 * | `POST api/NAME`  | An action: `asks` and `ActionAnswers` of `actions.ts` by NAME. JSON in, JSON out.  |
 *
 * An action needs `Content-Type: application/json` and the header {@link TokenHeader} with the token. The
 * token comes in the fragment of the address that the terminal prints, `…#token=…`. The panel removes the token from
 * the address and keeps it in `history.state`, which no other document can read. The token is never in storage, a
 * cookie or the page. All ports of a host share cookies, and another server may have the port later. Without the token
 * the panel is read-only. Links to the game get `rel="noopener"`.
 *
 * Credits are exact decimal strings ("2.4"); the server computes sums. Times are milliseconds since the Unix
 * epoch.
 *
 * @module
 */
import type { LedgerReport } from '../../src/index.ts'
import type { Json } from './state/json.ts'

export type { ShownState } from '../../src/project/states.ts'
export type { PanelError } from '../failure.ts'
export type { PanelAtlas, PanelAtlases, PanelAtlasFrame } from './state/atlas.ts'
export type { PanelOrphan, PanelPaid, PanelProgress, PanelStep, PanelUndecided, RequestRow } from './state/paid.ts'
export type { PanelAccess } from './state/parts.ts'
export type {
  AnimationRow,
  PanelAnimation,
  PanelFlag,
  PanelFrame,
  PanelFrames,
  PanelPage,
  PanelSprite,
  PanelTake,
  SpriteRow,
} from './state/sprite.ts'
export type { PanelState } from './state/state.ts'

/** Header of the token. Every action sends it, and so does `GET api/state` to check it. */
export type TokenHeader = 'x-spritewright-token'

/** The data of `event: state`. A page fetches the state again if its own revision is older. */
export interface StateEvent {
  readonly revision: number
}

/** The purchases of the project by its own records, oldest first, with their sums. */
export type PanelLedger = Json<Omit<LedgerReport, 'sprites'>>
