import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import { publish } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import {
  foldRecords,
  formatRecord,
  type JournalRecord,
  parseRecord,
  type RecordBodies,
  type RecordType,
  recordSum,
  type Submission,
} from './record.ts'

/** A chain as it was read: what it says, and where the next record goes. */
export interface JournalView {
  readonly records: readonly JournalRecord[]
  readonly submission: Submission
  readonly next: { readonly n: number; readonly prev: string }
}

/** Records of paid work in flight: one folder a request, one small file a record, never changed. */
export interface Journal {
  /** Reads a request's chain; an empty one where nothing was written. @throws `SW_JOURNAL` where the chain is broken. */
  read(hash: string): Promise<JournalView>
  /**
   * Makes a record durable behind a view. Answers the new view, or undefined when another process was first: read again and decide anew.
   */
  append<T extends RecordType>(hash: string, view: JournalView, type: T, body: RecordBodies[T]): Promise<JournalView | undefined>
  /** Hashes of all requests with records, sorted. */
  requests(): Promise<readonly string[]>
}

/** Opens the journal in `folder`; nothing is touched before the first call. */
export function createJournal(ports: { disk: Disk; random: Random; clock: Clock }, folder: string): Journal {
  const { disk, random, clock } = ports
  const chainFolder = (hash: string): string => join(folder, hash)
  return {
    requests: async () => (await disk.list(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name)),
    read: async (hash) => {
      const names = (await disk.list(chainFolder(hash))).filter((name) => /^\d{4,}\.json$/.test(name))
      const files: { n: number; bytes: Uint8Array }[] = []
      for (const name of names) files.push({ n: Number.parseInt(name, 10), bytes: await disk.read(join(chainFolder(hash), name)) })
      return readChain(
        files.sort((a, b) => a.n - b.n),
        chainFolder(hash),
      )
    },
    append: async (hash, view, type, body) => {
      const open = { v: 1 as const, n: view.next.n, prev: view.next.prev, type, at: clock.wall(), mono: clock.mono(), body }
      const record = { ...open, sum: recordSum(open as Omit<JournalRecord, 'sum'>) } as unknown as JournalRecord
      const path = join(chainFolder(hash), `${String(view.next.n).padStart(4, '0')}.json`)
      if (!(await publish(disk, random, path, formatRecord(record)))) return undefined
      if (view.next.n === 1) await disk.syncFolder(folder)
      const records = [...view.records, record]
      return { records, submission: foldRecords(records), next: { n: view.next.n + 1, prev: record.sum } }
    },
  }
}

/** Checks the chain. An unreadable record is skipped only where nothing readable builds on it. */
function readChain(files: readonly { n: number; bytes: Uint8Array }[], folder: string): JournalView {
  const records: JournalRecord[] = []
  let prev = ''
  let next = 1
  for (const file of files) {
    const record = parseRecord(file.bytes)
    next = file.n + 1
    if (!record) continue
    if (record.n !== file.n || record.prev !== prev) {
      throw new SpritewrightError('SW_JOURNAL', {
        message: `The journal in ${folder} is broken at record ${file.n}: expected it to follow the record before it, found another chain. Nothing was sent. Restore the folder from a backup; do not delete it, or paid work may be lost.`,
        facts: { folder, record: file.n },
      })
    }
    records.push(record)
    prev = record.sum
  }
  return { records, submission: foldRecords(records), next: { n: next, prev } }
}
