import { formatCredits, parseCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import type { SubmissionOutcome } from '../service/wire.ts'
import { readSettled } from '../stores/exchange.ts'
import { adoptExecution } from './adopt.ts'
import { tryAnswer } from './answer.ts'
import { checkFrozen } from './body.ts'
import { readReferencePicture } from './chain.ts'
import { decide, mayStillLeave, type Step } from './decision.ts'
import { deliver, settle, watch } from './delivery/deliver.ts'
import { openOrFetchAgain } from './delivery/open-again.ts'
import { checkPurchase, freeze } from './freeze.ts'
import { factsNow, type JobPorts, type Order, type Purchase } from './order.ts'
import { patiently } from './patiently.ts'
import { type JournalView, OvertakenError } from './records/journal.ts'
import { isTakenOver } from './records/record.ts'
import { isUnsent } from './records/submission.ts'
import { checkRead, type Evidence, goesOnError, notNowError, stopError } from './stop.ts'
import { checkTries, enter, enterAgain, noTries, type Pause, type Tries, wait, waitForJobs } from './tries.ts'

/**
 * Purchases one order and watches its execution to the end: THE ONLY SPENDER.
 *
 * Each round reads the records, decides by them alone, and does one step that ends in a record. If another
 * process writes a record first, only the next decision changes. After a crash between two rounds, a later run
 * continues from the records.
 *
 * @throws `SW_APPROVAL`, `SW_CEILING`, `SW_PRICE_VERSION`, `SW_BALANCE`, `SW_CAPABILITY` (nothing was sent).
 * @throws `SW_REFUSED`, `SW_FAILED`, `SW_CONFLICT`, `SW_QUESTION`, `SW_UNCERTAIN`, `SW_UNREACHABLE`.
 */
export async function purchase(ports: JobPorts, order: Order): Promise<Purchase> {
  const tries = noTries()
  try {
    for (let round = 0; ; round++) {
      ports.signal.throwIfAborted()
      const view = await adoptExecution(ports, order, await ports.journal.read(order.hash))
      const step = decide(view.submission, factsNow(ports, order))
      if (step.do === 'done') return { ...(await finish(ports, order, view, step.sha256)), isFresh: round > 0 }
      // Another process has sent this attempt. The place now belongs to the job, and outlives this run.
      if (step.do === 'follow' || (step.do !== 'prepare' && !isUnsent(view.submission.sends))) tries.place = undefined
      await take(ports, order, view, step, tries)
    }
  } finally {
    if (tries.place !== undefined) await ports.places.leave(tries.place)
  }
}

async function take(ports: JobPorts, order: Order, view: JournalView, step: Exclude<Step, { do: 'done' }>, tries: Tries): Promise<void> {
  switch (step.do) {
    case 'prepare':
      await settle(ports, order, view)
      return prepare(ports, order, view, step.attempt, tries)
    case 'replay':
      return replay(ports, order, view, step.pause, tries)
    case 'answer':
      // An answer starts an execution as well.
      if (!ports.mayReplay) throw notNowError(order.request.id)
      return tryAnswer(ports, order, view, step.pause, tries)
    case 'follow':
      return watch(ports, order, view, step.executionId).catch((error: unknown) => {
        throw goesOnError(order.request, step.executionId, error)
      })
    case 'download':
      return deliver(ports, order, view, step.downloadUrl)
    case 'stop':
      if (isUnderWayElsewhere(ports, view, step.why)) return waitForOthers(ports, order)
      await settle(ports, order, view)
      throw stopError(ports, order, step.why, step.why.kind === 'uncertain' ? await readEvidence(ports, view) : {})
  }
}

/** How often the journal is read again while another machine submits. */
const othersPollMs = 2_000

/** Whether another machine has just sent a POST that this machine must not repeat, e.g. under its own API key. */
function isUnderWayElsewhere(
  { clock, elsewhereMs = 0 }: JobPorts,
  { submission }: JournalView,
  why: Extract<Step, { do: 'stop' }>['why'],
): boolean {
  const last = submission.sends.at(-1)
  if (why.kind !== 'uncertain' || (why.because !== 'key' && why.because !== 'records') || last?.answer.kind !== 'none') return false
  return clock.wall() - last.at < elsewhereMs
}

/** How long another machine may take from freezing to its POST before this machine freezes, in milliseconds. */
const frozenElsewhereMs = 15_000

/** Whether another machine has just frozen bytes under its own approval, and is about to send them. */
function isFrozenElsewhere({ clock, elsewhereMs }: JobPorts, order: Order, { records }: JournalView): boolean {
  const last = records.at(-1)
  if (elsewhereMs === undefined || last?.type !== 'frozen' || last.body.approvedAt === order.approval?.at) return false
  return clock.wall() - last.at < frozenElsewhereMs
}

async function waitForOthers(ports: JobPorts, order: Order): Promise<void> {
  ports.onProgress({ id: order.request.id, phase: 'waiting', message: 'another machine is submitting it' })
  await ports.clock.sleep(othersPollMs, ports.signal)
}

/** Makes the free checks, freezes the bytes, and sends the first POST of an attempt. */
async function prepare(ports: JobPorts, order: Order, view: JournalView, attempt: number, tries: Tries): Promise<void> {
  if (isFrozenElsewhere(ports, order, view)) return waitForOthers(ports, order)
  const picture = await readReferencePicture(ports, order, purchase)
  await waitForJobs(ports, order, view.submission.failed, tries)
  if (await enter(ports, order, attempt, tries)) return
  ports.onProgress({ id: order.request.id, phase: 'checking' })
  const price = await checkPurchase(ports, order, view.submission.newest)
  await ports.vault.probeShared()
  const before = view.submission.frozen
  if (before && before.attempt === attempt && before.maxCredits === formatCredits(price.credits) && before.approvedAt === price.approval.at)
    return send(ports, order, view, tries)
  ports.onProgress({ id: order.request.id, phase: 'uploading' })
  const frozen = await freeze(ports, order, attempt, price, picture)
  const next = await ports.journal.append(order.hash, view, 'frozen', frozen)
  if (next) await send(ports, order, next, tries)
}

/** Waits as long as the last answer asks for, then sends the recorded bytes again. */
async function replay(ports: JobPorts, order: Order, view: JournalView, pause: Pause, tries: Tries): Promise<void> {
  const { attempt, sends } = view.submission
  const isFirst = isUnsent(sends)
  if (ports.mayReplay && !isFirst) await enterAgain(ports, order, attempt)
  checkTries(ports, order, pause, tries, sends.at(-1)?.answer)
  if (!ports.mayReplay) throw notNowError(order.request.id)
  await wait(ports, order, pause, tries)
  // After the wait: a worker releases an old place without a submission.
  if (isFirst && (await enter(ports, order, attempt, tries)) && tries.sent === 0) return
  // If every POST was certainly refused, this POST starts a new submission and needs all the checks of a
  // first POST. A run makes these checks once.
  if (tries.sent === 0 && isFirst) {
    await checkPurchase(ports, order, view.submission.newest)
    await ports.vault.probe()
  }
  await send(ports, order, view, tries)
}

/** Sends one POST: first the durable record, then the bytes, then the record of the answer. */
async function send(ports: JobPorts, order: Order, view: JournalView, tries: Tries): Promise<void> {
  const frozen = view.submission.frozen
  if (!frozen)
    throw new SpritewrightError('SW_INTERNAL', {
      message: `"${order.request.id}" was about to be sent without frozen bytes. Please report this.`,
    })
  const body = new TextEncoder().encode(frozen.body)
  // Checked before the wait for the service's limits, and again after the wait.
  // If every POST was certainly refused, this POST starts a submission, and its approval must not have ended.
  const { sends, newest } = view.submission
  const isReplay = !isUnsent(sends)
  checkFrozen(ports, order, frozen, isReplay, newest)
  ports.onProgress({ id: order.request.id, phase: 'submitting' })
  const number = view.submission.sends.length + 1
  const recorded: { view?: JournalView } = {}
  let outcome: SubmissionOutcome
  try {
    outcome = await ports.client.submit(
      { key: frozen.key, body },
      async () => {
        // The wait for the service's limits may have been long. The result of an earlier check may no longer
        // be true.
        const now = decide(view.submission, factsNow(ports, order))
        if (now.do !== 'prepare' && now.do !== 'replay') throw new OvertakenError()
        if (isUnsent(view.submission.sends) && !(await ports.places.holds(frozen.key))) throw new OvertakenError()
        checkFrozen(ports, order, frozen, isReplay, newest)
        await ports.reservations.reserve({
          id: order.request.id,
          hash: order.hash,
          attempt: frozen.attempt,
          // Each decision to replay may have led to another charge.
          credits: parseCredits(frozen.maxCredits) * BigInt(1 + (view.submission.replay?.count ?? 0)),
          round: view.submission.withdrawals ?? 0,
          approver: (frozen.approvedBy ?? order.approval)?.buyer,
        })
        const next = await ports.journal.append(order.hash, view, 'sent', {
          attempt: frozen.attempt,
          send: number,
          keyTag: ports.client.keyTag(order.hash),
        })
        if (!next || !mayStillLeave(next.submission, factsNow(ports, order))) throw new OvertakenError()
        recorded.view = next
        tries.place = undefined
      },
      ports.signal,
    )
  } catch (error) {
    if (error instanceof OvertakenError) return
    throw error
  }
  tries.sent++
  if (outcome.kind === 'refused' && isUnsent(view.submission.sends)) tries.place = frozen.key
  tries.askedMs = (outcome.kind === 'accepted' ? undefined : outcome.retryAfterMs) ?? 0
  const { view: first } = recorded
  if (first) await patiently(ports, order, outcome, () => recordOutcome(ports, order, first, number, outcome))
  checkRead(order.request.id, outcome)
}

async function recordOutcome(ports: JobPorts, order: Order, first: JournalView, send: number, outcome: SubmissionOutcome): Promise<void> {
  const attempt = first.submission.attempt
  let view = first
  for (;;) {
    const next =
      outcome.kind === 'accepted'
        ? await ports.journal.append(order.hash, view, 'accepted', {
            attempt,
            executionId: outcome.executionId,
            conversationId: outcome.conversationId,
          })
        : outcome.kind === 'refused'
          ? await ports.journal.append(order.hash, view, 'refused', { attempt, send, status: outcome.status, error: outcome.error })
          : await ports.journal.append(order.hash, view, 'unknown', { attempt, send, status: outcome.status, message: outcome.message })
    if (next) break
    view = await ports.journal.read(order.hash)
    const { accepted, executions } = view.submission
    if (outcome.kind === 'accepted' && executions?.includes(outcome.executionId)) return
    // Another process recorded the answer first. An execution that was taken over from the lock file is no
    // answer to this POST.
    if (accepted?.attempt === attempt && !isTakenOver(accepted)) return
    // A person has given up this attempt meanwhile. An existing execution is still recorded. A refusal no longer
    // matters.
    if (view.submission.attempt !== attempt && outcome.kind !== 'accepted') return
  }
  if (outcome.kind === 'accepted') await settle(ports, order, await ports.journal.read(order.hash))
}

/**
 * Reads the evidence for a person's decision: the balance before the first POST, and today's balance. A balance
 * that cannot be read is missing in the evidence, and is no error.
 */
async function readEvidence(ports: JobPorts, view: JournalView): Promise<Evidence> {
  const before = view.submission.frozen?.balance
  try {
    return { before, now: formatCredits(await ports.client.balance(ports.signal)), isAnswer: view.submission.accepted !== undefined }
  } catch {
    return { before, isAnswer: view.submission.accepted !== undefined }
  }
}

/** How long a shared store may take to show a result that another machine has just stored, in milliseconds. */
const shownMs = 60_000

/** Reads a recorded result. If its record is new, a shared store may show it some seconds later. */
async function readStored({ vault, clock }: JobPorts, { records }: JournalView, hash: string): Promise<Uint8Array | undefined> {
  const storedAt = records.findLast(({ type }) => type === 'stored')?.at ?? 0
  return readSettled(
    clock,
    () => vault.read(hash),
    (bytes) => bytes === undefined && Math.abs(clock.wall() - storedAt) < shownMs,
  )
}

/**
 * Ends an order whose result is recorded. If the vault no longer has the result, or the result cannot be read, it
 * is fetched again for free.
 */
async function finish(ports: JobPorts, order: Order, view: JournalView, recorded: string): Promise<Omit<Purchase, 'isFresh'>> {
  const { id } = order.request
  await settle(ports, order, view)
  let result = recorded
  let bytes = await readStored(ports, view, recorded)
  if (!bytes) {
    const url = view.submission.completed?.downloadUrl
    if (url !== undefined) await deliver(ports, order, view, url)
    result = (await ports.journal.read(order.hash)).submission.stored?.sha256 ?? recorded
    bytes = await ports.vault.read(result)
    if (!bytes) {
      throw new SpritewrightError('SW_VAULT', {
        message: `The paid result of "${id}" is not in ${ports.vault.folder} and could not be fetched again. npx spritewright store verify says why; else restore the folder from version control.`,
        facts: { id, result },
      })
    }
  }
  const copy = await openOrFetchAgain(ports, order, result, bytes)
  const credits = view.submission.frozen?.maxCredits
  ports.onProgress({ id, phase: 'bought', ...(credits === undefined ? {} : { settled: parseCredits(credits), held: 0n }) })
  return { id, hash: order.hash, ...copy, credits }
}
