import type { Patch } from '../bundle.ts'
import type { InvariantName } from '../invariants.ts'
import type { ExplorationName } from './explorations.ts'

/** A wrong version of the code that the simulator has to catch. */
export interface Variant {
  readonly name: string
  readonly patches: readonly Patch[]
  /** The explorations to run, in this order, up to the first broken promise. */
  readonly where: readonly ExplorationName[]
  /** The promise that it breaks first. */
  readonly breaks: InvariantName
}
