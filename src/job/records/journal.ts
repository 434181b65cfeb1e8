import { hasCode } from '../../errors.ts'
import type { ChainPlaces, ChainPorts, ChainView } from './chain.ts'
import { foldRecords } from './fold.ts'
import { createRecordChains } from './open-chains.ts'
import type { JournalRecord, RecordBodies, RecordType } from './record.ts'
import type { Submission } from './submission.ts'

/** A request's chain after reading: its state, and the place of the next record. */
export interface JournalView extends ChainView<JournalRecord> {
  readonly submission: Submission
}

/** Records of paid work in flight: a folder for each request, a small file for each record. Files never change. */
export interface Journal {
  /**
   * Reads a request's chain. Returns an empty view if nothing was written.
   *
   * @throws `SW_JOURNAL` if the chain is broken.
   */
  read(hash: string): Promise<JournalView>
  /** Reads this machine's copy of a request's chain, without a network. The copy may lack the newest records. */
  peek(hash: string): Promise<JournalView>
  /**
   * Appends a record to a view and makes it durable. Returns the new view, or `undefined` if another process was
   * first. Then the caller must read again and decide again.
   */
  append<T extends RecordType>(hash: string, view: JournalView, type: T, body: RecordBodies[T]): Promise<JournalView | undefined>
  /** Hashes of all requests with records, sorted. */
  requests(): Promise<readonly string[]>
}

/**
 * Opens the journal in a folder, or in a folder and its copy. The disk is not touched before the first call.
 */
export function createJournal(ports: ChainPorts, places: string | ChainPlaces): Journal {
  const chains = createRecordChains<JournalRecord>(ports, typeof places === 'string' ? { folder: places } : places)
  const toView = (view: ChainView<JournalRecord>): JournalView => ({ ...view, submission: foldRecords(view.records, view.own) })
  return {
    requests: async () => (await chains.names()).filter((name) => /^[0-9a-f]{64}$/.test(name)),
    read: async (hash) => toView(await chains.read(hash)),
    peek: async (hash) => toView(await chains.peek(hash)),
    append: async (hash, view, type, body) => {
      const next = await chains.append(hash, view, type, body)
      return next && toView(next)
    },
  }
}

/**
 * Reads a request's chain. Returns `undefined` if the chain is broken, so that its state is unknown. A chain that
 * cannot be read at the moment does not count as broken: its error is thrown.
 */
export async function readUnlessBroken(journal: Pick<Journal, 'read'>, hash: string): Promise<JournalView | undefined> {
  try {
    return await journal.read(hash)
  } catch (error) {
    if (hasCode(error, 'SW_JOURNAL')) return undefined
    throw error
  }
}

/**
 * Ends a submission before it is sent, because another process wrote the next record first, or the submission has
 * become too old.
 */
export class OvertakenError extends Error {}
