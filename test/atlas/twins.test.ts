import { expect, test } from 'vitest'
import { makeAtlas } from '../../atlas/atlas.ts'
import { createBitmap } from '../../atlas/bitmap.ts'
import type { FrameSequence } from '../../atlas/frame.ts'
import type { EarlierFrame } from '../../atlas/frames/placed-frame.ts'

/** Frames of 25 × 25 pixels, one of each colour. */
function sequenceOf(name: string, colours: readonly number[]): FrameSequence {
  const frames = colours.map((colour, at) => {
    const bitmap = createBitmap(25, 25)
    bitmap.data.fill(colour)
    return { name: `${name}/${String(at).padStart(4, '0')}`, bitmap, durationMs: 80 }
  })
  const play = frames.map((frame) => frame.name)
  const rest = { fps: 12, loop: true, yoyo: false, trim: false, extrude: 0, padding: 0, pixelArt: false }
  return { name, sprite: name, frames, play, ...rest }
}

/** The places of the sequences' frames if they fill a page in rows of four. */
function inRows(page: number, sequences: readonly FrameSequence[]): readonly EarlierFrame[] {
  const frames = sequences.flatMap((sequence) => sequence.frames)
  return frames.map(({ name }, at) => ({ name, page, x: 1 + 25 * (at % 4), y: 1 + 25 * (at >> 2), width: 25, height: 25 }))
}

test('sprites that look alike and lie on two pages stay where they lay', () => {
  const colours = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at)
  const first = [sequenceOf('a', [50]), sequenceOf('b', colours(100, 15))]
  const second = [sequenceOf('z', [50]), sequenceOf('c', colours(200, 14))]
  const earlier = [...inRows(0, first), ...inRows(1, second)]
  const { frames } = makeAtlas('sprites', [...first, ...second], { maxSize: 102, earlier })
  const placeOf = ({ name, page, x, y }: EarlierFrame): readonly unknown[] => [name, page, x, y]
  expect(frames.map(placeOf)).toEqual([...earlier].sort((a, b) => (a.name < b.name ? -1 : 1)).map(placeOf))
})

test('frames that look alike share a picture only if their edges are repeated equally often', () => {
  const sequences = [0, 2, 2].map((extrude, at) => ({ ...sequenceOf('abc'.charAt(at), [50]), extrude }))
  const { frames } = makeAtlas('sprites', sequences)
  const [a, b, c] = frames.map(({ page, x, y }) => `${page} ${x} ${y}`)
  expect(b).not.toBe(a)
  expect(c).toBe(b)
})
