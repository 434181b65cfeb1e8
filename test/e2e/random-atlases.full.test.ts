import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOffered, packageFolder } from '../kit/extras.ts'
import { byLevel } from '../level.ts'
import { openBrowser, type Visit, visit } from './browser.ts'
import { repository } from './game.ts'
import { type Errand, type MadeAtlas, makeRandomAtlas, type Shown } from './random-atlas.ts'
import { type AnimationCase, type AtlasCase, atlasCases } from './random-case.ts'
import { type Site, serveFiles } from './site.ts'

/** How many atlases each engine draws. CONTRIBUTING.md names both variables. */
const count = byLevel({ quick: 4, full: 12, long: 200 })
const seed = Number(process.env.SPRITEWRIGHT_SEED ?? 1)

/**
 * Largest difference, of 255, of a frame that is drawn from two textures. Coordinates are rounded, so now and
 * then a pixel differs by one level.
 */
const maxEdge = 2

/** The result of an engine for an atlas at one scale. */
interface Seen {
  /** Largest differences, by frame; frames without a difference are missing. */
  readonly exact: Readonly<Record<string, number>>
  readonly edges: Readonly<Record<string, number>>
  /** By animation: the shown frames, each with its milliseconds. */
  readonly shown: Readonly<Record<string, readonly { readonly name: string; readonly steps: number }[]>>
}

declare global {
  var examineAtlas: ((errand: Errand) => Promise<Seen>) | undefined
}

const engines = [
  { name: 'Phaser 4', version: /^4\./, from: 'phaser', file: 'phaser.min.js', page: 'random-phaser' },
  { name: 'Phaser 3.90', version: /^3\.90/, from: 'phaser3', file: 'phaser.min.js', page: 'random-phaser' },
  { name: 'PixiJS 8', version: /^8\./, from: 'pixi.js', file: 'pixi.min.mjs', page: 'random-pixi' },
].filter(({ from }) => isOffered(from))

let browser: Browser
let site: Site
/** The files on the server: pages and engines, and one atlas at a time. */
const files = new Map<string, Uint8Array>()
const visits = new Map<string, Visit>()
let made = 0

beforeAll(async () => {
  for (const fixture of ['phaser-probe', 'random-stage', 'random-phaser', 'random-pixi'])
    files.set(`${fixture}.js`, await readFile(join(repository, `test/fixtures/e2e/${fixture}.js`)))
  for (const { from, file, page } of engines) {
    const vendor = `${from}-${file}`
    files.set(vendor, await readFile(join(packageFolder(from), 'dist', file)))
    const script = file.endsWith('.mjs')
      ? `<script type="importmap">{"imports":{"pixi.js":"/${vendor}"}}</script>`
      : `<script src="/${vendor}"></script>`
    const html = `<!doctype html><html><head><link rel="icon" href="data:,">${script}</head><body><script type="module" src="/${page}.js"></script></body></html>`
    files.set(`${vendor}.html`, new TextEncoder().encode(html))
  }
  site = await serveFiles(files)
  browser = await openBrowser()
  for (const { name, version, from, file } of engines) {
    const visited = await visit(browser, `${site.url}${from}-${file}.html`)
    await visited.page.waitForFunction(() => globalThis.examineAtlas !== undefined)
    expect(await visited.page.evaluate(() => globalThis.version)).toMatch(version)
    visits.set(name, visited)
  }
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

test(
  `every engine draws ${count} random atlases as they were drawn, without a bad edge, and plays every animation in order and time`,
  async () => {
    const totals = { atlases: 0, pages: 0, frames: 0, animations: 0, largestEdge: 0 }
    // A failing case is shrunk, but not for ever. If the test ran out of time, it would not report its
    // finding.
    let triesLeft = Number.POSITIVE_INFINITY
    const check = async (asked: AtlasCase): Promise<void> => {
      if (triesLeft-- <= 0) return
      try {
        const largestEdge = await withAtlas(asked, (atlas) => expectSound(atlas))
        totals.atlases++
        totals.frames += asked.animations.reduce((sum, { art }) => sum + art.length, 0) * asked.scales.length
        totals.animations += asked.animations.length
        totals.largestEdge = Math.max(totals.largestEdge, largestEdge.edge)
        totals.pages += largestEdge.pages
      } catch (error) {
        triesLeft = Math.min(triesLeft, 40)
        throw error
      }
    }
    await fc.assert(fc.asyncProperty(atlasCases, check), { numRuns: count, seed })
    console.log(`seed ${seed}: ${JSON.stringify(totals)}, in each of ${engines.length} engines`)
    // One page for all atlases, on a busy machine.
  },
  120_000 + count * 5_000,
)

const turnedCount = Math.ceil(count / 4)

test(
  `PixiJS draws ${turnedCount} random atlases with turned frames as they were drawn, without a bad edge`,
  async () => {
    let [frames, turned] = [0, 0]
    const check = (asked: AtlasCase): Promise<void> =>
      withAtlas({ ...asked, rotate: true }, async (atlas) => {
        await expectSound(atlas, ['PixiJS 8'])
        frames += atlas.errands[0]!.frames.length
        turned += atlas.turned
      })
    await fc.assert(fc.asyncProperty(atlasCases, check), { numRuns: turnedCount, seed, endOnFailure: true })
    console.log(`seed ${seed}: ${turnedCount} atlases, ${turned} of ${frames} frames turned`)
    expect(turned).toBeGreaterThan(0)
  },
  60_000 + turnedCount * 5_000,
)

const tile: AnimationCase = {
  width: 12,
  height: 9,
  art: [0, 1, 2, 3].map((one) => ({ kind: 'opaque', seed: one })),
  play: [0, 1, 2, 3],
  fps: 10,
  loop: true,
  yoyo: false,
  trim: true,
  extrude: 0,
  padding: 0,
}

test.each(engines)('$name: a neighbour that shows at an edge, another picture and another time are found out', async ({ name }) => {
  const asked: AtlasCase = { maxSize: 64, scales: [1], pixelArt: false, palette: false, animations: [tile] }
  await withAtlas(asked, async ({ errands }) => {
    const [errand] = errands
    const ringed: Errand = { ...errand!, frames: errand!.frames.map((frame) => ({ ...frame, ring: 'edge' })) }
    const { edges, exact, shown } = await look(name, ringed)
    expect(exact).toEqual({})
    for (const { name } of ringed.frames) expect(edges[name]).toBeGreaterThan(10 * maxEdge)
    const [first, second, ...others] = errand!.frames
    const swapped = await look(name, { ...errand!, frames: [{ ...first!, at: second!.at }, { ...second!, at: first!.at }, ...others] })
    expect(Object.keys(swapped.exact).sort()).toEqual([first!.name, second!.name])
    const [playback] = errand!.playbacks
    const late = [0, 102, 200, 300, 400].map((startMs, at) => ({ name: errand!.frames[at % 4]!.name, startMs }))
    expect(() => expectPlayed(shown[playback!.name]!, late)).toThrow()
  })
})

/** Makes an atlas, serves its files, and removes them again. */
async function withAtlas<T>(asked: AtlasCase, use: (atlas: MadeAtlas) => Promise<T>): Promise<T> {
  const atlas = await makeRandomAtlas(asked, `atlas${made++}`)
  for (const [path, bytes] of atlas.files) files.set(path, bytes)
  try {
    return await use(atlas)
  } finally {
    for (const path of atlas.files.keys()) files.delete(path)
  }
}

async function look(engine: string, errand: Errand): Promise<Seen> {
  const { page, complaints } = visits.get(engine)!
  const seen = await page.evaluate((given) => globalThis.examineAtlas!(given), errand)
  expect({ engine, complaints: complaints.splice(0) }).toEqual({ engine, complaints: [] })
  return seen
}

async function expectSound(
  { errands, timelines, pages }: MadeAtlas,
  names = engines.map(({ name }) => name),
): Promise<{ edge: number; pages: number }> {
  let edge = 0
  for (const errand of errands) {
    const seen = await Promise.all(names.map(async (name) => ({ name, ...(await look(name, errand)) })))
    for (const { name, exact, edges, shown } of seen) {
      const at = `${name}, ${errand.name}, scale ${errand.scale}`
      expect({ at, otherThanDrawn: exact }).toEqual({ at, otherThanDrawn: {} })
      const bad = Object.entries(edges).filter(([, difference]) => difference > maxEdge)
      expect({ at, badEdges: bad }).toEqual({ at, badEdges: [] })
      edge = Math.max(edge, ...Object.values(edges))
      for (const { name: animation } of errand.playbacks) {
        const own = animation.replace('.other/', '/')
        const played = shown[animation]!.map((one) => ({ ...one, name: one.name.replace('.other/', '/') }))
        expectPlayed(played, timelines.get(own)!, `${at}, ${animation}`)
      }
    }
  }
  return { edge, pages }
}

/** Expects the frames in order, each at its time, to the nearest millisecond. */
function expectPlayed(shown: Seen['shown'][string], timeline: readonly Shown[], at = ''): void {
  let startMs = 0
  const found = shown.map(({ name, steps }) => {
    const own = { name, startMs }
    startMs += steps
    return own
  })
  // A change in the very last millisecond may come or not.
  const wanted = timeline.filter((one) => one.startMs < startMs - 1 || found.length >= timeline.length)
  const seen = found.slice(0, Math.max(wanted.length, found.filter((one) => one.startMs < startMs - 1).length))
  expect({ at, names: seen.map(({ name }) => name) }).toEqual({ at, names: wanted.map(({ name }) => name) })
  // Engines add thirds and sevenths in another order than the timeline.
  for (const [index, one] of seen.entries())
    expect(Math.abs(one.startMs - wanted[index]!.startMs), `${at}: milliseconds off`).toBeLessThanOrEqual(1 + 1e-6)
}
