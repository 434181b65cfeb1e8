import { oneByOne } from '../../host/one-by-one.ts'
import { recordsPath } from '../../host/watch.ts'
import type { Context } from '../../project/context.ts'
import { approvalOf } from '../../project/orders.ts'
import type { PlanItem, PlanStep } from '../../project/plan.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { isForBuild, isUnsent } from '../../project/states.ts'
import { surveyWanted } from '../../project/survey.ts'
import { embeddedHost } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Workshop } from '../api/api.ts'
import type { OverviewService, PendingPurchase } from '../api/overview-report.ts'
import { mayBuy } from '../may-buy.ts'
import { createSpriteMemory, partsOf, type SpritePart } from '../sheets/sprite-memory.ts'
import type { SpecReader } from './spec-book.ts'

/**
 * Creates a reader of purchases that were approved in this checkout and are not finished, by the records
 * alone. It writes nothing.
 */
export function createPendingReader(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['pending'] {
  const memory = createSpriteMemory(context)
  let known: ReadonlySet<SpriteSpec> | undefined
  const inOrder = oneByOne()
  const read = async (changed: readonly string[] | undefined): Promise<readonly PendingPurchase[]> => {
    const { specs } = await book.read(changed)
    const isOfSpecs = changed?.every((file) => specName(file) !== undefined) === true
    const [before, saved] = [known ?? new Set(specs), new Set(changed)]
    known = new Set(specs)
    // A spec that was locked, or shared its name, may be valid again without being saved.
    const asked = isOfSpecs ? specs.filter((spec) => saved.has(spec.file) || !before.has(spec)) : specs
    const { lock } = await memory.note(specs, changed && [...changed, recordsPath])
    const due = asked.filter((spec) => !memory.get(spec))
    if (due.length > 0) memory.put(partsOf(due, await surveyWanted(context, await book.wanted(due), lock, { host: connection.host })))
    // An order that the worker refused may be right at another commit, or once that commit is pushed.
    const commit = connection.isRemote ? await readCommit(context) : []
    return asked.flatMap((spec) => ordersOf(memory.get(spec) as SpritePart, lock, commit))
  }
  return async (changed) => {
    // A test that starts the dev server of a game buys nothing, and continues nothing.
    if (context.host.env.VITEST !== undefined) return { orders: [], mayBuy: false, canAsk: false }
    const [isAllowed, { canAsk }] = [mayBuy(context, {}), serviceOf(context, connection)]
    // Without a key, nothing could be continued.
    if (!isAllowed || !canAsk) return { orders: [], mayBuy: isAllowed, canAsk }
    return { orders: await inOrder(() => read(changed)), mayBuy: isAllowed, canAsk }
  }
}

function ordersOf(part: SpritePart, lock: LockFile, commit: readonly string[]): readonly PendingPurchase[] {
  return part.items.flatMap((item): PendingPurchase[] => {
    if (!isForBuild(item) || item.hash === undefined) return []
    const { id, state, ceiling } = item
    const needed = [item, ...stepsOf(part, item)]
    const approved = needed.map(({ id, hash }) => (hash === undefined ? null : (approvalOf(lock, id, hash)?.at ?? null)))
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

/** The steps of an order. */
function stepsOf({ steps }: SpritePart, item: PlanItem): readonly PlanStep[] {
  return steps.filter(({ state }) => state === 'bought' || isUnsent(item))
}

/** The knowledge of the service that needs no request. */
export function serviceOf({ options, credentials }: Context, { host, isRemote }: ServiceConnection): OverviewService {
  if (options.service === 'embedded') return { kind: 'embedded', host: embeddedHost, canAsk: true }
  if (isRemote) return { kind: 'remote', host: host ?? 'worker', canAsk: true }
  if (host === undefined) return { kind: 'none', canAsk: false }
  return { kind: 'remote', host, canAsk: credentials.key !== undefined }
}
