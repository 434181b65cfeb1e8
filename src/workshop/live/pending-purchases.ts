import type { Context } from '../../project/context.ts'
import { approvalOf } from '../../project/orders.ts'
import type { PlanItem, PlanStep } from '../../project/plan.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { isForBuild, isUnsent } from '../../project/states.ts'
import { type Survey, surveyWanted } from '../../project/survey.ts'
import type { WantedAnimations } from '../../project/wanted.ts'
import { embeddedHost } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { Workshop } from '../api/api.ts'
import type { OverviewService, PendingPurchase } from '../api/overview-report.ts'
import { mayBuy } from '../may-buy.ts'
import type { SpecReader } from './spec-book.ts'

/**
 * Creates a reader of purchases that were approved in this checkout and are not finished, by the records
 * alone. It writes nothing.
 */
export function createPendingReader(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['pending'] {
  let known: ReadonlySet<SpriteSpec> | undefined
  return async (changed) => {
    // A test that starts the dev server of a game buys nothing, and continues nothing.
    if (context.host.env.VITEST !== undefined) return { orders: [], mayBuy: false, canAsk: false }
    const [isAllowed, { canAsk }] = [mayBuy(context, {}), serviceOf(context, connection)]
    // Without a key, nothing could be continued.
    if (!isAllowed || !canAsk) return { orders: [], mayBuy: isAllowed, canAsk }
    const { specs } = await book.read(changed)
    const isOfSpecs = changed?.every((file) => specName(file) !== undefined) === true
    const [before, saved] = [known ?? new Set(specs), new Set(changed)]
    known = new Set(specs)
    // A spec that was locked, or shared its name, may be valid again without being saved.
    const asked = isOfSpecs ? specs.filter((spec) => saved.has(spec.file) || !before.has(spec)) : specs
    return { orders: await findOrders(context, connection, await book.wanted(asked)), mayBuy: isAllowed, canAsk }
  }
}

async function findOrders(context: Context, connection: ServiceConnection, wanted: WantedAnimations): Promise<readonly PendingPurchase[]> {
  const found = await surveyWanted(context, wanted, await context.lock.read(), { host: connection.host })
  // An order that the worker refused may be right at another commit, or once that commit is pushed.
  const commit = connection.isRemote ? await readCommit(context) : []
  return found.items.flatMap((item): PendingPurchase[] => {
    if (!isForBuild(item) || item.hash === undefined) return []
    const { id, state, ceiling } = item
    const needed = [item, ...stepsOf(found, item)]
    const approved = needed.map(({ id, hash }) => (hash === undefined ? null : (approvalOf(found.lock, id, hash)?.at ?? null)))
    const passed = needed.map(({ hash, state, executionId, question }) => [hash, state, executionId, question?.questionId])
    return [
      {
        id,
        state,
        mark: JSON.stringify([approved, passed, ...commit]),
        approved: JSON.stringify(approved),
        ceiling,
      },
    ]
  })
}

/** The present commit, and the newest commits of the remote branches that have it. */
async function readCommit({ host: { repository }, options: { root } }: Context): Promise<readonly string[]> {
  const head = await repository?.head(root)
  return head === undefined ? [] : [head, ...((await repository?.tipsWith(root, head)) ?? [])]
}

/**
 * The steps of an order. They do not depend on other sprites in the survey: a shared step may have the name
 * of any of its sprites.
 */
function stepsOf({ steps }: Survey, item: PlanItem): readonly PlanStep[] {
  return steps.filter(({ sprites, state }) => sprites.includes(item.spec.name) && (state === 'bought' || isUnsent(item)))
}

/** The knowledge of the service that needs no request. */
export function serviceOf({ options, credentials }: Context, { host, isRemote }: ServiceConnection): OverviewService {
  if (options.service === 'embedded') return { kind: 'embedded', host: embeddedHost, canAsk: true }
  if (isRemote) return { kind: 'remote', host: host ?? 'worker', canAsk: true }
  if (host === undefined) return { kind: 'none', canAsk: false }
  return { kind: 'remote', host, canAsk: credentials.key !== undefined }
}
