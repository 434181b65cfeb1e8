import JSZip from 'jszip'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, crop, encodePng, writeAseprite } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { animationKey } from '../../src/sheets/cache/animation.ts'
import { readPlayed } from '../../src/sheets/frames.ts'
import { createOverrideFinder, overrideFolder, type SpriteOverrides } from '../../src/sheets/overrides/overrides.ts'
import { makeSheets } from '../../src/sheets/sheet.ts'
import type { FrameSource, SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { windowsTexts } from '../kit/windows-texts.ts'
import { memoryCache } from './memory-cache.ts'

const width = 20
const height = 16
const names = { frame: (index: number) => `frames/frame_${index}.png`, sheet: 'sheet.png', atlas: 'atlas.json', preview: 'preview.gif' }

/** A frame of one colour with a clear border of 2 pixels. */
function picture(colour: number, wide = width, high = height): Bitmap {
  const bitmap = createBitmap(wide, high)
  for (let y = 2; y < high - 2; y++) for (let x = 2; x < wide - 2; x++) bitmap.data.set([colour, 99, 200, 255], (y * wide + x) * 4)
  return bitmap
}

/** The paid result: frame 0 has the colour 0, frame 1 the colour 10 … */
const zip = (
  await packDelivery(
    Array.from({ length: 7 }, (_, index) => picture(index * 10)),
    names,
  )
).zip
const result: FrameSource = { kind: 'result', sha256: sha256(zip), read: async () => zip }
const colours = [0, 10, 20, 30, 40, 50, 60]

function specOf(walk: object = {}, more: object = {}): SpriteSpec {
  const animations = { walk: { frames: 7, ...walk }, idle: { frames: 7 } }
  return parseSpec(JSON.stringify({ reference: './hero.png', prompt: 'x', animations, ...more }), '/game/art/hero.sprite.json')
}

/** The files of `hero.frames`, found for a spec. */
async function find(
  files: Readonly<Record<string, Uint8Array | string>>,
  spec = specOf(),
): Promise<SpriteOverrides & { disk: MemoryDisk }> {
  const disk = new MemoryDisk()
  for (const [path, content] of Object.entries({ '../hero.sprite.json': '{}', ...files }))
    disk.files.set(
      new URL(path, `file://${overrideFolder(spec)}/`).pathname.replaceAll('%20', ' '),
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    )
  return { ...(await createOverrideFinder(disk)(spec)), disk }
}

function inputOf(spec: SpriteSpec, overrides: SpriteOverrides, source = result): SheetInput {
  const animation = spec.animations[0]!
  return { spec, animation, source, overrides: overrides.animations.get(animation.name), overridePaths: overrides.paths }
}

/** The colours of the played frames, in order. */
async function played(files: Readonly<Record<string, Uint8Array | string>>, spec = specOf()): Promise<readonly number[]> {
  const input = inputOf(spec, await find(files, spec))
  const { frames, indices } = await readPlayed(input, { isJudged: false })
  const middle = ((height / 2) * width + width / 2) * 4
  return (input.animation.use ?? indices).map((index) => frames[indices.indexOf(index)]?.data[middle] ?? -1)
}

function aseprite(shades: readonly number[], wide = width): Uint8Array {
  const frames = shades.map((colour) => ({ bitmap: picture(colour, wide), durationMs: 100 }))
  return writeAseprite({ width: wide, height, frames, tags: [], slices: [] })
}

const png = (colour: number): Uint8Array => encodePng(picture(colour))

/**
 * An export as Aseprite writes it: frames side by side on a sheet, by name. With `edge`, so many opaque pixels of inner
 * padding and extruded edge are around each frame, and its `frame` includes them.
 */
function exportOf(
  frames: Readonly<Record<string, number>>,
  { isArray = false, isTrimmed = false, image = 'walk.png', edge = 0 } = {},
): Readonly<Record<string, Uint8Array | string>> {
  const part = isTrimmed ? { x: 2, y: 2, w: width - 4, h: height - 4 } : { x: 0, y: 0, w: width, h: height }
  const cell = { w: part.w + 2 * edge, h: part.h + 2 * edge }
  const sheet = createBitmap(cell.w * Object.keys(frames).length, cell.h)
  if (edge > 0) sheet.data.fill(255)
  const entries = Object.entries(frames).map(([filename, colour], at) => {
    const cut = crop(picture(colour), part.x, part.y, part.w, part.h)
    for (let y = 0; y < part.h; y++)
      sheet.data.set(cut.data.subarray(y * part.w * 4, (y + 1) * part.w * 4), ((y + edge) * sheet.width + at * cell.w + edge) * 4)
    const frame = { x: at * cell.w, y: 0, ...cell }
    return {
      filename,
      frame,
      rotated: false,
      trimmed: isTrimmed,
      spriteSourceSize: part,
      sourceSize: { w: width, h: height },
      duration: 100,
    }
  })
  const hash = Object.fromEntries(entries.map(({ filename, ...entry }) => [filename, entry]))
  return {
    'walk.json': JSON.stringify({ frames: isArray ? entries : hash, meta: { app: 'https://www.aseprite.org/', image } }),
    [image.replace(/^.*[\\/]/, '')]: encodePng(sheet),
  }
}

/** An export whose sheet got the name of its JSON, which still names the old one. */
const renamed = ({ 'draft.png': sheet = '', ...rest }: ReturnType<typeof exportOf>): ReturnType<typeof exportOf> => ({
  ...rest,
  'walk.png': sheet,
})

describe('frames touched up by hand lie over what was bought', () => {
  test('as PNGs, by the number of the delivered frame', async () => {
    expect(await played({})).toEqual(colours)
    expect(await played({ 'walk/0003.png': png(255) })).toEqual([0, 10, 20, 255, 40, 50, 60])
    expect(await played({ 'walk/3.PNG': png(255), 'walk/0000.png': png(254), 'idle/0001.png': png(1) })).toEqual([
      254, 10, 20, 255, 40, 50, 60,
    ])
  })

  test('a new "use" keeps each with its picture', async () => {
    const files = { 'walk/0003.png': png(255) }
    expect(await played(files, specOf({ use: [6, 3, 0, 3] }))).toEqual([60, 255, 0, 255])
    expect(await played(files, specOf({ use: [0, 1, 2] }))).toEqual([0, 10, 20])
  })

  test('another take keeps them too, but those that are for one take', async () => {
    const files = { 'walk/0001.png': png(200), 'walk/0002.png': png(201), 'walk@2/0002.png': png(202), 'walk@3/0004.png': png(203) }
    expect(await played(files)).toEqual([0, 200, 201, 30, 40, 50, 60])
    expect(await played(files, specOf({ take: 2 }))).toEqual([0, 200, 202, 30, 40, 50, 60])
    expect(await played(files, specOf({ take: 3 }))).toEqual([0, 200, 201, 30, 203, 50, 60])
  })

  test.each([
    ['hash, named as Aseprite does', exportOf({ 'hero 2.aseprite': 255, 'hero 5.aseprite': 254 })],
    ['array', exportOf({ 'hero 2.aseprite': 255, 'hero 5.aseprite': 254 }, { isArray: true })],
    ['trimmed', exportOf({ 'hero #walk 2.aseprite': 255, 'hero #walk 5.aseprite': 254 }, { isTrimmed: true })],
    ['by frame names', exportOf({ 'hero/walk/0002': 255, 'hero/walk/0005': 254 })],
    ['whose sheet has been renamed with it', renamed(exportOf({ '2': 255, '5': 254 }, { image: 'draft.png' }))],
    ['with a path to its sheet', exportOf({ '2': 255, '5': 254 }, { image: 'C:\\art\\hero-walk.png' })],
  ])('as an export of Aseprite: %s', async (_, files) => {
    expect(await played(files)).toEqual([0, 10, 255, 30, 40, 254, 60])
  })

  test('as an export whose names have no numbers, by their places', async () => {
    expect(await played(exportOf({ 'hero2.aseprite': 255 }, { isArray: true }))).toEqual([255, 10, 20, 30, 40, 50, 60])
  })

  test('a trimmed frame stands where it stood: pixel by pixel', async () => {
    const spec = specOf()
    const { frames } = await readPlayed(inputOf(spec, await find(exportOf({ '4': 77 }, { isTrimmed: true }))))
    expect(frames[4]).toEqual(picture(77))
  })

  test.each([
    ['extruded', { edge: 1 }],
    ['extruded and trimmed', { edge: 1, isTrimmed: true }],
    ['with inner padding', { edge: 3, isArray: true }],
    ['with inner padding, extruded and trimmed', { edge: 5, isTrimmed: true }],
  ])('the edge that the frame of a foreign export includes is no part of the picture: %s', async (_, shape) => {
    const { frames } = await readPlayed(inputOf(specOf(), await find(exportOf({ '2': 255, '4': 77 }, shape))))
    expect([frames[2], frames[4]]).toEqual([picture(255), picture(77)])
  })

  test('as an export whose JSON Windows wrote, from what Aseprite printed', async () => {
    const files = exportOf({ 'hero 2.aseprite': 255, 'hero 5.aseprite': 254 })
    for (const [, bytes] of windowsTexts(files['walk.json'] as string))
      expect(await played({ ...files, 'walk.json': bytes })).toEqual([0, 10, 255, 30, 40, 254, 60])
  })

  test('never over a placeholder', async () => {
    const spec = specOf()
    const source: FrameSource = { kind: 'placeholder', sha256: 'x', read: async () => figurePng(), prompt: '', isMarked: true }
    const found = await find({ 'walk/0003.png': png(255) })
    expect(await readPlayed(inputOf(spec, found, source))).toEqual(await readPlayed(inputOf(spec, await find({}), source)))
    expect(animationKey(inputOf(spec, found, source))).toEqual(animationKey(inputOf(spec, await find({}), source)))
  })

  test('what the service said of such a frame is told no more', async () => {
    const review = { frameCount: 7, background: null, keptBackgroundFrames: [3], inspectionFrames: [3, 4], sourceShiftedFrames: [3] }
    const source: FrameSource = { ...result, review }
    const flagsWith = async (files: Readonly<Record<string, Uint8Array>>): Promise<unknown> => {
      const { quality } = await readPlayed(inputOf(specOf(), await find(files), source))
      return quality?.flags.flatMap(({ fault, from, frames }) => (from === 'service' ? [[fault, frames]] : []))
    }
    expect(await flagsWith({})).toEqual([
      ['background', [3]],
      ['inspect', [3, 4]],
      ['shifted', [3]],
    ])
    expect(await flagsWith({ 'walk/0003.png': png(255) })).toEqual([['inspect', [4]]])
  })

  test('that such a frame was delivered in another size is told no more', async () => {
    const packed = await JSZip.loadAsync(zip)
    for (const index of [2, 3]) packed.file(names.frame(index), encodePng(picture(255, width - 2, height - 2)))
    const bytes = await packed.generateAsync({ type: 'uint8array' })
    const source: FrameSource = { kind: 'result', sha256: sha256(bytes), read: async () => bytes }
    const resized = async (files: Readonly<Record<string, Uint8Array>>): Promise<unknown> => {
      const { quality } = await readPlayed(inputOf(specOf(), await find(files), source))
      return quality?.flags.flatMap(({ fault, frames }) => (fault === 'frame-size' ? frames : []))
    }
    expect(await resized({})).toEqual([2, 3])
    expect(await resized({ 'walk/0003.png': png(255) })).toEqual([2])
  })
})

describe('the build key', () => {
  const keyWith = async (files: Readonly<Record<string, Uint8Array | string>>, spec = specOf()): Promise<unknown> =>
    animationKey(inputOf(spec, await find(files, spec)))

  test('knows the pictures, and nothing of how their files are called', async () => {
    const bare = await keyWith({})
    const one = await keyWith({ 'walk/0003.png': png(255) })
    expect(one).not.toEqual(bare)
    expect(await keyWith({ 'walk/3.png': png(255) })).toEqual(one)
    expect(await keyWith({ 'walk/0003.png': png(254) })).not.toEqual(one)
    expect(await keyWith({ 'walk/0004.png': png(255) })).not.toEqual(one)
    expect(await keyWith({ 'idle/0003.png': png(255) })).toEqual(bare)
    expect(await keyWith({ 'walk@2/0003.png': png(255) })).toEqual(bare)
    expect(await keyWith(exportOf({ '2': 255 }))).not.toEqual(await keyWith(exportOf({ '2': 255 }, { isTrimmed: true })))
  })

  test('so a picture taken away gives the atlas of before, from the cache', async () => {
    const cache = memoryCache()
    const make = async (files: Readonly<Record<string, Uint8Array>>): Promise<readonly string[]> => {
      const { atlases } = await makeSheets(
        [inputOf(specOf(), await find(files))],
        'group',
        { maxSize: 2048, encodings: ['png'], level: 6, ktx2: 'uastc' },
        { cache, warn: () => {} },
      )
      return atlases.flatMap(({ pages }) => pages.map((page) => page.sha256))
    }
    const bare = await make({})
    const touched = await make({ 'walk/0003.png': png(255) })
    expect(touched).not.toEqual(bare)
    const written = cache.kept.size
    expect(await make({})).toEqual(bare)
    expect(await make({ 'walk/0003.png': png(255) })).toEqual(touched)
    expect(cache.kept.size).toBe(written)
  })
})

describe('a file that lies over no frame is told, never dropped:', () => {
  const refusal = async (files: Readonly<Record<string, Uint8Array | string>>): Promise<unknown> =>
    played(files).then(
      () => 'nothing',
      (error: unknown) => error,
    )

  test.each([
    ['width', 21, 16],
    ['height', 20, 17],
  ])('a picture of another %s, with both sizes', async (_side, wide, high) => {
    expect(await refusal({ 'walk/0003.png': encodePng(picture(255, wide, high)) })).toMatchObject({
      code: 'SW_OVERRIDE',
      message: `/game/art/hero.frames/walk/0003.png: expected frame 3 of "hero.walk" in its delivered size, 20 × 16 pixels, found ${wide} × ${high}. Keep the canvas as it is; "size" in the spec scales all frames together, free of charge.`,
      facts: {
        id: 'hero.walk',
        file: '/game/art/hero.frames/walk/0003.png',
        frame: 3,
        expected: { width: 20, height: 16 },
        found: { width: wide, height: high },
      },
    })
  })

  const sheet = exportOf({ '2': 255 })
  test.each<[string, Readonly<Record<string, Uint8Array | string>>, string, string]>([
    ['a frame beyond the last', { 'walk/0007.png': png(1) }, 'walk/0007.png', 'which has 7, 0 to 6, found frame 7'],
    ['a frame of no animation', { 'run/0000.png': png(1) }, 'run', 'an animation or picture of "hero" (walk, idle)'],
    ['an animation in other letters', { 'Walk/0000.png': png(1) }, 'Walk', 'found "Walk"'],
    ['a take that is none', { 'walk@0/0000.png': png(1) }, 'walk@0', 'found "walk@0"'],
    ['a folder of the sprite’s name', { 'hero/walk/0000.png': png(1) }, 'hero/walk', 'found a folder'],
    ['a picture without a folder', { '0003.png': png(1) }, '0003.png', 'a picture that belongs to no frame'],
    ['a name that is no number', { 'walk/walk3.png': png(1) }, 'walk/walk3.png', 'named by the number of its frame'],
    ['a picture of another kind', { 'walk/0003.webp': png(1) }, 'walk/0003.webp', 'found "0003.webp"'],
    ['two files of one number', { 'walk/3.png': png(1), 'walk/0003.png': png(2) }, 'walk/3.png', 'one picture for frame 3'],
    ['a file and an export', { ...sheet, 'walk/0002.png': png(2) }, 'walk.png', 'one picture for frame 2'],
    ['an export without its sheet', { 'walk.json': sheet['walk.json']! }, 'walk.json', 'its sheet "walk.png" beside it, found none'],
    [
      'an export of nothing we know',
      { 'idle.json': sheet['walk.json']!, 'walk.png': sheet['walk.png']!, 'run.json': sheet['walk.json']! },
      'run.json',
      'found "run"',
    ],
    ['a JSON that is no export', { 'walk.json': '{}' }, 'walk.json', 'a JSON as Aseprite exports it'],
    [
      'names with and without numbers',
      exportOf({ 'hero 2.aseprite': 1, 'hero.aseprite': 2 }),
      'walk.json',
      'found "hero.aseprite" beside "hero 2.aseprite"',
    ],
    [
      'a sheet that was cut off',
      { ...sheet, 'walk.png': encodePng(picture(1, 10, 10)) },
      'walk.png',
      'found a damaged one: Expected frame "2" inside its sheet',
    ],
    ['bytes that are no picture', { 'walk/0003.png': 'hello' }, 'walk/0003.png', 'expected a sound PNG, found a damaged one'],
  ])('%s', async (_, files, file, words) => {
    const error = await refusal(files)
    expect(error).toMatchObject({ code: 'SW_OVERRIDE', exitCode: 2, facts: { file: `/game/art/hero.frames/${file}` } })
    expect((error as Error).message).toContain(words)
  })

  test('what no frame could be is left alone: sources of drawings, notes, what systems leave behind', async () => {
    const files = {
      'walk.aseprite': 'x',
      'notes.txt': 'x',
      '.DS_Store': 'x',
      'walk/._0003.png': 'x',
      'walk/0003.psd': 'x',
      'walk/0003.png': png(255),
    }
    expect(await played(files)).toEqual([0, 10, 20, 255, 40, 50, 60])
  })

  test('an Aseprite file replaces all frames of its animation', async () => {
    const file = aseprite([255, 254, 253, 252, 251, 250, 249])
    expect(await played({ 'walk.aseprite': file })).toEqual([255, 254, 253, 252, 251, 250, 249])
    expect(await played({ 'walk@2.ase': file }, specOf({ take: 2, use: [6, 0] }))).toEqual([249, 255])
    expect((await find({ 'walk.aseprite': file })).paths).toEqual(['/game/art/hero.frames', '/game/art/hero.frames/walk.aseprite'])
  })

  test.each<[string, Uint8Array | string, string]>([
    ['of another number of frames', aseprite([1, 2]), 'expected the 7 frames of "hero.walk", as they were delivered, found 2. Keep all'],
    ['of another size', aseprite([1, 2, 3, 4, 5, 6, 7], 21), 'in its delivered size, 20 × 16 pixels, found 21 × 16'],
    ['that is damaged', 'hello', 'expected a sound Aseprite file, found a damaged one'],
  ])('an Aseprite file %s is refused', async (_, file, words) => {
    const error = await refusal({ 'walk.aseprite': file })
    expect(error).toMatchObject({ code: 'SW_OVERRIDE', facts: { file: '/game/art/hero.frames/walk.aseprite' } })
    expect((error as Error).message).toContain(words)
  })

  test('a picture with colours of another gamut is used and told', async () => {
    const touched = await sharp(picture(255).data, { raw: { width, height, channels: 4 } })
      .png()
      .withIccProfile('p3')
      .toBuffer()
    const { warnings } = await readPlayed(inputOf(specOf(), await find({ 'walk/0003.png': new Uint8Array(touched) })))
    expect(warnings).toEqual([expect.stringMatching(/^hero.walk: 1 of 1 pictures have colours of another gamut .*first "0003.png"/)])
  })

  test('a picture that is saved again while a build goes on is not built under the key of the old one', async () => {
    const { disk, ...found } = await find({ 'walk/0003.png': png(255) })
    disk.files.set('/game/art/hero.frames/walk/0003.png', png(254))
    await expect(readPlayed(inputOf(specOf(), found))).rejects.toMatchObject({ code: 'SW_OVERRIDE' })
  })
})
