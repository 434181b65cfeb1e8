import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, blit, createBitmap, crop } from '../../atlas/bitmap.ts'
import { type ArchiveEntry, openArchive, readArchive } from '../../atlas/delivery/archive.ts'
import { readDelivery, readFrames } from '../../atlas/delivery/delivery.ts'
import { cutFrame } from '../../atlas/delivery/sheet-atlas.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { picture } from './numbered-picture.ts'
import { pngChunk } from './png-chunk.ts'
import { refusal } from './refusal.ts'

const entry = (name: string, content: Bitmap | object | string): ArchiveEntry => ({
  name,
  bytes:
    typeof content === 'string'
      ? new TextEncoder().encode(content)
      : 'data' in content
        ? encodePng(content as Bitmap)
        : new TextEncoder().encode(JSON.stringify(content)),
})

async function withProfile({ data, width, height }: Bitmap, profile: 'p3' | 'srgb'): Promise<Uint8Array> {
  return new Uint8Array(
    await sharp(data, { raw: { width, height, channels: 4 } })
      .png()
      .withIccProfile(profile)
      .toBuffer(),
  )
}

/** The colour profile in a PNG. */
function profileOf(png: Buffer): Buffer {
  const at = png.indexOf('iCCP', 0, 'latin1')
  const content = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))
  return inflateSync(content.subarray(content.indexOf(0) + 2))
}

/** Three frames side by side, the second turned clockwise, as TexturePacker does. */
function sheetOf(frames: readonly Bitmap[]): Bitmap {
  const sheet = createBitmap(16, 8)
  blit(sheet, frames[0]!, 0, 0)
  const upright = frames[1]!
  const turned = createBitmap(upright.height, upright.width)
  for (let y = 0; y < turned.height; y++)
    for (let x = 0; x < turned.width; x++) {
      const from = ((upright.height - 1 - x) * upright.width + y) * 4
      turned.data.set(upright.data.subarray(from, from + 4), (y * turned.width + x) * 4)
    }
  blit(sheet, turned, 5, 0)
  blit(sheet, frames[2]!, 9, 0)
  return sheet
}
const whole = { trimmed: false, spriteSourceSize: { x: 0, y: 0, w: 4, h: 3 }, sourceSize: { w: 4, h: 3 } }
const hash = {
  frames: {
    'a 0.png': { frame: { x: 0, y: 0, w: 4, h: 3 }, rotated: false, ...whole },
    'a 10.png': { frame: { x: 9, y: 0, w: 4, h: 3 }, rotated: false, ...whole },
    'a 2.png': { frame: { x: 5, y: 0, w: 4, h: 3 }, rotated: true, ...whole },
  },
  meta: { image: 'picture.png' },
}
const array = { frames: Object.entries(hash.frames).map(([filename, frame]) => ({ filename, ...frame, duration: 100 })), meta: {} }
const three = [picture(0), picture(1), picture(2)]

describe('readDelivery', () => {
  test.each([
    ['a folder of frames', ['frames/frame_002.png', 'frames/frame_000.png', 'frames/frame_001.png'], [2, 0, 1]],
    ['numbers without zeros', ['out/Frames/10.png', 'out/Frames/9.png', 'out/Frames/8.png'], [2, 1, 0]],
    ['names that say frame', ['frame-1.png', 'frame-2.png', 'frame-3.png'], [0, 1, 2]],
    ['a common stem with numbers', ['hero_walk_01.png', 'hero_walk_02.png', 'hero_walk_03.png'], [0, 1, 2]],
  ])('%s is read in the order of its numbers', (_, names, pictures) => {
    const entries = names.map((name, index) => entry(name, picture(pictures[index]!)))
    const delivery = readDelivery([...entries, entry('preview.gif', 'GIF89a'), entry('readme.txt', 'hello')], { frames: 3 })
    expect(delivery.frames).toEqual(three)
    expect(delivery.preview?.name).toBe('preview.gif')
    expect(delivery.warnings).toEqual([])
  })

  test.each([
    ['hash', hash],
    ['array', array],
  ])('missing frames are cut from the sheet by an atlas of the shape "%s", turned ones turned back', (_, atlas) => {
    const delivery = readDelivery([entry('data.txt', atlas), entry('picture.png', sheetOf(three)), entry('preview.png', picture(9))])
    expect(delivery.frames).toEqual(three)
    expect(delivery.names).toEqual(['a 0.png', 'a 2.png', 'a 10.png'])
    expect([delivery.sheet?.name, delivery.atlas?.name, delivery.preview?.name]).toEqual(['picture.png', 'data.txt', 'preview.png'])
  })

  test('a trimmed frame of a sheet gets its full size back', () => {
    const trimmed = {
      frame: { x: 0, y: 0, w: 4, h: 3 },
      trimmed: true,
      spriteSourceSize: { x: 2, y: 1, w: 4, h: 3 },
      sourceSize: { w: 8, h: 6 },
    }
    const [frame] = readDelivery([entry('sheet.png', picture(0)), entry('a.json', { frames: { a: trimmed } })]).frames
    const full = createBitmap(8, 6)
    blit(full, picture(0), 2, 1)
    expect(frame).toEqual(full)
  })

  const frames = three.map((each, index) => entry(`frames/${index}.png`, each))

  test('frames that agree with the sheet give no warning, frames that differ give one and are used', () => {
    const sheet = [entry('picture.png', sheetOf(three)), entry('atlas.json', hash)]
    expect(readDelivery([...frames, ...sheet]).warnings).toEqual([])
    const other = [...frames.slice(0, 2), entry('frames/2.png', picture(7))]
    const delivery = readDelivery([...other, ...sheet])
    expect(delivery.frames[2]).toEqual(picture(7))
    expect(delivery.warnings).toEqual(['1 of 3 frames differ from the sheet, first "frames/2.png"; the frames are used.'])
  })

  test('another number of frames than asked for, and a gap in the numbers, are warnings', () => {
    expect(readDelivery([frames[0]!, frames[2]!], { frames: 3 }).warnings).toEqual([
      'The frame numbers are not consecutive: expected 1, found "frames/2.png".',
      'Expected 3 frames, found 2.',
    ])
  })

  test.each([
    ['p3', /^1 of 3 pictures have colours of another gamut than sRGB .*first "frames\/1.png".*convert them to sRGB/],
    ['srgb', undefined],
  ] as const)('a frame with the colour profile %s', async (profile, told) => {
    const bytes = await withProfile(three[1]!, profile)
    const { warnings } = readDelivery(frames.map((frame, index) => (index === 1 ? { ...frame, bytes } : frame)))
    expect(warnings).toEqual(told ? [expect.stringMatching(told)] : [])
  })

  test('law: a colour profile with any bytes in it breaks nothing', async () => {
    const sound = profileOf(Buffer.from(await withProfile(three[1]!, 'p3')))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 12 }), fc.nat(sound.length), (changes, length) => {
        const profile = Buffer.from(sound)
        for (const [at, value] of changes) profile[at] = value
        const chunk = Buffer.concat([Buffer.from('p3\0\0', 'latin1'), deflateSync(profile.subarray(0, length))])
        const png = Buffer.concat([frames[1]!.bytes.subarray(0, 33), pngChunk('iCCP', chunk), frames[1]!.bytes.subarray(33)])
        const delivery = readDelivery([frames[0]!, { name: 'frames/1.png', bytes: png }, frames[2]!])
        expect(delivery.frames).toEqual(three)
      }),
    )
  })

  test('an archive without frames is refused with its entries and a way out', () => {
    const error = refusal(() => readDelivery([entry('one.png', picture(0)), entry('notes.json', { a: 1 })]))
    expect([error.code, error.facts.entries]).toEqual(['SW_DELIVERY_LAYOUT', ['one.png', 'notes.json']])
    expect(error.message).toContain('service.profile.readDelivery')
  })

  test('frames without a common size, damaged frames and frames of another format are refused by name', () => {
    expect(refusal(() => readDelivery([frames[0]!, entry('frames/1.png', picture(1, 5, 3))]))).toMatchObject({
      code: 'SW_FRAME_SIZE',
      facts: { entry: 'frames/1.png', width: 5 },
    })
    const cut = { name: 'frames/1.png', bytes: frames[1]!.bytes.slice(0, 40) }
    expect(refusal(() => readDelivery([frames[0]!, cut]))).toMatchObject({
      code: 'SW_PNG',
      facts: { entry: 'frames/1.png', rule: 'truncated' },
    })
    const jpeg = { name: 'frames/1.jpg', bytes: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0) }
    expect(refusal(() => readDelivery([frames[0]!, jpeg]))).toMatchObject({
      code: 'SW_IMAGE',
      facts: { entry: 'frames/1.jpg', format: 'jpeg' },
    })
  })

  test('one frame of another size is put on the canvas of the others, centred and at the bottom, and named', () => {
    const small = readDelivery([frames[0]!, entry('frames/1.png', picture(1, 2, 2)), frames[2]!])
    expect(small.resized).toEqual([{ index: 1, width: 2, height: 2 }])
    const padded = createBitmap(4, 3)
    blit(padded, picture(1, 2, 2), 1, 1)
    expect(small.frames).toEqual([three[0], padded, three[2]])
    const large = readDelivery([frames[0]!, frames[1]!, entry('frames/2.png', picture(2, 6, 5))])
    expect(large.resized).toEqual([{ index: 2, width: 6, height: 5 }])
    expect(large.frames[2]).toEqual(crop(picture(2, 6, 5), 1, 2, 4, 3))
  })

  test('one frame of another size on a sheet is put on the canvas as well', () => {
    const odd = structuredClone(hash)
    odd.frames['a 10.png'] = { frame: { x: 9, y: 0, w: 4, h: 2 }, rotated: false, ...whole, sourceSize: { w: 4, h: 2 } }
    const { frames: cut, resized, warnings } = readDelivery([entry('picture.png', sheetOf(three)), entry('atlas.json', odd)])
    expect([resized, warnings]).toEqual([[{ index: 2, width: 4, height: 2 }], []])
    const padded = createBitmap(4, 3)
    blit(padded, crop(three[2]!, 0, 0, 4, 2), 0, 1)
    expect(cut[2]).toEqual(padded)
  })

  test('an atlas that points outside of its sheet is refused', () => {
    const outside = { frames: { a: { frame: { x: 3, y: 0, w: 4, h: 3 } } } }
    expect(refusal(() => readDelivery([entry('sheet.png', picture(0)), entry('a.json', outside)]))).toMatchObject({
      code: 'SW_DELIVERY_LAYOUT',
      facts: { frame: 'a' },
    })
  })
})

describe('readFrames', () => {
  test('finds the frames of a folder without asking for anything else, and the same ones as readDelivery where the contents have to tell', async () => {
    const frames = [0, 1, 2].map((shade) => createBitmap(4, 4, new Uint8Array(64).fill(60 * (shade + 1))))
    const { zip } = await packDelivery(frames, defaultShapes.names)
    const touched: string[] = []
    const watched = openArchive(zip).map((entry) => ({
      name: entry.name,
      get bytes() {
        touched.push(entry.name)
        return entry.bytes
      },
    }))
    expect(readFrames(watched, { frames: 3 })).toEqual({ frames, names: expect.any(Array), resized: [], warnings: [] })
    expect(touched.every((name) => name.startsWith('frames/'))).toBe(true)
    expect(readFrames(openArchive(zip), { frames: 4 }).warnings).toEqual(['Expected 4 frames, found 3.'])
    const loose = readArchive(zip).map(({ name, bytes }) => ({ name: name.replace('frames/', ''), bytes }))
    expect(readFrames(loose).frames).toEqual(readDelivery(loose).frames)
  })
})

test('a turned square frame is turned back, also if it is all of its sheet', () => {
  const [a, b, c, d] = [picture(0, 1, 1), picture(1, 1, 1), picture(2, 1, 1), picture(3, 1, 1)]
  const square = (...parts: readonly Bitmap[]): Bitmap => createBitmap(2, 2, new Uint8Array(parts.flatMap(({ data }) => [...data])))
  const size = { x: 0, y: 0, width: 2, height: 2, offsetX: 0, offsetY: 0, sourceWidth: 2, sourceHeight: 2 }
  expect(cutFrame(square(c, a, d, b), { name: 'a', rotated: true, ...size })).toEqual(square(a, b, c, d))
})

describe('the files of a delivery', () => {
  const named = (entries: readonly ArchiveEntry[]): readonly string[] => readDelivery(entries).names

  test.each(['__MACOSX/frames/0.png', 'frames/._1.png', 'frames/.DS_Store', 'Frames/thumbs.DB', 'frames/desktop.ini'])(
    '%s, which a system left, is no frame and no sheet',
    (name) => {
      const own = [entry('frames/1.png', picture(1)), entry('frames/2.png', picture(2))]
      expect(named([entry(name, picture(9)), ...own])).toEqual(['frames/1.png', 'frames/2.png'])
    },
  )

  test('of two runs of one length the first is the frames; a single picture is no run', () => {
    const runs = ['walk1', 'walk2', 'jump1', 'jump2'].map((name, number) => entry(`${name}.png`, picture(number)))
    expect(named(runs)).toEqual(['walk1.png', 'walk2.png'])
    expect(refusal(() => readDelivery([entry('walk1.png', picture(1))])).facts.rule).toBe('no-frames')
  })

  test('the atlas names its sheet with the folder of another system', () => {
    const frame = { frame: { x: 0, y: 0, w: 4, h: 3 }, rotated: false, trimmed: false }
    const atlas = { frames: { a: frame }, meta: { image: 'C:\\art\\Hero.png' } }
    expect(readDelivery([entry('other.png', picture(1)), entry('hero.PNG', picture(2)), entry('hero.json', atlas)])).toMatchObject({
      names: ['a'],
      sheet: { name: 'hero.PNG' },
      frames: [picture(2)],
    })
  })
})
