import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, readPage } from '../../atlas/index.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { createOverrideFinder, layOver } from '../../src/sheets/overrides/overrides.ts'
import { makeSheets, type SheetOptions } from '../../src/sheets/sheet.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { memoryCache } from './memory-cache.ts'

const options: SheetOptions = { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc' }

function inputs(name: string, fields: object): readonly SheetInput[] {
  const spec = parseSpec(
    JSON.stringify({ reference: './hero.png', prompt: 'x', animations: { walk: {}, idle: {} }, ...fields }),
    `/game/${name}.sprite.json`,
  )
  return spec.animations.map((animation) => ({
    spec,
    animation,
    source: { kind: 'placeholder', sha256: name, read: async () => figurePng(), prompt: '', isMarked: true },
  }))
}

function ports() {
  const cache = memoryCache()
  return { kept: cache.kept, cache, warn: () => {} }
}

test('two scales of a group share one layout, a third without a common unit has its own', async () => {
  const { atlases } = await makeSheets(inputs('hero', { scales: [1, 0.5], anchor: [0.5, 1] }), 'group', options, ports())
  const [large, small] = atlases
  expect(atlases.map(({ scale }) => scale)).toEqual([1, 0.5])
  for (const [at, frame] of small!.frames.entries()) {
    const from = large!.frames[at]!
    expect([frame.x, frame.y, frame.width, frame.height].map((px) => px * 2)).toEqual([from.x, from.y, from.width, from.height])
    expect(frame.anchor).toEqual(from.anchor)
  }
  expect(decodePng(small!.pages[0]!.bytes).width * 2).toBe(decodePng(large!.pages[0]!.bytes).width)
  const odd = await makeSheets(inputs('hero', { scales: [1, 0.33] }), 'group', options, ports())
  expect(odd.atlases.map(({ scale }) => scale)).toEqual([1, 0.33])
})

test('a group is kept with all its scales: the warm one is the cold one, byte for byte, and opens nothing', async () => {
  const own = ports()
  const all = [...inputs('coin', { atlas: 'ui', scales: [2, 1] }), ...inputs('hero', { scales: [1, 0.5] })]
  const cold = await makeSheets(all, 'group', options, own)
  // The pages of each group, and the frames of each animation.
  expect(own.kept.size).toBe(6)
  const sealed = all.map((input) => ({
    ...input,
    source: { ...input.source, read: () => Promise.reject(new Error('A warm build opened a source.')) },
  }))
  expect(await makeSheets(sealed, 'group', options, own)).toEqual(cold)
})

test('a palette and another scale are other pages', async () => {
  const own = ports()
  await makeSheets(inputs('hero', {}), 'group', options, own)
  // A group, and the frames of its animations.
  const first = own.kept.size
  await makeSheets(inputs('hero', {}), 'group', { ...options, palette: 'exact' }, own)
  expect(own.kept.size).toBe(first + 1)
  await makeSheets(inputs('hero', { scales: [0.5] }), 'group', options, own)
  expect(own.kept.size).toBe(first + 2)
})

test('the best effort makes smaller pages, and is left out in dev', async () => {
  const made = async (grouping: 'group' | 'sprite', effort?: 'best'): Promise<Uint8Array> =>
    (await makeSheets(inputs('hero', {}), grouping, { ...options, effort }, ports())).atlases[0]!.pages[0]!.bytes
  expect((await made('group', 'best')).length).toBeLessThan((await made('group')).length)
  expect(await made('sprite', 'best')).toEqual(await made('sprite'))
})

test('borders of a nine-slice go with each frame at each scale, which is whole; too wide ones are refused once they are bought', async () => {
  const bordered = inputs('panel', { size: 100, scales: [1, 0.5], borders: [10, 4, 12, 6] })
  const { atlases } = await makeSheets(bordered, 'group', options, ports())
  expect(atlases.map(({ scale, frames }) => [scale, new Set(frames.map(({ borders }) => JSON.stringify(borders)))])).toEqual([
    [1, new Set(['{"left":10,"top":4,"right":12,"bottom":6}'])],
    [0.5, new Set(['{"left":5,"top":2,"right":6,"bottom":3}'])],
  ])
  for (const { frames } of atlases)
    for (const { width, height, sourceWidth, sourceHeight } of frames) expect([width, height]).toEqual([sourceWidth, sourceHeight])
  const wide = inputs('panel', { size: 100, borders: 60 })
  // A placeholder may have other sides than the bought animation.
  const standIn = await makeSheets(wide, 'group', options, ports())
  expect(standIn.atlases[0]!.frames.every(({ borders }) => borders === undefined)).toBe(true)
  const frames = Array.from({ length: 12 }, () => ({ width: 64, height: 48, data: new Uint8Array(64 * 48 * 4).fill(200) }))
  const { zip } = await packDelivery(frames, defaultShapes.names)
  const bought = wide.map((input): SheetInput => ({ ...input, source: { kind: 'result', sha256: sha256(zip), read: async () => zip } }))
  await expect(makeSheets(bought, 'group', options, ports())).rejects.toThrow(
    '/game/panel.sprite.json: expected borders that leave space between them, found 60 + 60 of 100 pixels across and 60 + 60 of 75 down.',
  )
})

test('pixel art takes whole factors: as large as fits into what was asked for', async () => {
  const sizeOf = async (size: number): Promise<number> =>
    (await makeSheets(inputs('hero', { size, pixelArt: true }), 'group', options, ports())).sprites[0]!.width
  expect(await sizeOf(150)).toBe(128)
  expect(await sizeOf(64)).toBe(64)
  expect(await sizeOf(40)).toBe(32)
  expect(await sizeOf(20)).toBe(16)
})

test('each page is there in every encoding with the same frames; lossless ones have the same pixels, and the cache keeps them all', async () => {
  const own = ports()
  const several: SheetOptions = { ...options, encodings: ['webp', 'png'] }
  const all = inputs('hero', { scales: [1, 0.5] })
  const cold = await makeSheets(all, 'group', several, own)
  const [plain] = (await makeSheets(all, 'group', options, ports())).atlases
  expect(cold.atlases.map(({ scale, pages, alternates }) => [scale, [pages, ...alternates!].map((list) => list[0]!.contentType)])).toEqual([
    [1, ['image/webp', 'image/png']],
    [0.5, ['image/webp', 'image/png']],
  ])
  for (const { frames, pages, alternates } of cold.atlases.slice(0, 1)) {
    expect(frames).toEqual(plain!.frames)
    expect(alternates![0]![0]!.bytes).toEqual(plain!.pages[0]!.bytes)
    const seen = ({ data }: { data: Uint8Array }): number[] => [...data].map((value, at) => (data[at | 3] === 0 ? 0 : value))
    expect(seen(await readPage(pages[0]!.bytes, 'webp'))).toEqual(seen(decodePng(plain!.pages[0]!.bytes)))
  }
  const files = own.kept.size
  expect(await makeSheets(all, 'group', several, own)).toEqual(cold)
  expect(own.kept.size).toBe(files)
  const dev = await makeSheets(all, 'sprite', several, own)
  expect(dev.atlases.map(({ pages, alternates }) => [pages[0]!.extension, alternates])).toEqual([
    ['webp', undefined],
    ['webp', undefined],
  ])
})

test('the level of PNGs and the quality of an encoding make other bytes, under keys of their own', async () => {
  const bytesOf = async (more: Partial<SheetOptions>): Promise<readonly number[]> => {
    const { atlases } = await makeSheets(inputs('hero', {}), 'group', { ...options, ...more }, ports())
    return [atlases[0]!.pages, ...(atlases[0]!.alternates ?? [])].map(([page]) => page!.bytes.length)
  }
  const [six] = await bytesOf({})
  expect((await bytesOf({ level: 9 }))[0]).toBeLessThan(six!)
  const [webp, avif] = await bytesOf({ encodings: ['webp', 'avif'] })
  const [lossyWebp, smallAvif] = await bytesOf({ encodings: ['webp', 'avif'], quality: { webp: 60, avif: 20 } })
  expect(lossyWebp).not.toBe(webp)
  expect(smallAvif).toBeLessThan(avif!)
  const own = ports()
  for (const more of [{}, { level: 9 }, { quality: { webp: 60 } }])
    await makeSheets(inputs('hero', {}), 'group', { ...options, ...more }, own)
  // The pages of each, and the frames of two animations.
  expect(own.kept.size).toBe(5)
})

test('what another version of the codec may make otherwise is not taken from the cache', async () => {
  const own = ports()
  await makeSheets(inputs('hero', {}), 'group', options, { ...own, codec: '0.35.5' })
  const { size } = own.kept
  await makeSheets(inputs('hero', {}), 'group', options, { ...own, codec: '0.35.5' })
  expect(own.kept.size).toBe(size)
  await makeSheets(inputs('hero', {}), 'group', options, { ...own, codec: '0.36.0' })
  expect(own.kept.size).toBe(2 * size)
})

test('KTX2 pages are whole blocks, bled, with the same frames; a dev server has none, and another version of the encoder has keys of its own', async () => {
  const seen: { width: number; height: number; mode: string; quality: number; clear: number }[] = []
  const encodeTexture = async ({ width, height, data }: Bitmap, settings: { mode: string; quality: number }): Promise<Uint8Array> => {
    seen.push({ width, height, ...settings, clear: data.filter((value, at) => data[at | 3] === 0 && value > 0).length })
    return Buffer.from('\xabKTX 20\xbb\r\n\x1a\n', 'latin1')
  }
  const own = { ...ports(), encodeTexture }
  const gpu: SheetOptions = { ...options, encodings: ['png', 'ktx2'], ktx2: 'etc1s', quality: { ktx2: 30 }, encoder: '0.6.0' }
  const [plain] = (await makeSheets(inputs('hero', { size: 45 }), 'group', options, ports())).atlases
  const { atlases } = await makeSheets(inputs('hero', { size: 45 }), 'group', gpu, own)
  const [page] = plain!.pages
  const whole = [page!.width, page!.height].map((side) => Math.ceil(side / 4) * 4)
  expect(whole).not.toEqual([page!.width, page!.height])
  expect(atlases[0]!.frames).toEqual(plain!.frames)
  expect(atlases[0]!.alternates).toMatchObject([[{ width: whole[0], height: whole[1], contentType: 'image/ktx2', extension: 'ktx2' }]])
  expect(seen).toEqual([{ width: whole[0], height: whole[1], mode: 'etc1s', quality: 30, clear: expect.any(Number) }])
  expect(seen[0]!.clear).toBeGreaterThan(0)
  await makeSheets(inputs('hero', { size: 45 }), 'group', gpu, own)
  expect(seen.length).toBe(1)
  await makeSheets(inputs('hero', { size: 45 }), 'group', { ...gpu, encoder: '0.6.1' }, own)
  expect(seen.length).toBe(2)
  const dev = await makeSheets(inputs('hero', { size: 45 }), 'sprite', { ...gpu, encodings: ['ktx2'] }, own)
  expect(dev.atlases[0]!.pages[0]!.extension).toBe('png')
  expect(seen.length).toBe(2)
})

describe('the frames that were touched up by hand', () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
  const shaOf = (text: string): string => sha256(bytesOf(text))
  const specOf = (fields: object = {}) =>
    parseSpec(
      JSON.stringify({ reference: './hero.png', prompt: 'x', animations: { walk: { take: 2 } }, ...fields }),
      '/game/hero.sprite.json',
    )
  /** A disk with these files in the folder of the sprite. It notes which folders are listed. */
  function diskOf(files: Readonly<Record<string, string>>) {
    const disk = new MemoryDisk()
    const listed: string[] = []
    for (const [name, text] of Object.entries(files)) disk.files.set(`/game/hero.frames/${name}`, bytesOf(text))
    const list = disk.list.bind(disk)
    disk.list = (folder) => {
      listed.push(folder)
      return list(folder)
    }
    return { disk, listed }
  }
  const find = async (files: Readonly<Record<string, string>>, spec = specOf(), isOne = false) => {
    const { animations, paths } = await createOverrideFinder(diskOf(files).disk, isOne)(spec)
    return { keys: Object.fromEntries([...animations].map(([name, { key }]) => [name, key])), paths }
  }

  test.each([false, true])('are found by their take and sorted, with all files that were read (of one sprite: %s)', async (isOne) => {
    const files = { 'walk/0010.png': 'a', 'walk/0002.png': 'b', 'walk/0003.png': 'c', 'walk@2/0003.png': 'd', 'walk@3/0001.png': 'e' }
    const found = await find(files, specOf(), isOne)
    expect(found.keys).toEqual({
      walk: [
        [2, shaOf('b'), null],
        [3, shaOf('d'), null],
        [10, shaOf('a'), null],
      ],
    })
    const [folder, ...paths] = found.paths
    expect([folder, paths.toSorted()]).toEqual([
      '/game/hero.frames',
      Object.keys(files)
        .map((name) => `/game/hero.frames/${name}`)
        .toSorted(),
    ])
    expect(await find({}, specOf(), isOne)).toEqual({ keys: {}, paths: [] })
  })

  test('are looked for in a folder that is listed once for all sprites, and not at all for one', async () => {
    const { disk, listed } = diskOf({ 'walk/0001.png': 'a' })
    const findAll = createOverrideFinder(disk)
    for (const _ of [1, 2]) await findAll(specOf())
    expect(listed.filter((folder) => folder === '/game')).toHaveLength(1)
    await createOverrideFinder(disk, true)(specOf())
    expect(listed.filter((folder) => folder === '/game')).toHaveLength(1)
  })

  test('of a picture are one file, for all takes or one, and a picture of another name is told', async () => {
    const spec = specOf({ animations: undefined, pictures: { sword: [{ edit: 'a sword', take: 2 }], plain: [{ edit: 'it' }] } })
    const { keys, paths } = await find({ 'sword.png': 'a', 'sword@2.png': 'b', 'plain.PNG': 'c' }, spec)
    expect(keys).toEqual({ sword: [[0, shaOf('b'), null]], plain: [[0, shaOf('c'), null]] })
    expect(paths).toHaveLength(4)
    await expect(find({ 'sword.png': 'a', 'a.png': 'b', 'z.png': 'c' }, spec)).rejects.toMatchObject({
      code: 'SW_OVERRIDE',
      message: expect.stringMatching(/^\/game\/hero\.frames\/a\.png: /),
      facts: { file: '/game/hero.frames/a.png' },
    })
  })

  test('of an export are parts of its sheet, which belong to the key, and both files were read', async () => {
    const frame = { x: 0, y: 0, w: 4, h: 4 }
    const sheet = JSON.stringify({ frames: { '2': { frame, duration: 1 } }, meta: { image: 'other.png' } })
    const { keys, paths } = await find({ 'walk.json': sheet, 'walk.png': 'a', 'walk/0001.png': 'b' })
    expect(keys.walk).toEqual([
      [1, shaOf('b'), null],
      [2, shaOf('a'), expect.objectContaining({ name: '2' })],
    ])
    const names = ['', '/walk/0001.png', '/walk.json', '/walk.png']
    expect(paths.toSorted()).toEqual(names.map((name) => `/game/hero.frames${name}`).toSorted())
  })

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['of no animation', { 'run/0001.png': 'a' }, { file: 'run', sprite: 'hero', name: 'run' }],
    ['of a take of none', { 'run@3/0001.png': 'a' }, { file: 'run@3', sprite: 'hero', name: 'run@3', take: 3 }],
    ['twice', { 'walk/0003.png': 'a', 'walk/3.png': 'b' }, { file: 'walk/3.png', frame: 3, other: '/game/hero.frames/walk/0003.png' }],
  ])('%s are refused with their facts', async (_what, files, { file, ...facts }: { file?: string }) => {
    await expect(find(files)).rejects.toMatchObject({ facts: { file: `/game/hero.frames/${file}`, ...facts } })
  })

  test.each([
    [{ frame: 7 }, { frame: 7, frames: 7 }],
    [
      { frame: 0, count: 6 },
      { expected: 7, found: 6 },
    ],
  ])('that do not fit what was delivered are refused: %j', async (one, facts) => {
    const bitmap = createBitmap(4, 4)
    const read = async () => ({ found: [{ file: '/f.png', bitmap, ...one }], warnings: [] })
    const delivered = Array.from({ length: 7 }, () => bitmap)
    await expect(layOver('hero.walk', delivered, { key: [], read })).rejects.toMatchObject({
      facts: { file: '/f.png', id: 'hero.walk', ...facts },
    })
  })
})
