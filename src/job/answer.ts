import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { SubmissionOutcome } from '../service/wire.ts'
import { decide } from './decision.ts'
import { factsNow, idempotencyKey, type JobPorts, type Order } from './order.ts'
import { patiently } from './patiently.ts'
import { type JournalView, OvertakenError } from './records/journal.ts'
import { isUnsent } from './records/submission.ts'
import { checkRead, refusedAnswerError } from './stop.ts'
import { checkTries, enter, enterAgain, noTries, type Pause, type Tries, wait } from './tries.ts'

/** A person's answer to a question of an execution. */
export interface AnswerWords {
  readonly text: string
  /** Id of an uploaded picture, if the question asks for one. */
  readonly assetId: string | undefined
}

/**
 * Freezes the words and the key of an answer. The key is derived from the question, the number of refused
 * POSTs and the number of answers that were given up, never from the words. If other words are sent under the
 * same key, the service reports a conflict and starts no second execution.
 *
 * @throws `SW_USAGE` if an answer with other words was already frozen.
 */
export async function freezeAnswer(
  ports: JobPorts,
  order: Order,
  view: JournalView,
  conversationId: string,
  questionId: string,
  words: AnswerWords,
): Promise<JournalView | undefined> {
  const { accepted, answer, answersAbandoned, attempt } = view.submission
  if (!accepted)
    throw new SpritewrightError('SW_INTERNAL', {
      message: `"${order.request.id}" has no execution that could be answered. Please report this.`,
    })
  const isUnderWay = answer?.sends.some((send) => send.answer.kind !== 'refused') === true
  if (answer && answer.frozen.questionId === questionId && isUnderWay) {
    if (answer.frozen.text === words.text && answer.frozen.assetId === (words.assetId ?? null)) return view
    throw new SpritewrightError('SW_USAGE', {
      message: `An answer to the question of "${order.request.id}" was sent already and is not confirmed: ${JSON.stringify(answer.frozen.text)}. Run npx spritewright build: it sends the same answer again, once. If that stops because it is unknown whether it arrived: npx spritewright recover ${order.request.id} --abandon, then answer again.`,
      facts: { id: order.request.id, sent: answer.frozen.text },
    })
  }
  const tries = answer?.frozen.questionId === questionId ? (answer.frozen.tries ?? 0) + answer.sends.length : 0
  return ports.journal.append(order.hash, view, 'answerFrozen', {
    attempt,
    executionId: accepted.executionId,
    conversationId,
    questionId,
    key: answerKey(order.hash, { attempt, questionId, tries, answersAbandoned }),
    text: words.text,
    assetId: words.assetId ?? null,
    ...(tries === 0 ? {} : { tries }),
  })
}

/** The idempotency key of an answer. */
function answerKey(
  hash: string,
  what: { readonly attempt: number; readonly questionId: string; readonly tries: number; readonly answersAbandoned: number | undefined },
): string {
  const { attempt, questionId, tries, answersAbandoned } = what
  const digest = sha256(JSON.stringify(['answer', hash, attempt, questionId, tries, ...(answersAbandoned ? [answersAbandoned] : [])]))
  return `sw1-answer-${digest.slice(0, 40)}`
}

/**
 * Sends a frozen answer. If a rate limit refuses the POST, the function waits and sends the answer again. If
 * the reply is lost, the next run repeats the POST.
 */
export async function sendFrozenAnswer(ports: JobPorts, order: Order, frozen: JournalView): Promise<void> {
  const tries = noTries()
  let view = frozen
  let pause: Pause = 'none'
  for (;;) {
    await tryAnswer(ports, order, view, pause, tries)
    view = await ports.journal.read(order.hash)
    const step = decide(view.submission, factsNow(ports, order))
    if (step.do !== 'answer' || step.pause !== 'limit') return
    pause = step.pause
  }
}

/** Waits as long as the last reply asks for, then sends a frozen answer once. */
export async function tryAnswer(ports: JobPorts, order: Order, view: JournalView, pause: Pause, tries: Tries): Promise<void> {
  checkTries(ports, order, pause, tries, view.submission.answer?.sends.at(-1)?.answer)
  await wait(ports, order, pause, tries)
  const { answer, attempt } = view.submission
  await (isUnsent(answer?.sends ?? []) ? enter(ports, order, attempt, tries) : enterAgain(ports, order, attempt))
  tries.sent++
  try {
    tries.askedMs = (await sendAnswer(ports, order, view, tries)) ?? 0
  } finally {
    if (tries.place !== undefined) await ports.places.leave(tries.place)
    tries.place = undefined
  }
}

/**
 * Sends one POST of a frozen answer: first the durable record, then the bytes, then the record of the reply.
 * An answer costs nothing: the hold of the question's execution is transferred.
 *
 * @returns The wait that the service requests, in milliseconds; `undefined` if it requests none.
 */
async function sendAnswer(ports: JobPorts, order: Order, view: JournalView, run: Tries): Promise<number | undefined> {
  const answer = view.submission.answer
  if (!answer)
    throw new SpritewrightError('SW_INTERNAL', {
      message: `An answer to "${order.request.id}" was about to be sent before it was decided. Please report this.`,
    })
  const { attempt, executionId, conversationId, questionId, key, text, assetId, tries = 0 } = answer.frozen
  if (key !== answerKey(order.hash, { attempt, questionId, tries, answersAbandoned: view.submission.answersAbandoned })) {
    throw new SpritewrightError('SW_JOURNAL', {
      message: `Expected the recorded answer to "${order.request.id}" to have the key of its question, found another. Nothing was sent. Take it back: npx spritewright recover ${order.request.id} --abandon, then answer again.`,
      facts: { id: order.request.id },
    })
  }
  const number = answer.sends.length + 1
  const recorded: { view?: JournalView | undefined } = {}
  const outcome = await ports.client
    .answer(
      { executionId, conversationId, questionId, text, key, ...(assetId === null ? {} : { assetId }) },
      async () => {
        // The wait for the service's limits may have been long. The result of an earlier check may no longer
        // be true.
        if (answer.sends.length > 0 && decide(view.submission, factsNow(ports, order)).do !== 'answer') throw new OvertakenError()
        recorded.view = await ports.journal.append(order.hash, view, 'answerSent', {
          attempt,
          send: number,
          keyTag: ports.client.keyTag(order.hash),
        })
        if (!recorded.view) throw new OvertakenError()
        run.place = undefined
      },
      ports.signal,
    )
    .catch((error: unknown) => {
      if (error instanceof OvertakenError) return undefined
      throw error
    })
  const { view: first } = recorded
  const place = { key: idempotencyKey(order.identity, order.hash, attempt), id: order.request.id }
  if (outcome?.kind === 'refused' && isUnsent(answer.sends)) run.place = place.key
  if (outcome && first) await patiently(ports, order, outcome, () => recordAnswer(ports, order, first, number, outcome))
  checkRead(order.request.id, outcome)
  if (outcome?.kind === 'accepted') await ports.places.keep(place, { executionId: outcome.executionId })
  return outcome?.kind === 'accepted' ? undefined : outcome?.retryAfterMs
}

async function recordAnswer(ports: JobPorts, order: Order, first: JournalView, send: number, outcome: SubmissionOutcome): Promise<void> {
  const { attempt } = first.submission
  let view: JournalView | undefined = first
  while (view) {
    const before = view
    const next: JournalView | undefined =
      outcome.kind === 'accepted'
        ? await ports.journal.append(order.hash, before, 'answerAccepted', {
            attempt,
            executionId: outcome.executionId,
            conversationId: outcome.conversationId,
          })
        : outcome.kind === 'refused'
          ? await ports.journal.append(order.hash, before, 'answerRefused', { attempt, send, status: outcome.status, error: outcome.error })
          : await ports.journal.append(order.hash, before, 'answerUnknown', {
              attempt,
              send,
              status: outcome.status,
              message: outcome.message,
            })
    if (next) break
    view = await ports.journal.read(order.hash)
    if (!view.submission.answer) return
  }
  if (outcome.kind === 'refused' && outcome.status !== 429 && outcome.status !== 409)
    throw refusedAnswerError(order.request.id, outcome.status, outcome.error)
}
