import { createHash } from 'node:crypto'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { makeImage } from '../../src/embedded/images/making.ts'
import type { Makers } from '../../src/embedded/options/options.ts'

/** How many pixels a side, and when a sheet may be finished. */
export interface QuickSheets {
  /** Side of a frame in pixels: what a result weighs. @default 8 */
  readonly size?: number
  /** Waited for before a sheet is finished: a job that runs until the test lets it end. @default nothing */
  readonly until?: () => Promise<unknown>
}

/** Makers of sheets that cost next to no work: seven frames whose pixels are drawn from the hash of the words, so that no two requests have the same result. */
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
