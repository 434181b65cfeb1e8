import type { SpritewrightError } from '../../errors.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { SpriteSpec } from '../../spec/spec.ts'

/** What a dev server shows. */
export interface Preview {
  /** All specs that are in order, sorted by name; one that says what it said before is the very same object. */
  readonly specs: readonly SpriteSpec[]
  /** One atlas a sprite, of the sprites that were asked for and could be made. */
  readonly sheets: BuiltSheets
  /** What is wrong with specs; and with references, results and frames touched up by hand of the sprites that were asked for. Each names its file. */
  readonly errors: readonly SpritewrightError[]
}
