import { expect, test } from 'vitest'
import { type AsepriteFile, type Bitmap, crop, decodePng, readAseprite } from '../../../atlas/index.ts'
import { describeWith } from '../../kit/needs.ts'
import { asepriteCorpus, corpusBytes } from '../corpus.ts'

const names = asepriteCorpus()
const sources = names.filter((name) => name.endsWith('.aseprite'))

/** Files whose references are older than the saturation rule of today, and how many bytes differ for it. */
const older: Readonly<Record<string, number>> = { 'blend_saturation.aseprite': 721, 'blend_saturation_bug.aseprite': 108 }

function read(name: string, change: (bytes: Uint8Array) => void = () => {}): AsepriteFile {
  const bytes = corpusBytes('aseprite', name)
  change(bytes)
  return readAseprite(bytes)
}

function picture(name: string): Bitmap {
  return decodePng(corpusBytes('aseprite', name))
}

/** Indexes of bytes that differ. Colours under alpha 0 do not count. */
function differing(a: Bitmap, b: Bitmap): readonly number[] {
  expect([a.width, a.height]).toEqual([b.width, b.height])
  return [...a.data.keys()].filter((at) => a.data[at] !== b.data[at] && (a.data[at | 3] !== 0 || b.data[at | 3] !== 0))
}

/** Makes the layers of a file invisible, except the lowest. */
function showLowest(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let layers = 0
  for (let at = 128 + 16; at < bytes.length; at += view.getUint32(at, true))
    if (view.getUint16(at + 4, true) === 0x2004 && layers++ > 0) bytes[at + 6] = 0
}

describeWith(names.length > 0, 'corpora')('the corpus of Aseprite files', () => {
  test('every file is read', () => {
    expect(sources.length).toBeGreaterThanOrEqual(39)
    expect(sources.map((name) => read(name).frames.length)).not.toContain(0)
  })

  const drawn = sources.filter((name) => names.includes(name.replace('.aseprite', '.png')) && !name.startsWith('util_extrude'))
  const exact = drawn.filter((name) => !(name in older))

  test.each(exact)('%s has the pixels of its picture', (name) => {
    expect(differing(read(name).frames[0]!.bitmap, picture(name.replace('.aseprite', '.png')))).toEqual([])
  })

  test('most files have a picture', () => {
    expect(exact.length).toBeGreaterThanOrEqual(19)
  })

  // Aseprite before August 2025 confused the channels of a colour if two of them were equal. It rounded otherwise, too.
  test.each(Object.entries(older))('%s differs only where two channels below are equal, or by one', (name, count) => {
    const { bitmap } = read(name).frames[0]!
    const below = read(name, showLowest).frames[0]!.bitmap.data
    const old = picture(name.replace('.aseprite', '.png'))
    const found = differing(bitmap, old)
    expect(found.length).toBe(count)
    const distinct = found.filter((at) => new Set(below.subarray(at & ~3, at | 3)).size === 3)
    expect(distinct.filter((at) => Math.abs(bitmap.data[at]! - old.data[at]!) > 1)).toEqual([])
  })

  test('a picture of one frame of four, a picture with an added border and pictures of tiles are met too', () => {
    expect(differing(read('indexed.aseprite').frames[0]!.bitmap, picture('indexed_01.png'))).toEqual([])
    expect(differing(read('util_extrude.aseprite').frames[0]!.bitmap, crop(picture('util_extrude.png'), 1, 1, 16, 16))).toEqual([])
    const [first, second] = read('tilemap_empty_edges.aseprite').frames
    const places = (frame: Bitmap, tile: Bitmap): number =>
      Array.from({ length: 32 * 32 }, (_, at) => crop(frame, 16 * (at % 32), 16 * Math.floor(at / 32), 16, 16)).filter(
        (part) => differing(part, tile).length === 0,
      ).length
    expect(places(first!.bitmap, picture('tilemap_empty_edges_0_1.png'))).toBeGreaterThan(0)
    expect(places(second!.bitmap, picture('tilemap_empty_edges_0_0.png'))).toBeGreaterThan(0)
  })
})

// Tags and slices as the tests of asefile and aseprite-loader state them.
describeWith(names.length > 0, 'corpora')('the corpus of Aseprite files', () => {
  test('has the tags and slices that its authors state', () => {
    const loaded = read('loader-tags.aseprite')
    expect(loaded.tags.map(({ name }) => name)).toEqual(['Tag 1', 'Tag 2', 'Tag 3'])
    const { tags, frames } = read('adventurer.aseprite')
    expect(frames.length).toBe(179)
    expect(tags.slice(0, 3).map(({ name, from, to }) => [name, from, to])).toEqual([
      ['idle', 0, 3],
      ['crouch', 4, 7],
      ['run', 8, 13],
    ])
    expect(tags.every(({ direction }) => direction === 'forward')).toBe(true)
    const [plain, nine] = read('slice_advanced.aseprite').slices
    expect(plain?.name).toBe('Slice 1')
    expect(plain?.keys.map(({ frame }) => frame)).toEqual([0, 1, 2, 3])
    expect(plain?.keys[0]?.pivot).toEqual({ x: 4, y: 10 })
    expect(nine?.keys[0]?.center).toEqual({ x: 3, y: 3, width: 2, height: 2 })
  })
})
