import { parseCredits } from '../../src/credit/credits.ts'
import type { Clock } from '../../src/host/clock.ts'
import type { JobPorts, JobProgress, Order } from '../../src/job/order.ts'
import type { JournalView } from '../../src/job/records/journal.ts'
import type { RecordBodies, RecordType } from '../../src/job/records/record.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import type { Execution, PublicError } from '../../src/service/wire.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { jobPorts, numberedOrder, ownKey } from '../sim/exhaustive/project.ts'

/** The price of the one order. */
export const price = parseCredits('2.4')
export const order: Order = numberedOrder(1, price)

/** The ports of a run over a disk in memory, and what it did. */
export interface Bench extends JobPorts {
  readonly disk: MemoryDisk
  /** Pauses in milliseconds. They take no time but the clock's. */
  readonly slept: number[]
  readonly progress: JobProgress[]
  readonly warnings: string[]
  /** Appends a record to the order's chain. */
  record<T extends RecordType>(type: T, body: RecordBodies[T]): Promise<JournalView>
  view(): Promise<JournalView>
  /** Types of the order's records, in order. */
  types(): Promise<readonly string[]>
  /** Movements of the ledger, as `type credits`. */
  moves(): Promise<readonly string[]>
}

/**
 * Opens the ports of a run.
 *
 * @param client The calls that the service answers. Any other request fails.
 */
export function bench(client: Partial<ServiceClient> = {}, over: Partial<JobPorts> = {}): Bench {
  const disk = new MemoryDisk()
  const slept: number[] = []
  const progress: JobProgress[] = []
  const warnings: string[] = []
  let now = 1_000_000
  const clock: Clock = {
    wall: () => 1_760_000_000_000 + now,
    mono: () => now,
    sleep: async (ms) => {
      slept.push(ms)
      now += ms
    },
  }
  const net = { request: async () => Promise.reject(new Error('no request')), close: async () => {} }
  const real = jobPorts({ disk, clock, random: countingRandom(), net }, { total: 100n * price, hasCopy: false, key: ownKey })
  const ports: JobPorts = {
    ...real,
    onProgress: (one) => void progress.push(one),
    warn: (message) => void warnings.push(message),
    ...over,
    client: { ...real.client, ...client },
  }
  const view = (): Promise<JournalView> => ports.journal.read(order.hash)
  return {
    ...ports,
    disk,
    slept,
    progress,
    warnings,
    view,
    record: async (type, body) => (await ports.journal.append(order.hash, await view(), type, body)) as JournalView,
    types: async () => (await view()).records.map(({ type }) => type),
    moves: async () => (await ports.ledger.read()).map(({ type, attempt, executionId }) => `${type} ${attempt} ${executionId}`),
  }
}

/** An error in the service's words. */
export const errorOf = (reason: string, over: Partial<PublicError> = {}): PublicError => ({
  ...{ reason, message: 'It says why.', retryable: false, requestId: 'r1', details: null },
  ...over,
})

/** An execution as a status read gives it. */
export const executionOf = (status: string, over: Partial<Execution> = {}): Execution => ({
  ...{ executionId: 'e1', conversationId: 'c1', status, jobStatus: null, publicJobId: null, assets: [], review: null },
  ...{ question: null, error: null },
  ...over,
})

/** The frozen bytes of an attempt, as far as most of the code reads them. */
export const frozenOf = (attempt: number, over: Partial<RecordBodies['frozen']> = {}): RecordBodies['frozen'] => ({
  ...{ attempt, key: `k${attempt}`, body: '{}', bodySha256: 'b', maxCredits: '2.4', ceiling: '3', priceVersion: 'v', balance: '9' },
  approvedAt: order.approval?.at ?? '',
  ...over,
})
