import type { Context } from '../../project/context.ts'
import { faultOfResult } from '../../project/opener.ts'
import type { StoredResult } from './reports.ts'

/** Start of a PNG. */
const pngStart = '\x89PNG'

/**
 * Opens the bytes of a result as a build does.
 *
 * @returns Why they cannot be read, a sentence; `undefined` if they can.
 */
export function faultOfStored(context: Context, { uses }: StoredResult, bytes: Uint8Array): string | undefined {
  // The records of a forgotten request do not say it. Then the content decides.
  const known = uses.flatMap((use) => use.isPicture ?? [])
  const isPicture = known[0] ?? Buffer.from(bytes.subarray(0, 4)).toString('latin1') === pngStart
  return faultOfResult(context, { operation: isPicture ? 'text_to_image' : 'sprite_sheet' }, bytes)
}
