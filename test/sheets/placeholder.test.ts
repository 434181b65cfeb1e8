import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { isOneScale, ownerOf, readPlayed, toSequence, untrimmed } from '../../src/sheets/frames.ts'
import { drawPlaceholder, type PlaceholderSource } from '../../src/sheets/placeholder.ts'
import type { SheetInput } from '../../src/sheets/sources.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { figurePng } from '../kit/project.ts'

const text = JSON.stringify({ reference: './hero.png', prompt: 'a knight', animations: { walk: { frames: 9 }, jump: { frames: 7 } } })
const spec = parseSpec(text, '/game/hero.sprite.json')

/** The size and the digest of each frame. */
async function drawn(readLike: PlaceholderSource['readLike'], read = async (): Promise<Uint8Array | undefined> => figurePng()) {
  const source: PlaceholderSource = { kind: 'placeholder', sha256: 'a', prompt: 'a knight', isMarked: true, read, readLike }
  const frames = await drawPlaceholder(spec, spec.animations[1]!, source)
  return frames.map(({ width, height, data }) => [width, height, sha256(data)] as const)
}

test('a placeholder has the size of bought frames of its sprite', async () => {
  const frames = await drawn(async () => [createBitmap(90, 40), createBitmap(10, 10)])
  expect(frames.map(([width, height]) => [width, height])).toEqual(Array(7).fill([90, 40]))
})

test('a bought result that cannot be read, or has no frame, costs its sprite no placeholder: it has the shape of the reference', async () => {
  const plain = await drawn(undefined)
  expect(plain).toHaveLength(7)
  expect(await drawn(async () => [])).toEqual(plain)
  expect(await drawn(() => Promise.reject(Object.assign(new Error('cut short'), { code: 'SW_ARCHIVE' })))).toEqual(plain)
})

test('a reference that has not been made yet is no error, one that cannot be read is', async () => {
  expect(await drawn(undefined, async () => undefined)).toHaveLength(7)
  await expect(drawn(undefined, () => Promise.reject(new Error('the disk is away')))).rejects.toThrow('the disk is away')
  await expect(drawn(undefined, async () => new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ code: 'SW_IMAGE' })
})

describe('the frames of an animation', () => {
  const walk = { fps: 8, use: [2, 0, 2], loop: false, yoyo: true }
  const inputOf = (fields: object = {}, animation: object = walk, kind = 'own') => {
    const made = parseSpec(
      JSON.stringify({ reference: './hero.png', prompt: 'x', animations: { walk: animation }, ...fields }),
      '/game/hero.sprite.json',
    )
    const source = { kind, sha256: 'x', read: async () => Array.from({ length: 3 }, () => createBitmap(20, 10)) }
    return { spec: made, animation: made.animations[0], source } as unknown as SheetInput
  }
  const bitmap = createBitmap(20, 10)
  const room = { x: 0, y: 0, width: 20, height: 10 }
  const frames = [0, 2].map((index) => ({ index, bitmap }))

  test('are packed under their numbers, and played as the spec says', () => {
    const { durations: _, ...sequence } = toSequence(inputOf({ anchor: [0.5, 1], extrude: 2, padding: 3, trim: false }), { frames, room })
    expect(sequence).toEqual({
      ...{ name: 'hero/walk', sprite: 'hero', fps: 8, loop: false, yoyo: true, anchor: { x: 0.5, y: 1 }, looks: undefined },
      frames: ['hero/walk/0000', 'hero/walk/0002'].map((name) => ({ name, bitmap, durationMs: 125 })),
      play: ['hero/walk/0002', 'hero/walk/0000', 'hero/walk/0002'],
      ...{ trim: false, extrude: 2, padding: 3, pixelArt: false },
    })
    expect(toSequence(inputOf({}, { fps: 8 }), { frames, room }).play).toEqual(['hero/walk/0000', 'hero/walk/0002'])
  })

  test('keep their anchor at the same point of the figure on a canvas that has grown', () => {
    const grown = { x: 10, y: 5, width: 20, height: 10 }
    expect(toSequence(inputOf({ anchor: [0.5, 1] }), { frames, room: grown }).anchor).toEqual({ x: 0.5, y: 0.75 })
    expect(toSequence(inputOf({ anchor: [0, 0] }), { frames, room: { ...grown, y: 0 } }).anchor).toEqual({ x: 0.25, y: 0 })
  })

  test('have borders if these leave space, a placeholder none, and others are refused with the figures', () => {
    const bordersOf = (borders: readonly number[], kind = 'own') => toSequence(inputOf({ borders }, walk, kind), { frames, room }).borders
    expect(bordersOf([9, 4, 10, 5])).toEqual({ left: 9, top: 4, right: 10, bottom: 5 })
    for (const borders of [
      [10, 4, 10, 5],
      [9, 5, 10, 5],
    ]) {
      expect(bordersOf(borders, 'placeholder')).toBeUndefined()
      const [left, top, right, bottom] = borders
      const facts = { file: '/game/hero.sprite.json', left, top, right, bottom, width: 20, height: 10 }
      expect(() => bordersOf(borders)).toThrow(expect.objectContaining({ code: 'SW_SPEC', facts }))
    }
  })

  test('have the borders of their source at their own scale', () => {
    const input = inputOf()
    const bordered = { ...input.spec, art: { borders: { left: 4, top: 2, right: 6, bottom: 1 } } } as unknown as SheetInput['spec']
    const whole = { x: 0, y: 0, width: 40, height: 40 }
    expect(toSequence({ ...input, spec: bordered }, { frames, room: whole }).borders).toEqual({ left: 2, top: 1, right: 3, bottom: 0 })
  })

  test('are those that "use" names, each once, and one that was not delivered is refused', async () => {
    const { indices, frames: played, room: own, warnings } = await readPlayed(inputOf())
    expect({ indices, count: played.length, own, warnings }).toEqual({ indices: [2, 0], count: 2, own: room, warnings: [] })
    await expect(readPlayed(inputOf({}, { use: [0, 3] }))).rejects.toMatchObject({
      code: 'SW_SPEC',
      facts: { file: '/game/hero.sprite.json', animation: 'walk', frame: 3, frames: 3 },
    })
  })

  test('have one scale with frames of their size, and in pixel art with all', () => {
    const measure = (width: number, height: number) => ({ room: { x: 0, y: 0, width, height } })
    const isOne = (width: number, height: number, pixelArt = false) =>
      isOneScale({ ...spec, pixelArt }, measure(20, 10), measure(width, height))
    expect([isOne(20, 10), isOne(21, 10), isOne(20, 11), isOne(21, 11, true)]).toEqual([true, false, false, true])
  })

  test('are whole again without their trim', () => {
    const small = createBitmap(2, 1, new Uint8Array(8).fill(9))
    const cut = {
      frames: [
        { index: 3, bitmap: small, canvas: { x: 1, y: 2, width: 4, height: 4 } },
        { index: 4, bitmap },
      ],
      room,
      warnings: ['w'],
    }
    const whole = untrimmed(cut)
    expect(whole).toEqual({
      ...cut,
      frames: [
        { index: 3, bitmap: expect.anything() },
        { index: 4, bitmap },
      ],
    })
    const [first] = whole.frames.map((frame) => frame.bitmap)
    const filled = [...(first?.data ?? [])].flatMap((value, at) => (value === 9 ? [at] : []))
    expect([first?.width, first?.height, filled]).toEqual([4, 4, [36, 37, 38, 39, 40, 41, 42, 43]])
  })

  test.each([
    ['hero/walk/0003', 'hero/walk'],
    ['ui/sword', 'ui/sword'],
    ['badge', 'badge'],
  ])('belong to an animation or are a picture: %s is of %s', (frame, owner) => {
    expect(ownerOf(frame)).toBe(owner)
  })
})
