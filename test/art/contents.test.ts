import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, encodePng, writeAseprite } from '../../atlas/index.ts'
import { readArt } from '../../src/art/art.ts'
import { readPaletteFile } from '../../src/art/palette-file.ts'
import type { Art } from '../../src/art/source.ts'
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

function diskOf(files: Readonly<Record<string, Uint8Array | string>>): MemoryDisk {
  const disk = new MemoryDisk()
  for (const [name, content] of Object.entries(files))
    disk.files.set(name, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  return disk
}

const artOf = (path: string, files: Readonly<Record<string, Uint8Array | string>>): Promise<Art> => readArt(diskOf(files), { path })
const shadesOf = async ({ read }: Art['sequences'][number]): Promise<number[]> => (await read()).map(({ data }) => data[0] as number)
/** What every sequence has that nothing is said about. */
const usual = { loop: true, yoyo: false, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), read: expect.any(Function) }

describe('an Aseprite file', () => {
  const frame = (shade: number): { bitmap: Bitmap; durationMs: number } => ({ bitmap: plain(10, 8, shade), durationMs: 40 + shade })
  const whole = { width: 10, height: 8, frames: [0, 1, 2, 3].map(frame), tags: [], slices: [] }
  const read = (file: Partial<Parameters<typeof writeAseprite>[0]>, path = '/goblin.aseprite'): Promise<Art> =>
    artOf(path, { [path]: writeAseprite({ ...whole, ...file }) })
  const key = { frame: 0, x: 1, y: 2, width: 4, height: 5 }

  test.each(['/goblin.aseprite', '/goblin.ase', '/GOBLIN.ASE'])('%s is read, and is all that was read', async (path) => {
    expect(await read({}, path)).toEqual({
      files: [path],
      sequences: [{ ...usual, name: '', isPicture: false, frames: 4, durations: [40, 41, 42, 43] }],
    })
  })

  test('has tags that say themselves how they play, each with a digest of its frames', async () => {
    const tags = [
      { name: 'walk', from: 1, to: 3, direction: 'pingpong', repeat: 2 },
      { name: 'hit', from: 3, to: 3, direction: 'forward', repeat: 1 },
      { name: 'turn', from: 1, to: 2, direction: 'pingpong-reverse', repeat: 3 },
    ] as const
    const { sequences, ...rest } = await read({ tags })
    expect(rest).toEqual({ files: ['/goblin.aseprite'] })
    expect(sequences).toEqual([
      { ...usual, name: 'walk', isPicture: false, frames: 3, durations: [41, 42, 43], play: [0, 1, 2, 1, 0], loop: false },
      { ...usual, name: 'hit', isPicture: false, frames: 1, durations: [43], loop: false },
      { ...usual, name: 'turn', isPicture: false, frames: 2, durations: [41, 42], play: [1, 0, 1, 0], loop: false },
    ])
    expect(new Set(sequences.map(({ sha256 }) => sha256)).size).toBe(3)
    expect(await Promise.all(sequences.map(shadesOf))).toEqual([[1, 2, 3], [3], [1, 2]])
  })

  test('plays a tag a hundred times at most', async () => {
    const { sequences } = await read({ tags: [{ name: 'a', from: 0, to: 0, direction: 'reverse', repeat: 2000 }] })
    expect(sequences[0]?.play).toEqual(Array.from({ length: 100 }, () => 0))
  })

  test('has the boxes of its slices in each frame of a tag, cut to the canvas, and hides a slice without an area', async () => {
    const slices = [
      {
        name: ' big body!',
        keys: [
          { ...key, frame: 2, x: 6, y: -2, width: 8, height: 20 },
          { ...key, frame: 1, x: 0, y: 0, width: 0, height: 4 },
          { ...key, frame: 3, x: 5, y: 8, width: 5, height: 5 },
          key,
        ],
      },
      { name: 'big body', keys: [{ ...key, frame: 1, x: -3, width: 4 }] },
      { name: '!', keys: [key] },
      { name: 'feet', keys: [key, { ...key, frame: 1, pivot: { x: 1, y: 1 } }] },
      { name: 'panel', keys: [{ ...key, center: { x: 0, y: 0, width: 1, height: 1 } }] },
    ]
    const tags = [
      { name: 'all', from: 0, to: 3, direction: 'forward', repeat: 0 },
      { name: 'end', from: 2, to: 3, direction: 'forward', repeat: 0 },
    ] as const
    const { sequences } = await read({ slices, tags })
    const frames = [
      [[0.1, 0.25, 0.4, 0.625]],
      [[0, 0.25, 0.1, 0.625]],
      [
        [0.6, 0, 0.4, 1],
        [0, 0.25, 0.1, 0.625],
      ],
      [[0, 0.25, 0.1, 0.625]],
    ]
    expect(sequences.map(({ boxes }) => boxes)).toEqual([{ 'big-body': frames }, { 'big-body': frames.slice(2) }])
  })

  test('without a slice that is a box has no boxes', async () => {
    for (const { boxes } of (await read({ slices: [{ name: 'feet', keys: [{ ...key, pivot: { x: 1, y: 1 } }] }] })).sequences)
      expect(boxes).toBeUndefined()
  })

  test('takes anchor and borders from the first slice and key that have one, and no borders beyond the canvas', async () => {
    const center = { x: 1, y: 1, width: 2, height: 2 }
    const slices = [
      {
        name: 'a',
        keys: [key, { ...key, frame: 1, center, pivot: { x: 4, y: 2 } }, { ...key, frame: 2, x: 3, center, pivot: { x: 0, y: 0 } }],
      },
      { name: 'b', keys: [{ ...key, x: 5, center, pivot: { x: 0, y: 0 } }] },
    ]
    const { anchor, borders } = await read({ slices })
    expect([anchor, borders]).toEqual([
      { x: 0.5, y: 0.5 },
      { left: 2, top: 3, right: 6, bottom: 3 },
    ])
    for (const beyond of [{ x: -2 }, { y: -4 }, { x: 8 }, { y: 6 }])
      expect(await read({ slices: [{ name: 'a', keys: [{ ...key, ...beyond, center }] }] })).not.toHaveProperty('borders')
    const edge = { name: 'a', keys: [{ ...key, x: -1, y: -1, center: { x: 1, y: 1, width: 10, height: 8 } }] }
    expect((await read({ slices: [edge] })).borders).toEqual({ left: 0, top: 0, right: 0, bottom: 0 })
  })
})

test('a folder says all of its pictures, and every file and folder whose change matters', async () => {
  const coin = animatedPng(2, [{ colours: [10, 20], delay: [1, 20] }, { colours: [30, 40] }])
  const files = { '/ui/coin.png': coin, '/ui/A.PNG': png(1, 1, 3), '/ui/run/2.png': png(1, 1, 2), '/ui/run/1.png': png(1, 1, 1) }
  const { files: read, sequences } = await artOf('/ui', files)
  expect(read[0]).toBe('/ui')
  expect(read.slice(1).toSorted()).toEqual(Object.keys(files).toSorted())
  expect(sequences.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { ...usual, name: 'A', isPicture: true, frames: 1 },
    { ...usual, name: 'coin', isPicture: false, frames: 2, durations: [50, 100] },
    { ...usual, name: 'run', isPicture: false, frames: 2 },
  ])
})

test.each([
  ['wider', 3, 2],
  ['higher', 2, 3],
])('a folder with a frame that is %s than those before it is refused by that frame', async (_, width, height) => {
  const files = { '/ui/run_1.png': png(2, 2, 1), '/ui/run_2.png': png(2, 2, 1), '/ui/run_3.png': png(width, height, 1) }
  const { sequences } = await artOf('/ui', files)
  await expect(sequences[0]?.read()).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: '/ui/run_3.png' } })
})

test('a folder is searched six folders deep, and refused by the one below them', async () => {
  const deep = (levels: number): string => `/ui${'/f'.repeat(levels)}`
  expect((await artOf('/ui', { [`${deep(6)}/a.png`]: png(1, 1, 1) })).sequences).toHaveLength(1)
  const refused = artOf('/ui', { [`${deep(7)}/a.png`]: png(1, 1, 1) })
  await expect(refused).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: deep(7) } })
})

test('a picture with a number beside an animated picture of its name is refused, by the animated one', async () => {
  const coin = animatedPng(2, [{ colours: [10, 20] }, { colours: [30, 40] }])
  const refused = artOf('/ui', { '/ui/coin_1.png': png(1, 1, 1), '/ui/coin.png': coin })
  await expect(refused).rejects.toMatchObject({
    code: 'SW_SOURCE',
    facts: { file: '/ui/coin.png' },
    message: expect.stringContaining('coin_1.png too'),
  })
})

describe('a sheet with its JSON', () => {
  const cell = (index: number): object => ({ x: index * 2, y: 0, w: 2, h: 2 })
  const sheet = createBitmap(8, 2)
  for (let x = 0; x < 8; x++) for (let y = 0; y < 2; y++) sheet.data.set([Math.floor(x / 2) * 10, 0, 0, 255], (y * 8 + x) * 4)
  const json = (frames: readonly object[], meta?: object): string =>
    JSON.stringify({ frames: Object.fromEntries(frames.map((one, at) => [`a_${at}`, { frame: cell(at), ...one }])), ...(meta && { meta }) })
  const read = (text: string, image = 'a.png'): Promise<Art> =>
    artOf('/art/a.json', { '/art/a.json': text, [`/art/${image}`]: encodePng(sheet) })
  const timed = [100, 50, 25, 10].map((duration) => ({ duration }))

  test('has its tags, and leaves out those that no frames fit', async () => {
    const good = { name: 'good', from: 1, to: 3, direction: 'pingpong', repeat: 'x' }
    const bad = [
      { ...good, name: 7 },
      { ...good, from: -1 },
      { ...good, from: 0.5 },
      { ...good, to: 4 },
      { ...good, to: '3' },
      { ...good, from: 3, to: 1 },
      { ...good, direction: 'sideways' },
      null,
    ]
    expect(await read(json(timed, { image: 'a.png', frameTags: [...bad, good] }))).toEqual({
      files: ['/art/a.json', '/art/a.png'],
      sequences: [{ ...usual, name: 'good', isPicture: false, frames: 3, durations: [50, 25, 10], yoyo: true }],
    })
  })

  test.each([0, -5, '100', undefined])('with %j as the time of one frame has no times at all', async (duration) => {
    const { sequences } = await read(json([...timed.slice(1), { duration }], { image: 'a.png', frameTags: [] }))
    expect(sequences).toEqual([{ ...usual, name: 'a', isPicture: false, frames: 4 }])
  })

  test.each([
    [{ image: 'C:\\art\\sheet.png' }, 'sheet.png'],
    [{ image: '../elsewhere/sheet.png' }, 'sheet.png'],
    [{ image: '' }, 'a.png'],
    [undefined, 'a.png'],
  ])('with the meta %j is cut from %s beside it', async (meta, image) => {
    const { files, sequences } = await read(json([{}, {}], meta), image)
    expect([files, await shadesOf(sequences[0]!)]).toEqual([
      ['/art/a.json', `/art/${image}`],
      [0, 10],
    ])
  })

  test('has another digest for other frames of one sheet', async () => {
    const tags = [0, 1].map((at) => ({ name: `t${at}`, from: at, to: at }))
    const [first, second] = (await read(json(timed, { frameTags: tags }))).sequences
    expect(first?.sha256).not.toBe(second?.sha256)
    const [one] = (await read(json([{}, {}]))).sequences
    const [other] = (await read(json([{}, {}, {}]))).sequences
    expect(one?.sha256).not.toBe(other?.sha256)
  })
})

test.each([
  [1, 2, 3, [0]],
  [2, 1, 1, [0, 0]],
])('a grid of %i × %i cells has every cell once', async (across, down) => {
  const disk = diskOf({ '/a.png': png(across * 3, down * 2, 9) })
  const { files, sequences } = await readArt(disk, { path: '/a.png', grid: { width: 3, height: 2 } })
  expect([files, sequences]).toEqual([['/a.png'], [{ ...usual, name: '', isPicture: false, frames: across * down }]])
  expect((await sequences[0]!.read()).map(({ width, height }) => [width, height])).toEqual(
    Array.from({ length: across * down }, () => [3, 2]),
  )
  for (const grid of [
    { width: 2, height: 2 },
    { width: 3, height: 3 },
  ].slice(across === 2 ? 1 : 0))
    await expect(readArt(disk, { path: '/a.png', grid })).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: '/a.png' } })
})

test.each([
  [0, true],
  [1, false],
  [2, true],
])('an animated picture that is to play %i times goes on: %s', async (plays, loop) => {
  const bytes = Buffer.from(animatedPng(2, [{ colours: [10, 20] }, { colours: [30, 40] }]))
  bytes.set(pngChunk('acTL', Uint8Array.of(0, 0, 0, 2, 0, 0, 0, plays)), bytes.indexOf('acTL') - 4)
  expect((await artOf('/a.png', { '/a.png': bytes })).sequences).toEqual([
    { ...usual, name: '', isPicture: false, frames: 2, durations: expect.any(Array), loop },
  ])
})

test('a palette file has its path and colours; one that is missing, too large or unreadable is refused by its path', async () => {
  const disk = diskOf({ '/a.hex': 'ff0000\n00ff00\n' })
  const { path, colours } = await readPaletteFile(disk, '/a.hex')
  expect([path, Array.from(colours as Iterable<unknown>).length > 0]).toEqual(['/a.hex', true])
  await expect(readPaletteFile(disk, '/b.hex')).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: '/b.hex' } })
  const stat = disk.stat.bind(disk)
  disk.stat = async (file) => ({ ...(await stat(file))!, bytes: 2 ** 28 + 1 })
  await expect(readPaletteFile(disk, '/a.hex')).rejects.toMatchObject({ code: 'SW_SOURCE', facts: { file: '/a.hex' } })
  disk.stat = async (file) => ({ ...(await stat(file))!, bytes: 2 ** 28 })
  expect((await readPaletteFile(disk, '/a.hex')).path).toBe('/a.hex')
  const cause = Object.assign(new Error('no'), { code: 'EACCES' })
  disk.read = () => Promise.reject(cause)
  const refused = readPaletteFile(disk, '/a.hex')
  await expect(refused).rejects.toMatchObject({
    code: 'SW_DISK',
    facts: { file: '/a.hex' },
    cause,
    message: expect.stringContaining('EACCES'),
  })
})

test('a still picture is one picture with its digest, and a file that is none says what was wrong with it', async () => {
  const still = { ...usual, name: '', isPicture: true, frames: 1 }
  for (const shade of [1, 2])
    expect(await artOf('/a.png', { '/a.png': png(2, 1, shade) })).toEqual({ files: ['/a.png'], sequences: [still] })
  await expect(artOf('/a.png', { '/a.png': 'no picture' })).rejects.toMatchObject({ code: 'SW_SOURCE', cause: expect.any(Error) })
})
