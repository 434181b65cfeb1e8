import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { patienceMs } from '../kit/patience.ts'
import { visit } from './browser.ts'
import { type DeliveredFrame, premultiply } from './delivered.ts'

/** The functions that `test/fixtures/e2e/*-probe.js` puts on its page. */
interface Probe {
  draw(name: string): { readonly width: number; readonly height: number; readonly ring: number; readonly rgba: string }
  play(animation: string, steps: number, stepMs: number, loop: boolean): readonly Shown[]
}

/** A frame, and for how many steps of the clock it was shown. */
interface Shown {
  readonly name: string
  readonly steps: number
}

declare global {
  var probe: Probe | undefined
  var version: string | undefined
}

/** The expected playback of one animation, by its spec. */
export interface Playback {
  /** `sprite/animation`. */
  readonly name: string
  /**
   * One whole round: frame names in playing order, including the way back of a yoyo, each with its time in
   * milliseconds.
   */
  readonly round: readonly { readonly name: string; readonly ms: number }[]
  readonly loop: boolean
}

/** How a browser drew a page. */
export interface Drawn {
  readonly version: string
  /**
   * By frame: the largest difference of a channel, premultiplied, 0 to 255; pixels outside the frame count
   * too.
   */
  readonly differences: Readonly<Record<string, number>>
}

/**
 * Opens a probe's page, lets it draw every frame 1:1 on a clear canvas, and compares each with the delivered
 * picture. Both have premultiplied alpha, as engines draw. Then it plays every animation with a clock of 1 ms
 * a step.
 */
export async function examine(
  browser: Browser,
  url: string,
  frames: readonly DeliveredFrame[],
  playbacks: readonly Playback[],
): Promise<Drawn> {
  const { page, complaints } = await visit(browser, url)
  try {
    await page
      .waitForFunction(() => globalThis.probe !== undefined, undefined, { timeout: patienceMs })
      .catch((error: unknown) => {
        throw new Error(`${url} did not get ready:\n${complaints.join('\n')}`, { cause: error })
      })
    const differences: Record<string, number> = {}
    const all = await page.evaluate(
      (names) => names.map((name) => globalThis.probe?.draw(name)),
      frames.map(({ name }) => name),
    )
    for (const [at, frame] of frames.entries()) {
      const drawn = all[at]
      if (!drawn) throw new Error(`Expected ${frame.name} to be drawn.`)
      expect({ frame: frame.name, width: drawn.width, height: drawn.height }).toEqual({
        frame: frame.name,
        width: frame.width,
        height: frame.height,
      })
      differences[frame.name] = largestDifference(Buffer.from(drawn.rgba, 'base64'), drawn.ring, frame)
    }
    for (const playback of playbacks) {
      // A little more than two rounds, so that the turn from the end to the start is seen twice.
      const steps = Math.ceil(2.2 * playback.round.reduce((sum, { ms }) => sum + ms, 0))
      const shown = await page.evaluate(([name, count, loop]) => globalThis.probe?.play(name, count, 1, loop), [
        playback.name,
        steps,
        playback.loop,
      ] as const)
      checkPlayback(playback, shown ?? [], steps)
    }
    expect(complaints).toEqual([])
    return { version: (await page.evaluate(() => globalThis.version)) ?? '', differences }
  } finally {
    await page.close()
  }
}

/** Compares the canvas with the frame at (ring, ring) on a clear background. */
export function largestDifference(canvas: Uint8Array, ring: number, frame: DeliveredFrame): number {
  const wanted = premultiply(frame)
  const width = frame.width + 2 * ring
  let largest = 0
  for (let y = 0; y < frame.height + 2 * ring; y++) {
    for (let x = 0; x < width * 4; x++) {
      const [fx, fy] = [x - ring * 4, y - ring]
      const isInside = fx >= 0 && fx < frame.width * 4 && fy >= 0 && fy < frame.height
      const expected = isInside ? (wanted[fy * frame.width * 4 + fx] as number) : 0
      largest = Math.max(largest, Math.abs((canvas[y * width * 4 + x] as number) - expected))
    }
  }
  return largest
}

/** Checks that the frames come in order, each at its time, to the nearest step. */
function checkPlayback({ name, round, loop }: Playback, shown: readonly Shown[], steps: number): void {
  const wanted: { name: string; start: number }[] = []
  for (let start = 0, index = 0; start < steps && (loop || index < round.length); index++) {
    const { name: frame, ms } = round[index % round.length] as Playback['round'][number]
    wanted.push({ name: frame, start })
    start += ms
  }
  let start = 0
  const found = shown.map((one) => {
    const at = start
    start += one.steps
    return { name: one.name, start: at }
  })
  // The very last change may fall on either side of the end.
  const count = Math.min(found.length, wanted.length)
  expect(Math.abs(found.length - wanted.length), `${name}: number of changes`).toBeLessThanOrEqual(loop ? 1 : 0)
  expect(found.slice(0, count).map((one) => one.name)).toEqual(wanted.slice(0, count).map((one) => one.name))
  const late = found.slice(0, count).map((one, index) => Math.abs(one.start - (wanted[index]?.start ?? 0)))
  // Engines add thirds and sevenths in another order than this sum.
  const rounding = 1e-6
  expect(Math.max(...late), `${name}: milliseconds off`).toBeLessThanOrEqual(1 + rounding)
}
