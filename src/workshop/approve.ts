import { type Credits, formatCredits, isAboveCeiling, sumCredits } from '../credit/credits.ts'
import { fingerprintOf } from '../credit/signing-key.ts'
import { SpritewrightError } from '../errors.ts'
import { type LockedSubmission, signSubmission } from '../job/body.ts'
import { decide } from '../job/decision.ts'
import { bytesToTakeOver, freeze } from '../job/freeze.ts'
import type { JobPorts, Order } from '../job/order.ts'
import type { Context } from '../project/context.ts'
import { type ApprovedOrder, ordersOf, toApprovalChange, toJobPorts } from '../project/orders.ts'
import type { Quote } from '../project/plan.ts'
import { askQuotes, type Quotes } from '../project/quotes.ts'
import type { Session } from '../project/session.ts'
import { isAdoptable, isForBuild, isToBuy } from '../project/states.ts'
import { checkReferences, type Survey, survey, throwAll } from '../project/survey.ts'
import { spriteOf } from '../sprite-spec/request.ts'
import { collectLockChanges } from '../vault/lock-store.ts'
import { approvedIds, findEntry, isStepId } from '../vault/lockfile.ts'
import type { ApprovalLine, ApproveReport, ApproveRequest } from './api/reports.ts'
import { endRequests } from './end-requests.ts'
import { checkWay, giveApproval } from './trust/approvals.ts'
import { giveTouched } from './trust/touched.ts'

interface Candidate extends ApprovalLine {
  readonly order: Order
  readonly price: Quote
  /** Bytes of the approval that is taken over. */
  readonly frozen: LockedSubmission | 'others' | undefined
}

/**
 * Asks for ceilings and writes them into the lock file, together with the frozen bytes of each submission.
 * Spends nothing.
 *
 * @throws `SW_CEILING` if a wanted ceiling is under the price, or if the ceilings add up to more than
 *   `total`. Nothing is written then.
 * @throws `SW_APPROVAL` if frozen bytes of an approval from elsewhere cannot be taken over, and nobody was asked.
 */
export async function approve(context: Context, session: Session, request: ApproveRequest, signal: AbortSignal): Promise<ApproveReport> {
  const found = await survey(context, request.names, { identity: session.identity })
  throwAll(found.errors)
  const doubts = await checkReferences(context, found.items, session.capabilities)
  const quotes = askQuotes(session, signal)
  const { candidates, ...rest } = await sortOut(session, found, request, quotes)
  const lines = candidates.map(({ id, operation, hash, prompt, quote, ceiling, price, frozen }): ApprovalLine => {
    const warning = [doubts.get(spriteOf(id)) ?? [], frozen ? frozenWords(id, frozen) : []].flat().join(' ')
    const usd = quotes.usd([price])
    return { id, operation, hash, prompt, quote, ...(usd && { usd }), ceiling, ...(warning && { warning }) }
  })
  if (candidates.length === 0) {
    await endRequests(context, 'approve')
    return { approved: [], ...rest, confirmed: true }
  }
  if (request.given) await checkWay(context, request.given)
  checkCeilings(lines, request)
  await checkProject(context, lines)
  const balance = await session.client.balance(signal)
  const { host, keyMode } = session.identity
  const worker = session.queues && { host, keyMode, priceVersions: [...new Set(candidates.map(({ price }) => price.priceVersion))] }
  if (!(await request.confirm(lines, balance, worker))) return { approved: [], ...rest, confirmed: false }
  const given = request.given ?? 'unattended'
  const unknown = candidates.filter(({ frozen }) => frozen === 'others').map(({ id }) => id)
  if (unknown.length > 0 && given === 'unattended') {
    const message = `${frozenWords(unknown.join(', '), 'others')} Nothing was written. Restore sprites.lock* from version control, or decide at a terminal, without --yes.`
    throw new SpritewrightError('SW_APPROVAL', { message, facts: { ids: unknown } })
  }
  // Made once, before the approvals below use it at the same time.
  await context.checkout.readOrMake()
  const key = await context.keys.readOrMake()
  const wanted = candidates.map(({ order, ceiling, price }) => ({ order, terms: { ceiling, priceVersion: price.priceVersion, given } }))
  const approved =
    given === 'touched'
      ? await giveTouched(context, wanted, request.touch)
      : await Promise.all(wanted.map(({ order, terms }) => giveApproval(context, order, terms)))
  const ports = await toJobPorts(context, session, { signal })
  // A request that has another name too must not keep the approval of before under it.
  const changes = approved.flatMap((order, index) => {
    const { frozen } = candidates[index] as Candidate
    const change = toApprovalChange(session, order, typeof frozen === 'object' ? signSubmission(key, order.hash, frozen) : undefined)
    const isOther = (id: string): boolean => id !== change.id && !(isStepId(id) && isStepId(change.id))
    return [change, ...approvedIds(found.lock, order.hash).flatMap((id) => (isOther(id) ? [{ ...change, id }] : []))]
  })
  await context.lock.changeAll(changes)
  await endRequests(context, 'approve')
  request.onWritten?.()
  // A worker uploads the picture with its key, and freezes the bytes then.
  if (!session.queues) await freezeAll(context, ports, session, approved, candidates)
  return { approved: lines, ...rest, confirmed: true }
}

/** Freezes the bytes of approved orders, and writes them together. */
async function freezeAll(
  context: Context,
  ports: JobPorts,
  session: Session,
  approved: readonly ApprovedOrder[],
  candidates: readonly Candidate[],
): Promise<void> {
  const lock = collectLockChanges(context.lock)
  try {
    for (const [index, order] of approved.entries()) {
      const { frozen, price } = candidates[index] as Candidate
      if (typeof frozen !== 'object') await freezeOne(context, { ...ports, lock }, session, order, price)
    }
  } finally {
    await lock.write()
  }
}

async function sortOut(
  session: Session,
  found: Survey,
  request: ApproveRequest,
  quotes: Quotes,
): Promise<{ readonly candidates: readonly Candidate[] } & Pick<ApproveReport, 'untouched' | 'others' | 'undecided'>> {
  const orders = ordersOf(session, found)
  const candidates: Candidate[] = []
  const untouched: string[] = []
  const others: string[] = []
  const undecided: string[] = []
  for (const one of [...found.steps, ...found.items]) {
    const order = orders.get(one.hash ?? '')
    // A step that is a picture of the game as well, or a sprite of two names, is approved once.
    if (candidates.some((candidate) => candidate.hash === one.hash)) continue
    if (order && one.undecided !== undefined) undecided.push(one.id)
    const isOthers = isAdoptable(one)
    // Another approval would not end a conflict: a person decides about it first.
    if (!order || !isToBuy(one) || (isOthers && !request.adopt)) {
      untouched.push(one.id)
      if (order && isOthers && !request.adopt) others.push(one.id)
      continue
    }
    const price = await quotes.of(one.request)
    const ceiling = request.max ?? price.credits
    // An approval that covers today's price is kept, unless another ceiling is wanted.
    if (isForBuild({ ...one, quote: price }) && (request.max ?? one.ceiling) === one.ceiling) untouched.push(one.id)
    else {
      const { hash } = order
      const from = isOthers && !session.queues ? findEntry(found.lock, one.id, hash) : undefined
      const frozen = bytesToTakeOver({ ...session, ...found }, order, from, price.credits)
      const { operation, prompt } = one.request
      candidates.push({ id: one.id, operation, hash, prompt, quote: price.credits, ceiling, order, price, frozen })
    }
  }
  return { candidates, untouched, others, undecided }
}

/** Says what becomes of bytes that were frozen elsewhere, and perhaps sent. */
function frozenWords(id: string, frozen: LockedSubmission | 'others'): string {
  if (frozen === 'others')
    return `${id}: the frozen bytes in the lock file no longer match the spec, its author and today's price. If they were sent before, the service refuses different bytes as a conflict, and their result cannot be found.`
  const { publicKey = '', attempt, referenceId = 'none' } = frozen
  return `${id}: attempt ${attempt} may have been sent. Its bytes are sent again, under the same idempotency key: frozen by ${fingerprintOf(publicKey).slice(0, 8)}, uploaded picture ${referenceId}.`
}

function checkCeilings(lines: readonly ApprovalLine[], request: ApproveRequest): void {
  const low = lines.filter((line) => isAboveCeiling(line.quote, line.ceiling))
  if (low.length > 0) {
    throw new SpritewrightError('SW_CEILING', {
      message: `The wanted ceiling is under the price: ${low.map((line) => `${line.id} costs ${formatCredits(line.quote)}, its ceiling would be ${formatCredits(line.ceiling)}`).join('; ')}. Nothing was written. Give a higher ceiling (--max).`,
      facts: { lines: low.map((line) => ({ id: line.id, quote: formatCredits(line.quote), ceiling: formatCredits(line.ceiling) })) },
    })
  }
  const sum: Credits = sumCredits(lines.map((line) => line.ceiling))
  if (request.total !== undefined && sum > request.total) {
    throw new SpritewrightError('SW_CEILING', {
      message: `The ceilings add up to ${formatCredits(sum)} credits, --total allows ${formatCredits(request.total)}. Nothing was written. Approve fewer at a time, or raise --total.`,
      facts: { sum: formatCredits(sum), total: formatCredits(request.total) },
    })
  }
}

/** Checks the ceiling of the whole project. It is checked again before each submission. */
async function checkProject(context: Context, lines: readonly ApprovalLine[]): Promise<void> {
  const total = await context.total.read()
  if (total === undefined) return
  const sum = sumCredits(lines.map((line) => line.ceiling))
  const committed = await context.reservations.committed()
  if (committed + sum <= total) return
  throw new SpritewrightError('SW_CEILING', {
    message: `The ceilings add up to ${formatCredits(sum)} credits; with the ${formatCredits(committed)} that this project has settled, holds or may have spent, that is above the project's total of ${formatCredits(total)}. Nothing was written. ${await context.total.howToRaise()}, or approve less.`,
    facts: { sum: formatCredits(sum), committed: formatCredits(committed), total: formatCredits(total) },
  })
}

/**
 * Freezes the bytes of the submission beside the ceiling if its picture is available. If the picture must be
 * bought first, the purchase freezes the bytes.
 */
async function freezeOne(context: Context, ports: JobPorts, session: Session, order: ApprovedOrder, price: Quote): Promise<void> {
  const { hash, reference, approval } = order
  if (reference?.kind === 'order') return
  const { submission } = await context.journal.read(hash)
  const facts = {
    wall: context.host.clock.wall(),
    mono: context.host.clock.mono(),
    windowMs: ports.windowMs,
    keyTag: session.client.keyTag(hash),
    approvedAt: approval.at,
    lockedAttempt: order.lockedAttempt,
  }
  const step = decide(submission, facts)
  if (step.do === 'prepare')
    await freeze(ports, order, step.attempt, { credits: price.credits, priceVersion: price.priceVersion, approval }, reference)
}
