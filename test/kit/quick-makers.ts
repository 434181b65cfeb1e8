import { createHash } from 'node:crypto'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { makeImage } from '../../src/embedded/images/making.ts'
import type { Makers } from '../../src/embedded/options/options.ts'

/** How large sheets are, in pixels, and when they may be finished. */
export interface QuickSheets {
  /**
   * Side of a frame in pixels; it decides the size of a result.
   *
   * @default 8
   */
  readonly size?: number
  /**
   * Awaited before a sheet is finished, so that a job runs until the test lets it end.
   *
   * @default nothing
   */
  readonly until?: () => Promise<unknown>
}

/**
 * Makers of sheets that take almost no time. A sheet has seven frames, and a hash of the prompt gives their
 * pixels, so no two requests have the same result.
 */
export function quickMakers({ size = 8, until = async () => {} }: QuickSheets = {}): Makers {
  return {
    image: makeImage,
    sheet: async (request, prompt, tools) => {
      const seed = createHash('sha256')
        .update(JSON.stringify([prompt, request]))
        .digest()
      const frames = Array.from({ length: request.frames }, (_, index) => {
        const pixels = createBitmap(size, size)
        for (let at = 0; at < pixels.data.length; at++) pixels.data[at] = at % 4 === 3 ? 255 : (seed[(at * (index + 1)) % 32] as number)
        return pixels
      })
      const { zip, width, height } = await packDelivery(frames, tools.names ?? defaultShapes.names)
      await until()
      await tools.onStep(1, tools.jobMs)
      const review = {
        frameCount: request.frames,
        background: 'remove' as const,
        keptBackgroundFrames: [],
        inspectionFrames: [],
        sourceShiftedFrames: [],
      }
      return { bytes: zip, contentType: 'application/zip', width, height, review }
    },
  }
}
