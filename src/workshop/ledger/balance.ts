import { type Credits, formatCredits } from '../../credit/credits.ts'
import type { Order } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { withSteps } from '../../project/orders.ts'
import type { Session } from '../../project/session.ts'
import { type AttemptMoney, attemptsOf } from './attempts.ts'
import type { BalanceEvidence, LedgerState } from './report.ts'

/** The amount and state of every attempt, by request and attempt. A balance is compared with it. */
export type MoneySnapshot = ReadonlyMap<string, { readonly state: LedgerState; readonly credits: Credits }>

/**
 * The money of some orders and their steps now, by the journal. Purchases of other checkouts move no money
 * here.
 */
export async function takeSnapshot(context: Context, orders: readonly Order[]): Promise<MoneySnapshot> {
  const found = new Map<string, { state: LedgerState; credits: Credits }>()
  for (const hash of new Set(orders.flatMap(withSteps).map((order) => order.hash)))
    for (const money of attemptsOf((await context.journal.read(hash)).records))
      if (money.isOurs) found.set(`${hash} ${money.attempt}`, toTaken(money))
  return found
}

function toTaken({ credits, state }: AttemptMoney): { state: LedgerState; credits: Credits } {
  return { state, credits: credits ?? 0n }
}

/**
 * The change of the balance that the ledger explains. Pure. The result is a range, because a hold begins some
 * time after acceptance, and a picture has no hold. The service may therefore have taken held or uncertain
 * credits from the balance already, or not yet.
 */
export function changeBetween(before: MoneySnapshot, after: MoneySnapshot): BalanceEvidence['said'] {
  let least = 0n
  let most = 0n
  for (const [key, now] of after) {
    const was = before.get(key)
    if (was?.state === now.state) continue
    least += leastOf(now) - mostOf(was)
    most += mostOf(now) - leastOf(was)
  }
  return { least, most }
}

type Taken = { readonly state: LedgerState; readonly credits: Credits } | undefined

function leastOf(taken: Taken): Credits {
  return taken?.state === 'settled' ? taken.credits : 0n
}

function mostOf(taken: Taken): Credits {
  return taken === undefined || taken.state === 'restored' ? 0n : taken.credits
}

/**
 * Reads the balance again and describes the change. If it cannot be read, that is a warning, because
 * everything is bought and stored already.
 */
export async function readEvidence(
  context: Context,
  session: Session,
  orders: readonly Order[],
  start: { readonly balance: Credits; readonly money: MoneySnapshot },
  signal: AbortSignal,
): Promise<BalanceEvidence | undefined> {
  let after: Credits
  try {
    after = await session.client.balance(signal)
  } catch (error) {
    context.warnings.push(`The balance after this run could not be read: ${(error as Error).message}`)
    return undefined
  }
  const { keyMode, testModeUsesCredits } = session.capabilities
  const isFree = keyMode === 'test' && testModeUsesCredits === false
  const said = isFree ? { least: 0n, most: 0n } : changeBetween(start.money, await takeSnapshot(context, orders))
  return toEvidence(start.balance, after, said, isFree)
}

/**
 * Describes the evidence in words. Pure.
 *
 * @param isFree Whether the key uses no credits at all.
 */
export function toEvidence(before: Credits, after: Credits, said: BalanceEvidence['said'], isFree: boolean): BalanceEvidence {
  const taken = before - after
  const isExplained = taken >= said.least && taken <= said.most
  const balances = `balance ${formatCredits(before)} → ${formatCredits(after)}`
  return {
    before,
    after,
    said,
    isExplained,
    words: `${balances}: ${isExplained ? fitting(taken, said, isFree) : differing(taken, said, isFree)}`,
  }
}

function fitting(taken: Credits, said: BalanceEvidence['said'], isFree: boolean): string {
  if (isFree) return 'a test key uses no credits'
  if (said.least === said.most)
    return taken === 0n ? 'nothing charged, as the ledger says' : `${formatCredits(taken)} charged, as the ledger says`
  return `${changeWords(taken)}, which fits the ledger: some of it was in flight before this run`
}

function differing(taken: Credits, { least, most }: BalanceEvidence['said'], isFree: boolean): string {
  const expected = least === most ? formatCredits(least) : `between ${formatCredits(least)} and ${formatCredits(most)}`
  const ledger = isFree ? 'a test key should use none' : `the ledger says ${expected}`
  return `${changeWords(taken)}, ${ledger}. Others may use this account, or credits were added: that is no proof of a mistake. Compare with: npx spritewright ledger --verify`
}

function changeWords(taken: Credits): string {
  if (taken === 0n) return 'nothing taken'
  return taken > 0n ? `${formatCredits(taken)} taken` : `${formatCredits(-taken)} more`
}
