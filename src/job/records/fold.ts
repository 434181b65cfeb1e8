import { newerVersion } from './file.ts'
import { isTakenOver, type JournalRecord, type RecordBodies } from './record.ts'
import { withStray, withStrayEnd } from './strays.ts'
import { noSubmission, type ReplayDecision, type Send, type Submission } from './submission.ts'

/**
 * Folds one more record into the state. Pure; a later attempt forgets the sends of the earlier one.
 *
 * A record of an attempt or an execution that others have followed comes from a process that was late: it says nothing about the present one.
 *
 * @throws `SW_JOURNAL` for a type that this version does not know.
 */
export function foldRecord(state: Submission, record: JournalRecord): Submission {
  if (record.type === 'frozen') return foldFrozen(state, record.body)
  if (record.type === 'accepted') return foldAccepted(state, record.body)
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
      return state.failed ? state : { ...state, failures: state.failures + 1, failed: record.body }
    case 'stored':
      return { ...state, stored: record.body }
    case 'decided':
      return foldDecided(state, record, record.body)
    default:
      throw newerVersion((record as { readonly type: string }).type)
  }
}

/** Whether a record speaks of an execution that is not the present one. */
function isOfAnother(state: Submission, body: { readonly executionId?: string; readonly attempt: number }): boolean {
  const { executionId } = body
  if (executionId === undefined || !state.accepted || executionId === state.accepted.executionId) return false
  return state.executions?.includes(executionId) === true || state.strays?.some((stray) => stray.executionId === executionId) === true
}

function foldFrozen(state: Submission, body: RecordBodies['frozen']): Submission {
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

/** Whether the service may have, or have had, an execution of the present attempt: then another attempt gives nothing of it back. */
function mayBeCharged(state: Submission): boolean {
  return openSends(state).length > 0 || (state.accepted !== undefined && state.failed === undefined)
}

/** What outlives an attempt. */
function lasting({
  executions,
  strays,
  abandonedAttempts,
  isForeign,
}: Submission): Pick<Submission, 'executions' | 'strays' | 'abandonedAttempts' | 'isForeign'> {
  return {
    ...(executions ? { executions } : {}),
    ...(strays ? { strays } : {}),
    ...(abandonedAttempts ? { abandonedAttempts } : {}),
    ...(isForeign ? { isForeign } : {}),
  }
}

/** An execution that is known after all ends a giving up; one of an attempt that others have followed is kept in mind. */
function foldAccepted(state: Submission, body: RecordBodies['accepted']): Submission {
  const isKnown = state.executions?.includes(body.executionId) === true
  if (body.attempt < state.attempt) return isKnown ? state : { ...state, strays: withStray(state.strays, body) }
  if (body.attempt === state.attempt && state.accepted?.executionId === body.executionId) {
    const { abandoned: _abandoned, ...rest } = state
    return rest
  }
  if (isLateAnswer(state, body)) return isKnown ? state : { ...state, strays: withStray(state.strays, body) }
  if (body.attempt === state.attempt && !isBeside(state, body)) return withExecution(state, body)
  // Taken over from another machine: whether our own POSTs were heard stays unknown.
  const given = openSends(state).length > 0 ? { abandonedAttempts: [...(state.abandonedAttempts ?? []), state.attempt] } : {}
  // Bytes and POSTs of our own are not those that started it.
  const { frozen: _frozen, replay: _replay, ...taken } = withExecution(state, body)
  return { ...taken, ...given, attempt: body.attempt, sends: [] }
}

/** The answer to a POST of our own that comes after another machine's execution has taken its place. */
function isLateAnswer({ attempt, accepted }: Submission, body: RecordBodies['accepted']): boolean {
  return accepted?.attempt === attempt && body.attempt === attempt && isTakenOver(accepted) && !isTakenOver(body)
}

/** POSTs that nobody has answered, or not so that it says anything. */
function openSends({ accepted, sends }: Submission): readonly Send[] {
  return accepted ? [] : sends.filter((send) => send.answer.kind !== 'refused')
}

/** Whether an execution that was taken over from the lock file may stand beside one that POSTs of ours have started: they have no answer, and nobody can know. */
function isBeside(state: Submission, body: RecordBodies['accepted']): boolean {
  return isTakenOver(body) && openSends(state).length > 0
}

/** The execution that an answer started rests on the approval of the one before: where that was taken over, nothing else here says so. */
function goingOn({ accepted }: Submission, body: RecordBodies['answerAccepted']): RecordBodies['accepted'] {
  return accepted?.approvedAt === undefined ? body : { ...body, approvedAt: accepted.approvedAt }
}

/** Another execution stands for the request from here on: what was said of the one before is over. */
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
 * The state that a whole chain stands for.
 *
 * @param own Records that this user's own processes wrote. @default all
 */
export function foldRecords(records: readonly JournalRecord[], own: ReadonlySet<JournalRecord> = new Set(records)): Submission {
  return records.reduce<Submission>((state, record) => withOrigin(foldRecord(state, record), record, own.has(record)), noSubmission)
}

/** One foreign record makes the whole history doubtful, until the user has given up the present attempt. Giving up an execution of an earlier one says nothing of that. */
function withOrigin(state: Submission, { type, body }: JournalRecord, isOwn: boolean): Submission {
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
