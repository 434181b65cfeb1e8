import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { layoutOf } from '../../project/opener.ts'
import { identify, standingOf } from '../../project/plan.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { readFacts, survey, throwAll } from '../../project/survey.ts'
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
  const { wanted, items, lock, errors } = found
  const at = items.findIndex((item) => item.id === id)
  const item = items[at]
  const target = wanted[at]
  if (!item || !target) {
    throwAll(errors)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of an animation or picture, found ${JSON.stringify(id)}.`,
      facts: { name: id },
    })
  }
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
  const asked = { ...bare, ...standing, spec, review }
  // An override that does not fit is reported when it is used.
  const [placed] = await toInputs(context, { ...found, items: [asked], wanted: [target] }, 'placeholder', () => {})
  const input = { ...(placed as SheetInput), animation }
  const ports = { cache: context.cache, codec: context.codec, layout: layoutOf(context), warn: () => {}, onOverrideFault: () => {} }
  const [quality] = await readQuality([input], new Set([id]), context.options.atlas, ports)
  return { take: animation.take, sheets: await makeSheets([input], 'sprite', context.options.atlas, ports), quality }
}
