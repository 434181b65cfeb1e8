import type { Approval } from '../../credit/approval.ts'
import { type Credits, parseCredits } from '../../credit/credits.ts'
import { isTakenOver, type JournalRecord, type RecordBodies } from '../../job/records/record.ts'
import type { LedgerState } from './report.ts'

/** The money of one attempt, by the records of its request. */
export interface AttemptMoney {
  readonly attempt: number
  readonly state: LedgerState
  /**
   * Whether a POST of this checkout may have started the execution. False if the execution was taken over
   * from the lock file.
   */
  readonly isOurs: boolean
  /** `at` of the approval on which our own POSTs were sent. */
  readonly approvedAt?: string
  /** The key of this approval and how it was given, by the record of the bytes. Missing in records of earlier versions. */
  readonly approvedBy?: Pick<Approval, 'buyer' | 'given'>
  /** Whether the attempt shows another machine's execution while our own POSTs have no answer. */
  readonly isReplaced?: true
  /** The execution that continues after an answer. */
  readonly executionId?: string
  /**
   * The maximum that was sent, or the whole ceiling if that maximum is unknown. Undefined if nothing was
   * frozen here.
   */
  readonly credits?: Credits
  /** The time of each event, in milliseconds since the Unix epoch. */
  readonly times: { readonly opened: number; readonly held?: number; readonly ended?: number }
  readonly balanceBefore?: Credits
  /** The decision of a person about it. An abandonment does not count if an execution was found later. */
  readonly decision?: 'replay' | 'abandon'
  /** Whether its approval, or the decision about it, was given in the shell of a coding agent. */
  readonly shell?: 'agent'
  /** SHA-256 of the result. */
  readonly result?: string
}

/** An attempt while its records are read. */
interface Draft {
  frozen?: RecordBodies['frozen']
  /** Time of the first POST, or of the takeover. */
  opened?: number
  /** Number of POSTs that were not refused. */
  readonly open: Set<number>
  executionId?: string
  held?: number
  ended?: { readonly state: 'settled' | 'restored'; readonly at: number }
  isReplaced?: true
  /** Whether the execution was taken over from the lock file. */
  isTakenOver?: true
  /** Whether it began with a late answer to a POST. */
  isLate?: true
  result?: string
  decision?: 'replay' | 'abandon'
  shell?: 'agent'
}

/**
 * The money of every attempt of a request, oldest first. Attempts that started nothing are left out. If an
 * attempt led to two executions, the second one has a line of its own. Pure.
 */
export function attemptsOf(records: readonly JournalRecord[]): readonly AttemptMoney[] {
  const drafts = new Map<number, Draft>()
  const beside: BesideDraft[] = []
  const ofAgents = new Set(records.flatMap((record) => (record.type === 'approved' && record.body.shell ? [record.body.at] : [])))
  for (const record of records) {
    const { attempt } = record.body
    const draft = drafts.get(attempt) ?? newDraft()
    drafts.set(attempt, draft)
    const own = besideOf(beside, drafts, record)
    if (own) note(own, record)
    else if (record.type === 'accepted' && isTakenOver(record.body) && draft.open.size > 0 && draft.executionId === undefined) {
      // Another machine's execution replaces our own unanswered POSTs. These POSTs get a line of their own.
      beside.push({ attempt, ...draft, isReplaced: true })
      const taken = newDraft()
      taken.isTakenOver = true
      drafts.set(attempt, taken)
      note(taken, record)
    } else {
      if (record.type === 'accepted' && isTakenOver(record.body)) draft.isTakenOver = true
      note(draft, record)
    }
    // An execution that is found later ends an abandonment, unless another attempt has replaced it.
    if (record.type === 'accepted' && !own && draft.decision === 'abandon' && attempt >= Math.max(...drafts.keys())) delete draft.decision
  }
  const all = [...beside, ...[...drafts].map(([attempt, draft]) => ({ attempt, ...draft }))]
  return all
    .sort((a, b) => a.attempt - b.attempt)
    .flatMap((draft) => toMoney(ofAgents.has(draft.frozen?.approvedAt ?? '') ? { ...draft, shell: 'agent' } : draft))
}

interface BesideDraft extends Draft {
  readonly attempt: number
}

function newDraft(): Draft {
  return { open: new Set<number>() }
}

/**
 * Finds the draft of an execution beside the one of its attempt if a record belongs to it. A late answer to
 * our POSTs begins such a draft, or completes the one that waits for it.
 */
function besideOf(beside: BesideDraft[], drafts: ReadonlyMap<number, Draft>, record: JournalRecord): BesideDraft | undefined {
  const { attempt } = record.body
  const executionId = 'executionId' in record.body ? record.body.executionId : undefined
  if (executionId === undefined) return undefined
  const known = beside.find((one) => one.attempt === attempt && one.executionId === executionId)
  if (known || record.type !== 'accepted' || isTakenOver(record.body)) return known
  const draft = drafts.get(attempt)
  if (!draft || draft.executionId === undefined || draft.executionId === executionId) return undefined
  if (!draft.isTakenOver && attempt >= Math.max(...drafts.keys())) return undefined
  const waiting = beside.find((one) => one.attempt === attempt && one.isReplaced && one.executionId === undefined)
  if (waiting) return waiting
  const late: BesideDraft = { attempt, ...newDraft(), ...(draft.frozen ? { frozen: draft.frozen } : {}), isReplaced: true, isLate: true }
  beside.push(late)
  return late
}

function note(draft: Draft, record: JournalRecord): void {
  const { at } = record
  switch (record.type) {
    case 'frozen':
      draft.frozen = record.body
      return
    case 'sent':
      draft.open.add(record.body.send)
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
      if (record.body.shell) draft.shell = record.body.shell
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

/**
 * Resets the end of an attempt that now shows another execution. The end of the former execution does not
 * apply to the new one.
 */
function goOn(draft: Draft, executionId: string): void {
  draft.executionId = executionId
  delete draft.ended
  delete draft.result
}

/**
 * Whether a record belongs to the present execution of its attempt. A late process may append a record of a
 * former execution.
 */
function isPresent(draft: Draft, { executionId }: { readonly executionId?: string }): boolean {
  return executionId === undefined || draft.executionId === undefined || executionId === draft.executionId
}

function toMoney({ frozen, open, held, ended, opened, isLate, isTakenOver, ...facts }: BesideDraft): readonly AttemptMoney[] {
  const isOurs = open.size > 0 || isLate === true
  if (opened === undefined || (facts.executionId === undefined && !isOurs)) return []
  const state = ended?.state ?? (facts.executionId === undefined ? 'uncertain' : 'held')
  return [
    {
      ...facts,
      state,
      isOurs,
      ...(frozen ? { approvedAt: frozen.approvedAt } : {}),
      ...(frozen?.approvedBy ? { approvedBy: frozen.approvedBy } : {}),
      ...(frozen ? { credits: parseCredits(state === 'uncertain' ? frozen.ceiling : frozen.maxCredits) } : {}),
      times: { opened, ...(held === undefined ? {} : { held }), ...(ended ? { ended: ended.at } : {}) },
      ...(frozen?.balance === undefined ? {} : { balanceBefore: parseCredits(frozen.balance) }),
    },
  ]
}
