import { formatCredits, parseCredits } from '../../credit/credits.ts'
import { sha256 } from '../../host/sha256.ts'
import { type Caller, requireOperation } from '../accounts/accounts.ts'
import { invalid, Refusal } from '../http/http.ts'
import { checkFrames, priceOf } from '../options/pricing.ts'
import type { AnswerRecord, ExecutionRecord, ExecutionRequest, Operation, Put } from '../store/records.ts'
import type { Store } from '../store/service-store.ts'
import { toEvent } from './executions.ts'
import type { Ground } from './ground.ts'

/** A submission or an answer, as it was received. */
export interface Submission {
  readonly caller: Caller
  readonly idempotencyKey: string | undefined
  readonly body: Uint8Array
  readonly requestId: string
}

/** The accepted execution, and whether it is new. It is not if the same key and bytes came before. */
export type TakenIn = ReturnType<typeof once>

/** Longest side of a reference of `upscale`, pixels. */
const MAXIMUM_UPSCALE_SIDE = 2048

/** Starts executions, one for each key. */
export type Submissions = ReturnType<typeof createSubmissions>

/** Creates submissions over executions. */
export function createSubmissions(ground: Ground) {
  return {
    /**
     * Accepts a submission, or returns the execution of the same key and bytes.
     *
     * @throws {Refusal} `conflict` for a known key with other bytes. `invalid_request`, `feature_unavailable`
     *   or `access_denied` for a request that cannot run; then nothing is started.
     */
    accept: (submission: Submission): TakenIn => once(ground, submission, (fresh) => start(ground, fresh)),
    /**
     * Accepts an answer. It settles the question of the asking execution, and a new execution of the same
     * conversation continues with its hold.
     *
     * @throws {Refusal} As `accept`; `resource_not_found` for an unknown conversation, `conflict` for a question
     *   that was answered or withdrawn.
     */
    answer: (conversationId: string, submission: Submission): TakenIn =>
      once(ground, submission, (fresh) => answer(ground, conversationId, fresh)),
  }
}

/** A submission with a new key. */
interface Fresh extends Submission {
  readonly bodySha256: string
  /** The record that binds the key to the execution. */
  readonly remember: (executionId: string) => Put
}

/**
 * There is no `await` between the check of the key and the commit. Of two equal submissions at once, one
 * starts, and both get the same answer.
 */
function once({ store, clock, options }: Ground, submission: Submission, begin: (fresh: Fresh) => ExecutionRecord) {
  const place = `${submission.caller.account.id} ${readIdempotencyKey(submission.idempotencyKey)}`
  const bodySha256 = sha256(submission.body)
  const known = store.table('idempotency').get(place)
  if (known !== undefined && clock.wall() - known.atMs < options.retentionMs) {
    if (known.bodySha256 !== bodySha256)
      throw new Refusal('conflict', 'This Idempotency-Key was used with another request body.', { field: 'Idempotency-Key' })
    return { execution: store.table('execution').get(known.executionId)!, isNew: false }
  }
  const remember: Fresh['remember'] = (executionId) => ['idempotency', place, { bodySha256, executionId, atMs: clock.wall() }]
  return { execution: begin({ ...submission, bodySha256, remember }), isNew: true }
}

function readIdempotencyKey(key: string | undefined): string {
  if (key === undefined || !/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid('Idempotency-Key', '1 to 255 visible ASCII characters')
  return key
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw invalid('body', 'JSON in UTF-8')
  }
}

function start(ground: Ground, { body, bodySha256, caller, remember, requestId }: Fresh): ExecutionRecord {
  const { store, random, options } = ground
  const request = options.shapes.readSubmission(readJson(body))
  requireOperation(caller, request.operation)
  const execution: ExecutionRecord = {
    id: random.uuid(),
    conversationId: random.uuid(),
    accountId: caller.account.id,
    jobId: random.uuid(),
    requestId,
    bodySha256,
    request,
    answers: [],
    price: check(ground, caller, request),
    money: 'none',
    status: 'queued',
    failedAt: null,
    failure: null,
    delivery: null,
    question: null,
    followedBy: null,
    isDeleted: false,
    events: 1,
  }
  store.commit([['execution', execution.id, execution], started(execution.id, 'Taken in.'), remember(execution.id)])
  return execution
}

function started(executionId: string, message: string): Put {
  return ['event', `${executionId}/1`, toEvent({ kind: 'started', message }, 'queued')]
}

/** @returns The price, a decimal text. */
function check(ground: Ground, caller: Caller, request: ExecutionRequest): string {
  if (request.operation === 'sprite_sheet') checkFrames(ground.pricing(), 'animation.frame_count', request.frames)
  if (request.referenceId !== null) checkReference(ground.store, caller, request.operation, 'reference_asset_id', request.referenceId)
  if (request.operation !== 'sprite_sheet') return formatCredits(parseCredits(ground.options.imageCredits))
  const price = priceOf(ground.pricing(), request.frames, request.background)
  if (price > parseCredits(request.maxCredits))
    throw invalid('max_credits', 'the current price or more; nothing was started', { current_credits: formatCredits(price) })
  return formatCredits(price)
}

function checkReference(store: Store, caller: Caller, operation: Operation, field: string, id: string): void {
  const upload = store.table('upload').get(id)
  if (upload === undefined) throw invalid(field, 'the id of an uploaded reference')
  if (upload.accountId !== caller.account.id) throw new Refusal('access_denied', 'This key cannot access the reference.')
  if (operation === 'upscale' && Math.max(upload.width, upload.height) > MAXIMUM_UPSCALE_SIDE)
    throw invalid(field, `a picture of at most ${MAXIMUM_UPSCALE_SIDE} pixels a side`, { maximum_dimension: MAXIMUM_UPSCALE_SIDE })
}

function answer(ground: Ground, conversationId: string, fresh: Fresh): ExecutionRecord {
  const { executions, options, random, store } = ground
  const { bodySha256, caller, remember, requestId } = fresh
  const conversation = executions.ofConversation(caller, conversationId)
  const body = options.shapes.readAnswer(readJson(fresh.body))
  const asking = conversation.find(({ question }) => question?.id === body.questionId)
  if (asking === undefined) throw invalid('question_id', "the id of this conversation's question")
  if (asking.followedBy !== null) throw new Refusal('conflict', 'This question has been answered.', { field: 'question_id' })
  if (asking.status !== 'needs_input') throw new Refusal('conflict', 'This question was withdrawn.', { field: 'question_id' })
  if (body.assetId === null && asking.question?.requiresAsset === true)
    throw invalid('asset_id', 'the id of an uploaded reference: this question asks for a picture')
  if (body.assetId !== null) checkReference(store, caller, asking.request.operation, 'asset_id', body.assetId)
  const given: AnswerRecord = { text: body.text, referenceId: body.assetId }
  const isHeld = asking.money === 'held'
  const next: ExecutionRecord = {
    ...asking,
    id: random.uuid(),
    jobId: random.uuid(),
    requestId,
    bodySha256,
    answers: [...asking.answers, given],
    money: isHeld ? 'held' : 'none',
    status: 'queued',
    question: null,
    events: 1,
  }
  executions.advance(
    asking.id,
    { followedBy: next.id, money: isHeld ? 'moved' : asking.money },
    [{ kind: 'done', message: 'Answered: another execution goes on.' }],
    [['execution', next.id, next], started(next.id, 'Taken in with an answer.'), remember(next.id)],
  )
  return next
}
