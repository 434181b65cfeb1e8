import type { PlanItem } from '../build/plan.ts'
import { coverByBudget } from '../credit/budget.ts'
import { type Credits, formatCredits, parseCredits, sumCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { type CrewReport, runCrew } from '../job/crew.ts'
import { askedFields } from '../job/order.ts'
import type { ProgressListener } from '../job/progress.ts'
import { missingError } from './missing.ts'
import { approvalOf, toJobPorts, toOrder } from './orders.ts'
import { askQuotes, type Quotes } from './quotes.ts'
import type { Session } from './session.ts'
import { readBuyer, type Shop } from './shop.ts'
import { checkReferences, isUnsent, type Survey, survey, throwAll, type Wish } from './survey.ts'

/** How a run may buy. */
export interface BuyRequest {
  readonly names: readonly string[]
  /** Nothing new is sent; what is in flight or lost is still fetched, which is free. */
  readonly mayBuy: boolean
  /** What is not bought and must not be bought is left out instead of failing the run. */
  readonly allowsPlaceholders: boolean
  readonly onProgress: ProgressListener
  readonly signal: AbortSignal
}

/**
 * Brings everything that is approved or in flight to its end.
 *
 * Before the first submission of a run everything is checked that can be: what is unapproved, who is to buy, what it costs together. When that fails, nothing was sent.
 */
export async function buy(shop: Shop, session: Session, request: BuyRequest): Promise<CrewReport> {
  const ports = await toJobPorts(shop, session, request.onProgress, request.signal)
  const keyTag = session.client.keyTag(ports.keySalt)
  const before = await survey(shop, request.names, { identity: session.identity }, keyTag)
  throwAll(before.errors)
  await checkReferences(shop, before.items, session.capabilities)
  const quotes = askQuotes(session, request.signal)
  if (request.mayBuy) await approveByBudget(shop, session, before, quotes)
  const found = request.mayBuy ? await survey(shop, request.names, { identity: session.identity }, keyTag) : before
  const open = found.items.flatMap((item, index) => (item.state === 'bought' ? [] : [{ item, wish: found.wishes[index] as Wish }]))
  const unsent = open.filter(({ item }) => isUnsent(item))
  const barred = unsent.filter(({ item }) => !request.mayBuy || item.state === 'missing')
  if (barred.length > 0 && !request.allowsPlaceholders)
    throw await missingError(
      shop,
      barred.map(({ item }) => item),
      quotes,
      request.mayBuy,
    )
  const going = open.filter((entry) => !barred.includes(entry))
  await checkBuyers(shop, found, going)
  await checkBalance(session, going.map(({ item }) => item).filter(isUnsent), quotes, request.signal)
  const orders = going.map(({ wish }) => toOrder(session, wish, found.lock))
  return runCrew(ports, orders, shop.options.limits.activeJobs)
}

/** Standing ceilings of the configuration become approvals of their own, at today's price, before anything is bought under them. */
async function approveByBudget(shop: Shop, session: Session, found: Survey, quotes: Quotes): Promise<void> {
  const missing = found.items.flatMap((item, index) => (item.state === 'missing' ? [{ item, wish: found.wishes[index] as Wish }] : []))
  if (missing.length === 0 || shop.options.approval.perSprite === undefined) return
  const priced = await Promise.all(missing.map(async (entry) => ({ ...entry, estimate: await quotes.of(entry.item) })))
  const approved = await Promise.all(
    found.items.filter((item) => item.state === 'approved').map(async (item) => (await quotes.of(item)).credits),
  )
  const lines = priced.map(({ item, estimate }) => ({ sprite: item.spec.name, credits: estimate.credits }))
  const { covered, refused } = coverByBudget(shop.options.approval, lines, await spentSoFar(shop), sumCredits(approved))
  for (const [sprite, why] of refused) shop.warnings.push(`The standing approval does not cover "${sprite}": ${why}.`)
  const buyer = await readBuyer(shop)
  for (const { item, wish, estimate } of priced) {
    if (!covered.has(item.spec.name)) continue
    const order = toOrder(session, wish, found.lock)
    const approval = {
      ceiling: formatCredits(estimate.credits),
      priceVersion: estimate.priceVersion,
      buyer,
      at: new Date(shop.host.clock.wall()).toISOString(),
    }
    await shop.lock.change(item.id, order.hash, (entry) => ({
      service: session.identity,
      asked: askedFields(wish.request),
      ...entry,
      approval,
    }))
  }
}

/** Settled, held and possibly bought credits of this project, as far as its papers tell. */
async function spentSoFar(shop: Shop): Promise<Credits> {
  const restored = new Set(
    (await shop.ledger.read()).filter((move) => move.type === 'restored').map((move) => `${move.hash} ${move.attempt}`),
  )
  const held = (await shop.ledger.read()).filter((move) => move.type === 'held' && !restored.has(`${move.hash} ${move.attempt}`))
  const known = new Set(held.map((move) => move.hash))
  let sum = sumCredits(held.map((move) => move.credits))
  for (const hash of await shop.journal.requests()) {
    const { submission } = await shop.journal.read(hash)
    if (known.has(hash) || submission.accepted || submission.sends.length === 0 || !submission.frozen) continue
    if (submission.sends.some((send) => send.answer.kind !== 'refused')) sum += parseCredits(submission.frozen.ceiling)
  }
  return sum
}

/** An approval names who may spend it; where another checkout is named, nothing new is sent from here. */
async function checkBuyers(shop: Shop, found: Survey, going: readonly { item: PlanItem }[]): Promise<void> {
  const buyer = await readBuyer(shop)
  const others = going.filter(
    ({ item }) => isUnsent(item) && item.hash !== undefined && approvalOf(found.lock, item.id, item.hash)?.buyer !== buyer,
  )
  if (others.length === 0) return
  const names = others.map(({ item }) => item.id)
  throw new SpritewrightError('SW_BUYER', {
    message: `${names.join(', ')}: approved in another checkout, which is to buy it. Build there and commit sprites.lock.json, or take the purchase over, after making sure that it was not bought there: spritewright approve ${names.join(' ')} --adopt`,
    facts: { ids: names },
  })
}

async function checkBalance(session: Session, items: readonly PlanItem[], quotes: Quotes, signal: AbortSignal): Promise<void> {
  if (items.length === 0) return
  const prices: Credits[] = []
  for (const item of items) prices.push((await quotes.of(item)).credits)
  const sum = sumCredits(prices)
  const balance = await session.client.balance(signal)
  if (balance >= sum) return
  throw new SpritewrightError('SW_BALANCE', {
    message: `This run would cost ${formatCredits(sum)} credits, the account has ${formatCredits(balance)} available. Nothing was sent. Add credits, or build fewer sprites at a time: spritewright build NAME`,
    facts: { price: formatCredits(sum), balance: formatCredits(balance) },
  })
}
