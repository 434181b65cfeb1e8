import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, makePlaceholder } from '../../atlas/index.ts'

/** A blue figure, 10 × 30 pixels, on the bottom of a ground of 40 × 60. */
function picture(ground: readonly [number, number, number, number]): Bitmap {
  const bitmap = createBitmap(40, 60)
  for (let at = 0; at < 40 * 60; at++) bitmap.data.set(ground, at * 4)
  for (let y = 25; y < 55; y++) for (let x = 15; x < 25; x++) bitmap.data.set([20, 40, 200, 255], (y * 40 + x) * 4)
  return bitmap
}

const clear = picture([0, 0, 0, 0])
const green = picture([90, 200, 90, 255])

const at = ({ data, width }: Bitmap, x: number, y: number): number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
const isClear = (bitmap: Bitmap, x: number, y: number): boolean => at(bitmap, x, y)[3] === 0
const hex = ({ data }: Bitmap): string => Buffer.from(data).toString('hex')

describe('a stand-in', () => {
  test.each([
    ['without a reference', undefined],
    ['of a cut-out figure', clear],
    ['of a figure before a wall', green],
  ])('%s has the size and number asked for, moves, and is the same each time', (_name, reference) => {
    const options = { frames: 12, width: 48, height: 32, label: 'hero/walk', prompt: 'a red knight' }
    const frames = makePlaceholder(reference, options)
    expect(frames.map(({ width, height }) => [width, height])).toEqual(Array.from({ length: 12 }, () => [48, 32]))
    expect(new Set(frames.map(hex)).size).toBeGreaterThan(4)
    expect(makePlaceholder(reference, options)).toEqual(frames)
    const unmarked = makePlaceholder(reference, { ...options, isMarked: false })
    expect(new Set(unmarked.map(hex)).size).toBeGreaterThan(2)
  })

  test('begins with the reference as it is, and comes back to it: nothing jumps when the real art comes', () => {
    const frames = makePlaceholder(clear, { frames: 8, label: 'hero/walk', isMarked: false })
    expect(frames[0]).toEqual(clear)
    expect(frames[4]).not.toEqual(clear)
    // Its feet do not move.
    for (const frame of frames) expect([at(frame, 20, 54)[2], isClear(frame, 20, 55)]).toEqual([200, true])
  })

  test('has stripes at the corner of its figure that move on with every frame, unless it is to have none', () => {
    const marked = makePlaceholder(clear, { frames: 4, label: 'hero/walk' })
    const unmarked = makePlaceholder(clear, { frames: 4, label: 'hero/walk', isMarked: false })
    const isMarkedAt = (x: number, y: number): boolean[] =>
      marked.map((frame, index) => at(frame, x, y).join() !== at(unmarked[index]!, x, y).join())
    expect(isMarkedAt(15, 25)).toEqual([true, true, true, true])
    expect([isMarkedAt(0, 0), isMarkedAt(24, 54)].flat()).not.toContain(true)
    expect(new Set(marked.map((frame) => at(frame, 15, 25).join())).size).toBe(2)
    // The corner makes animations distinguishable.
    const other = makePlaceholder(clear, { frames: 4, label: 'hero/attack' })
    expect(other.map(hex)).not.toEqual(marked.map(hex))
  })

  test('stands before nothing where the background is to be removed, before its own where it is kept', () => {
    const removed = makePlaceholder(green, { frames: 7, label: 'x', isMarked: false })
    expect(removed[0]).toEqual(clear)
    const kept = makePlaceholder(green, { frames: 7, label: 'x', isMarked: false, background: 'keep' })
    expect(kept[0]).toEqual(green)
    for (const frame of kept)
      for (const [x, y] of [
        [0, 0],
        [39, 0],
        [0, 59],
        [39, 59],
      ] as const)
        expect(at(frame, x, y)).toEqual([90, 200, 90, 255])
    expect(kept[3]).not.toEqual(green)
    // A frame of another shape is filled too.
    const wide = makePlaceholder(green, { frames: 7, label: 'x', width: 80, height: 20, isMarked: false, background: 'keep' })
    expect(wide.every((frame) => !isClear(frame, 0, 0) && !isClear(frame, 79, 19))).toBe(true)
  })

  test('has its stripes in the frame, wherever the figure is', () => {
    const dot = createBitmap(40, 60)
    dot.data.set([9, 9, 9, 255], (59 * 40 + 39) * 4)
    const [frame] = makePlaceholder(dot, { frames: 7, label: 'x' })
    expect(isClear(frame as Bitmap, 39, 59)).toBe(false)
    expect(isClear(frame as Bitmap, 0, 0)).toBe(true)
  })

  test('of a picture of one colour shows that', () => {
    const plain = createBitmap(4, 4, new Uint8Array(64).fill(255))
    expect(makePlaceholder(plain, { frames: 7, label: 'x', isMarked: false })[0]).toEqual(plain)
    expect(makePlaceholder(createBitmap(1, 1, new Uint8Array([1, 2, 3, 255])), { frames: 7, label: '' })[0]).toMatchObject({
      width: 1,
      height: 1,
    })
  })

  test('is no larger than sprites are, in the shape of its reference', () => {
    const [frame] = makePlaceholder(createBitmap(4000, 1000), { frames: 7, label: 'x' })
    expect([frame?.width, frame?.height]).toEqual([512, 128])
  })

  test('without a reference is drawn after its prompt: what it is, and the colour that is named', () => {
    const draw = (prompt: string): Bitmap => makePlaceholder(undefined, { frames: 7, label: 'x', prompt, isMarked: false })[0] as Bitmap
    const middle = (prompt: string): number[] => at(draw(prompt), 64, 80)
    expect(middle('a red knight')).toEqual([214, 64, 58, 255])
    expect(middle('A tall, blue-clad KNIGHT with golden hair')).toEqual([74, 122, 214, 255])
    const kinds = ['a red knight', 'a red fox', 'a red bat', 'a red slime', 'a red gem'].map((prompt) => hex(draw(prompt)))
    expect(new Set(kinds).size).toBe(5)
    expect(draw('a red fox that guards a gem')).toEqual(draw('a red wolf'))
    expect(draw('a red gem that a fox guards')).toEqual(draw('a red coin'))
    // A prompt without a colour gets one of its own, always the same.
    expect(middle('a knight')).toEqual(middle('a knight'))
    expect(middle('a knight')).not.toEqual(middle('the other knight'))
    const ground = makePlaceholder(undefined, { frames: 7, label: 'x', prompt: 'a fox', background: 'keep' })[0] as Bitmap
    expect(isClear(ground, 127, 0)).toBe(false)
  })
})
