import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readApng } from '../../atlas/index.ts'
import { animatedPng, type BuiltApngFrame } from '../atlas/source/apng-file.ts'
import { createChance } from '../fuzz/chance.ts'
import { openBrowser } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
})

/** Decodes all frames of a picture. Runs in the browser. */
const decodeAll = async (bytes: readonly number[]): Promise<{ ms: number; data: number[] }[]> => {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the DOM do not have it
  const decoder = new (globalThis as any).ImageDecoder({ data: Uint8Array.from(bytes), type: 'image/png', premultiplyAlpha: 'none' })
  await decoder.tracks.ready
  await decoder.completed
  const found: { ms: number; data: number[] }[] = []
  for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex })
    const data = new Uint8Array(image.allocationSize({ format: 'RGBA' }))
    await image.copyTo(data, { format: 'RGBA' })
    found.push({ ms: image.duration / 1000, data: [...data] })
    image.close()
  }
  return found
}

test('a browser decodes the frames and the times that we read from animated PNGs', async () => {
  const page = await browser.newPage()
  await page.route('https://game.test/', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto('https://game.test/')
  for (let seed = 1; seed <= 40; seed++) {
    const chance = createChance(seed)
    const colour = (): number => ((chance.under(2 ** 24) << 8) | chance.pick([0, 255, 255, 128, 40])) >>> 0
    const frames = Array.from({ length: 6 }, (_, at): BuiltApngFrame => {
      const x = at === 0 ? 0 : chance.under(8)
      const width = at === 0 ? 8 : 1 + chance.under(8 - x)
      const colours = Array.from({ length: width }, colour)
      return { x, colours, delay: [20 + chance.under(200), 1000], dispose: chance.under(3), blend: chance.under(2) }
    })
    const bytes = animatedPng(8, frames)
    const ours = readApng(bytes).frames
    const theirs = await page.evaluate(decodeAll, [...bytes])
    expect(theirs.map(({ ms }) => ms)).toEqual(ours.map(({ durationMs }) => durationMs))
    for (const [index, { data }] of theirs.entries()) {
      const own = ours[index]!.bitmap.data
      // A browser keeps colours multiplied by alpha.
      const most = Math.max(...data.map((value, at) => Math.abs(shown(data, value, at) - shown(own, own[at]!, at))))
      expect(most, `seed ${seed}, frame ${index}`).toBeLessThan(3)
    }
  }
  await page.close()
})

function shown(data: ArrayLike<number>, value: number, at: number): number {
  return at % 4 === 3 ? value : (value * data[at | 3]!) / 255
}
