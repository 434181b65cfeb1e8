import { makeImage, makeSheet } from '../../../src/embedded/images/making.ts'
import type { EmbeddedOptions } from '../../../src/embedded/options/options.ts'
import { nodeClock } from '../../../src/host/clock.ts'
import { patienceMs } from '../../kit/patience.ts'

/** An execution that no service has. The suite asks for it on purpose. */
export const otherId = '00000000-0000-4000-8000-000000000000'

/**
 * Options of a service whose sheet is drawn once somebody has asked to cancel it. Until then its execution
 * runs, however busy the machine is: the suite looks at a running execution, and asks for that last.
 *
 * @param longestMs Draws it then at the latest. A mutant may keep the suite from ever asking.
 */
export function heldJob(longestMs = patienceMs): Required<Pick<EmbeddedOptions, 'jobMs' | 'makers' | 'before'>> {
  let release = (): void => {}
  const isAsked = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    jobMs: 0,
    before: async ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/cancel') && !path.includes(otherId)) release()
      return undefined
    },
    makers: {
      image: makeImage,
      sheet: async (request, prompt, tools) => {
        const stop = new AbortController()
        const isHeld = Promise.race([isAsked, nodeClock().sleep(longestMs, stop.signal)]).catch(() => {})
        const onStep: typeof tools.onStep = async (...step) => {
          await isHeld
          stop.abort()
          await tools.onStep(...step)
        }
        return makeSheet(request, prompt, { ...tools, onStep })
      },
    },
  }
}
