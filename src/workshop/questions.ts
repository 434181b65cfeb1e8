import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import { adoptExecution } from '../job/adopt.ts'
import { freezeAnswer, sendFrozenAnswer } from '../job/answer.ts'
import { decide } from '../job/decision.ts'
import { settle } from '../job/delivery/deliver.ts'
import { factsNow, type JobPorts, type Order, type ProgressListener } from '../job/order.ts'
import { stopError } from '../job/stop.ts'
import type { Context } from '../project/context.ts'
import { toJobPorts } from '../project/orders.ts'
import { findOrders } from '../project/recovery/named-orders.ts'
import type { Session } from '../project/session.ts'
import { sniffPicture } from '../sprite-spec/picture.ts'
import { overLimits } from '../sprite-spec/reference.ts'
import { findEntry } from '../vault/lockfile.ts'
import type { AnswerRequest } from './api/reports.ts'
import { changedError } from './changed-error.ts'
import { endRequests } from './end-requests.ts'

/** An order with an execution at the service. */
interface OpenOrder {
  readonly order: Order
  readonly executionId: string
  readonly isKept: boolean
  /** Whether it has ended without a result. */
  readonly hasFailed: boolean
}

/**
 * The executions of a name: of one animation, of one step, or of a sprite with its steps.
 *
 * @param hash The one request that is meant, under any name.
 * @default all requests of the name
 */
async function findExecutions(context: Context, session: Session, name: string, hash?: string): Promise<readonly OpenOrder[]> {
  return (await findOrders(context, session, name, hash)).flatMap(({ order, standing }) => {
    const { executionId, state } = standing
    return executionId === undefined ? [] : [{ order, executionId, isKept: state === 'bought', hasFailed: state === 'failed' }]
  })
}

/**
 * Answers the question of an execution. It first reads the question again from the service, because only an
 * open question can be answered.
 *
 * @param onWait Receives why the answer waits before it is sent, if the request has no listener.
 * @default nobody is told
 * @returns The execution that continues.
 * @throws `SW_CHANGED` if it is not the shown question. `SW_USAGE` if nothing waits for an answer, or if the
 *   question wants a picture. `SW_REFERENCE` for a file that is no picture, or that the service does not
 *   accept. `SW_UNREACHABLE` if the answer was not confirmed. `SW_UNCERTAIN` if it was not confirmed and may
 *   not be sent again.
 */
export async function answer(
  context: Context,
  session: Session,
  request: AnswerRequest,
  signal: AbortSignal,
  onWait: (sentence: string) => void = () => {},
): Promise<{ readonly id: string; readonly executionId: string }> {
  const tellWait: ProgressListener = ({ id, phase, message }) =>
    phase === 'waiting' && message !== undefined && onWait(`${id}: ${message}.`)
  const { onProgress = tellWait } = request
  const ports = await toJobPorts(context, session, { signal, onProgress })
  const { shown } = request
  for (const { order, executionId, isKept, hasFailed } of await findExecutions(context, session, request.name, shown?.hash)) {
    if (isKept || hasFailed) continue
    const execution = await session.client.execution(executionId, signal)
    const { question, conversationId } = execution
    if (!question || conversationId === null || (shown && shown.questionId !== question.questionId)) continue
    if (question.requiresAsset && !request.asset) {
      throw new SpritewrightError('SW_USAGE', {
        message: `The question of "${order.request.id}" wants a picture: ${question.text} Give one with --asset FILE.`,
        facts: { id: order.request.id, question: question.text },
      })
    }
    const assetId = request.asset && (await uploadAsset(ports, request.asset))
    const known = await adoptExecution(ports, order, await ports.journal.read(order.hash))
    const view = await freezeAnswer(ports, order, known, conversationId, question.questionId, { text: request.text, assetId })
    if (view) await sendFrozenAnswer(ports, order, view)
    const now = await ports.journal.read(order.hash)
    await settle(ports, order, now)
    const { accepted, answer: open } = now.submission
    if (open || !accepted) {
      const step = decide(now.submission, factsNow(ports, order))
      if (step.do === 'stop') throw stopError(ports, order, step.why, { isAnswer: true })
      throw new SpritewrightError('SW_UNREACHABLE', {
        message: `The service did not confirm the answer to "${order.request.id}". Run npx spritewright build: it sends the same answer again under the same key, so it counts once.`,
        facts: { id: order.request.id },
      })
    }
    await endRequests(context, 'answer', [order.request.id])
    return { id: order.request.id, executionId: accepted.executionId }
  }
  if (shown) throw changedError(request.name, 'the question that was shown, which is no longer open', 'No answer was sent.')
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a question waiting at "${request.name}", found none. See: npx spritewright status`,
    facts: { name: request.name },
  })
}

async function uploadAsset(ports: JobPorts, asset: { readonly path: string; readonly bytes: Uint8Array }): Promise<string> {
  const sniffed = sniffPicture(asset.bytes)
  if ('found' in sniffed) {
    throw new SpritewrightError('SW_REFERENCE', {
      message: `Expected a PNG, JPEG or WebP picture at ${asset.path}, found ${sniffed.found}.`,
      facts: { path: asset.path, found: sniffed.found },
    })
  }
  const refusal = overLimits(asset.bytes, sniffed.header, asset.path, ports.capabilities)
  if (refusal)
    throw new SpritewrightError('SW_REFERENCE', { message: `${asset.path}: ${refusal.message}. No answer was sent.`, facts: refusal.facts })
  return ports.uploads.referenceId(sha256(asset.bytes), { bytes: asset.bytes, contentType: sniffed.header.contentType }, ports.signal)
}

/**
 * Cancels the running pictures of a name. Sprite executions cannot be cancelled: the service does not allow
 * it.
 *
 * @returns The service's status of each.
 * @throws `SW_CAPABILITY` for a sprite execution. `SW_USAGE` if nothing runs. `SW_CHANGED` if the shown
 *   execution does not run.
 */
export async function cancel(
  context: Context,
  session: Session,
  { name, shown }: { readonly name: string; readonly shown: string | undefined },
  signal: AbortSignal,
): Promise<readonly { readonly id: string; readonly status: string }[]> {
  const open = (await findExecutions(context, session, name, shown)).filter((one) => !one.isKept && !one.hasFailed)
  const pictures = open.filter(({ order }) => order.request.operation !== 'sprite_sheet')
  const sheet = open.find(({ order }) => order.request.operation === 'sprite_sheet')
  if (pictures.length === 0 && sheet) {
    throw new SpritewrightError('SW_CAPABILITY', {
      message: `"${sheet.order.request.id}" is a sprite execution; the service does not allow customers to cancel those. It continues; its hold is settled on delivery or restored on failure.`,
      facts: { id: sheet.order.request.id, executionId: sheet.executionId },
    })
  }
  if (pictures.length === 0 && shown !== undefined) throw changedError(name, 'a picture that is being made', 'Nothing was cancelled.')
  if (pictures.length === 0)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a picture being made for "${name}", found none. See: npx spritewright status`,
      facts: { name },
    })
  const ended: { id: string; status: string }[] = []
  const ports = { ...context, clock: context.host.clock }
  for (const { order, executionId } of pictures) {
    const { status } = await session.client.cancel(executionId, signal)
    ended.push({ id: order.request.id, status })
    const view = await context.journal.read(order.hash)
    if (status !== 'cancelled') continue
    const failed = await context.journal.append(order.hash, view, 'failed', {
      attempt: view.submission.attempt,
      executionId,
      status,
      error: null,
    })
    if (failed) await settle(ports, order, failed)
  }
  return ended
}

/**
 * Deletes the conversations of a name at the service, with everything that it stores of them. The paid
 * results here stay.
 *
 * @param confirm Asked once with the ids. Nothing is deleted unless it returns `true`.
 * @throws `SW_VAULT` if a result is not in the vault yet, since it would be lost. `SW_USAGE` if the service
 *   has nothing of that name.
 */
export async function forget(
  context: Context,
  session: Session,
  name: string,
  confirm: (ids: readonly string[]) => Promise<boolean>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const open = await findExecutions(context, session, name)
  if (open.length === 0)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected executions of "${name}" at the service, found none. See: npx spritewright status`,
      facts: { name },
    })
  const unkept = open.filter((one) => !one.isKept && !one.hasFailed).map(({ order }) => order.request.id)
  if (unkept.length > 0) {
    throw new SpritewrightError('SW_VAULT', {
      message: `${unkept.join(', ')}: not in the vault yet, and lost for good once the service forgets it. Run npx spritewright build first.`,
      facts: { ids: unkept },
    })
  }
  for (const { order } of open) await checkResult(context, order)
  if (!(await confirm(open.map(({ order }) => order.request.id)))) return []
  const forgotten: string[] = []
  for (const { order, executionId } of open) {
    const { accepted } = (await context.journal.read(order.hash)).submission
    const conversationId = accepted?.conversationId ?? (await session.client.execution(executionId, signal)).conversationId
    if (conversationId === null) continue
    await session.client.deleteConversation(conversationId, signal)
    forgotten.push(order.request.id)
  }
  return forgotten
}

/**
 * Refuses to delete the last copy: the service may have the only whole copy of a damaged result.
 *
 * @throws `SW_VAULT`
 */
async function checkResult(context: Context, { hash, request }: Order): Promise<void> {
  const result =
    (await context.journal.read(hash)).submission.stored?.sha256 ?? findEntry(await context.lock.read(), request.id, hash)?.result?.sha256
  if (result === undefined || (await context.vault.read(result))) return
  throw new SpritewrightError('SW_VAULT', {
    message: `The result of "${request.id}" is damaged or gone here, and would be lost for good once the service forgets it. Nothing was deleted. Run npx spritewright build first: it fetches it again, for free.`,
    facts: { id: request.id, result },
  })
}
