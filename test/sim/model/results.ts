import { createBitmap } from '../../../atlas/index.ts'
import { defaultShapes } from '../../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../../src/embedded/images/delivery.ts'
import type { Makers } from '../../../src/embedded/options/options.ts'
import { figurePng } from '../../kit/project.ts'

const sheets: Awaited<ReturnType<typeof packDelivery>>[] = []
const pictures = new Map<number, Uint8Array>()
/** More than any run buys. */
const count = 32

/** Makes the results that the services of all worlds deliver. Called once, before the first world. */
export async function prepareResults(): Promise<void> {
  for (let number = sheets.length; number < count; number++) {
    const frames = Array.from({ length: 7 }, (_, index) => createBitmap(4, 4, new Uint8Array(64).fill(count * index + number)))
    sheets.push(await packDelivery(frames, defaultShapes.names))
  }
}

/** A picture by its number. */
export function picture(number: number): Uint8Array {
  const known = pictures.get(number) ?? figurePng(number)
  pictures.set(number, known)
  return known
}

/** Makers that take `jobMs` of the service's clock and no real time. Every result has other bytes. */
export function countingMakers(jobMs: number): Makers {
  let made = 0
  return {
    sheet: async (_request, _prompt, tools) => {
      await tools.onStep(1, jobMs)
      const { zip, width, height } = sheets[made++ % count] as (typeof sheets)[number]
      const review = {
        frameCount: 7,
        background: 'remove' as const,
        keptBackgroundFrames: [],
        inspectionFrames: [],
        sourceShiftedFrames: [],
      }
      return { bytes: zip, contentType: 'application/zip', width, height, review }
    },
    image: async (_request, _prompt, tools) => {
      await tools.onStep(1, jobMs)
      return { bytes: picture(made++), contentType: 'image/png', width: 64, height: 64, review: null }
    },
  }
}
