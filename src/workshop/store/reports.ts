import type { VaultPlace } from '../../vault/layers.ts'

/** The use of a paid result, by the project's records. */
export type ResultState =
  /** A present spec wants it. */
  | 'used'
  /** The lock file has it as another take of a request of a present spec. */
  | 'take'
  /** The lock file has it, and no present spec wants it. */
  | 'superseded'
  /** The lock file does not have it. The journal may. */
  | 'unknown'

/** The place of a copy. `rescue` is outside the project, for results that its own folder did not take. */
export type PlaceName = VaultPlace['name']

/** One request whose delivery is the result. */
export interface ResultUse {
  /** `sprite.animation` or `sprite#2`; the first 12 digits of the request hash if no record has the name. */
  readonly id: string
  /** Request hash. */
  readonly request: string
  readonly state: ResultState
  /** The take of an animation or picture. */
  readonly take?: number
  /** Whether one picture was asked for, and no animation; undefined if no record says it. */
  readonly isPicture?: boolean
  /** The execution. The service gives the result again by it, as long as it keeps it. */
  readonly executionId?: string
  /** The service at which it was bought; undefined if only the journal knows the request. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
}

/** A paid result. It is stored here, or named by the lock file or the journal, or both. */
export interface StoredResult {
  readonly sha256: string
  /** Size in bytes; undefined if it is neither stored nor recorded. */
  readonly bytes?: number
  /** The strongest of its uses: `used` before `take` before `superseded` before `unknown`. */
  readonly state: ResultState
  /** Empty if no record names it. */
  readonly uses: readonly ResultUse[]
  /** The places of its copies, the project first. Empty if there is none. */
  readonly places: readonly PlaceName[]
}

/** A damaged copy that was set aside. */
export interface QuarantinedCopy {
  /** `HASH.MARK`, as `prune` accepts it. */
  readonly name: string
  /** The hash that it should have. */
  readonly sha256: string
  readonly path: string
  readonly place: PlaceName
  readonly bytes: number
}

/** The report of `store ls`. */
export interface StoreReport {
  /** By name, take and hash. */
  readonly results: readonly StoredResult[]
  readonly quarantined: readonly QuarantinedCopy[]
  /** Objects of the shared store that this project's records do not name. */
  readonly othersInShared: number
  readonly warnings: readonly string[]
}

/** A result that `store verify` did not simply find whole. */
export interface VerifiedResult {
  readonly sha256: string
  readonly ids: readonly string[]
  /**
   * The outcome.
   *
   * - `mended`: whole again, by another copy or a free download.
   * - `unmended`: it should be here, or whole everywhere, and is not.
   * - `absent`: not here, and no present spec wants it.
   * - `unreadable`: here, with the bytes of its hash, and it cannot be opened. No present spec wants it.
   */
  readonly outcome: 'mended' | 'unmended' | 'absent' | 'unreadable'
  /** Places whose copy was damaged. */
  readonly damaged: readonly PlaceName[]
  /** The action that was done, or that is to be done. */
  readonly words: string
}

/** Receives how many results of how many are done. */
export type StoreProgress = (done: number, total: number) => void

/** The options of `store verify`. */
export interface VerifyRequest {
  /** Empty: every result that the records name. */
  readonly names?: readonly string[]
  /** Called for each result before the service is asked for it. */
  readonly onFetch?: (ids: readonly string[]) => void
  readonly onProgress?: StoreProgress
  readonly signal?: AbortSignal
}

/** The report of `store verify`. */
export interface VerifyReport {
  /** Number of checked results, and how many of them were whole. */
  readonly checked: number
  readonly good: number
  /** Bytes read. */
  readonly bytes: number
  readonly findings: readonly VerifiedResult[]
  /** Paths of temporary files that a crash had left. They are deleted. */
  readonly swept: readonly string[]
  readonly warnings: readonly string[]
}

/** How a result could be had again after its copy here is deleted. */
export type Recovery =
  /** The service was asked now: it has the result. */
  | 'service'
  /** The shared store has a copy, which was read and is whole. */
  | 'shared'
  /** By its execution id, if the service still keeps it. The service could not be asked. */
  | 'unasked'
  /** It is a damaged copy; a whole one is here. */
  | 'copy'
  /** Not at all. */
  | 'none'

/** A result that `store prune` may delete. */
export interface PruneLine {
  /** The hash of a result, or the name of a quarantined copy. */
  readonly name: string
  readonly ids: readonly string[]
  readonly bytes: number
  readonly state: ResultState | 'quarantined'
  /** Undefined in a listing, because the service was not asked. */
  readonly recovery?: Recovery
}

/** The options of `store prune`. */
export interface PruneRequest {
  /**
   * `sprite`, `sprite.animation`, `sprite#2`, a hash or its first digits (at least 8), or the name of a
   * quarantined copy. Empty: a listing, and nothing is deleted.
   */
  readonly names: readonly string[]
  /**
   * Also deletes results that nothing could bring back.
   *
   * @default false
   */
  readonly force?: boolean
  /**
   * Deletes from the shared store instead of from the project. Then `names` has only hashes; one of an object
   * that no record of this project names has all 64 digits.
   *
   * @default false
   */
  readonly fromShared?: boolean
  /** Asked once with every line. Nothing is deleted unless it returns `true`. */
  readonly confirm: (lines: readonly PruneLine[]) => Promise<boolean>
}

/** The report of `store prune`. */
export interface PruneReport {
  /** Without names: all results that could be named. With names: the named ones. */
  readonly lines: readonly PruneLine[]
  /** Whether the results of the lines are deleted. */
  readonly isDone: boolean
  /** Bytes that are, or would be, free. */
  readonly bytes: number
}

/** The report of `store push` or `store pull`. */
export interface CopyReport {
  /** Hashes of the copied results. */
  readonly copied: readonly string[]
  readonly bytes: number
  /** Number of results that were there before. */
  readonly present: number
  /**
   * Results that are damaged at the source and set aside there, or that are in neither place, with their
   * names.
   */
  readonly lacking: readonly { readonly sha256: string; readonly ids: readonly string[]; readonly isUsed: boolean }[]
  /** The target: a folder, or the address of a store. */
  readonly folder: string
  readonly warnings: readonly string[]
}

/** The results of a shared store that nothing names. */
export interface UnnamedReport {
  /** Folder or address of the shared store. */
  readonly store: string
  /** Folders of the projects whose commits and journals were read, absolute. */
  readonly clones: readonly string[]
  /** Number of all results in the store. */
  readonly stored: number
  /** The oldest first. `days` is the age in whole days. */
  readonly results: readonly { readonly sha256: string; readonly bytes: number; readonly days: number }[]
  readonly warnings: readonly string[]
}

/** The paid results of a project. */
export interface ResultStore {
  /** Lists the results. It spends nothing and asks no service. */
  list(names?: readonly string[]): Promise<StoreReport>
  /**
   * Reads every result that the lock file or the journal names. A damaged one is set aside. It, and a missing
   * one that a present spec wants, is restored from another copy or, for free, from the service. An unwanted
   * result is fetched only if `names` has it.
   *
   * Also opens each result. If it cannot be read and a present spec wants it, it is fetched again; a readable
   * copy becomes the result, and the old one is kept. Never buys.
   */
  verify(request?: VerifyRequest): Promise<VerifyReport>
  /**
   * Deletes named results, never one that a present spec wants. If such a one cannot be read, it is fetched
   * again first. Once a readable copy has taken its place, it may be deleted.
   *
   * @throws `SW_USAGE` if a result must not be deleted, or could not be had again and `force` is off. Nothing
   *   is deleted then.
   */
  prune(request: PruneRequest, signal?: AbortSignal): Promise<PruneReport>
  /**
   * Copies results that this checkout has and the shared store lacks.
   *
   * @throws `SW_CONFIG` if no `store.shared` is configured; `SW_STORE` if it does not take them.
   */
  push(names?: readonly string[], signal?: AbortSignal, onProgress?: StoreProgress): Promise<CopyReport>
  /**
   * Copies results that the lock file or the journal names, the shared store has and the project lacks.
   *
   * @throws `SW_CONFIG` if no `store.shared` is configured.
   */
  pull(names?: readonly string[], signal?: AbortSignal, onProgress?: StoreProgress): Promise<CopyReport>
  /**
   * Lists results of the shared store that nothing names: no commit of this project, of those that a worker of this
   * user serves and of `folders`, no lock file in their folders, and no journal of them. Deletes nothing.
   *
   * @param folders Of further projects that use the store.
   * @throws If anything cannot be read; `SW_STORE` if the store cannot list.
   */
  unnamed(folders?: readonly string[], signal?: AbortSignal): Promise<UnnamedReport>
}
