import { describe, expect, test } from 'vitest'
import { animationKey, readAnimation } from '../../src/sheets/cache/animation.ts'
import { packFile } from '../../src/sheets/cache/packed-file.ts'
import { readSheet, sheetKey, writeSheet } from '../../src/sheets/cache/sheet.ts'
import type { BuiltLayer, BuiltPage, PackedAtlas, PackedGroup, SheetOptions } from '../../src/sheets/model.ts'
import type { AnimationQuality } from '../../src/sheets/quality.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { memoryCache } from './memory-cache.ts'

const review = { frameCount: 8, background: 'remove', keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [] }
const result: FrameSource = { kind: 'result', sha256: 'a'.repeat(64), read: async () => new Uint8Array(), review }

function inputOf(fields: object, walk: object = {}, source: FrameSource = result, name = 'hero'): SheetInput {
  const text = JSON.stringify({ reference: 'a.png', prompt: 'a', animations: { walk }, ...fields })
  const spec = parseSpec(text, `/game/${name}.sprite.json`)
  return { spec, animation: spec.animations[0]!, source }
}

const options: SheetOptions = { maxSize: 512, encodings: ['png'], level: 6, ktx2: 'uastc' }
/** The keys of the cut frames and of the pages of one animation. */
const keysOf = (input: SheetInput, over: Partial<SheetOptions> = {}, name = 'sprites'): readonly string[] => [
  animationKey(input),
  sheetKey({ name, members: [input], options: { ...options, ...over } }),
]
const plain = inputOf({})
const before = keysOf(plain)

/** Which of the two keys differ from those of the plain input. */
const changed = (after: readonly string[]): readonly boolean[] => after.map((key, at) => key !== before[at])

test.each<[string, SheetInput]>([
  ['the name of the sprite', inputOf({}, {}, result, 'orc')],
  ['the name of the animation', inputOf({ animations: { run: {} } })],
  ['the bytes of the result', inputOf({}, {}, { ...result, sha256: 'b'.repeat(64) })],
  ['the kind of the source', inputOf({}, {}, { kind: 'own', sha256: 'a'.repeat(64), read: async () => [] })],
  ['the remarks of the service', inputOf({}, {}, { ...result, review: { ...review, inspectionFrames: [1] } })],
  ['the number of frames', inputOf({}, { frames: 9 })],
  ['loop', inputOf({}, { loop: false })],
  ['yoyo', inputOf({}, { yoyo: true })],
  ['use', inputOf({}, { use: [1, 0] })],
  ['background', inputOf({ background: 'keep' })],
  ['pixelArt', inputOf({ pixelArt: true })],
  ['pixelArt.grid', inputOf({ pixelArt: { grid: 4 } })],
  ['stabilize', inputOf({ stabilize: true })],
  ['size', inputOf({ size: 64 })],
  ['trim', inputOf({ trim: false })],
  ['an animation that sets the scale', { ...plain, bases: [inputOf({}, { frames: 9 })] }],
])('cut frames and pages are made again after a change of %s', (_, input) => {
  expect(changed(keysOf(input))).toEqual([true, true])
})

test.each<[string, object]>([
  ['extrude', { extrude: 2 }],
  ['padding', { padding: 3 }],
  ['anchor', { anchor: [0.5, 1] }],
  ['boxes', { boxes: { body: 'find' } }],
  ['mirror', { mirror: { left: 'walk' } }],
  ['normals', { normals: true }],
  ['variants', { variants: { red: [{ from: ['#000'], to: ['#fff'] }] } }],
  ['scales', { scales: [1, 0.5] }],
])('pages alone are made again after a change of %s', (_, fields) => {
  expect(changed(keysOf(inputOf(fields)))).toEqual([false, true])
})

test.each<[string, readonly SheetInput[]]>([
  ['pixelArt', [true, { grid: 4 }, { grid: 8 }, { palette: 4 }, { alpha: 'hard' }].map((pixelArt) => inputOf({ pixelArt }))],
  ['size', [64, { figure: 64 }, { width: 64, height: 64 }].map((size) => inputOf({ size }))],
  ['normals', [true, { depth: 3 }, { soften: 0 }, { from: 'luminance' }].map((normals) => inputOf({ normals }))],
  ['boxes', ['find', [0, 0, 1, 1]].map((body) => inputOf({ boxes: { body } }))],
  ['bases', [9, 10].map((frames) => ({ ...plain, bases: [inputOf({}, { frames })] }))],
])('each value of %s has pages of its own', (_, inputs) => {
  expect(new Set(inputs.map((input) => keysOf(input)[1])).size).toBe(inputs.length)
})

test('borders are a part of the key of pages, each side of them', () => {
  const keys = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3], 1].map((borders) => keysOf(inputOf({ borders, trim: false }))[1])
  expect(new Set(keys).size).toBe(4)
})

test.each<[string, Partial<SheetOptions>]>([
  ['maxSize', { maxSize: 1024 }],
  ['encodings', { encodings: ['webp'] }],
  ['level', { level: 9 }],
  ['quality', { quality: { webp: 80 } }],
  ['ktx2', { ktx2: 'etc1s' }],
  ['the encoder of textures', { encoder: '1.2.3' }],
  ['hull', { hull: 8 }],
  ['palette', { palette: 'exact' }],
  ['effort', { effort: 'best' }],
  ['rotate', { rotate: true }],
  ['stable', { stable: true }],
])('pages alone are made again after a change of the option %s', (_, over) => {
  expect(changed(keysOf(plain, over))).toEqual([false, true])
})

test('another atlas, member or codec makes other pages, and another codec other frames', () => {
  expect(changed(keysOf(plain, {}, 'enemies'))).toEqual([false, true])
  const keys = ['', '1', '2'].map((codec) => [animationKey(plain, codec), sheetKey({ name: 'sprites', members: [plain], options }, codec)])
  expect(new Set(keys.flat()).size).toBe(6)
  expect(sheetKey({ name: 'sprites', members: [plain, inputOf({}, {}, result, 'orc')], options })).not.toBe(before[1])
})

test.each<[string, SheetInput, Partial<SheetOptions>]>([
  ['fps', inputOf({}, { fps: 3 }), {}],
  ['durations', inputOf({}, { frames: 12, durations: Array.from({ length: 12 }, () => 9) }), {}],
  ['intended faults', inputOf({}, { meant: ['halo'] }), {}],
  ['the atlas in the spec', inputOf({ atlas: 'enemies' }), {}],
  ['mirrors that a reader draws by itself', inputOf({ mirror: { left: 'walk' } }), { canMirror: true }],
])('nothing is made again after a change of %s', (_, input, over) => {
  expect(changed(keysOf(input, over))).toEqual([false, false])
})

const overrides = (key: string) => ({ key: [[0, key, null] as const], read: async () => ({ found: [], warnings: [] }) })
const cells = { pixelArt: { grid: 'find' } }
const drawn = (isChecked: boolean): SheetInput => ({
  ...plain,
  spec: { ...plain.spec, reference: { kind: 'own', isChecked } as SheetInput['spec']['reference'] },
  source: { kind: 'own', sha256: 'a'.repeat(64), read: async () => [] },
})

test.each<[string, readonly SheetInput[]]>([
  ['the touched-up frames', [plain, ...['a', 'b'].map((key) => ({ ...plain, overrides: overrides(key) }))]],
  [
    'the result of an animation that sets the scale',
    ['a', 'b'].map((sha256) => ({ ...plain, bases: [inputOf({}, {}, { ...result, sha256 })] })),
  ],
  ['its touched-up frames', ['a', 'b'].map((key) => ({ ...plain, bases: [{ ...plain, overrides: overrides(key) }] }))],
  ['pixelArt', [true, { grid: 4 }, { grid: 8 }, { palette: 4 }, { alpha: 'hard' }].map((pixelArt) => inputOf({ pixelArt }))],
  [
    'a result that the cells are measured with',
    ['a', 'b'].map((sha256) => ({ ...inputOf(cells), peers: [inputOf({}, {}, { ...result, sha256 })] })),
  ],
  ['its number of frames', [9, 10].map((frames) => ({ ...inputOf(cells), peers: [inputOf({}, { frames })] }))],
  ['its touched-up frames as well', ['a', 'b'].map((key) => ({ ...inputOf(cells), peers: [{ ...plain, overrides: overrides(key) }] }))],
  ['what can be trimmed', [plain, inputOf({ borders: 1 })]],
  ['own art', [drawn(false), drawn(true), { ...drawn(false), animation: { ...plain.animation, isPicture: true } }]],
])('each value of %s has frames of its own', (_, inputs) => {
  expect(new Set(inputs.map((input) => animationKey(input))).size).toBe(inputs.length)
})

test('other animations of a sprite make no frames again where no cells and no palette are measured', () => {
  const keys = [{}, { pixelArt: { alpha: 'hard' } }, cells, { pixelArt: { palette: 4 } }].map((fields) =>
    ['a', 'b'].map((sha256) => animationKey({ ...inputOf(fields), peers: [inputOf({}, {}, { ...result, sha256 })] })),
  )
  expect(keys.map(([one, other]) => one === other)).toEqual([true, true, false, false])
})

describe('an entry of the cache that anybody may have written', () => {
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
  const pageOf = (extension: BuiltPage['extension'], text: string, more: Partial<BuiltPage> = {}): BuiltPage => ({
    sha256: 'c'.repeat(64),
    bytes: bytesOf(text),
    width: 32,
    height: 16,
    contentType: `image/${extension}`,
    extension,
    ...more,
  })
  const png = pageOf('png', '\x89PNG\r\n\x1a\n and so on')
  const webp = pageOf('webp', 'RIFF....WEBP and')
  const avif = pageOf('avif', '....ftypavif')
  const ktx2 = pageOf('ktx2', '\xabKTX 20\xbb\r\n\x1a\n')
  const frame: PackedAtlas['frames'][number] = {
    name: 'hero/walk/0000',
    page: 0,
    x: 16,
    y: 8,
    width: 16,
    height: 8,
    offsetX: 4,
    offsetY: 2,
    sourceWidth: 20,
    sourceHeight: 10,
  }
  const turned = { ...frame, name: 'hero/walk/0002', width: 8, height: 16, isTurned: true, sourceWidth: 12, sourceHeight: 18 }
  const layer: BuiltLayer = { kind: 'variant', name: 'red', sprites: ['hero'], of: [0], pages: [png], alternates: [[webp], [avif], [ktx2]] }
  const atlas: PackedAtlas = {
    name: 'sprites',
    scale: 1,
    pixelArt: false,
    pages: [png],
    alternates: [[webp], [avif], [ktx2]],
    frames: [frame, turned],
    layers: [layer, { ...layer, kind: 'normals', name: 'normals', alternates: [] }],
  }
  const faults = [
    'foot-line',
    'body-anchor',
    'scale',
    'loop-seam',
    'palette',
    'halo',
    'background',
    'duplicate',
    'blank',
    'cut-off',
  ] as const
  const quality: AnimationQuality = {
    id: 'hero.walk',
    figures: Object.fromEntries(faults.map((fault, at) => [fault, at])) as unknown as AnimationQuality['figures'],
    flags: [{ fault: 'halo', from: 'frames', frames: [1], value: 2, limit: 1, words: 'so' }],
  }
  const group: PackedGroup = { atlases: [atlas, { ...atlas, scale: 0.5 }], quality: [quality], warnings: ['so'], layouts: ['l'] }
  const asked = {
    name: 'sprites',
    members: [inputOf({ scales: [1, 0.5] }, { use: [2, 0] })],
    options: { ...options, encodings: ['png', 'webp', 'avif', 'ktx2'] as const },
  }
  const readBack = async (written: PackedGroup, change = (bytes: Uint8Array): Uint8Array => bytes): Promise<PackedGroup | undefined> => {
    const cache = memoryCache()
    await writeSheet(asked, written, cache)
    for (const [key, bytes] of cache.kept) cache.kept.set(key, change(bytes))
    return readSheet(asked, cache)
  }
  const withAtlas = (more: Partial<PackedAtlas>): PackedGroup => ({ ...group, atlases: [{ ...atlas, ...more }, group.atlases[1]!] })
  const withFrame = (more: Partial<typeof frame>): PackedGroup => withAtlas({ frames: [{ ...frame, ...more }, turned] })
  const withLayer = (more: Partial<BuiltLayer>): PackedGroup => withAtlas({ layers: [{ ...layer, ...more }] })

  /** The first atlas with two pages, and one look of them. */
  const withPages = (pages: readonly BuiltPage[], ofLook: readonly BuiltPage[] = pages): PackedGroup => {
    const alternates = [webp, avif, ktx2].map((page) => [page, page])
    return withAtlas({ pages, alternates, layers: [{ ...layer, of: [0, 1], pages: ofLook, alternates }] })
  }

  test('is taken if it is the pages that are asked for, with every byte', async () => {
    expect(await readBack(group)).toEqual(group)
    expect(await readBack(withPages([png, png]))).toEqual(withPages([png, png]))
    const cache = memoryCache()
    await writeSheet(asked, group, cache, '1')
    expect([await readSheet(asked, cache, '1'), await readSheet(asked, cache, '2')]).toEqual([group, undefined])
    expect(await readSheet({ ...asked, name: 'others' }, memoryCache())).toBeUndefined()
  })

  test.each<[string, PackedGroup]>([
    ['without a scale', { ...group, atlases: [atlas] }],
    ['with scales in another order', { ...group, atlases: [...group.atlases].reverse() }],
    ['with a quality of no member', { ...group, quality: [{ ...quality, id: 'orc.walk' }] }],
    ['with a quality of no member beside a right one', { ...group, quality: [quality, { ...quality, id: 'orc.walk' }] }],
    ['of another name', withAtlas({ name: 'others' })],
    ['with a second page that is no PNG', withPages([png, pageOf('png', 'GIF')])],
    ['with a wrong look beside a right one', withAtlas({ layers: [layer, { ...layer, sprites: ['orc'] }] })],
    ['with a look of a wider page beside a right one', { ...withPages([png, png], [png, { ...png, width: 33 }]) }],
    ['with frames of another sprite alone', withAtlas({ frames: [{ ...frame, name: 'orc/walk/0000' }] })],
    ['without an encoding', withAtlas({ alternates: [[webp], [avif]] })],
    ['with one more encoding', withAtlas({ alternates: [[webp], [avif], [ktx2], [png]] })],
    ['with encodings in another order', withAtlas({ alternates: [[avif], [webp], [ktx2]] })],
    ['with fewer pages in an encoding', withAtlas({ alternates: [[webp], [], [ktx2]] })],
    ['with a page that is no PNG', withAtlas({ pages: [pageOf('png', '<script>')] })],
    ['with a page that is no WebP', withAtlas({ alternates: [[pageOf('webp', 'RIFF....WAVE')], [avif], [ktx2]] })],
    ['with a page that is half a WebP', withAtlas({ alternates: [[pageOf('webp', '....____WEBP')], [avif], [ktx2]] })],
    ['with a page that is no AVIF', withAtlas({ alternates: [[webp], [pageOf('avif', '....ftypheic')], [ktx2]] })],
    ['with a page that is no KTX2', withAtlas({ alternates: [[webp], [avif], [pageOf('ktx2', 'KTX 11')]] })],
    ['with a page of another type', withAtlas({ pages: [{ ...png, contentType: 'image/webp' }] })],
    ['with a frame twice', withAtlas({ frames: [frame, frame, turned] })],
    ['with a frame of another sprite', withAtlas({ frames: [frame, turned, { ...frame, name: 'orc/walk/0000' }] })],
    ['without a frame that is played', withAtlas({ frames: [frame] })],
    ['without frames', withAtlas({ frames: [] })],
    ['with a frame on no page', withFrame({ page: 1 })],
    ['with a frame beyond the right edge', withFrame({ x: 17 })],
    ['with a frame beyond the lower edge', withFrame({ y: 9 })],
    ['with a frame that fits only if it were turned', withFrame({ width: 8, height: 16 })],
    ['with a frame that is wider than it was', withFrame({ offsetX: 5 })],
    ['with a frame that is higher than it was', withFrame({ offsetY: 3 })],
    ['with a look of no page', withLayer({ of: [1] })],
    ['with a look of a wider page', withLayer({ pages: [{ ...png, width: 33 }] })],
    ['with a look of a higher page', withLayer({ pages: [{ ...png, height: 17 }] })],
    ['with a look of too few pages', withLayer({ of: [] })],
    ['with a look of another sprite', withLayer({ sprites: ['hero', 'orc'] })],
    ['with a look in too few encodings', withLayer({ alternates: [[webp], [avif]] })],
    ['with a look that lacks a page of its sprite', withLayer({ of: [], pages: [], alternates: [[], [], []] })],
    ['with normals in other encodings', withLayer({ kind: 'normals' })],
  ])('counts as missing %s', async (_, written) => {
    expect(await readBack(written)).toBeUndefined()
  })

  test('counts as missing with a byte more or less, with a head that is too long, none or no JSON', async () => {
    const changes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => bytes.subarray(0, -1),
      (bytes) => Uint8Array.of(...bytes, 0),
      (bytes) => Uint8Array.of(255, ...bytes.subarray(1)),
      (bytes) => bytes.with(4, 0),
      (bytes) => bytes.subarray(0, 3),
      () => new Uint8Array(0),
    ]
    for (const change of changes) expect(await readBack(group, change)).toBeUndefined()
  })

  const canvas = { x: 2, y: 1, width: 4, height: 3 }
  const pixels = Uint8Array.from({ length: 32 }, (_, at) => at)
  const heads = [0, 1, 2].map((index) => ({ index, canvas, width: 2, height: 2, at: index === 2 ? 16 : 0 }))
  const head = { frames: heads, room: { ...canvas, x: 0, y: 0 }, figureSide: 3, quality, warnings: ['w'] }
  const readFrames = async (written: object, input = plain) => {
    const cache = memoryCache()
    await cache.write(animationKey(input), ...packFile(written, [pixels]))
    return readAnimation(input, { cache })
  }

  test('is taken if it is the frames that are asked for; equal ones share their pixels', async () => {
    const cut = await readFrames(head)
    const bitmap = { width: 2, height: 2, data: pixels.subarray(0, 16) }
    const last = { ...bitmap, data: pixels.subarray(16) }
    expect(cut).toEqual({ ...head, frames: [0, 1, 2].map((index) => ({ index, canvas, bitmap: index === 2 ? last : bitmap })) })
    expect(cut?.frames[0]?.bitmap).toBe(cut?.frames[1]?.bitmap)
    const widest = { x: 0, y: 0, width: 2 ** 14, height: 2 ** 13 }
    expect(await readFrames({ ...head, frames: heads.map((one) => ({ ...one, canvas: widest })) })).toBeDefined()
    expect((await readFrames({ ...head, frames: heads.slice(1) }, inputOf({}, { use: [2, 1, 1] })))?.frames).toHaveLength(2)
    const whole = heads.map(({ canvas: _canvas, ...one }) => one)
    expect((await readFrames({ ...head, frames: whole }, inputOf({ trim: false })))?.frames[0]).toEqual({ index: 0, bitmap })
    expect(await readFrames({ ...head, frames: whole }, inputOf({ borders: 1 }))).toBeDefined()
  })

  const first = (more: object): object => ({ ...head, frames: [{ ...heads[0], ...more }, ...heads.slice(1)] })
  test.each<[string, object, SheetInput?]>([
    ['no frames', { ...head, frames: [] }],
    ['frames in another order', { ...head, frames: [...heads].reverse() }],
    ['without the first frame', { ...head, frames: heads.slice(1) }],
    ['with a frame that is not played', head, inputOf({}, { use: [0, 1] })],
    ['without a frame that is played', head, inputOf({}, { use: [0, 1, 2, 3] })],
    ['with canvases of two widths', first({ canvas: { ...canvas, width: 5 } })],
    ['with canvases of two heights', first({ canvas: { ...canvas, height: 4 } })],
    ['with a frame without its canvas', first({ canvas: undefined })],
    ['trimmed where nothing is trimmed', head, inputOf({ trim: false })],
    ['trimmed where borders are kept', head, inputOf({ borders: 1 })],
    ['with a picture beyond the right edge', first({ canvas: { ...canvas, x: 3 } })],
    ['with a picture beyond the lower edge', first({ canvas: { ...canvas, y: 2 } })],
    ['with fewer pixels than its size', first({ at: 20 })],
    [
      'larger than any delivery',
      { ...head, frames: heads.map((one) => ({ ...one, canvas: { x: 0, y: 0, width: 2 ** 14, height: 2 ** 13 + 1 } })) },
    ],
    ['with the quality of another one', { ...head, quality: { ...quality, id: 'hero.run' } }],
    ['with a field that nobody knows', { ...head, more: 1 }],
  ])('counts as missing: %s', async (_, written, input) => {
    expect(await readFrames(written, input)).toBeUndefined()
  })
})
