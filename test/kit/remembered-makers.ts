import { createHash } from 'node:crypto'
import { type Made, type MakingTools, makeImage, makeSheet } from '../../src/embedded/images/making.ts'
import type { Makers } from '../../src/embedded/options/options.ts'
import type { Failure } from '../../src/embedded/store/records.ts'

/** A drawn result, and the progress steps that were reported for it. */
interface Drawn {
  readonly made: Made | Failure
  readonly steps: readonly (readonly [progress: number, ms: number])[]
}

const drawn = new Map<string, Promise<Drawn>>()

/**
 * The real makers, with a cache by words and pixels. If a test of the file made a request before, its result
 * is not drawn again, and its steps are reported as before. Drawing takes most of the time of a purchase, and
 * these tests are not about drawing.
 */
export const rememberedMakers: Makers = {
  sheet: (request, prompt, tools) =>
    remember(['sheet', request.frames, request.background, prompt], tools, (own) => makeSheet(request, prompt, own)),
  image: (request, prompt, tools) => remember(['image', request.operation, prompt], tools, (own) => makeImage(request, prompt, own)),
}

async function remember(
  about: readonly unknown[],
  tools: MakingTools,
  make: (tools: MakingTools) => Promise<Made | Failure>,
): Promise<Made | Failure> {
  const picture = await tools.readPicture()
  const pixels = picture && createHash('sha256').update(picture).digest('hex')
  const key = JSON.stringify([...about, tools.earlier, pixels, tools.jobMs, tools.names.frame(0), tools.names])
  const known = await drawn.get(key)
  if (known) {
    for (const [progress, ms] of known.steps) await tools.onStep(progress, ms)
    return known.made
  }
  const steps: [number, number][] = []
  const onStep = async (progress: number, ms: number): Promise<void> => {
    steps.push([progress, ms])
    await tools.onStep(progress, ms)
  }
  const work = make({ ...tools, readPicture: async () => picture, onStep }).then((made) => ({ made, steps }))
  // If an equal request arrives meanwhile, it draws its own result, because this drawing may be stopped
  // before its end.
  work.then(
    () => drawn.set(key, work),
    () => {},
  )
  return (await work).made
}
