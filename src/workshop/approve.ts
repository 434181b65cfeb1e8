import { type Approval, judgePrice } from '../credit/approval.ts'
import { type Credits, formatCredits, isAboveCeiling, sumCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { decide } from '../job/decision.ts'
import { freeze } from '../job/freeze.ts'
import type { JobPorts, Order } from '../job/order.ts'
import type { Context } from '../project/context.ts'
import { type ApprovedOrder, toApprovalChange, toJobPorts, toOrder, withSteps } from '../project/orders.ts'
import type { Quote } from '../project/plan.ts'
import { askQuotes } from '../project/quotes.ts'
import type { Session } from '../project/session.ts'
import { checkReferences, isUnsent, type Survey, survey, throwAll } from '../project/survey.ts'
import { approvedIds } from '../vault/lockfile.ts'
import type { ApprovalLine, ApproveReport, ApproveRequest } from './api/reports.ts'
import { giveApproval } from './trust/approvals.ts'

interface Candidate extends ApprovalLine {
  readonly order: Order
  readonly price: Quote
}

/**
 * Asks for ceilings and writes them into the lock file, together with the frozen bytes of each submission.
 * Spends nothing.
 *
 * @throws `SW_CEILING` if a wanted ceiling is under the price, or if the ceilings add up to more than
 *   `total`. Nothing is written then.
 */
export async function approve(context: Context, session: Session, request: ApproveRequest, signal: AbortSignal): Promise<ApproveReport> {
  const found = await survey(context, request.names, { identity: session.identity })
  throwAll(found.errors)
  const doubts = await checkReferences(context, found.items, session.capabilities)
  const { candidates, ...rest } = await sortOut(session, found, request, signal)
  const lines = candidates.map(({ id, hash, prompt, quote, ceiling }): ApprovalLine => {
    const warning = doubts.get(id.slice(0, id.search(/[.#]/)))
    return { id, hash, prompt, quote, ceiling, ...(warning === undefined ? {} : { warning }) }
  })
  if (candidates.length === 0) return { approved: [], ...rest, confirmed: true }
  checkCeilings(lines, request)
  await checkProject(context, lines)
  const balance = await session.client.balance(signal)
  const { host, keyMode } = session.identity
  const worker = session.queues && { host, keyMode, priceVersions: [...new Set(candidates.map(({ price }) => price.priceVersion))] }
  if (!(await request.confirm(lines, balance, worker))) return { approved: [], ...rest, confirmed: false }
  const given = request.given ?? 'unattended'
  // Made once, before the approvals below use it at the same time.
  await context.checkout.readOrMake()
  const approved = await Promise.all(
    candidates.map(({ order, ceiling, price }) => giveApproval(context, order, { ceiling, priceVersion: price.priceVersion, given })),
  )
  const ports = await toJobPorts(context, session, { signal })
  // A request that has another name too must not keep the approval of before under it.
  const changes = approved.flatMap((order) => {
    const change = toApprovalChange(session, order)
    return [change, ...approvedIds(found.lock, order.hash).flatMap((id) => (id === change.id ? [] : [{ ...change, id }]))]
  })
  await context.lock.changeAll(changes)
  // A worker uploads the picture with its key, and freezes the bytes then.
  if (!session.queues)
    for (const [index, order] of approved.entries()) await freezeOne(context, ports, session, order, (candidates[index] as Candidate).price)
  return { approved: lines, ...rest, confirmed: true }
}

async function sortOut(
  session: Session,
  found: Survey,
  request: ApproveRequest,
  signal: AbortSignal,
): Promise<{ readonly candidates: readonly Candidate[] } & Pick<ApproveReport, 'untouched' | 'others' | 'undecided'>> {
  const quotes = askQuotes(session, signal)
  const orders = new Map(
    found.wanted.flatMap((target) => withSteps(toOrder(session, target, found))).map((order) => [order.hash, order] as const),
  )
  const candidates: Candidate[] = []
  const untouched: string[] = []
  const others: string[] = []
  const undecided: string[] = []
  for (const one of [...found.steps, ...found.items]) {
    const order = orders.get(one.hash ?? '')
    if (order && one.undecided !== undefined) undecided.push(one.id)
    const isTwin = candidates.some((candidate) => candidate.order.hash === one.hash)
    const isValid = one.approval?.verdict === 'valid'
    const isOthers = one.approval !== undefined && !isValid && !request.adopt
    // Another approval would not end a conflict: a person decides about it first.
    if (!order || !isUnsent(one) || one.undecided !== undefined || isTwin || isOthers) {
      untouched.push(one.id)
      if (order && isUnsent(one) && isOthers) others.push(one.id)
      continue
    }
    const price = await quotes.of(one.request)
    const before = order.approval
    const ceiling = request.max ?? price.credits
    if (one.state === 'approved' && before && isValid && isStillGood(before, price, request)) untouched.push(one.id)
    else candidates.push({ id: one.id, hash: order.hash, prompt: one.request.prompt, quote: price.credits, ceiling, order, price })
  }
  return { candidates, untouched, others, undecided }
}

/** Whether an approval covers today's price. It is then kept, unless another ceiling is wanted. */
function isStillGood(before: Approval, price: Quote, request: ApproveRequest): boolean {
  if (request.max !== undefined && request.max !== before.ceiling) return false
  return judgePrice(before, price).fits
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
