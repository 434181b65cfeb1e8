import type { Approvers } from '../../credit/approval.ts'
import type { KeyRing, SigningKey } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { Disk } from '../../host/disk.ts'
import type { Random } from '../../host/random.ts'
import type { RecordStore } from '../../stores/record-store.ts'
import { type ChainedRecord, sealText } from './file.ts'

/** The records of a chain that were read, and the place of the next record. */
export interface ChainView<R extends ChainedRecord> {
  readonly records: readonly R[]
  readonly next: { readonly n: number; readonly prev: string }
  /** The records that this user's own processes wrote, or processes of somebody whom the user trusts. */
  readonly own: ReadonlySet<R>
  /** Records that are missing in one of the two places. The next append writes them there first. */
  readonly lacking?: readonly { readonly folder: string; readonly record: R }[]
}

/** Chains of records, each in its own folder, with a copy in a second place. */
export interface RecordChains<R extends ChainedRecord> {
  /** Names of all chains, sorted. */
  names(): Promise<readonly string[]>
  /**
   * Reads a chain. Returns an empty view if nothing was written.
   *
   * @throws `SW_JOURNAL` if the chain is broken.
   */
  read(name: string): Promise<ChainView<R>>
  /** Reads this machine's copy of a chain, without a network. The copy may lack the newest records. */
  peek(name: string): Promise<ChainView<R>>
  /**
   * Appends a record to a view and makes it durable, in all its places. Returns the new view, or `undefined` if
   * another process was first.
   */
  append(name: string, view: ChainView<R>, type: R['type'], body: R['body']): Promise<ChainView<R> | undefined>
}

/** A store in which all machines of a team keep one journal. */
export interface SharedJournal {
  readonly store: RecordStore
  /** The approvers whose records count like the user's own. */
  readonly approvers: () => Promise<Approvers>
}

/** The ports that chains need. */
export interface ChainPorts {
  readonly disk: Disk
  readonly random: Random
  readonly clock: Clock
  /**
   * Seals records.
   *
   * @default no record is sealed, and none counts as the user's own
   */
  readonly keys?: KeyRing | undefined
}

/** The places of chains. */
export interface ChainPlaces {
  readonly folder: string
  /**
   * A parent folder that existed before any of our folders.
   *
   * @default the direct parent
   */
  readonly root?: string | undefined
  /** The second place, outside the project, which survives the deletion of the first. */
  readonly copy?: string | undefined
  /** Called once if the second place cannot be written. The first place counts. */
  readonly warn?: ((message: string) => void) | undefined
  /** Throws for a record that must not be written. Nothing is written then. */
  readonly check?: ((bytes: Uint8Array, path: string) => void) | undefined
  /** The journal of a team. With it, its records count, and `folder` has a copy. */
  readonly shared?: SharedJournal | undefined
}

/** Name of a record's file in the folder of its chain. */
export function fileName(n: number): string {
  return `${String(n).padStart(4, '0')}.json`
}

/**
 * Checks the chain. An unreadable record is skipped only if no readable record builds on it.
 *
 * @param found By number; `record` is `undefined` if its file cannot be read.
 * @param folder Folder or address of the chain, for the error.
 * @param copy Folder of the chain's second copy.
 */
export function linkUp<R extends ChainedRecord>(
  found: readonly { readonly n: number; readonly record: R | undefined }[],
  folder: string,
  copy?: string,
): Pick<ChainView<R>, 'records' | 'next'> {
  const records: R[] = []
  let prev = ''
  let next = 1
  for (const { n, record } of found) {
    next = n + 1
    if (!record) continue
    if (record.n !== n || record.prev !== prev) {
      throw new SpritewrightError('SW_JOURNAL', {
        message: `The journal in ${folder}${copy === undefined ? '' : ` (and its copy in ${copy})`} is broken at record ${n}: expected it to follow the record before it, found another chain. Nothing was sent. Restore it from a backup; do not delete it, or paid work may be lost.`,
        facts: { folder, record: n },
      })
    }
    records.push(record)
    prev = record.sum
  }
  return { records, next: { n: next, prev } }
}

/** Whether this user's own key has sealed a record of a chain. */
export function isOwn(record: ChainedRecord, chain: string, key: SigningKey): boolean {
  return key.isSealOf(record.seal, sealText(chain, record))
}

/**
 * The key that seals records. A record of paid work is written even without a key. A missing seal only means that
 * later POSTs cannot rely on the record.
 */
export async function sealingKey(keys: KeyRing | undefined): Promise<SigningKey | undefined> {
  return keys?.readOrMake().catch(() => undefined)
}
