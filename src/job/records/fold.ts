import { type NewestApproval, newerApproval } from '../../credit/approval.ts'
import { newerVersion } from './file.ts'
import { isTakenOver, type JournalRecord, type RecordBodies } from './record.ts'
import { withStray, withStrayEnd } from './strays.ts'
import { isTurnedAway, noSubmission, type ReplayDecision, type Send, type Submission } from './submission.ts'

/**
 * Folds one more record into the state. Pure. A later attempt drops the sends of the earlier one.
 *
 * A late process may write a record of an attempt or an execution that was replaced. Such a record does not change
 * the state of the present attempt and execution.
 *
 * @throws `SW_JOURNAL` for a type that this version does not know.
 */
export function foldRecord(state: Submission, record: JournalRecord): Submission {
  if (record.type === 'frozen') return foldFrozen(state, record.body)
  if (record.type === 'accepted') return foldAccepted(state, record.body)
  if (record.type === 'approved') return withNewest(state, { ...record.body, isRevoked: false })
  if (record.type === 'revoked') return withNewest(state, { ...record.body, isRevoked: true })
  const strays = withStrayEnd(state.strays, record)
  if (strays) return { ...state, strays }
  const isPresent = record.body.attempt === state.attempt || state.attempt === 0
  if (!isPresent || isOfAnother(state, record.body)) return state
  switch (record.type) {
    case 'sent':
      return { ...state, sends: [...state.sends, toSend(record, record.body)] }
    case 'withdrawn':
      return { ...state, withdrawals: (state.withdrawals ?? 0) + 1 }
    case 'refused':
    case 'unknown':
      return { ...state, sends: answered(state.sends, record.body.send, toAnswer(record)) }
    case 'asked':
      return { ...state, question: record.body.question }
    case 'answerFrozen':
      return { ...state, answer: { frozen: record.body, sends: [] } }
    case 'answerSent':
      return withAnswerSends(state, (sends) => [...sends, toSend(record, record.body)])
    case 'answerRefused':
    case 'answerUnknown':
      return withAnswerSends(state, (sends) => answered(sends, record.body.send, toAnswer(record)))
    case 'answerAccepted':
      return state.accepted?.executionId === record.body.executionId ? state : withExecution(state, goingOn(state, record.body))
    case 'completed':
      return { ...state, completed: record.body }
    case 'failed':
      return state.failed ? state : { ...state, failures: state.failures + (isTurnedAway(record.body) ? 0 : 1), failed: record.body }
    case 'stored':
      return { ...state, stored: record.body }
    case 'decided':
      return foldDecided(state, record, record.body)
    default:
      throw newerVersion((record as { readonly type: string }).type)
  }
}

/** Whether a record is about a known execution other than the present one. */
function isOfAnother(state: Submission, body: { readonly executionId?: string; readonly attempt: number }): boolean {
  const { executionId } = body
  if (executionId === undefined || !state.accepted || executionId === state.accepted.executionId) return false
  return state.executions?.includes(executionId) === true || state.strays?.some((stray) => stray.executionId === executionId) === true
}

/** Adds a newer approval. A time in another form is not from our runs, and would compare wrongly, so it is ignored. */
function withNewest(state: Submission, { at, isRevoked, shell }: NewestApproval): Submission {
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(at)) return state
  return { ...state, newest: newerApproval(state.newest, { at, isRevoked, ...(shell && { shell }) }) }
}

function foldFrozen(before: Submission, body: RecordBodies['frozen']): Submission {
  const state = withNewest(before, { at: body.approvedAt, isRevoked: false })
  if (body.attempt <= state.attempt) return { ...state, frozen: body }
  const isSameApproval = state.frozen?.approvedAt === body.approvedAt
  return {
    ...lasting(state),
    attempt: body.attempt,
    failures: isSameApproval ? state.failures : 0,
    frozen: body,
    sends: [],
    ...(state.abandoned || mayBeCharged(state) ? { abandonedAttempts: [...(state.abandonedAttempts ?? []), state.attempt] } : {}),
  }
}

/**
 * Whether the service may have, or may have had, an execution of the present attempt. If so, its credits stay
 * counted when another attempt begins.
 */
function mayBeCharged(state: Submission): boolean {
  return openSends(state).length > 0 || (state.accepted !== undefined && state.failed === undefined)
}

/** The part of the state that continues after an attempt. */
function lasting({
  executions,
  strays,
  abandonedAttempts,
  isForeign,
  newest,
}: Submission): Pick<Submission, 'executions' | 'strays' | 'abandonedAttempts' | 'isForeign' | 'newest'> {
  return {
    ...(newest ? { newest } : {}),
    ...(executions ? { executions } : {}),
    ...(strays ? { strays } : {}),
    ...(abandonedAttempts ? { abandonedAttempts } : {}),
    ...(isForeign ? { isForeign } : {}),
  }
}

/**
 * Folds an accepted execution. If the execution of a given-up attempt becomes known after all, the attempt is no
 * longer given up. An execution of a replaced attempt is kept as a stray.
 */
function foldAccepted(state: Submission, body: RecordBodies['accepted']): Submission {
  const isKnown = state.executions?.includes(body.executionId) === true
  if (body.attempt < state.attempt) return isKnown ? state : { ...state, strays: withStray(state.strays, body) }
  if (body.attempt === state.attempt && state.accepted?.executionId === body.executionId) {
    const { abandoned: _abandoned, ...rest } = state
    return rest
  }
  if (isLateAnswer(state, body)) return isKnown ? state : { ...state, strays: withStray(state.strays, body) }
  if (body.attempt === state.attempt && !isBeside(state, body)) return withExecution(state, body)
  // Taken over from another machine. It stays unknown whether the service received our own POSTs.
  const nowAbandoned = openSends(state).length > 0 ? { abandonedAttempts: [...(state.abandonedAttempts ?? []), state.attempt] } : {}
  // Our own bytes and POSTs did not start this execution.
  const { frozen: _frozen, replay: _replay, ...taken } = withExecution(state, body)
  return { ...taken, ...nowAbandoned, attempt: body.attempt, sends: [] }
}

/**
 * Whether a record is the answer to a POST of our own that comes after another machine's execution has taken
 * its place.
 */
function isLateAnswer({ attempt, accepted }: Submission, body: RecordBodies['accepted']): boolean {
  return accepted?.attempt === attempt && body.attempt === attempt && isTakenOver(accepted) && !isTakenOver(body)
}

/** POSTs without an answer, or with an answer that proves nothing. */
function openSends({ accepted, sends }: Submission): readonly Send[] {
  return accepted ? [] : sends.filter((send) => send.answer.kind !== 'refused')
}

/**
 * Whether two executions may exist: the execution that was taken over from the lock file, and an execution that our
 * own POSTs started. The answers to these POSTs do not tell, so nobody can know.
 */
function isBeside(state: Submission, body: RecordBodies['accepted']): boolean {
  return isTakenOver(body) && openSends(state).length > 0
}

/**
 * An execution that an answer started relies on the approval of the previous execution. If the previous execution
 * was taken over, `approvedAt` is copied from it, because no other record has this time.
 */
function goingOn({ accepted }: Submission, body: RecordBodies['answerAccepted']): RecordBodies['accepted'] {
  return accepted?.approvedAt === undefined ? body : { ...body, approvedAt: accepted.approvedAt }
}

/** Makes another execution the present one. The state of the previous execution is dropped. */
function withExecution(state: Submission, body: RecordBodies['accepted']): Submission {
  const { abandoned: _a, failed: _f, completed: _c, stored: _s, question: _q, answer: _w, ...rest } = state
  return { ...rest, accepted: body, executions: [...(state.executions ?? []), body.executionId] }
}

function foldDecided(state: Submission, record: JournalRecord, { about, decision, approvedAt }: RecordBodies['decided']): Submission {
  if (decision === 'replay') {
    const replay = (sends: readonly Send[], before: ReplayDecision | undefined): ReplayDecision => ({
      at: record.at,
      mono: record.mono,
      sends: sends.length,
      count: (before?.count ?? 0) + 1,
    })
    if (about !== 'answer') return { ...state, replay: replay(state.sends, state.replay) }
    return state.answer ? { ...state, answer: { ...state.answer, replay: replay(state.answer.sends, state.answer.replay) } } : state
  }
  if (about !== 'answer') return { ...state, abandoned: { about, approvedAt } }
  const { answer: _answer, ...rest } = state
  return { ...rest, answersAbandoned: (state.answersAbandoned ?? 0) + 1 }
}

/**
 * Folds a whole chain into its state.
 *
 * @param own Records that this user's own processes wrote.
 * @default all records
 */
export function foldRecords(records: readonly JournalRecord[], own: ReadonlySet<JournalRecord> = new Set(records)): Submission {
  return records.reduce<Submission>((state, record) => withOrigin(foldRecord(state, record), record, own.has(record)), noSubmission)
}

/**
 * Marks a history with a foreign record as foreign, until the user has given up the present attempt. Giving up an
 * execution of an earlier attempt does not end the mark. A foreign record about an approval sets no mark, because it
 * can only end approvals.
 */
function withOrigin(state: Submission, { type, body }: JournalRecord, isOwn: boolean): Submission {
  if (type === 'approved' || type === 'revoked') return state
  if (!isOwn) return state.isForeign ? state : { ...state, isForeign: true }
  const isGivenUp = type === 'decided' && body.decision === 'abandon' && body.about !== 'answer' && state.abandoned !== undefined
  if (!state.isForeign || !isGivenUp) return state
  const { isForeign: _isForeign, ...rest } = state
  return rest
}

function toSend(record: JournalRecord, body: { readonly send: number; readonly keyTag: string }): Send {
  return { send: body.send, at: record.at, mono: record.mono, keyTag: body.keyTag, answer: { kind: 'none' } }
}

function toAnswer(
  record: JournalRecord & { readonly type: 'refused' | 'unknown' | 'answerRefused' | 'answerUnknown' },
): Exclude<Send['answer'], { kind: 'none' }> {
  if (record.type === 'refused' || record.type === 'answerRefused')
    return { kind: 'refused', status: record.body.status, error: record.body.error }
  return { kind: 'unknown', status: record.body.status, message: record.body.message }
}

function withAnswerSends(state: Submission, change: (sends: readonly Send[]) => readonly Send[]): Submission {
  return state.answer ? { ...state, answer: { ...state.answer, sends: change(state.answer.sends) } } : state
}

function answered(sends: readonly Send[], send: number, answer: Send['answer']): readonly Send[] {
  return sends.map((other) => (other.send === send ? { ...other, answer } : other))
}
