import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bitmap } from '../../atlas/bitmap.ts'
import { css } from '../../atlas/formats/css.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { playedFrames } from '../../atlas/formats/shared/played.ts'
import { strip } from '../../atlas/formats/strip.ts'
import { decodePng } from '../../atlas/png/read.ts'
import { makeProject, type Project, painting } from '../atlas/formats/project.ts'
import { openBrowser } from './browser.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
})

const projects: Readonly<Record<string, Project>> = {
  'trimmed, with anchors': makeProject({
    maxSize: 128,
    sequences: [
      painting('hero/walk', { count: 4, use: [3, 0, 0, 2], durations: [50, 120, 80, 33.4], anchor: { x: 0.5, y: 1 } }),
      painting('hero/idle', { count: 5, yoyo: true, fps: 20 }),
      painting('orc/hit', { width: 40, height: 21, loop: false }),
    ],
  }),
  'pixel art, untrimmed': makeProject({ sequences: [painting('gem/spin', { pixelArt: true, trim: false })] }),
}

/** Opens an empty page with a project's style sheet. All files are served from memory. */
async function open(format: EngineFormat, project: Project): Promise<Page> {
  const files = new Map(
    [...project.atlases.flatMap(({ pages }) => pages), ...format.write(project.atlases)].map(({ file, bytes }) => [file, bytes]),
  )
  const page = await browser.newPage({ viewport: { width: 200, height: 200 } })
  await page.route('http://sprites.test/**', async (route) => {
    const file = decodeURIComponent(new URL(route.request().url()).pathname.slice(1))
    const bytes = files.get(file)
    if (file === '') {
      const body =
        '<!doctype html><link rel="stylesheet" href="sprites.css"><style>body { margin: 0; background: transparent } i { position: absolute; left: 0; top: 0 }</style>'
      return route.fulfill({ contentType: 'text/html', body })
    }
    return bytes === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: Buffer.from(bytes) })
  })
  await page.goto('http://sprites.test/')
  return page
}

/** Shows one element, an animation at a moment of its own time, and returns its picture. */
async function show(page: Page, attribute: string, name: string, atMs?: number): Promise<Bitmap> {
  const size = await page.evaluate(
    async ({ attribute, name, atMs }) => {
      document.body.replaceChildren()
      const element = document.createElement('i')
      element.setAttribute(attribute, name)
      document.body.append(element)
      const image = new Image()
      image.src = /url\("(.*)"\)/.exec(getComputedStyle(element).backgroundImage)![1]!
      await image.decode()
      for (const animation of element.getAnimations()) {
        animation.pause()
        animation.currentTime = atMs ?? 0
      }
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      return { width: element.offsetWidth, height: element.offsetHeight }
    },
    { attribute, name, atMs },
  )
  return decodePng(await page.screenshot({ clip: { x: 0, y: 0, ...size }, omitBackground: true }))
}

/**
 * Largest difference of premultiplied channels. A screenshot is exact about half-transparent pixels only up
 * to rounding.
 */
function difference(actual: Bitmap, expected: Bitmap): number {
  if (actual.width !== expected.width || actual.height !== expected.height) return Number.POSITIVE_INFINITY
  let most = 0
  for (let at = 0; at < expected.data.length; at++) {
    const alpha = at - (at % 4) + 3
    const of = ({ data }: Bitmap): number => (at === alpha ? data[at]! : (data[at]! * data[alpha]!) / 255)
    most = Math.max(most, Math.abs(of(actual) - of(expected)))
  }
  return most
}

describe.each([css, strip])('the format $name in Chromium', (format) => {
  test.each(Object.keys(projects))('shows every frame as it was painted, and every animation in order and dwell: %s', async (name) => {
    const project = projects[name]!
    const page = await open(format, project)
    const pictures = project.pictures.get(1)!
    for (const { atlas } of project.atlases) {
      const played = new Set(atlas.animations.flatMap(({ frames }) => frames.map((frame) => frame.name)))
      for (const frame of atlas.frames.filter((one) => format === css || played.has(one.name)))
        expect(difference(await show(page, 'data-frame', frame.name), pictures.get(frame.name)!), frame.name).toBeLessThan(2)
      for (const animation of atlas.animations) {
        let begin = 0
        for (const frame of playedFrames(animation)) {
          for (const atMs of [begin + 1, begin + frame.durationMs - 1]) {
            const drawn = await show(page, 'data-animation', animation.name, atMs)
            expect(difference(drawn, pictures.get(frame.name)!), `${animation.name} at ${atMs}`).toBeLessThan(2)
          }
          begin += frame.durationMs
        }
        // The first frame again for a loop, or else the last one for good.
        const last = animation.loop ? playedFrames(animation)[0]! : playedFrames(animation).at(-1)!
        expect(difference(await show(page, 'data-animation', animation.name, begin + 1), pictures.get(last.name)!)).toBeLessThan(2)
      }
    }
    await page.close()
  })
})
