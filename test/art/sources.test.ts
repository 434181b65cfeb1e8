import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, encodePng, writeAseprite } from '../../atlas/index.ts'
import { readArt } from '../../src/art/art.ts'
import type { Art } from '../../src/art/source.ts'
import { tryReadSpec } from '../../src/sprite-spec/scan.ts'
import { pngChunk } from '../atlas/png-chunk.ts'
import { animatedPng } from '../atlas/source/apng-file.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

/** A picture of one colour. */
function plain(width: number, height: number, shade: number): Bitmap {
  const picture = createBitmap(width, height)
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([shade, 255 - shade, 40, 255], at)
  return picture
}

const png = (width: number, height: number, shade: number): Uint8Array => encodePng(plain(width, height, shade))

async function artOf(
  path: string,
  files: Readonly<Record<string, Uint8Array | string>>,
  grid?: { width: number; height: number },
): Promise<Art> {
  const disk = new MemoryDisk()
  for (const [name, content] of Object.entries(files))
    disk.files.set(name, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  return readArt(disk, { path, grid })
}

/** An animated PNG of two frames. */
const coin = animatedPng(2, [{ colours: [10, 20], delay: [1, 20] }, { colours: [30, 40] }])

const shadesOf = async ({ read }: Art['sequences'][number]): Promise<number[]> => (await read()).map(({ data }) => data[0] as number)
const namesOf = ({ sequences }: Art): string[] => sequences.map(({ name, isPicture, frames }) => `${name}${isPicture ? '' : `:${frames}`}`)

describe('a folder', () => {
  test('has animations of numbered files and of folders, and pictures of all others', async () => {
    const art = await artOf('/ui', {
      '/ui/sword.png': png(3, 4, 1),
      '/ui/walk_2.png': png(2, 2, 12),
      '/ui/walk_10.png': png(2, 2, 20),
      '/ui/walk_1.png': png(2, 2, 11),
      '/ui/jump/0001.png': png(5, 5, 31),
      '/ui/jump/0000.png': png(5, 5, 30),
      '/ui/level2.png': png(1, 1, 5),
      '/ui/.hidden.png': png(1, 1, 9),
      '/ui/notes.txt': 'not a picture',
    })
    expect(namesOf(art)).toEqual(['jump:2', 'level2', 'sword', 'walk:3'])
    expect(await Promise.all(art.sequences.map(shadesOf))).toEqual([[30, 31], [5], [1], [11, 12, 20]])
  })

  test('names what is in folders below it by the path, and joins by "-" what a name cannot have', async () => {
    const files = ['hero/walk/0000', 'hero/walk/0001', 'hero/run/run_1', 'hero/run/run_2', 'hero/face', 'hero/hit 1', 'hero/hit 2', 'one/7']
    const odd = ['close@2x', 'icon (big)', 'a..b', '_x', 'level 2.5']
    const art = await artOf('/ui', Object.fromEntries([...files, ...odd].map((name) => [`/ui/${name}.png`, png(1, 1, 1)])))
    const named = ['hero-face', 'hero-hit:2', 'hero-run:2', 'hero-walk:2', 'one:1', 'close-2x', 'icon-big', 'a-b', 'x', 'level-2-5']
    expect(namesOf(art).sort()).toEqual(named.sort())
  })

  test('has an animation of its name for each animated picture, with its times', async () => {
    const moving = await sharp(
      [10, 120].map((shade) => Buffer.from(png(2, 1, shade))),
      { join: { animated: true } },
    )
      .gif({ delay: [70, 200], loop: 1 })
      .toBuffer()
    const art = await artOf('/ui', {
      '/ui/coin.png': coin,
      '/ui/fx/0001.gif': moving,
      '/ui/key.apng': png(1, 1, 3),
      '/ui/still.gif': await sharp(png(2, 1, 7))
        .gif()
        .toBuffer(),
    })
    expect(art.sequences).toMatchObject([
      { name: 'coin', isPicture: false, frames: 2, durations: [50, 100] },
      { name: 'fx-0001', isPicture: false, frames: 2, durations: [70, 200], loop: false },
      { name: 'key', isPicture: true },
      { name: 'still', isPicture: true, frames: 1 },
    ])
    expect(await shadesOf(art.sequences[1]!)).toEqual([10, 120])
    expect(await art.sequences[3]!.read()).toEqual([plain(2, 1, 7)])
  })

  test('gives a frame another digest only if its own animation has changed', async () => {
    const files = { '/ui/a.png': png(2, 2, 1), '/ui/b.png': png(2, 2, 2) }
    const before = await artOf('/ui', files)
    const after = await artOf('/ui', { ...files, '/ui/b.png': png(2, 2, 3) })
    expect(after.sequences.map(({ sha256 }, at) => sha256 === before.sequences[at]?.sha256)).toEqual([true, false])
  })

  test.each<[string, Record<string, Uint8Array | string>, RegExp]>([
    ['no picture', { '/ui/notes.txt': 'x' }, /^\/ui: expected pictures in this folder, found none\. Put/],
    ['a kind that would be left out', { '/ui/a.png': png(1, 1, 1), '/ui/coin.psd': '8BPS' }, /^\/ui\/coin\.psd: expected PNG/],
    ['a picture that is none', { '/ui/a.png': png(1, 1, 1), '/ui/coin.gif': 'text' }, /^\/ui\/coin\.gif: Expected a PNG/],
    [
      'an animated picture and frames of one name',
      { '/ui/coin.png': coin, '/ui/coin_1.png': png(2, 1, 1) },
      /^\/ui\/coin\.png: expected one animation of the name "coin", found coin_1\.png too\. Rename one of them\.$/,
    ],
    [
      'two pictures of one name',
      { '/ui/a-b.png': png(1, 1, 1), '/ui/a/b.png': png(1, 1, 1) },
      /^\/ui\/a-b\.png: expected one picture of the name "a-b", found a\/b\.png too\. Rename one of them\.$/,
    ],
    ['two frames of one number', { '/ui/walk/1.png': png(1, 1, 1), '/ui/walk/walk_1.png': png(1, 1, 1) }, /the name "walk 1"/],
    ['two kinds of one name', { '/ui/a.png': png(1, 1, 1), '/ui/a.webp': png(1, 1, 1) }, /the name "a", found a\.png too/],
  ])('is refused with %s', async (_, files, words) => {
    await expect(artOf('/ui', files)).rejects.toMatchObject({ code: 'SW_SOURCE', message: expect.stringMatching(words) })
  })

  test('is refused when frames of one animation differ in size, by the file', async () => {
    const art = await artOf('/ui', { '/ui/walk_1.png': png(2, 2, 1), '/ui/walk_2.png': png(2, 3, 1) })
    await expect(art.sequences[0]?.read()).rejects.toMatchObject({
      code: 'SW_SOURCE',
      message: '/ui/walk_2.png: expected a frame of 2 × 2 pixels, as walk_1.png, found 2 × 3. Give all frames of an animation one canvas.',
    })
  })

  test('is read again only as it was: a file that changes in between is refused', async () => {
    const disk = new MemoryDisk()
    disk.files.set('/ui/a.png', png(2, 2, 1))
    const { sequences } = await readArt(disk, { path: '/ui' })
    disk.files.set('/ui/a.png', png(2, 2, 2))
    await expect(sequences[0]?.read()).rejects.toMatchObject({
      code: 'SW_SOURCE',
      message: expect.stringContaining('as it was a moment ago'),
    })
  })
})

test.each(['/art/ui', '/art/ui/icons', '/art/ui/a.png'])(
  'a disk that refuses %s is an error of this spec, with that path',
  async (path) => {
    const refused = (found: string): void => {
      if (found === path) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    }
    class Locked extends MemoryDisk {
      override async list(folder: string): Promise<string[]> {
        const names = await super.list(folder)
        if (names.length > 0) refused(folder)
        return names
      }
      override async read(file: string): Promise<Uint8Array> {
        refused(file)
        return super.read(file)
      }
    }
    const disk = new Locked()
    disk.files.set('/art/ui.sprite.json', new TextEncoder().encode('{ "source": "./ui/" }'))
    for (const name of ['a', 'icons/b']) disk.files.set(`/art/ui/${name}.png`, png(1, 1, 1))
    const { spec } = await tryReadSpec(disk, '/art/ui.sprite.json', '/art')
    expect(spec).toMatchObject({
      code: 'SW_DISK',
      message: `Expected to read ${path}, found EACCES. Check that path and its permissions.`,
      facts: { file: '/art/ui.sprite.json', source: path },
    })
  },
)

describe('a picture', () => {
  test('is one picture without a name of its own', async () => {
    const art = await artOf('/badge.png', { '/badge.png': png(6, 4, 7) })
    expect(namesOf(art)).toEqual([''])
    expect(await art.sequences[0]?.read()).toEqual([plain(6, 4, 7)])
  })

  test('is cut into cells, row by row', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (across, down, side) => {
          const sheet = createBitmap(across * side, down * side)
          for (let y = 0; y < sheet.height; y++)
            for (let x = 0; x < sheet.width; x++)
              sheet.data.set([Math.floor(y / side) * across + Math.floor(x / side), 0, 0, 255], (y * sheet.width + x) * 4)
          const art = await artOf('/tiles.png', { '/tiles.png': encodePng(sheet) }, { width: side, height: side })
          expect(namesOf(art)).toEqual([`:${across * down}`])
          expect(await shadesOf(art.sequences[0]!)).toEqual(Array.from({ length: across * down }, (_, index) => index))
          expect((await art.sequences[0]!.read()).every(({ width, height }) => width === side && height === side)).toBe(true)
        },
      ),
    ))

  test('is refused if its cells are not whole', async () => {
    await expect(artOf('/t.png', { '/t.png': png(10, 8, 1) }, { width: 4, height: 4 })).rejects.toMatchObject({
      message: '/t.png: expected a picture of whole cells of 4 × 4 pixels, found 10 × 8. Correct "grid", or the picture.',
    })
  })

  test.each(['gif', 'webp'] as const)('that is an animated %s keeps its frames and times', async (format) => {
    const frames = [10, 120, 240].map((shade) => Buffer.from(png(4, 4, shade)))
    const joined = sharp(frames, { join: { animated: true } })
    const delay = [70, 200, 40]
    const bytes = await (format === 'gif' ? joined.gif({ delay }) : joined.webp({ delay, lossless: true })).toBuffer()
    const art = await artOf(`/coin.${format}`, { [`/coin.${format}`]: bytes })
    expect(art.sequences).toMatchObject([{ name: '', isPicture: false, frames: 3, durations: delay, loop: true }])
    expect(await art.sequences[0]!.read()).toEqual([plain(4, 4, 10), plain(4, 4, 120), plain(4, 4, 240)])
  })

  test('that is an animated PNG keeps its frames and times', async () => {
    const bytes = animatedPng(2, [
      { colours: [10, 20], delay: [1, 20] },
      { colours: [30, 40], delay: [0, 1] },
    ])
    const art = await artOf('/coin.png', { '/coin.png': bytes })
    expect(art.sequences).toMatchObject([{ name: '', isPicture: false, frames: 2, durations: [50, 100] }])
    expect((await art.sequences[0]!.read()).map(({ width, height }) => [width, height])).toEqual([
      [2, 1],
      [2, 1],
    ])
  })

  test.each(['gif', 'png'])('that is an animated %s of one frame is a picture', async (ending) => {
    const bytes =
      ending === 'gif'
        ? await sharp(png(4, 4, 9))
            .gif()
            .toBuffer()
        : animatedPng(2, [{ colours: [10, 20] }])
    const { sequences } = await artOf(`/coin.${ending}`, { [`/coin.${ending}`]: bytes })
    expect(sequences).toMatchObject([{ name: '', isPicture: true, frames: 1 }])
    expect(sequences[0]).not.toHaveProperty('durations')
  })

  test('that is an animated PNG has its times before its pixels are read', async () => {
    const bytes = Buffer.from(animatedPng(2, [{ colours: [10, 20], delay: [1, 20] }, { colours: [30, 40] }]))
    const at = bytes.indexOf('IDAT')
    bytes.set(pngChunk('IDAT', bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)).fill(1)), at - 4)
    const { sequences } = await artOf('/coin.png', { '/coin.png': bytes })
    expect(sequences).toMatchObject([{ frames: 2, durations: [50, 100] }])
    await expect(sequences[0]?.read()).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: '/coin.png' } })
  })

  test.each(['/a.png', '/a.gif', '/a.webp', '/a.json', '/a.aseprite', '/a.txt'])(
    '%s with other bytes is refused in words',
    async (path) => {
      await expect(artOf(path, { [path]: 'something else' })).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: path } })
    },
  )

  test('that is not there is refused in words', async () => {
    await expect(artOf('/a.png', {})).rejects.toMatchObject({
      message: '/a.png: expected a file or folder, found nothing. Correct "source", or put it there.',
    })
  })
})

describe('a sheet with its JSON', () => {
  const sheet = createBitmap(8, 2)
  for (let x = 0; x < 8; x++) for (let y = 0; y < 2; y++) sheet.data.set([Math.floor(x / 2) * 10, 0, 0, 255], (y * 8 + x) * 4)
  const cell = (index: number): object => ({ x: index * 2, y: 0, w: 2, h: 2 })
  const aseprite = (frameTags: readonly object[]): string =>
    JSON.stringify({
      frames: Object.fromEntries([100, 100, 50, 25].map((duration, at) => [`goblin ${at}.aseprite`, { frame: cell(at), duration }])),
      meta: { image: 'goblin.png', frameTags },
    })
  const packed = (names: readonly string[]): string =>
    JSON.stringify({ frames: names.map((filename, at) => ({ filename, frame: cell(at) })), meta: { image: 'goblin.png' } })
  const read = (json: string): Promise<Art> => artOf('/goblin.json', { '/goblin.json': json, '/goblin.png': encodePng(sheet) })

  test('by Aseprite has its tags as animations, with times', async () => {
    const art = await read(
      aseprite([
        { name: 'walk', from: 0, to: 2, direction: 'forward' },
        { name: 'hit', from: 3, to: 3 },
      ]),
    )
    expect(art.sequences).toMatchObject([
      { name: 'walk', frames: 3, durations: [100, 100, 50], loop: true, yoyo: false },
      { name: 'hit', isPicture: false, frames: 1, durations: [25] },
    ])
    expect(await Promise.all(art.sequences.map(shadesOf))).toEqual([[0, 10, 20], [30]])
  })

  test('by Aseprite without tags is one animation', async () => {
    expect(namesOf(await read(aseprite([])))).toEqual([':4'])
  })

  test.each([
    ['reverse', 0, { play: [2, 1, 0], loop: true, yoyo: false }],
    ['pingpong', 0, { loop: true, yoyo: true }],
    ['pingpong_reverse', 0, { play: [2, 1, 0], loop: true, yoyo: true }],
    ['forward', 1, { loop: false, yoyo: false }],
    ['forward', 2, { play: [0, 1, 2, 0, 1, 2], loop: false, yoyo: false }],
    ['pingpong', 3, { play: [0, 1, 2, 1, 0, 1, 2], loop: false, yoyo: false }],
  ])('plays a tag %s, %i times', async (direction, repeat, played) => {
    const { sequences } = await read(aseprite([{ name: 'a', from: 0, to: 2, direction, repeat: String(repeat) }]))
    expect(sequences[0]).toMatchObject(played)
    if (!('play' in played)) expect(sequences[0]).not.toHaveProperty('play')
  })

  test('by TexturePacker has animations and pictures by name', async () => {
    const art = await read(packed(['walk_1.png', 'walk_2.png', 'ui/sword.png']))
    expect(namesOf(art)).toEqual(['walk:2', 'ui-sword'])
    expect(await Promise.all(art.sequences.map(shadesOf))).toEqual([[0, 10], [20]])
  })

  test('by TexturePacker keeps the frames of two folders, and names with dots, apart', async () => {
    const names = ['hero/walk/0001.png', 'orc/walk/0001', 'button.normal', 'button.hover']
    expect(namesOf(await read(packed(names)))).toEqual(['hero-walk:1', 'orc-walk:1', 'button-normal', 'button-hover'])
  })

  test('by TexturePacker is refused with two pictures of one name', async () => {
    await expect(read(packed(['a-b.png', 'a/b.png']))).rejects.toMatchObject({
      message: '/goblin.json: expected one picture of the name "a-b", found a-b.png too. Rename one of them.',
    })
  })

  test('is refused without its sheet', async () => {
    await expect(artOf('/goblin.json', { '/goblin.json': aseprite([]) })).rejects.toMatchObject({
      message: '/goblin.json: expected its sheet "goblin.png" beside it, found none. Export both into one folder.',
    })
  })
})

test('PNGs that the tests write are what they say', () => {
  expect(decodePng(png(3, 2, 9))).toEqual(plain(3, 2, 9))
})

describe('an Aseprite file', () => {
  const frame = (shade: number): { bitmap: Bitmap; durationMs: number } => ({ bitmap: plain(10, 8, shade), durationMs: 40 + shade })
  const whole = { width: 10, height: 8, frames: [frame(0), frame(1), frame(2)], slices: [] }
  const read = (file: Parameters<typeof writeAseprite>[0]): Promise<Art> =>
    artOf('/goblin.aseprite', { '/goblin.aseprite': writeAseprite(file) })

  test('has its tags as animations, with times and directions; frames count from 0 in each', async () => {
    const tags = [
      { name: 'walk', from: 0, to: 1, direction: 'forward', repeat: 0 },
      { name: 'back', from: 1, to: 2, direction: 'reverse', repeat: 0 },
    ] as const
    const art = await read({ ...whole, tags })
    expect(art.sequences).toMatchObject([
      { name: 'walk', frames: 2, durations: [40, 41] },
      { name: 'back', frames: 2, durations: [41, 42], play: [1, 0] },
    ])
    expect(await Promise.all(art.sequences.map(shadesOf))).toEqual([
      [0, 1],
      [1, 2],
    ])
  })

  test('without tags is one animation, or one picture', async () => {
    expect(namesOf(await read({ ...whole, tags: [] }))).toEqual([':3'])
    expect(namesOf(await read({ ...whole, frames: [frame(7)], tags: [] }))).toEqual([''])
  })

  test('has the anchor and the borders of its slices, counted from the canvas', async () => {
    const key = { frame: 0, x: 1, y: 2, width: 8, height: 5 }
    const slices = [
      { name: 'feet', keys: [{ ...key, pivot: { x: 4, y: 6 } }] },
      { name: 'panel', keys: [{ ...key, center: { x: 2, y: 1, width: 3, height: 2 } }] },
    ]
    expect(await read({ ...whole, tags: [], slices })).toMatchObject({
      anchor: { x: 0.5, y: 1 },
      borders: { left: 3, top: 3, right: 4, bottom: 3 },
    })
    expect(await read({ ...whole, tags: [] })).not.toHaveProperty('anchor')
  })
})
