/** The outcome of ten sprites. */
export interface KillTenOutcome {
  readonly kills: number
  /** Exit code of the run that was left alive. */
  readonly code: number | null
  readonly stderr: string
  readonly charges: number
  /** Different requests among the charges. */
  readonly requests: number
  readonly held: number
  /** Results in the vault whose content matches their name. */
  readonly results: number
  /** Requests of one more build. */
  readonly furtherRequests: number
}

export function killTen(init: { readonly seed: number; readonly print: (line: string) => void }): Promise<KillTenOutcome>

/** Random numbers from 0 to 1 that depend only on the seed. */
export function randomOf(seed: number): () => number
