import { parseRecord } from '../../../src/job/records/file.ts'
import { foldRecords } from '../../../src/job/records/fold.ts'
import type { JournalRecord } from '../../../src/job/records/record.ts'
import type { Machine } from './machine.ts'

/** The content of one request's records on one machine. */
export interface SeenChain {
  readonly hash: string
  /** POSTs by idempotency key, including those of answers. */
  readonly keys: ReadonlyMap<string, number>
  readonly executions: ReadonlySet<string>
  /** Whether a POST is without an answer, so that a person or the next run has to resolve it. */
  readonly isOpen: boolean
  /**
   * Whether an attempt was given up, or the ledger names a POST whose charge is unknown besides the current
   * submission.
   */
  readonly isUncertain: boolean
  /** Whether an execution of it is at the service, or may be, while its result is not here. */
  readonly isInFlight: boolean
  /** Decisions of people about a submission, or about a lost execution. */
  readonly decisions: number
}

const submissions = '/game/.spritewright/submissions'
const copies = '/state/journals'

/** Caches, because records never change. */
const parsed = new WeakMap<Uint8Array, JournalRecord | undefined>()
const chains = new Map<string, SeenChain>()

/**
 * All chains of a machine, from both places, as processes see them or as a loss of power would leave them.
 */
export function readChains(machine: Machine, view: 'current' | 'durable'): SeenChain[] {
  const { disk } = machine
  const folders = [submissions, ...disk.names(copies).map((name) => `${copies}/${name}/submissions`)]
  const found = new Map<string, Map<number, JournalRecord>>()
  for (const folder of folders) {
    for (const hash of disk.names(folder)) {
      // The reservation chain is in the same folder.
      if (!/^[0-9a-f]{64}$/.test(hash)) continue
      for (const name of disk.names(`${folder}/${hash}`)) {
        if (!/^\d{4,}\.json$/.test(name)) continue
        const bytes = view === 'current' ? disk.peek(`${folder}/${hash}/${name}`) : disk.peekDurable(`${folder}/${hash}/${name}`)
        const record = bytes && read(bytes)
        if (record) found.set(hash, (found.get(hash) ?? new Map()).set(record.n, record))
      }
    }
  }
  return [...found].map(([hash, records]) =>
    toChain(
      hash,
      [...records.values()].sort((a, b) => a.n - b.n),
    ),
  )
}

function read(bytes: Uint8Array): JournalRecord | undefined {
  if (!parsed.has(bytes)) parsed.set(bytes, parseRecord<JournalRecord>(bytes))
  return parsed.get(bytes)
}

function toChain(hash: string, records: readonly JournalRecord[]): SeenChain {
  // Each record is bound to the previous one, so the last one identifies the whole chain.
  const last = `${hash} ${records.length} ${records.at(-1)?.sum}`
  const known = chains.get(last)
  if (known) return known
  const keys = new Map<string, number>()
  const executions = new Set<string>()
  const decided = records.filter((record) => record.type === 'decided').filter(({ body }) => body.about !== 'answer')
  let key = ''
  for (const record of records) {
    if (record.type === 'frozen' || record.type === 'answerFrozen') key = record.body.key
    if (record.type === 'sent' || record.type === 'answerSent') keys.set(key, (keys.get(key) ?? 0) + 1)
    if (record.type === 'accepted' || record.type === 'answerAccepted') executions.add(record.body.executionId)
  }
  const { sends, accepted, answer, stored, failed, abandoned, abandonedAttempts } = foldRecords(records)
  // A person's decision ends the search for an execution, also for an answer that was given up.
  const isGivenUp = records.some((record) => record.type === 'decided' && record.body.decision === 'abandon')
  const isUncertain = isGivenUp || (abandonedAttempts ?? []).length > 0
  const isOpen = (accepted ? (answer?.sends ?? []) : sends).some((send) => send.answer.kind !== 'refused')
  const isInFlight = (isOpen || accepted !== undefined) && !stored && !failed && !abandoned
  const chain = { hash, keys, executions, isOpen, isUncertain, isInFlight, decisions: decided.length }
  if (chains.size > 5_000) chains.clear()
  chains.set(last, chain)
  return chain
}
