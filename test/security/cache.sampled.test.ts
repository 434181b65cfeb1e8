import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { sheetModule, toSheetData } from '../../plugin/module.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { makeSheets, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { byLevel, level } from '../level.ts'
import { configOf, type Game, openShelf, pluginOf, type Shelf, vites } from '../plugin/world.ts'
import { type MemoryCache, memoryCache } from '../sheets/memory-cache.ts'

// A stranger's run has written the cache that a CI restores. Every entry has the right digest and any content
// that the stranger likes.

/** Code, in case a value of the cache becomes a part of a script. */
const code = "1}];globalThis.poisoned=1;[{a:'"
const folder = 'node_modules/.cache/spritewright'

/** One head of an entry: where its JSON begins and ends. */
interface Head {
  readonly from: number
  readonly to: number
  readonly value: unknown
}

/** The heads of an entry without its digest: the first one, and everything else that reads like one. */
function headsOf(content: Uint8Array): readonly Head[] {
  const heads: Head[] = []
  let at = 0
  while (at + 4 <= content.length) {
    const length = new DataView(content.buffer, content.byteOffset + at).getUint32(0)
    const [from, to] = [at + 4, at + 4 + length]
    if (to > content.length) break
    try {
      heads.push({ from, to, value: JSON.parse(Buffer.from(content.subarray(from, to)).toString()) })
    } catch {
      break
    }
    at = to + ((4 - (length % 4)) % 4)
  }
  return heads
}

/** The same content with other heads. */
function withHeads(content: Uint8Array, change: (value: unknown) => unknown): Uint8Array {
  const heads = headsOf(content)
  if (heads.length === 0) return content
  const parts = heads.flatMap(({ value }) => {
    const text = Buffer.from(JSON.stringify(change(value)) ?? 'null')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return [length, text, Buffer.alloc((4 - (text.length % 4)) % 4)]
  })
  const { to } = heads.at(-1) as Head
  return Buffer.concat([...parts, content.subarray(to + ((4 - (to % 4)) % 4))])
}

/** Sets every field of that name, at any depth. */
function setting(field: string, value: unknown): (from: unknown) => unknown {
  const set = (from: unknown): unknown => {
    if (Array.isArray(from)) return from.map(set)
    if (from === null || typeof from !== 'object') return from
    return Object.fromEntries(Object.entries(from).map(([name, inner]) => [name, name === field ? value : set(inner)]))
  }
  return set
}

function fillPages(content: Uint8Array): Uint8Array {
  return Buffer.from(content).fill('<svg/>', (headsOf(content).at(-1) as Head).to + 4)
}

const poisons: readonly (readonly [string, (content: Uint8Array) => Uint8Array])[] = [
  ['code for the whole entry', () => Buffer.from(`globalThis.poisoned=1 // ${'x'.repeat(200)}`)],
  ['a head that goes beyond its end', (content) => Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff]), content])],
  ['a head that is no JSON', (content) => Buffer.concat([Buffer.from([0, 0, 0, 4]), Buffer.from('{"a"'), content])],
  ['pages cut off', (content) => content.subarray(0, content.length - 40)],
  ['code as the width of a page', (content) => withHeads(content, setting('width', code))],
  ['code as an encoding', (content) => withHeads(content, setting('extension', code))],
  ['code as a content type', (content) => withHeads(content, setting('contentType', code))],
  ['code as a digest', (content) => withHeads(content, setting('sha256', code))],
  ['code as a scale', (content) => withHeads(content, setting('scale', code))],
  ['a path as every name', (content) => withHeads(content, setting('name', '../../../poisoned'))],
  ['a tag as every name', (content) => withHeads(content, setting('name', '</script><script>globalThis.poisoned=1'))],
  ['a page that is not there', (content) => withHeads(content, setting('page', 7))],
  ['a place beyond the page', (content) => withHeads(content, setting('x', 1 << 30))],
  ['a frame of the size of a memory', (content) => withHeads(content, setting('canvas', { x: 0, y: 0, width: 2 ** 26, height: 2 ** 26 }))],
  ['another frame than the spec plays', (content) => withHeads(content, setting('index', 6))],
  ['the quality of another animation', (content) => withHeads(content, setting('id', 'coin.spin'))],
  ['a field more', (content) => withHeads(content, (value) => (Array.isArray(value) ? value : { ...(value as object), code }))],
  // Other pixels of a frame would be valid data. A page is a file.
  [
    'pages that are no pictures',
    (content) => (Object.hasOwn(headsOf(content)[0]?.value as object, 'atlases') ? fillPages(content) : content),
  ],
]

/** Poisons every entry, and deletes all other files, because earlier versions read from them. */
async function poisonAll(game: Game, change: (content: Uint8Array) => Uint8Array): Promise<number> {
  const names = await readdir(game.path(folder))
  for (const name of names) {
    const path = join(game.path(folder), name)
    if (!name.endsWith('.bin')) await rm(path)
    else await writeSealed(path, change(new Uint8Array((await readFile(path)).subarray(32))))
  }
  return names.filter((name) => name.endsWith('.bin')).length
}

async function writeSealed(path: string, content: Uint8Array): Promise<void> {
  await writeFile(path, Buffer.concat([createHash('sha256').update(content).digest(), content]))
}

/** The SHA-256 of every file that a build has written, except its cache. */
async function bytesOf(game: Game): Promise<Record<string, string>> {
  const names = await game.list()
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [
        name,
        createHash('sha256')
          .update(await readFile(game.path(name)))
          .digest('hex'),
      ]),
    ),
  )
}

// A build for each state of the cache is for the full level.
if (level !== 'quick')
  describe.each(vites)('a cache by somebody else, read by a build with %s', (_name, load) => {
    let shelf: Shelf
    beforeAll(async () => {
      shelf = await openShelf()
    })
    afterAll(() => shelf.close())

    test('gives the bytes of a build that has none, or is not used', async () => {
      const { build } = await load()
      const game = await shelf.game()
      await build(configOf(game, pluginOf(game)))
      const clean = await bytesOf(game)
      for (const [name, change] of poisons) {
        expect(await poisonAll(game, change), name).toBeGreaterThan(1)
        await game.remove('dist')
        await build(configOf(game, pluginOf(game)))
        expect(await bytesOf(game), name).toEqual(clean)
      }
    })
  })

const options: SheetOptions = { maxSize: 256, encodings: ['png', 'webp'], level: 1, ktx2: 'uastc', hull: 8 }

/** @param step Another number means an edited sprite; the other sprites of its group come from the cache. */
async function inputsOf(delivery: Uint8Array, step: number): Promise<readonly SheetInput[]> {
  return ['hero', 'coin'].flatMap((name) => {
    const spec = parseSpec(
      JSON.stringify({ reference: './hero.png', prompt: 'x', animations: { walk: { frames: 7, fps: name === 'hero' ? step : 8 } } }),
      `/game/${name}.sprite.json`,
    )
    return spec.animations.map(
      (animation): SheetInput => ({
        spec,
        animation,
        source: { kind: 'result', sha256: name.padEnd(64, '0'), read: async () => delivery },
      }),
    )
  })
}

/** Sets, removes or adds a value somewhere in a tree. */
function mutate(value: unknown, path: readonly number[], poison: unknown, how: 'set' | 'drop' | 'add'): unknown {
  if (value === null || typeof value !== 'object') return poison
  const entries = Object.entries(value)
  const [step, ...rest] = path
  if (how === 'add' && (step === undefined || rest.length === 0 || entries.length === 0)) entries.push([String(entries.length), poison])
  else if (step === undefined || entries.length === 0) return poison
  else {
    const at = step % entries.length
    const [name, inner] = entries[at] as [string, unknown]
    if (how === 'drop' && (rest.length === 0 || inner === null || typeof inner !== 'object')) entries.splice(at, 1)
    else entries[at] = [name, mutate(inner, rest, poison, how)]
  }
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

const poison = fc.constantFrom<unknown>(
  code,
  '../../poisoned',
  '</script>',
  '',
  -1,
  0.5,
  7,
  2 ** 31,
  1e308,
  null,
  true,
  [],
  {},
  [[]],
  [code],
)
const change = fc.record({
  entry: fc.nat(),
  head: fc.nat(3),
  path: fc.array(fc.nat(20), { maxLength: 6 }),
  poison,
  how: fc.constantFrom('set', 'drop', 'add'),
})

test('law: whatever stands in one entry, a build ends well, its files have the names of the project, and its code holds data only', {
  timeout: 240_000,
}, async () => {
  const frames = Array.from({ length: 7 }, (_, index) => createBitmap(9, 7, new Uint8Array(252).fill(30 * (index + 1))))
  const { zip: delivery } = await packDelivery(frames, defaultShapes.names)
  const ports = (cache: MemoryCache) => ({ cache, warn: () => {} })
  const kept = memoryCache()
  await makeSheets(await inputsOf(delivery, 8), 'group', options, ports(kept))
  const keys = [...kept.kept.keys()]
  const files = async (sheets: Awaited<ReturnType<typeof makeSheets>>): Promise<readonly string[]> =>
    (await toOutput(sheets, ['phaser', 'pixi'], [])).map(({ file }) => file)
  const names = await files(await makeSheets(await inputsOf(delivery, 8), 'group', options, ports(memoryCache())))
  let made = 0
  await fc.assert(
    fc.asyncProperty(change, fc.boolean(), async ({ entry, head, path, poison: value, how }, isEdited) => {
      const cache = memoryCache(kept)
      const key = keys[entry % keys.length] as string
      let at = 0
      const chosen = headsOf(kept.kept.get(key) as Uint8Array).length
      const mutated = withHeads(kept.kept.get(key) as Uint8Array, (from) =>
        at++ === head % chosen ? mutate(from, path, value, how) : from,
      )
      cache.kept.set(key, new Uint8Array(mutated))
      const sheets = await makeSheets(await inputsOf(delivery, isEdited ? 9 : 8), 'group', options, ports(cache))
      made++
      expect(await files(sheets)).toEqual(names)
      const text = sheetModule(toSheetData(sheets.atlases, [], () => ''))
      new Function('readSheet', text.replace(/^import .*$/m, '').replace('export', ''))(() => undefined)
      expect((globalThis as { poisoned?: unknown }).poisoned).toBeUndefined()
    }),
    { numRuns: byLevel({ quick: 120, full: 400, long: 400 }) },
  )
  expect(made).toBeGreaterThan(0)
})
