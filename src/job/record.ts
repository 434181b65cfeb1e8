import type { FrameReview, PublicError, Question } from '../service/wire.ts'
import { type ChainedRecord, newerVersion } from './record-chain.ts'
import { type Stray, withStray, withStrayEnd } from './strays.ts'

/** What a record can say, by type. Money is decimal text. */
export interface RecordBodies {
  /** The bytes and the key of the next POST, decided before it. */
  readonly frozen: {
    readonly attempt: number
    readonly key: string
    readonly body: string
    readonly bodySha256: string
    readonly maxCredits: string
    readonly ceiling: string
    readonly priceVersion: string
    /** `at` of the approval it rests on: an attempt that ended needs another one. */
    readonly approvedAt: string
    /** Available credits right before, as evidence for a person; missing in records of earlier versions. */
    readonly balance?: string
  }
  /** A POST is about to leave. `send` counts the POSTs of this attempt from 1. */
  readonly sent: {
    readonly attempt: number
    readonly send: number
    /** Fingerprint of the API key, salted by the request's hash: it stays whoever builds, and says nothing across requests. */
    readonly keyTag: string
  }
  /** What was reserved for the attempt has been given back, since nothing had been sent. It takes the place of the `sent` that somebody may be about to write: who was reads again and reserves anew. */
  readonly withdrawn: { readonly attempt: number }
  /** A POST was refused by a readable answer. */
  readonly refused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  /** A POST got no answer, a 5xx, or one that cannot be read. */
  readonly unknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service took the submission. From here on only GET. */
  readonly accepted: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string | null
    /** `at` of the approval, where the execution was taken over from the lock file and nothing was frozen here. */
    readonly approvedAt?: string | null
  }
  /** The execution waits for an answer. */
  readonly asked: { readonly attempt: number; readonly executionId: string; readonly question: Question }
  /** The words and the key of an answer, decided before it is sent; one a question. */
  readonly answerFrozen: {
    readonly attempt: number
    readonly executionId: string
    readonly conversationId: string
    readonly questionId: string
    readonly key: string
    readonly text: string
    readonly assetId: string | null
  }
  /** A POST of the answer is about to leave. */
  readonly answerSent: { readonly attempt: number; readonly send: number; readonly keyTag: string }
  readonly answerRefused: { readonly attempt: number; readonly send: number; readonly status: number; readonly error: PublicError }
  readonly answerUnknown: { readonly attempt: number; readonly send: number; readonly status: number | null; readonly message: string }
  /** The service took the answer and goes on in a new execution. */
  readonly answerAccepted: { readonly attempt: number; readonly executionId: string; readonly conversationId: string | null }
  /** The execution delivered. */
  readonly completed: {
    readonly attempt: number
    readonly executionId?: string
    readonly downloadUrl: string
    readonly contentType: string | null
    /** Pixels, as the finished asset says; missing in records of earlier versions. */
    readonly width?: number | null
    readonly height?: number | null
    readonly review: FrameReview | null
  }
  /** The execution failed or was cancelled; its hold is restored. */
  readonly failed: {
    readonly attempt: number
    readonly executionId?: string
    readonly status: string
    readonly error: PublicError | null
  }
  /**
   * What a person decided where nobody can know: `replay` sends the same bytes again whatever became of the earlier ones, `abandon` gives the attempt (or the answer) up.
   * `execution` is one that the service does not know any more.
   */
  readonly decided: {
    readonly attempt: number
    readonly about: 'submission' | 'answer' | 'execution'
    /** Which one, where it is about an execution; missing in records of earlier versions. */
    readonly executionId?: string
    readonly decision: 'replay' | 'abandon'
    /** `at` of the approval of that day: buying after giving up needs another one. */
    readonly approvedAt: string | null
  }
  /** The result's bytes are in the vault. */
  readonly stored: { readonly attempt: number; readonly executionId?: string; readonly sha256: string; readonly bytes: number }
}

export type RecordType = keyof RecordBodies

/** One record of a submission's journal. */
export type JournalRecord = {
  readonly [T in RecordType]: ChainedRecord & { readonly type: T; readonly body: RecordBodies[T] }
}[RecordType]

/** One POST of the current attempt and what came back. */
export interface Send {
  readonly send: number
  readonly at: number
  readonly mono: number
  readonly keyTag: string
  /** `none`: the process ended before an answer was recorded. */
  readonly answer:
    | { readonly kind: 'none' }
    | { readonly kind: 'unknown'; readonly status: number | null; readonly message: string }
    | { readonly kind: 'refused'; readonly status: number; readonly error: PublicError }
}

/** A person's word that what was sent is to be sent again, with the place it has among the POSTs. */
export interface ReplayDecision {
  readonly at: number
  readonly mono: number
  /** How many POSTs came before it. */
  readonly sends: number
  /** From 1: each such decision may have led to a charge of its own. */
  readonly count: number
}

/** Everything the records of one request say together. */
export interface Submission {
  /** The current attempt, from 1; 0 before anything was frozen. */
  readonly attempt: number
  /** How many executions of this request have failed under the approval of the current attempt. */
  readonly failures: number
  /** Every execution that was ever accepted for this request, oldest first. */
  readonly executions?: readonly string[]
  readonly frozen?: RecordBodies['frozen']
  /** POSTs of the current attempt, in order. */
  readonly sends: readonly Send[]
  /** How often the share that was reserved for the current attempt has been given back. */
  readonly withdrawals?: number
  /** A person's decision to send again. */
  readonly replay?: ReplayDecision
  /** A person gave the attempt up. */
  readonly abandoned?: { readonly about: 'submission' | 'execution'; readonly approvedAt: string | null }
  readonly accepted?: RecordBodies['accepted']
  /** The question of the current execution, as it was last seen. */
  readonly question?: Question
  /** The answer to it, from its freezing until the service has taken it. */
  readonly answer?: { readonly frozen: RecordBodies['answerFrozen']; readonly sends: readonly Send[]; readonly replay?: ReplayDecision }
  /** How many answers a person gave up; each further one needs a key of its own. */
  readonly answersAbandoned?: number
  /** Attempts that a person gave up and others have followed: what they may have cost counts as spent for ever. */
  readonly abandonedAttempts?: readonly number[]
  /** Executions of attempts that were given up, of which an answer came later all the same. */
  readonly strays?: readonly Stray[]
  readonly completed?: RecordBodies['completed']
  readonly failed?: RecordBodies['failed']
  readonly stored?: RecordBodies['stored']
}

/** The state before the first record. */
export const noSubmission: Submission = { attempt: 0, failures: 0, sends: [] }

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
    ...(state.abandoned ? { abandonedAttempts: [...(state.abandonedAttempts ?? []), state.attempt] } : {}),
  }
}

/** What outlives an attempt. */
function lasting({ executions, strays, abandonedAttempts }: Submission): Pick<Submission, 'executions' | 'strays' | 'abandonedAttempts'> {
  return { ...(executions ? { executions } : {}), ...(strays ? { strays } : {}), ...(abandonedAttempts ? { abandonedAttempts } : {}) }
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
  return accepted?.attempt === attempt && body.attempt === attempt && accepted.approvedAt !== undefined && body.approvedAt === undefined
}

/** POSTs that nobody has answered, or not so that it says anything. */
function openSends({ accepted, sends }: Submission): readonly Send[] {
  return accepted ? [] : sends.filter((send) => send.answer.kind !== 'refused')
}

/** Whether an execution that was taken over from the lock file may stand beside one that POSTs of ours have started: they have no answer, and nobody can know. */
function isBeside(state: Submission, { approvedAt }: RecordBodies['accepted']): boolean {
  return approvedAt !== undefined && openSends(state).length > 0
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

/** The state that a whole chain stands for. */
export function foldRecords(records: readonly JournalRecord[]): Submission {
  return records.reduce(foldRecord, noSubmission)
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
