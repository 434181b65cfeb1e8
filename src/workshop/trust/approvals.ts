import { type NewestApproval, signApproval } from '../../credit/approval.ts'
import type { Credits } from '../../credit/credits.ts'
import { type Given, waysWords } from '../../credit/given.ts'
import { SpritewrightError } from '../../errors.ts'
import { agentShell } from '../../host/agent-shell.ts'
import type { Order } from '../../job/order.ts'
import type { JournalView } from '../../job/records/journal.ts'
import type { Submission } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import type { ApprovedOrder } from '../../project/orders.ts'
import { rememberProject } from '../../project/remember.ts'
import { projectName, readApprovers, validForMs } from '../../project/trust/approvers.ts'
import { findEntry } from '../../vault/lockfile.ts'

/**
 * Gives an approval of an order. The journal remembers it before anybody can see it, so no earlier approval of the
 * request starts a submission from then on.
 */
export async function giveApproval(context: Context, order: Order, terms: ApprovedTerms): Promise<ApprovedOrder> {
  return (await giveIf(context, order, terms, () => true)) as ApprovedOrder
}

/**
 * Gives an approval under standing ceilings, unless another process has given one since `seen` was read. Then the
 * function waits until the lock file has that one, and returns `undefined`.
 */
export async function giveStanding(
  context: Context,
  order: Order,
  terms: Omit<ApprovedTerms, 'given'>,
  seen: NewestApproval | undefined,
): Promise<ApprovedOrder | undefined> {
  const { hash, request } = order
  const approved = await giveIf(context, order, { ...terms, given: 'standing' }, (newest) => newest?.at === seen?.at)
  for (let waits = 0; !approved && waits < othersWaits; waits++) {
    const { newest } = (await context.journal.read(hash)).submission
    if (findEntry(await context.lock.read(), request.id, hash)?.approval?.at === newest?.at) break
    await context.host.clock.sleep(othersPollMs)
  }
  return approved
}

/** How often, and after which pause in milliseconds, the lock file is read again for the approval of another process. */
const othersWaits = 20
const othersPollMs = 250

/** The terms that a person decides. */
export interface ApprovedTerms {
  readonly ceiling: Credits
  readonly priceVersion: string
  readonly given: Given
}

async function giveIf(
  context: Context,
  order: Order,
  terms: ApprovedTerms,
  isFree: (newest: NewestApproval | undefined) => boolean,
): Promise<ApprovedOrder | undefined> {
  const sign = await openSigner(context, terms.given)
  const recorded = await record(context, order.hash, 'approved', [order.approval?.at], isFree)
  return recorded && sign(order, terms, recorded.at)
}

/**
 * Makes a function that signs approvals with the time and the expiry of this moment. It records nothing.
 *
 * @throws `SW_APPROVAL` if this way of giving does not count here.
 */
export async function openSigner(
  context: Context,
  given: Given,
): Promise<(order: Order, terms: ApprovedTerms, at: string) => ApprovedOrder> {
  const { host, options } = context
  const key = await context.keys.readOrMake()
  const checkout = await context.checkout.readOrMake()
  const facts = await rememberProject(context)
  await checkWay(context, given)
  const project = projectName(host) ?? facts?.project
  // The clock may have been ahead once. An approval of today must not have ended before it was given.
  const start = Math.max(host.clock.wall(), facts?.latest ?? 0)
  const expires = new Date(start + validForMs(host, options.approvalValidMs)).toISOString()
  return (order, terms, at) => ({
    ...order,
    approval: signApproval(key, order.hash, order.identity, { ...terms, at, checkout, project, expires }),
  })
}

/**
 * Checks that an approval given in this way would count here.
 *
 * @throws `SW_APPROVAL`
 */
export async function checkWay(context: Context, given: Given): Promise<void> {
  const { given: ways } = await readApprovers(context)
  if (ways === undefined || ways.has(given)) return
  const advice = howToApprove.find(([way]) => ways.has(way))?.[1] ?? 'Accept other ways: npx spritewright approve --standing'
  throw new SpritewrightError('SW_APPROVAL', {
    message: `Expected an approval in a way that counts here (${waysWords(ways)}), found one that is ${given}: approval.accept or SPRITEWRIGHT_APPROVALS does not allow it. Nothing was written. ${advice}`,
    facts: { given, accepted: [...ways] },
  })
}

const howToApprove: readonly (readonly [Given, string])[] = [
  ['touched', 'Approve in the panel by a touch. If no authenticator is enrolled yet, the panel shows how.'],
  ['clicked', 'Approve in the panel, which vite serves.'],
  ['typed', 'Approve at a terminal, without --yes.'],
]

/** Takes back every approval of a request that was given until now. What was sent is still followed. */
export async function revokeApprovals(context: Context, hash: string, known: string | undefined): Promise<Submission> {
  await context.keys.readOrMake()
  return ((await record(context, hash, 'revoked', [known], () => true)) as Recorded).view.submission
}

interface Recorded {
  readonly at: string
  readonly view: JournalView
}

/**
 * Appends a record with a time that is later than all approvals of the request.
 *
 * @param isFree Decides by the newest approval of that moment. If it returns false, nothing is written.
 * @param fixed The time to record. If it is not later than all approvals, nothing is written.
 */
export async function record(
  { journal, host }: Context,
  hash: string,
  type: 'approved' | 'revoked',
  known: readonly (string | undefined)[],
  isFree: (newest: NewestApproval | undefined) => boolean,
  fixed?: string,
): Promise<Recorded | undefined> {
  for (;;) {
    const view = await journal.read(hash)
    const { attempt, newest } = view.submission
    const times = timesOf(view, ...known)
    if (!isFree(newest) || (fixed !== undefined && timeAfter(0, times) > fixed)) return undefined
    const at = fixed ?? timeAfter(host.clock.wall(), times)
    const shell = type === 'approved' && agentShell(host.env) !== undefined
    const next = await journal.append(hash, view, type, { attempt, at, ...(shell && { shell: 'agent' }) })
    if (next) return { at, view: next }
  }
}

/** The times of the approvals that a journal tells of, and of others. */
export function timesOf({ submission: { newest, abandoned, accepted } }: JournalView, ...others: readonly (string | undefined)[]) {
  return [...others, newest?.at, abandoned?.approvedAt, accepted?.approvedAt]
}

/**
 * The time of a new approval. This time is later than the time of every earlier approval, even if the clock
 * has gone back. So the time distinguishes the approvals.
 */
export function timeAfter(wallMs: number, before: readonly (string | null | undefined)[]): string {
  const latest = Math.max(0, ...before.map((at) => (at ? Date.parse(at) || 0 : 0)))
  return new Date(Math.max(wallMs, latest + 1)).toISOString()
}
