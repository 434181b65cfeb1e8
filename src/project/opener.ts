import { pngFault } from '../../atlas/index.ts'
import { resolveProfile } from '../service/profile.ts'
import { readArchivedFrames } from '../sheets/open-result.ts'
import type { DeliveryLayout } from '../sheets/sources.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import type { Context } from './context.ts'

/** The layout of deliveries in the profile of the configured service, if the profile has one. */
export function layoutOf({ options: { service } }: Pick<Context, 'options'>): DeliveryLayout | undefined {
  return typeof service === 'object' ? (resolveProfile(service.profile).readDelivery as DeliveryLayout | undefined) : undefined
}

/**
 * Opens a result as a build does: decodes the frames of an archive, or a single picture.
 *
 * @param request The request of the result. `frames` may be unknown.
 * @returns The reason why the result cannot be read, a sentence; `undefined` if it can be read.
 */
export function faultOfResult(
  context: Pick<Context, 'options'>,
  { operation, frames }: { readonly operation: PaidRequest['operation']; readonly frames?: number },
  bytes: Uint8Array,
): string | undefined {
  if (operation !== 'sprite_sheet') return pngFault(bytes)
  try {
    readArchivedFrames(bytes, frames, layoutOf(context))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
