import { type Credits, parseCredits } from '../credit/credits.ts'
import { type JournalRecord, mayBeBeside, type RecordBodies } from '../job/record.ts'
import type { LedgerState } from './ledger-report.ts'

/** What the records of a request say of one attempt's money. */
export interface AttemptMoney {
  readonly attempt: number
  readonly state: LedgerState
  /** Whether a POST of this checkout may have started it; false for an execution that was taken over from the lock file. */
  readonly isOurs: boolean
  /** `at` of the approval that our own POSTs rest on. */
  readonly approvedAt?: string
  /** Whether another machine's execution stands for the attempt, while our own POSTs have no answer. */
  readonly isReplaced?: true
  /** The execution that goes on, where an answer started another one. */
  readonly executionId?: string
  /** What was sent as the maximum; the whole ceiling while nobody knows; undefined where nothing was frozen here. */
  readonly credits?: Credits
  /** When each thing happened, milliseconds since the Unix epoch. */
  readonly times: { readonly opened: number; readonly held?: number; readonly ended?: number }
  readonly balanceBefore?: Credits
  /** What a person decided about it; a giving up that an execution has overtaken does not count. */
  readonly decision?: 'replay' | 'abandon'
  /** SHA-256 of the result. */
  readonly result?: string
}

/** When a POST left, milliseconds since the Unix epoch. */
interface Sent {
  readonly at: number
}

/** What is known of an attempt while its records are read. */
interface Draft {
  frozen?: RecordBodies['frozen']
  /** First POST, or taking over. */
  opened?: number
  /** POSTs that were not refused, by their numbers. */
  readonly open: Map<number, Sent>
  executionId?: string
  held?: number
  ended?: { readonly state: 'settled' | 'restored'; readonly at: number }
  isReplaced?: true
  result?: string
  decision?: 'replay' | 'abandon'
}

/** The money of every attempt of a request, oldest first; attempts that started nothing are left out. Pure. */
export function attemptsOf(records: readonly JournalRecord[]): readonly AttemptMoney[] {
  const drafts = new Map<number, Draft>()
  const left: (readonly [attempt: number, draft: Draft])[] = []
  for (const record of records) {
    const { attempt } = record.body
    let draft = drafts.get(attempt) ?? { open: new Map<number, Sent>() }
    // Another machine's execution takes the place of POSTs of our own that nobody has answered: they are a line of their own.
    if (record.type === 'accepted' && draft.executionId === undefined && mayBeBeside([...draft.open.values()], record.body, record.at)) {
      left.push([attempt, { ...draft, isReplaced: true }])
      draft = { open: new Map<number, Sent>() }
    }
    drafts.set(attempt, draft)
    note(draft, record)
    // An execution that is known after all ends a giving up, unless another attempt has taken its place.
    if (record.type === 'accepted' && draft.decision === 'abandon' && attempt >= Math.max(...drafts.keys())) delete draft.decision
  }
  return [...left, ...drafts].sort(([a], [b]) => a - b).flatMap(([attempt, draft]) => toMoney(attempt, draft))
}

function note(draft: Draft, record: JournalRecord): void {
  const { at } = record
  switch (record.type) {
    case 'frozen':
      draft.frozen = record.body
      return
    case 'sent':
      draft.open.set(record.body.send, { at })
      draft.opened ??= at
      return
    case 'refused':
      draft.open.delete(record.body.send)
      return
    case 'accepted':
    case 'answerAccepted':
      if (draft.executionId !== record.body.executionId) goOn(draft, record.body.executionId)
      draft.opened ??= at
      draft.held ??= at
      return
    case 'decided':
      if (record.body.about !== 'answer') draft.decision = record.body.decision
      return
    case 'completed':
      if (isPresent(draft, record.body)) draft.ended = { state: 'settled', at }
      return
    case 'failed':
      if (isPresent(draft, record.body)) draft.ended = { state: 'restored', at }
      return
    case 'stored':
      if (!isPresent(draft, record.body)) return
      draft.result = record.body.sha256
      draft.ended ??= { state: 'settled', at }
  }
}

/** Another execution stands for the attempt from here on: how the one before ended says nothing of it. */
function goOn(draft: Draft, executionId: string): void {
  draft.executionId = executionId
  delete draft.ended
  delete draft.result
}

/** Whether a record speaks of the execution that stands for the attempt; a late process may speak of one before. */
function isPresent(draft: Draft, { executionId }: { readonly executionId?: string }): boolean {
  return executionId === undefined || draft.executionId === undefined || executionId === draft.executionId
}

function toMoney(attempt: number, draft: Draft): readonly AttemptMoney[] {
  const { frozen, open, executionId, held, ended, opened, result } = draft
  const isOurs = open.size > 0
  if (opened === undefined || (executionId === undefined && !isOurs)) return []
  const state = ended?.state ?? (executionId === undefined ? 'uncertain' : 'held')
  return [
    {
      attempt,
      state,
      isOurs,
      ...(frozen ? { approvedAt: frozen.approvedAt } : {}),
      ...(draft.isReplaced ? { isReplaced: true } : {}),
      ...(executionId === undefined ? {} : { executionId }),
      ...(frozen ? { credits: parseCredits(state === 'uncertain' ? frozen.ceiling : frozen.maxCredits) } : {}),
      times: { opened, ...(held === undefined ? {} : { held }), ...(ended ? { ended: ended.at } : {}) },
      ...(frozen?.balance === undefined ? {} : { balanceBefore: parseCredits(frozen.balance) }),
      ...(draft.decision ? { decision: draft.decision } : {}),
      ...(result === undefined ? {} : { result }),
    },
  ]
}
