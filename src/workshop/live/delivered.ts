import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { layoutOf } from '../../project/opener.ts'
import { identify, type PlanItem, standingOf } from '../../project/plan.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { readFacts, type Survey, survey, throwAll } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import { makeSheets, readQuality } from '../../sheets/sheet.ts'
import type { SheetInput } from '../../sheets/sources.ts'
import { requestHash } from '../../sprite-spec/key.ts'
import { findEntry } from '../../vault/lockfile.ts'
import type { DeliveredFrames } from '../api/overview-report.ts'
import { toInputs } from '../sheets/sheets.ts'

/**
 * Reads all delivered frames of one take of an animation, whichever of them the spec plays. The service is
 * not asked.
 *
 * @param take The spec's take if left out.
 * @throws `SW_USAGE` for an unknown animation; errors of its spec; `SW_DELIVERY` for a result that cannot be
 *   read.
 */
export async function readDelivered(context: Context, connection: ServiceConnection, id: string, take?: number): Promise<DeliveredFrames> {
  const found = await survey(context, [id], { host: connection.host })
  const { wanted, items, errors } = found
  const at = items.findIndex((item) => item.id === id)
  const target = wanted[at]
  if (!target) {
    throwAll(errors)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of an animation or picture, found ${JSON.stringify(id)}.`,
      facts: { name: id },
    })
  }
  const asked = await itemOfTake(context, connection, found, at, take)
  // An override that does not fit is reported when it is used.
  const [placed] = await toInputs(context, { ...found, items: [asked], wanted: [target] }, 'placeholder', () => {})
  const input = { ...(placed as SheetInput), animation: asked.animation }
  const ports = { cache: context.cache, codec: context.codec, layout: layoutOf(context), warn: () => {}, onOverrideFault: () => {} }
  const [quality] = await readQuality([input], new Set([id]), context.options.atlas, ports)
  return { take: asked.animation.take, sheets: await makeSheets([input], 'sprite', context.options.atlas, ports), quality }
}

/**
 * An animation as it would be with another take, and all frames of that take.
 *
 * @param at Place of the animation in the survey.
 * @param take The spec's take if left out.
 */
export async function itemOfTake(
  context: Context,
  connection: ServiceConnection,
  { wanted, items, lock }: Survey,
  at: number,
  take?: number,
): Promise<PlanItem> {
  const [item, target] = [items[at] as PlanItem, wanted[at] as WantedAnimation]
  const { id } = item
  const { use: _, durations: __, ...whole } = item.animation
  const animation = { ...whole, take: take ?? whole.take }
  const hashOf = (identity: Parameters<typeof target.requests>[0]): string =>
    requestHash({ ...target.requests(identity).request, take: animation.take }, identity)
  const hash = identify(id, hashOf, lock, { host: connection.host })?.hash
  const standing = standingOf(await readFacts(context, lock, [[id, hash]], undefined), id, hash)
  const review = hash === undefined ? undefined : findEntry(lock, id, hash)?.result?.review
  const { review: ___, ...bare } = item
  // The spec as it would be with this take: overrides of frames may belong to one take alone.
  const spec = { ...item.spec, scales: [1], animations: item.spec.animations.map((own) => (own.name === animation.name ? animation : own)) }
  return { ...bare, ...standing, spec, animation, ...(review ? { review } : {}) }
}
