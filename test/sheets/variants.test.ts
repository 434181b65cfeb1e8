import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, formatNames, variantsOf } from '../../atlas/index.ts'
import type { BuiltAtlas } from '../../src/sheets/model.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { toSpecTypings } from '../../src/sheets/output/typings.ts'
import { makeSheets, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { memoryCache } from './memory-cache.ts'

const options: SheetOptions = { maxSize: 64, encodings: ['png'], level: 6, ktx2: 'uastc' }
const red = { red: [{ from: ['#0000ff'], to: ['#f00'] }] }

/** A blue block on a grey one. Each frame has another width. */
function draw(index: number): Bitmap {
  const bitmap = createBitmap(24, 24)
  for (let y = 4; y < 20; y++)
    for (let x = 4; x < 14 + index; x++) bitmap.data.set(y < 12 ? [0, 0, 255, 255] : [90, 90, 90, 200], (y * 24 + x) * 4)
  return bitmap
}

function inputs(name: string, fields: object): readonly SheetInput[] {
  const spec = parseSpec(JSON.stringify({ source: './art', pixelArt: true, ...fields }), `/game/${name}.sprite.json`)
  const walk = { name: 'walk', prompt: '', frames: 4, take: 1, fps: 12, loop: true, yoyo: false }
  const picture = { ...walk, name: '', frames: 1, isPicture: true as const }
  const read = (count: number) => async () => Array.from({ length: count }, (_, index) => draw(index))
  return [
    { spec, animation: walk, source: { kind: 'own', sha256: 'a', read: read(4) } },
    { spec, animation: picture, source: { kind: 'own', sha256: 'b', read: read(1) } },
  ]
}

async function make(all: readonly SheetInput[], cache = memoryCache(), more: Partial<SheetOptions> = {}) {
  const { atlases, sprites } = await makeSheets(all, 'group', { ...options, ...more }, { cache, warn: () => {} })
  return { atlases, sprites, cache, atlas: atlases[0]! }
}

function pixels({ pages }: Pick<BuiltAtlas, 'pages'>, page = 0): Uint8Array {
  return PNG.sync.read(Buffer.from(pages[page]!.bytes)).data
}

test('a variant has the layout of its atlas, with names of its own, and only the ramp is of another colour', async () => {
  const { atlas } = await make(inputs('hero', { variants: red }))
  const [variant] = variantsOf(atlas)
  expect(variant!.name).toBe('sprites.red')
  const named = (name: string): string => name.replace(/^hero/, 'hero.red')
  expect(variant!.frames).toEqual(atlas.frames.map((frame) => ({ ...frame, name: named(frame.name) })))
  expect(variant!.frames.map(({ name }) => name)).toContain('hero.red')
  expect(variant!.animations).toMatchObject([
    { name: 'hero.red/walk', sprite: 'hero.red', frames: atlas.animations[0]!.frames.map(({ name }) => ({ name: named(name) })) },
  ])
  for (const page of atlas.pages.keys()) {
    const [base, changed] = [pixels(atlas, page), pixels(variant!, page)]
    for (let at = 0; at < base.length; at += 4) {
      const isBlue = base[at] === 0 && base[at + 2] === 255 && base[at + 3]! > 0
      expect([...changed.subarray(at, at + 4)]).toEqual(isBlue ? [255, 0, 0, base[at + 3]] : [...base.subarray(at, at + 4)])
    }
  }
})

test('variants move no frame and change no page of the atlas, and a sprite without one is not on their pages', async () => {
  const plain = await make([...inputs('hero', {}), ...inputs('orc', {})])
  const { atlas } = await make([...inputs('hero', { variants: red }), ...inputs('orc', { variants: { ...red, green: red.red } })])
  const both = await make([...inputs('hero', { variants: red }), ...inputs('orc', {})])
  expect(both.atlas.layers).toMatchObject([{ kind: 'variant', name: 'red', sprites: ['hero'] }])
  expect(variantsOf(both.atlas)[0]!.frames.every(({ name }) => name.startsWith('hero.red'))).toBe(true)
  // Equal pictures of sprites with other looks cannot share a place.
  expect(atlas.layers!.map(({ name, sprites }) => [name, sprites])).toEqual([
    ['green', ['orc']],
    ['red', ['hero', 'orc']],
  ])
  const same = await make([...inputs('hero', { variants: red }), ...inputs('orc', { variants: red })])
  expect(same.atlas.frames).toEqual(plain.atlas.frames)
  expect(same.atlas.pages).toEqual(plain.atlas.pages)
})

test('a build from the cache gives the same variants; another colour packs again, and cuts nothing again', async () => {
  const scaled = { scales: [1, 0.5], variants: red }
  const cold = await make(inputs('hero', scaled), undefined, { encodings: ['png', 'webp'] })
  expect(cold.atlases.map(({ layers }) => layers?.map(({ pages, alternates }) => [pages.length > 0, alternates?.length]))).toEqual([
    [[true, 1]],
    [[true, 1]],
  ])
  const sealed = (fields: object): readonly SheetInput[] =>
    inputs('hero', fields).map(
      (input) => ({ ...input, source: { ...input.source, read: () => Promise.reject(new Error('opened')) } }) as SheetInput,
    )
  const warm = await make(sealed(scaled), cold.cache, { encodings: ['png', 'webp'] })
  expect(warm.atlases).toEqual(cold.atlases)
  const other = { red: [{ from: ['#00f'], to: ['#0f0'] }] }
  const changed = await make(sealed({ ...scaled, variants: other }), cold.cache, { encodings: ['png', 'webp'] })
  expect(changed.atlas.pages).toEqual(cold.atlas.pages)
  expect(changed.atlas.layers).not.toEqual(cold.atlas.layers)
})

test('every format writes variants as further sprites, each file once', async () => {
  const { sprites, atlases } = await make(inputs('hero', { variants: red }))
  const names = formatNames.filter((name) => name !== 'phaser' && name !== 'pixi')
  const files = await toOutput({ sprites, atlases }, ['phaser', 'pixi'], names)
  const text = (name: string): string => new TextDecoder().decode(files.find(({ file }) => file === name)!.bytes)
  expect(JSON.parse(text('pack.json')).sprites.files.map(({ key }: { key: string }) => key)).toEqual([
    'sprites',
    'sprites.red',
    'sprites.anims',
    'sprites.red.anims',
  ])
  expect(JSON.parse(text('manifest.json')).bundles.map(({ name }: { name: string }) => name)).toEqual(['sprites', 'sprites.red'])
  expect(text('sprites.d.ts')).toContain('"hero.red/walk"')
  for (const name of names) {
    const own = files
      .filter(({ file }) => file.startsWith(`${name}/`))
      .map(({ file, bytes }) => `${file} ${new TextDecoder('latin1').decode(bytes)}`)
    expect({ name, hasVariant: own.some((one) => /hero[.-]red/.test(one)) }).toEqual({ name, hasVariant: true })
  }
})

test('normal maps are pages without loss beside all pages, of the sprite and its variants, in one encoding, and come from the cache', async () => {
  const fields = { variants: red, normals: { depth: 4 } }
  const { atlas, cache, sprites, atlases } = await make([...inputs('hero', fields), ...inputs('orc', {})], undefined, {
    encodings: ['avif', 'png'],
  })
  const [variant, normals] = atlas.layers!
  expect([variant!.alternates?.length, normals!.alternates, normals!.of]).toEqual([1, undefined, [...atlas.pages.keys()]])
  expect(variantsOf(atlas)[0]!.layers).toMatchObject([{ kind: 'normals', pages: variant!.of.map((index) => normals!.pages[index]) }])
  for (const [index, page] of normals!.pages.entries()) {
    const { width, height, data } = PNG.sync.read(Buffer.from(page.bytes))
    expect([width, height]).toEqual([atlas.pages[index]!.width, atlas.pages[index]!.height])
    expect(data.every((value, at) => at % 4 < 3 || value === 255)).toBe(true)
  }
  const orc = atlas.frames.find(({ name }) => name === 'orc/walk/0000')!
  const map = PNG.sync.read(Buffer.from(normals!.pages[orc.page]!.bytes))
  for (let x = orc.x; x < orc.x + orc.width; x++)
    expect([...map.data.subarray((orc.y * map.width + x) * 4, (orc.y * map.width + x) * 4 + 4)]).toEqual([128, 128, 255, 255])
  expect((await make([...inputs('hero', fields), ...inputs('orc', {})], cache, { encodings: ['avif', 'png'] })).atlases).toEqual(atlases)
  expect(
    (await make([...inputs('hero', { ...fields, normals: true }), ...inputs('orc', {})], cache, { encodings: ['avif', 'png'] })).atlas
      .layers![1],
  ).not.toEqual(normals)
  const files = await toOutput({ sprites, atlases }, ['phaser'], [])
  const json = JSON.parse(new TextDecoder().decode(files.find(({ file }) => file === 'sprites.json')!.bytes))
  const named = (json.textures as { normalMap: string }[]).map(({ normalMap }) => normalMap)
  expect(named).toEqual(atlas.pages.map((_, index) => `sprites.normals-${index}.png`))
  for (const name of named) expect(files.map(({ file }) => file)).toContain(name)
})

test('normal maps have the size of their pages in every encoding, although KTX2 has whole blocks only', async () => {
  const encodeTexture = async () => new Uint8Array(Buffer.from('\xabKTX 20\xbb\r\n\x1a\n', 'latin1'))
  const gpu: SheetOptions = { ...options, encodings: ['ktx2', 'png'], encoder: '0.6.0' }
  const sizes = (pages: BuiltAtlas['pages']): string[] => pages.map(({ width, height }) => `${width} × ${height}`)
  const pack = async (fields: object): Promise<BuiltAtlas> => {
    const { atlases } = await makeSheets(inputs('hero', fields), 'group', gpu, { cache: memoryCache(), warn: () => {}, encodeTexture })
    return atlases[0]!
  }
  const plain = await pack({})
  expect(sizes(plain.alternates![0]!)).not.toEqual(sizes(plain.pages))
  const atlas = await pack({ normals: true, variants: red })
  for (const { layers, pages, alternates } of [atlas, ...variantsOf(atlas)]) {
    const normals = layers!.find(({ kind }) => kind === 'normals')!
    for (const list of [pages, ...alternates!]) expect(sizes(list)).toEqual(sizes(normals.pages))
    for (const page of normals.pages.keys()) expect(pixels(normals, page).every((value, at) => at % 4 < 3 || value === 255)).toBe(true)
  }
})

test('a mirrored sprite with normal maps has pixels of its own, because its vectors are mirrored too', async () => {
  const mirrored = { mirror: { left: 'walk' }, normals: true }
  const { atlas } = await make(inputs('hero', mirrored), undefined, { canMirror: true })
  expect(atlas.mirrors).toBeUndefined()
  expect(atlas.frames.map(({ name }) => name)).toContain('hero/left/0000')
})

test('the typings of a spec have its variants', () => {
  const [{ spec }] = inputs('hero', { variants: red }) as readonly [SheetInput]
  expect(toSpecTypings({ ...spec, animations: [] })).toContain('SpriteModule<never, Frame, never, "red">')
})
