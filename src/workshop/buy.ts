import { coverByBudget } from '../credit/budget.ts'
import { type Credits, formatCredits, sumCredits } from '../credit/credits.ts'
import { waysWords } from '../credit/given.ts'
import { isAccepted } from '../credit/standing.ts'
import { SpritewrightError } from '../errors.ts'
import type { ProgressListener } from '../job/order.ts'
import { commandName, type Order } from '../job/order.ts'
import { type OrdersReport, runOrders } from '../job/run-orders.ts'
import { notYoursError } from '../job/stop.ts'
import type { Context } from '../project/context.ts'
import { toApprovalChange, toJobPorts, toOrder, withSteps } from '../project/orders.ts'
import type { PlanItem, PlanStep } from '../project/plan.ts'
import { askQuotes, type Quotes } from '../project/quotes.ts'
import type { Session } from '../project/session.ts'
import { isAdoptable, isBarred, isUnsent } from '../project/states.ts'
import { checkReferences, type Survey, surveyWanted, throwAll } from '../project/survey.ts'
import type { WantedAnimation, WantedAnimations } from '../project/wanted.ts'
import { spriteOf } from '../sprite-spec/request.ts'
import { readEvidence, takeSnapshot } from './ledger/balance.ts'
import type { BalanceEvidence } from './ledger/report.ts'
import { missingError } from './missing.ts'
import { giveStanding } from './trust/approvals.ts'
import { keepInFlight } from './worker/in-flight.ts'
import { sendOrders } from './worker/send-orders.ts'

/** What a run may buy. */
export interface BuyRequest {
  /** The specs and references of the run. They are read once a run. */
  readonly wanted: WantedAnimations
  /** If false, nothing new is sent. Requests that are in flight or lost are still fetched, which is free. */
  readonly mayBuy: boolean
  /** If true, animations that must not be bought are left out. Otherwise they fail the run. */
  readonly allowsPlaceholders: boolean
  /** If true, standing ceilings do not count, and a broken spec does not stop the purchase of the others. */
  readonly approvedOnly: boolean
  readonly onProgress: ProgressListener
  readonly signal: AbortSignal
}

/**
 * Purchases everything that is approved, and finishes everything that is in flight. All possible checks come
 * before the first submission of a run: missing approvals, foreign approvals, the sum of the prices. If a
 * check fails, nothing was sent.
 */
export async function buy(context: Context, session: Session, request: BuyRequest): Promise<Bought> {
  const { queues } = session
  // A worker's records were made with the key of the worker.
  const keyTagOf = queues ? undefined : session.client.keyTag
  const states = async (): Promise<Survey> =>
    surveyWanted(context, request.wanted, await context.lock.read(), { identity: session.identity }, keyTagOf)
  const before = await states()
  if (!request.approvedOnly) throwAll(before.errors)
  await checkReferences(context, before.items, session.capabilities)
  const quotes = askQuotes(session, request.signal)
  // A worker buys what is committed, and a standing approval would be made after the commit.
  const hasCeilings = context.options.approval.perSprite !== undefined
  const mayApprove = hasCeilings && request.mayBuy && !request.approvedOnly && !queues
  const standing = mayApprove ? await approveByBudget(context, session, before, quotes) : []
  context.warnings.push(...standing)
  const found = mayApprove ? await states() : before
  // Opened after the step that may have made this user's key.
  const ports = await toJobPorts(context, session, request)
  const byHash = new Map([...found.items, ...found.steps].map((one) => [one.hash, one] as const))
  const open = found.items.flatMap((item, index) =>
    item.state === 'bought' ? [] : [toOrder(session, found.wanted[index] as WantedAnimation, found)],
  )
  const partsOf = (order: Order): readonly (PlanItem | PlanStep)[] => withSteps(order).flatMap((one) => byHash.get(one.hash) ?? [])
  const isMissing = (one: PlanItem | PlanStep): boolean => isBarred(one, request.mayBuy)
  const barred = open.filter((order) => partsOf(order).some(isMissing))
  if (barred.length > 0 && !request.allowsPlaceholders) {
    throw await missingError(context, [...new Set(barred.flatMap(partsOf))].filter(isMissing), quotes, request.mayBuy, standing)
  }
  const going = open.filter((order) => !barred.includes(order))
  const unsent = [...new Set(going.flatMap(partsOf))].filter(isUnsent)
  // A worker judges by its own list.
  if (!queues) checkApprovers(unsent)
  const balance = await checkBalance(session, unsent, quotes, request.signal)
  if (queues) return sendOrders(context, { ...session, queues }, ports, going, found.wanted)
  // Money is spent only if the result can be stored.
  if (unsent.length > 0) await context.vault.probe()
  if (unsent.length > 0 && context.sharedJournal) await keepInFlight(context, session, ports.warn)
  const start = balance === undefined ? undefined : { balance, money: await takeSnapshot(context, going) }
  const report = await runOrders(ports, going, context.options.limits.activeJobs)
  // A run that failed or was interrupted reports that and no balance.
  if (start === undefined || report.failures.length > 0 || request.signal.aborted) return report
  const evidence = await readEvidence(context, session, going, start, request.signal)
  return evidence ? { ...report, balance: evidence } : report
}

/** The outcome of a run's orders, and the change of the account's balance if anything was sent. */
export type Bought = OrdersReport & { readonly balance?: BalanceEvidence }

/**
 * Writes an approval at today's price for each missing request of the sprites that the standing ceilings
 * cover. The approvals are written before anything is bought under them.
 *
 * @returns The reasons why the ceilings do not cover the other sprites.
 */
async function approveByBudget(context: Context, session: Session, found: Survey, quotes: Quotes): Promise<readonly string[]> {
  const unaccepted = await whyUnaccepted(context, session, found)
  if (unaccepted !== undefined) return [unaccepted]
  const orders = new Map<string, Order>()
  for (const target of found.wanted)
    for (const order of withSteps(toOrder(session, target, found))) if (!orders.has(order.hash)) orders.set(order.hash, order)
  // A request of two names is bought once.
  const all = [...new Map([...found.steps, ...found.items].map((one) => [one.hash ?? one.id, one] as const)).values()]
  const missing = all.filter(({ state }) => state === 'missing')
  const lines = await Promise.all(
    missing.map(async (one) => ({ sprite: spriteOf(one.id), credits: (await quotes.of(one.request)).credits })),
  )
  const approved = await Promise.all(
    all.filter((one) => one.state === 'approved').map(async (one) => (await quotes.of(one.request)).credits),
  )
  const { covered, refused } = coverByBudget(context.options.approval, lines, await context.reservations.committed(), sumCredits(approved))
  for (const one of missing) {
    const order = orders.get(one.hash ?? '')
    // A person who took an approval back has not agreed to another one.
    const { newest } = found.submissionOf(one.hash ?? '')
    if (!order || newest?.isRevoked === true || !covered.has(spriteOf(one.id))) continue
    const { credits, priceVersion } = await quotes.of(one.request)
    const approved = await giveStanding(context, order, { ceiling: credits, priceVersion }, newest)
    if (approved) await context.lock.changeAll([toApprovalChange(session, approved)])
  }
  return [...refused].map(([sprite, why]) => `The standing approval does not cover "${sprite}": ${why}.`)
}

/**
 * Standing ceilings of a configuration count only if the person has accepted exactly these, for this service.
 *
 * @returns The reason why the ceilings do not count. Undefined if they count.
 */
async function whyUnaccepted(
  context: Context,
  { identity }: Session,
  { approvers }: Pick<Survey, 'approvers'>,
): Promise<string | undefined> {
  if (approvers.given?.has('standing') === false)
    return `Standing ceilings buy nothing here: approval.accept or SPRITEWRIGHT_APPROVALS lets only these ways count: ${waysWords(approvers.given)}.`
  const accepted = await context.standing.read()
  if (accepted && isAccepted(accepted, context.options.approval, identity)) return undefined
  const why = accepted ? 'are not those that you have accepted' : 'have not been accepted by you'
  return `The standing ceilings of the configuration (approval.perSprite) ${why}, so nothing is bought under them. Check their limits, and accept them: npx spritewright approve --standing`
}

/**
 * Checks the approvals of what the run would send. One that is not valid stops the run before anything is sent. What
 * waits for a decision is not sent, whoever approved it, and stops nothing else.
 *
 * @throws `SW_BUYER`
 */
function checkApprovers(unsent: readonly (PlanItem | PlanStep)[]): void {
  const others = unsent.filter(isAdoptable)
  const [first] = others
  if (first === undefined) return
  const names = [...new Set(others.map(({ id }) => commandName(id)))].join(' ')
  throw notYoursError(
    others.map(({ id }) => id),
    first.approval,
    first.approval.verdict,
    names,
  )
}

/**
 * Checks that the balance covers the run.
 *
 * @returns The balance before the run. Undefined if nothing is to be sent.
 * @throws `SW_BALANCE`
 */
async function checkBalance(
  session: Session,
  unsent: readonly (PlanItem | PlanStep)[],
  quotes: Quotes,
  signal: AbortSignal,
): Promise<Credits | undefined> {
  if (unsent.length === 0) return undefined
  const prices: Credits[] = []
  for (const { request } of unsent) prices.push((await quotes.of(request)).credits)
  const sum = sumCredits(prices)
  const balance = await session.client.balance(signal)
  if (balance >= sum) return balance
  throw new SpritewrightError('SW_BALANCE', {
    message: `This run would cost ${formatCredits(sum)} credits, the account has ${formatCredits(balance)} available. Nothing was sent. Add credits, or build fewer sprites at a time: npx spritewright build NAME`,
    facts: { price: formatCredits(sum), balance: formatCredits(balance) },
  })
}
