import type {
  AnimationQuality,
  BuiltAtlas,
  BuiltPage,
  BuiltSheets,
  BuiltSprite,
  JobProgress,
  LedgerLine,
  LedgerReport,
  Overview,
  PriceList,
} from '../../../../src/index.ts'
import type { PanelAccess, PanelState } from '../../../protocol/protocol.ts'
import type { BuyerFailure } from '../buyer.ts'

/** The parts from which a state is made. */
export interface StateParts {
  /** Folder of the project, absolute. */
  readonly root: string
  readonly engines: PanelState['engines']
  readonly revision: number
  readonly overview: Overview
  /** One atlas for each sprite, as pages of the game have it. */
  readonly sheets: BuiltSheets
  /** Errors of the sheets. */
  readonly errors: readonly unknown[]
  readonly ledger: LedgerReport
  readonly prices: PriceList | undefined
  /** Why the last request for prices failed. */
  readonly priceError: unknown
  readonly progress: ReadonlyMap<string, JobProgress>
  readonly failures: readonly BuyerFailure[]
  readonly access: PanelAccess
  readonly urlOf: (page: BuiltPage) => string
}

/** Parts of a state by their keys. */
export interface StateIndex {
  /** Settled credits in ten-thousandths, by request hash. */
  readonly spent: ReadonlyMap<string, bigint>
  /** The line of its latest attempt from this checkout, by request hash. */
  readonly lines: ReadonlyMap<string, LedgerLine>
  /** By name. */
  readonly sprites: ReadonlyMap<string, BuiltSprite>
  /** By name; the largest scale of each. */
  readonly atlases: ReadonlyMap<string, BuiltAtlas>
  /** By `sprite.animation`. */
  readonly quality: ReadonlyMap<string, AnimationQuality>
}

/** Indexes the parts of a state. */
export function indexParts({ ledger, sheets }: StateParts): StateIndex {
  const spent = new Map<string, bigint>()
  for (const { hash, state, credits } of ledger.lines) if (state === 'settled') spent.set(hash, (spent.get(hash) ?? 0n) + credits)
  return {
    spent,
    // Of several lines of a request the last stays, which is the latest.
    lines: new Map(ledger.lines.flatMap((line) => (line.origin === 'here' ? [[line.hash, line] as const] : []))),
    sprites: new Map(sheets.sprites.map((sprite) => [sprite.name, sprite])),
    // Of several atlases with one key the last stays. The largest scale comes first, so the list is reversed.
    atlases: new Map(sheets.atlases.toReversed().map((atlas) => [atlas.name, atlas])),
    quality: new Map((sheets.quality ?? []).map((one) => [one.id, one])),
  }
}
