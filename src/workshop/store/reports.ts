import type { VaultPlace } from '../../vault/layers.ts'

/** What the project's papers make of a paid result. */
export type ResultState =
  /** A present spec asks for it. */
  | 'used'
  /** The lock file has it as another take of what a present spec asks for. */
  | 'take'
  /** The lock file has it, and no present spec asks for it. */
  | 'superseded'
  /** The lock file does not have it; the journal may. */
  | 'unknown'

/** Where a copy of a result lies: `rescue` is outside the project, for what its own folder did not take. */
export type PlaceName = VaultPlace['name']

/** One request that a result was delivered for. */
export interface ResultUse {
  /** `sprite.animation` or `sprite#2`; the first 12 digits of the request hash where no paper has the name. */
  readonly id: string
  /** Request hash. */
  readonly request: string
  readonly state: ResultState
  /** Of an animation. */
  readonly take?: number
  /** By which the service gives it again, as long as it keeps it. */
  readonly executionId?: string
  /** Where it was bought; undefined where only the journal knows it. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
}

/** A paid result: at hand, or named by the lock file or the journal, or both. */
export interface StoredResult {
  readonly sha256: string
  /** Size; undefined where it is neither at hand nor recorded. */
  readonly bytes?: number
  /** The strongest of its uses: `used` before `take` before `superseded` before `unknown`. */
  readonly state: ResultState
  /** Empty where nothing names it. */
  readonly uses: readonly ResultUse[]
  /** The project first. Empty where it is not here. */
  readonly places: readonly PlaceName[]
}

/** A damaged copy that was set aside. */
export interface QuarantinedCopy {
  /** `HASH.MARK`, as `prune` takes it. */
  readonly name: string
  /** What it should have been. */
  readonly sha256: string
  readonly path: string
  readonly place: PlaceName
  readonly bytes: number
}

/** What `store ls` tells. */
export interface StoreReport {
  /** By name, take and hash. */
  readonly results: readonly StoredResult[]
  readonly quarantined: readonly QuarantinedCopy[]
  /** Objects of the shared store that this project's papers do not name. */
  readonly othersInShared: number
  readonly warnings: readonly string[]
}

/** What became of a result that `store verify` looked at and did not simply find good. */
export interface VerifiedResult {
  readonly sha256: string
  readonly ids: readonly string[]
  /**
   * - `mended`: good again, by a good copy or a free download.
   * - `unmended`: it should be here, or whole everywhere, and could not be made so.
   * - `absent`: not here, and not asked for by any present spec.
   */
  readonly outcome: 'mended' | 'unmended' | 'absent'
  /** Places whose copy was damaged. */
  readonly damaged: readonly PlaceName[]
  /** What was done, or what to do. */
  readonly words: string
}

/** What `store verify` is asked for. */
export interface VerifyRequest {
  /** Empty: everything that the papers name. */
  readonly names?: readonly string[]
  /** Told of each result before the service is asked for it. */
  readonly onFetch?: (ids: readonly string[]) => void
  readonly signal?: AbortSignal
}

/** What `store verify` found. */
export interface VerifyReport {
  /** How many results were looked at, and how many of them were good as they were. */
  readonly checked: number
  readonly good: number
  /** Bytes read. */
  readonly bytes: number
  readonly findings: readonly VerifiedResult[]
  /** Temporary files that a crash had left, as paths: gone now. */
  readonly swept: readonly string[]
  readonly warnings: readonly string[]
}

/** How a result could be had again once its copy here is gone. */
export type Recovery =
  /** The service was asked just now: it has it. */
  | 'service'
  /** The shared store has a copy, which was read and is good. */
  | 'shared'
  /** By its execution id, if the service still keeps it: it could not be asked. */
  | 'unasked'
  /** A damaged copy; a good one is here. */
  | 'copy'
  /** Not at all. */
  | 'none'

/** Something that `store prune` may take away. */
export interface PruneLine {
  /** The hash of a result, or the name of a quarantined copy. */
  readonly name: string
  readonly ids: readonly string[]
  readonly bytes: number
  readonly state: ResultState | 'quarantined'
  /** Undefined in a listing: nothing was asked. */
  readonly recovery?: Recovery
}

/** What `store prune` is asked for. */
export interface PruneRequest {
  /** `sprite`, `sprite.animation`, `sprite#2`, a hash or its first digits (at least 8), the name of a quarantined copy. Empty: a listing, nothing is taken away. */
  readonly names: readonly string[]
  /** Takes away also what nothing could bring back. @default false */
  readonly force?: boolean
  /** Asked once with every line; nothing is taken away unless it answers `true`. */
  readonly confirm: (lines: readonly PruneLine[]) => Promise<boolean>
}

/** What `store prune` did. */
export interface PruneReport {
  /** Without names: all that could be named. Else: what was named. */
  readonly lines: readonly PruneLine[]
  /** Whether the lines are gone. */
  readonly isDone: boolean
  /** Bytes that are, or would be, free. */
  readonly bytes: number
}

/** What `store push` or `store pull` did. */
export interface CopyReport {
  /** Hashes of what was copied. */
  readonly copied: readonly string[]
  readonly bytes: number
  /** How many were there before. */
  readonly present: number
  /** Damaged at the source and set aside there, or in neither place: with the names that they stand for. */
  readonly lacking: readonly { readonly sha256: string; readonly ids: readonly string[]; readonly isUsed: boolean }[]
  /** Folder that was copied to. */
  readonly folder: string
}

/** The paid results of a project. */
export interface ResultStore {
  /** Spends nothing and asks nobody. */
  list(names?: readonly string[]): Promise<StoreReport>
  /**
   * Reads every result that the lock file or the journal names. A damaged one is set aside; it, and one that a present spec asks for and that is not here, is had again from a good copy or,
   * for free, from the service. A result that nothing asks for is fetched only where `names` has it. Never buys.
   */
  verify(request?: VerifyRequest): Promise<VerifyReport>
  /** Takes away results that are named, never one that a present spec asks for. @throws `SW_USAGE` where a name may not be, or cannot be had again and `force` is off: nothing is taken away then. */
  prune(request: PruneRequest, signal?: AbortSignal): Promise<PruneReport>
  /** Copies what this checkout has and the shared store lacks. @throws `SW_CONFIG` where no `store.shared` is configured. */
  push(names?: readonly string[], signal?: AbortSignal): Promise<CopyReport>
  /** Copies what the lock file or the journal names, the project lacks and the shared store has. @throws `SW_CONFIG` where no `store.shared` is configured. */
  pull(names?: readonly string[], signal?: AbortSignal): Promise<CopyReport>
}
