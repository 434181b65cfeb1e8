import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { byName, formatLayout, type Layout, layoutDigest, layoutName, parseLayout, toLayout } from '../../src/sheets/layout.ts'
import type { BuiltSheets, PackedAtlas, SheetOptions } from '../../src/sheets/model.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { byLevel } from '../level.ts'
import { type Game, hostOf, openShelf, type Shelf, spec } from '../plugin/world.ts'
import { memoryCache } from './memory-cache.ts'

const stable: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc', stable: true }
const { stable: _, ...ordinary } = stable

/** A sprite of eight frames, filled to the edge. Each sprite has sides of its own. */
async function spriteInput(at: number, scales: readonly number[] = [1]): Promise<SheetInput> {
  const frames = Array.from({ length: 8 }, (_, index) => {
    const frame = createBitmap(14 + ((at * 7) % 23), 12 + ((at * 11) % 19))
    frame.data.fill(255 - at * 8 - index)
    return frame
  })
  const { zip } = await packDelivery(frames, defaultShapes.names)
  const own = parseSpec(
    JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 8 } }, scales, trim: false }),
    `/game/s${String(at).padStart(2, '0')}.sprite.json`,
  )
  return { spec: own, animation: own.animations[0]!, source: { kind: 'result', sha256: sha256(zip), read: async () => zip } }
}

const sprites = (count: number, scales?: readonly number[]): Promise<readonly SheetInput[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => spriteInput(at, scales)))

const make = (inputs: readonly SheetInput[], earlier?: Layout, cache = memoryCache(), options = stable): Promise<BuiltSheets> =>
  makeSheets(inputs, 'group', options, { cache, earlier, warn: () => {} })

/** Names of the frames of the largest atlas that have moved. */
function moved(before: BuiltSheets, after: BuiltSheets): readonly string[] {
  const placeOf = new Map(after.atlases[0]!.frames.map(({ name, page, x, y }) => [name, `${page} ${x} ${y}`]))
  return before.atlases[0]!.frames.filter(({ name, page, x, y }) => placeOf.get(name) !== `${page} ${x} ${y}`).map(({ name }) => name)
}

const pagesOf = ({ atlases }: BuiltSheets): readonly string[] => atlases.flatMap(({ pages }) => pages.map((page) => page.sha256))

/** The layout that the next build reads. */
const reread = (sheets: BuiltSheets): Layout => parseLayout(formatLayout(toLayout(sheets.atlases)), 'x')

const scales = [[[1]], [[1, 0.5]], [[1, 0.33]]]

describe('a build that keeps a layout', () => {
  test.each(byLevel({ quick: [[[1, 0.5]]], full: scales, long: scales }))(
    'at scales %j leaves every frame where it was when a sprite comes, and packs the same from what it has written down',
    async (scales) => {
      const all = await sprites(8, scales)
      const before = await make(all.slice(1))
      const after = await make(all, reread(before))
      expect(moved(before, after)).toEqual([])
      expect(moved(before, await make(all)).length).toBeGreaterThan(24)
      const again = await make(all, reread(after))
      expect(pagesOf(again)).toEqual(pagesOf(after))
      expect(again).toEqual(after)
      const area = ({ atlases }: BuiltSheets): number =>
        atlases.flatMap(({ pages }) => pages).reduce((sum, { width, height }) => sum + width * height, 0)
      expect(area(after)).toBeLessThanOrEqual(area(await make(all)) * 1.08)
    },
  )

  test('without an earlier one it is the ordinary one', async () => {
    const all = await sprites(6)
    expect(await make(all, new Map())).toEqual(await make(all, undefined, memoryCache(), ordinary))
    // Without the option, a build does not read an existing layout file.
    const before = await make(all.slice(1))
    expect(await make(all, reread(before), memoryCache(), ordinary)).toEqual(await make(all))
  })

  test('is taken from the cache under the layout that it came from and the one that it left, and under no other', async () => {
    const all = await sprites(6)
    const sealed = all.map(
      (input) => ({ ...input, source: { ...input.source, read: () => Promise.reject(new Error('A source was opened.')) } }) as SheetInput,
    )
    const cache = memoryCache()
    const before = await make(all.slice(1))
    const after = await make(all, reread(before), cache)
    // The pages of the group, which are written last.
    const pages = new Map([...cache.kept].slice(-1))
    const only = (): ReturnType<typeof memoryCache> => {
      const own = memoryCache()
      for (const [key, bytes] of pages) own.kept.set(key, bytes)
      return own
    }
    expect(await make(sealed, reread(before), only())).toEqual(after)
    expect(await make(sealed, reread(after), only())).toEqual(after)
    await expect(make(sealed, new Map(), only())).rejects.toThrow('A source was opened.')
  })

  test('knows nothing of it where each sprite is an atlas of its own', async () => {
    const all = await sprites(3)
    const earlier = reread(await make(all.slice(1)))
    const one = (options: SheetOptions): Promise<BuiltSheets> =>
      makeSheets(all, 'sprite', options, { cache: memoryCache(), earlier, warn: () => {} })
    expect(await one(stable)).toEqual(await one(ordinary))
  })
})

describe('sprites.layout.json', () => {
  test('is sorted, a line for each animation, and read as it was written', async () => {
    const sheets = await make([...(await sprites(2))].reverse())
    const text = formatLayout(toLayout(sheets.atlases))
    const [head, version, open, group, first, ...rest] = text.split('\n')
    expect([head, version, open, group]).toEqual(['{', '  "version": 1,', '  "atlases": {', '    "sprites": {'])
    expect(first).toMatch(/^ {6}"s00\/walk": \[\["0000",0,\d+,\d+,14,12\],\["0001",/)
    expect(rest[0]).toMatch(/^ {6}"s01\/walk": /)
    const layout = parseLayout(text, 'x')
    expect(layout.get('sprites')).toHaveLength(16)
    expect(formatLayout(layout)).toBe(text)
    expect(formatLayout(parseLayout(formatLayout(new Map()), 'x'))).toBe(formatLayout(new Map()))
  })

  test.each([
    ['the marks of a merge', '<<<<<<< HEAD\n{}', 'no JSON'],
    ['another version', '{"version":2,"atlases":{}}', 'version 2, this spritewright knows 1'],
    ['no version', '{"atlases":{}}', 'version undefined'],
    ['a list', '[]', 'no "atlases"'],
    ['no animations', '{"version":1,"atlases":{"sprites":[]}}', 'no animations in "sprites"'],
    ['a row that is short', '{"version":1,"atlases":{"sprites":{"a/b":[["0000",0,1,1,5]]}}}', 'in "a/b"'],
    ['a place that is none', '{"version":1,"atlases":{"sprites":{"a/b":[["0000",0,-1,1,5,5]]}}}', 'in "a/b"'],
    ['a page that nobody has', '{"version":1,"atlases":{"sprites":{"a/b":[["0000",60000,1,1,5,5]]}}}', 'in "a/b"'],
  ])('is refused for %s', (_, text, words) => {
    let error: unknown
    try {
      parseLayout(text, 'sprites.layout.json')
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'SW_LAYOUT', exitCode: 2, facts: { file: 'sprites.layout.json' } })
    expect((error as Error).message).toContain(words)
  })
})

describe('atlas.stable in a project', () => {
  let shelf: Shelf
  beforeAll(async () => {
    shelf = await openShelf()
  })
  afterAll(() => shelf.close())

  const file = 'sprites.layout.json'
  const buildIn = async (game: Game, request = {}, options = {}): Promise<readonly string[]> => {
    const workshop = await shelf.workshop(game, { atlas: { stable: true }, ...options })
    const { sheets } = await workshop.build(request)
    await workshop.close()
    return pagesOf(sheets)
  }
  const isThere = async (game: Game): Promise<boolean> => (await game.list()).includes(file)

  test('a build writes the layout; the next one, with the cache or without, gives the same bytes and writes nothing', async () => {
    const game = await shelf.game()
    const first = await buildIn(game)
    const text = await game.read(file)
    expect(text).toContain('"hero/walk": [["0000",')
    await game.remove('node_modules')
    expect(await buildIn(game)).toEqual(first)
    expect(await game.read(file)).toBe(text)
    await game.write('sprites/hero.sprite.json', spec({ size: 40 }, { fps: 8 }))
    const changed = await buildIn(game)
    expect(await game.read(file)).not.toBe(text)
    await game.remove('node_modules')
    expect(await buildIn(game)).toEqual(changed)
  })

  test('builds that nobody commits write none: frozen, in CI, only buying, without the option', async () => {
    const game = await shelf.game()
    const written: string[] = []
    for (const [name, request, options] of [
      ['frozen', { frozen: true }, {}],
      ['buy only', { buyOnly: true }, {}],
      ['without', {}, { atlas: {} }],
    ] as const) {
      await buildIn(game, request, options)
      if (await isThere(game)) written.push(name)
    }
    const ci = await createWorkshop({ root: game.root, options: { atlas: { stable: true } }, host: hostOf(game, { CI: '1' }) })
    await ci.build()
    await ci.close()
    if (await isThere(game)) written.push('CI')
    expect(written).toEqual([])
  })

  test('a file that is none stops a build and says what to do, and is not written over', async () => {
    const game = await shelf.game({ [file]: '<<<<<<< HEAD\n' })
    await expect(buildIn(game)).rejects.toMatchObject({ code: 'SW_LAYOUT' })
    expect(await game.read(file)).toBe('<<<<<<< HEAD\n')
  })
})

test('places of turned frames are kept with a mark of their own', () => {
  const frames = [
    { name: 'hero/walk/0000', page: 0, x: 3, y: 4, width: 30, height: 12, isTurned: true },
    { name: 'hero/walk/0001', page: 0, x: 40, y: 4, width: 30, height: 12 },
  ]
  const text = formatLayout(new Map([['sprites', frames]]))
  expect(text).toContain('[["0000",0,3,4,30,12,1],["0001",0,40,4,30,12]]')
  expect(parseLayout(text, 'x').get('sprites')).toEqual(frames)
  expect(() => parseLayout(text.replace('12,1]', '12,2]'), 'x')).toThrow(/something else than/)
})

describe('places by themselves', () => {
  const place = (name: string, x: number, more: object = {}) => ({ name, page: 0, x, y: 2, width: 3, height: 4, ...more })

  test('have their atlases and frames sorted by name, and names without a folder', () => {
    const layout: Layout = new Map([
      ['b', [place('sword', 9), place('hero/walk/1', 2), place('hero/walk/0', 1, { isTurned: true })]],
      ['a', [place('x', 7)]],
    ])
    const text = formatLayout(layout)
    expect(JSON.parse(text)).toEqual({
      version: 1,
      atlases: {
        a: { '': [['x', 0, 7, 2, 3, 4]] },
        b: {
          'hero/walk': [
            ['0', 0, 1, 2, 3, 4, 1],
            ['1', 0, 2, 2, 3, 4],
          ],
          '': [['sword', 0, 9, 2, 3, 4]],
        },
      },
    })
    expect(Object.keys(JSON.parse(text).atlases)).toEqual(['a', 'b'])
    const read = parseLayout(text, 'x')
    expect(read).toEqual(new Map([...layout].map(([name, frames]) => [name, [...frames].sort(byName)])))
  })

  test.each([
    ['["0", 9999, 0, 65535, 0, 65535]', true],
    ['["0", 0, 0, 0, 0, 0, 1]', true],
    ['["0", 10000, 0, 0, 0, 0]', false],
    ['["0", 0, 65536, 0, 0, 0]', false],
    ['["0", 0, 0, 0.5, 0, 0]', false],
    ['["0", 0, 0, 0, "1", 0]', false],
    ['["0", 0, 0, 0, 0, -1]', false],
    ['["0", 0, 0, 0, 0, 0, 0]', false],
    ['["0", 0, 0, 0, 0, 0, 1, 1]', false],
    ['[0, 0, 0, 0, 0, 0]', false],
    ['{"0": 1}', false],
  ])('are read from the row %s: %s', (row, isRead) => {
    const read = (rows: string): Layout => parseLayout(`{"version": 1, "atlases": {"s": {"a/b": ${rows}}}}`, 'x')
    if (isRead) expect(read(`[${row}]`).get('s')?.[0]).toMatchObject({ name: 'a/b/0', ...(row.length > 30 ? {} : { x: 0 }) })
    else expect(() => read(`[["1", 0, 0, 0, 0, 0], ${row}]`)).toThrow(expect.objectContaining({ code: 'SW_LAYOUT', facts: { file: 'x' } }))
    expect(() => read(row.replace('[', '{"a": [').concat('}'))).toThrow(expect.objectContaining({ code: 'SW_LAYOUT' }))
  })

  test('of scales that share a layout are those of the largest, and of others each its own', () => {
    const atlas = (name: string, scale: number): PackedAtlas =>
      ({ name, scale, frames: [{ ...place('hero/walk/0', 10 * scale), sprite: 'hero', isTurned: false }] }) as unknown as PackedAtlas
    const at = (scale: number) => [place('hero/walk/0', 10 * scale)]
    expect(toLayout([atlas('s', 1), atlas('s', 2), atlas('t', 1)])).toEqual(
      new Map([
        [layoutName('s', 2), at(2)],
        ['t', at(1)],
      ]),
    )
    expect([layoutName('s', 1), layoutName('s', 2), layoutName('s', 0.5)]).toEqual(['s', 's@2x', 's@0.5x'])
  })

  test('have another digest for each other place, and the same in another order', () => {
    const of = (...frames: readonly ReturnType<typeof place>[]): string => layoutDigest(new Map([['s', frames]]), ['s', 't'])
    const [one, two] = [place('a/0', 1), place('a/1', 2)]
    const usual = of(one, two)
    expect([of(two, one), layoutDigest(new Map([['s', [one, two]]]), ['t', 's'])]).toEqual([usual, usual])
    const others = [of(one), of(one, place('a/2', 2)), of(one, place('a/1', 3)), of(one, { ...two, ...{ isTurned: true } })]
    for (const key of ['page', 'y', 'width', 'height'] as const) others.push(of(one, { ...two, [key]: 7 }))
    others.push(layoutDigest(new Map([['s', [one, two]]]), ['s']), layoutDigest(new Map([['t', [one, two]]]), ['s', 't']))
    expect(new Set([usual, ...others]).size).toBe(1 + others.length)
  })
})
