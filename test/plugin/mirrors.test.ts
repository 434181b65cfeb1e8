import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, readPage } from '../../atlas/index.ts'
import { toSheetData } from '../../plugin/module.ts'
import { type AtlasData, bordersOf, type SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { readSheet } from '../../plugin/runtime/shared/sheet.ts'
import type { SheetMemory } from '../../src/sheets/group.ts'
import { toSpecTypings } from '../../src/sheets/output/typings.ts'
import { type BuiltSheets, makeSheets, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { drawArt } from '../e2e/random-case.ts'
import { memoryCache } from '../sheets/memory-cache.ts'

const options: SheetOptions = { maxSize: 256, encodings: ['png'], level: 6, ktx2: 'uastc', hull: 6 }
const flipped: SheetOptions = { ...options, canMirror: true }
const mirror = { 'walk-left': 'walk', 'sign-left': 'sign' }

/** An animation of four frames and a picture. */
function inputs(fields: object = { mirror }): readonly SheetInput[] {
  const animations = { walk: { fps: 8, yoyo: true, use: [0, 1, 3, 1], durations: [10, 20, 30, 40] } }
  const paid = { reference: { steps: [{ text: 'a sign' }] }, prompt: 'x', animations, pictures: { sign: [{ edit: 'a sign' }] } }
  const spec = parseSpec(JSON.stringify({ ...paid, anchor: [0.25, 1], ...fields }), '/game/hero.sprite.json')
  const art = (seed: number): Bitmap => drawArt({ kind: seed % 2 === 0 ? 'box' : 'disc', seed }, 21, 17)
  return spec.animations.map((animation) => ({
    spec,
    animation,
    source: {
      kind: 'own',
      sha256: animation.name.padEnd(64, '0'),
      read: async () => Array.from({ length: animation.isPicture ? 1 : 7 }, (_, seed) => art(animation.isPicture ? 8 : seed)),
    },
  }))
}

function ports() {
  const cache = memoryCache()
  return { kept: cache.kept, cache, warn: () => {} }
}

/** The sprite as a page reads it. */
function read(sheets: BuiltSheets): { readonly sprite: SpriteModule; readonly atlas: AtlasData; readonly bytes: number } {
  const data = toSheetData(sheets.atlases, sheets.sprites, () => 'page.png')
  const [sprite] = readSheet(JSON.parse(JSON.stringify(data)))
  return { sprite: sprite!, atlas: sprite!.atlases[0]!, bytes: JSON.stringify(data).length }
}

/** A frame in its untrimmed size, as an engine draws it by the row. */
function draw(pages: readonly Bitmap[], atlas: AtlasData, name: string): Bitmap {
  const [page, x, y, w, h, ox, oy, sw, sh] = atlas.frames[name]!
  const isMirrored = atlas.mirrored?.includes(name) === true
  const { data, width } = pages[page]!
  const drawn = createBitmap(sw, sh)
  for (let row = 0; row < h; row++)
    for (let column = 0; column < w; column++) {
      const at = ((y + row) * width + x + (isMirrored ? w - 1 - column : column)) * 4
      drawn.data.set(data.subarray(at, at + 4), ((oy + row) * sw + ox + column) * 4)
    }
  return drawn
}

const pagesOf = (sheets: BuiltSheets): Promise<Bitmap[]> => Promise.all(sheets.atlases[0]!.pages.map(({ bytes }) => readPage(bytes, 'png')))

test('drawn and baked mirror images are the same sprite to a game', async () => {
  const [drawn, baked] = [await makeSheets(inputs(), 'group', flipped, ports()), await makeSheets(inputs(), 'group', options, ports())]
  const [a, b] = [read(drawn), read(baked)]
  expect(a.sprite.frames).toEqual(b.sprite.frames)
  expect(a.sprite.frames).toContain('hero/walk-left/0003')
  expect({ ...a.sprite, atlases: [] }).toEqual({ ...b.sprite, atlases: [] })
  expect(a.atlas.animations).toEqual(b.atlas.animations)
  expect(a.sprite.animations['walk-left']).toEqual({
    name: 'hero/walk-left',
    frames: [0, 1, 3, 1].map((number) => `hero/walk-left/000${number}`),
    durations: [10, 20, 30, 40],
    fps: 8,
    loop: true,
    yoyo: true,
  })
  expect(a.sprite.pictures).toEqual({ sign: 'hero/sign', 'sign-left': 'hero/sign-left' })
  const [pages, bakedPages] = [await pagesOf(drawn), await pagesOf(baked)]
  for (const name of a.sprite.frames) {
    expect(draw(pages, a.atlas, name)).toEqual(draw(bakedPages, b.atlas, name))
    expect(a.atlas.frames[name]!.slice(5)).toEqual(b.atlas.frames[name]!.slice(5))
  }
  expect(a.atlas.mirrored).toEqual(['hero/walk-left/0000', 'hero/walk-left/0001', 'hero/walk-left/0003'])
  expect(b.atlas.mirrored).toBeUndefined()
})

test('an outline of a mirror image is the mirrored outline, clockwise', async () => {
  const { atlas } = read(await makeSheets(inputs(), 'group', flipped, ports()))
  const turnOf = (outline: readonly (readonly [number, number])[]): number =>
    outline.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = outline[(at + 1) % outline.length]!
      return sum + x * nextY - nextX * y
    }, 0)
  const [right, left] = [atlas.outlines!['hero/walk/0001']!, atlas.outlines!['hero/walk-left/0001']!]
  const corner = (x: number, y: number): string => `${x.toFixed(6)} ${y.toFixed(6)}`
  expect(new Set(left.map(([x, y]) => corner(21 - x, y)))).toEqual(new Set(right.map(([x, y]) => corner(x, y))))
  expect(Math.sign(turnOf(left))).toBe(Math.sign(turnOf(right)))
})

test('a mirrored animation adds no pixel to a page, and a line to the data of an import', async () => {
  const without = await makeSheets(inputs({}), 'group', flipped, ports())
  const drawn = await makeSheets(inputs({ mirror: { 'walk-left': 'walk' } }), 'group', flipped, ports())
  expect(drawn.atlases[0]!.pages).toEqual(without.atlases[0]!.pages)
  expect(read(drawn).bytes - read(without).bytes).toBe(',"walk-left""mirrors":{"hero/walk-left":"hero/walk"},'.length)
})

test('a nine-slice gets mirrored pixels and borders, since engines slice the page itself', async () => {
  const { atlas } = read(await makeSheets(inputs({ mirror, borders: [3, 1, 5, 2] }), 'group', flipped, ports()))
  expect(atlas.mirrored).toBeUndefined()
  const sidesOf = (names: readonly string[]): unknown => names.map((name) => bordersOf(atlas, name))
  expect(sidesOf(['hero/sign', 'hero/walk/0000', 'hero/walk/0003'])).toEqual([1, 2, 3].map(() => [3, 1, 5, 2]))
  expect(sidesOf(['hero/sign-left', 'hero/walk-left/0000', 'hero/walk-left/0003'])).toEqual([1, 2, 3].map(() => [5, 1, 3, 2]))
})

test('a changed mirror image is shown by a dev server, which packs nothing again', async () => {
  const memory: SheetMemory = new Map()
  const own = { ...ports(), memory }
  const before = await makeSheets(inputs({}), 'sprite', options, own)
  const { size } = own.kept
  const after = await makeSheets(inputs({ mirror: { 'walk-left': 'walk' } }), 'sprite', options, own)
  expect(own.kept.size).toBe(size)
  expect(after.atlases[0]).not.toBe(before.atlases[0])
  expect(read(after).sprite.order).toEqual(['walk', 'walk-left'])
  const again = await makeSheets(inputs({}), 'sprite', options, own)
  expect(read(again).sprite.order).toEqual(['walk'])
})

test('files get mirrored pixels from the cache once they were packed, and other sprites keep their pages', async () => {
  const own = ports()
  const cold = await makeSheets(inputs(), 'group', options, own)
  const sealed = inputs().map((input) => ({
    ...input,
    source: { ...input.source, read: () => Promise.reject(new Error('A warm build opened a source.')) },
  }))
  expect(await makeSheets(sealed as readonly SheetInput[], 'group', options, own)).toEqual(cold)
  const { size } = own.kept
  await makeSheets(inputs({}), 'group', options, own)
  await makeSheets(inputs({}), 'group', flipped, own)
  expect(own.kept.size).toBe(size + 1)
})

test('typings name mirror images like other animations and pictures', () => {
  const typings = toSpecTypings(inputs()[0]!.spec)
  expect(typings).toContain('SpriteModule<"walk" | "walk-left", Frame, "sign" | "sign-left">')
  expect(typings).toContain('"hero/walk-left/0003"')
})
