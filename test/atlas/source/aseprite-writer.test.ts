import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AsepriteFile, AtlasError, createBitmap, readAseprite, writeAseprite } from '../../../atlas/index.ts'
import { asepriteFiles } from './aseprite-cases.ts'

const frame = { bitmap: createBitmap(2, 1, Uint8Array.of(0, 0, 0, 0, 1, 2, 3, 255)), durationMs: 80 }
const usual: AsepriteFile = { width: 2, height: 1, frames: [frame], tags: [], slices: [] }

describe('a written file', () => {
  test('is read as what was written', () => {
    fc.assert(
      fc.property(asepriteFiles, (file) => {
        expect(readAseprite(writeAseprite(file))).toEqual(file)
      }),
      { numRuns: 200 },
    )
  })

  test('has the same bytes each time', () => {
    const same = fc.property(asepriteFiles, (file) => {
      expect(writeAseprite(file)).toEqual(writeAseprite(file))
    })
    fc.assert(same, { numRuns: 20 })
  })

  test('holds only the content of a frame, and nothing of an empty one', () => {
    const size = (pixels: number): number => {
      const bitmap = createBitmap(1000, 1000)
      bitmap.data.fill(7, 0, 4 * pixels)
      return writeAseprite({ ...usual, width: 1000, height: 1000, frames: [{ bitmap, durationMs: 1 }] }).length
    }
    expect(size(1) - size(0)).toBeLessThan(50)
  })

  test('may have content beyond the places that a cel can have', () => {
    const bitmap = createBitmap(40_000, 2)
    bitmap.data.set([1, 2, 3, 4], 4 * 79_999)
    const file = { ...usual, width: 40_000, height: 2, frames: [{ bitmap, durationMs: 1 }] }
    expect(readAseprite(writeAseprite(file))).toEqual(file)
  })
})

describe('what does not fit into a file', () => {
  const refusal = (change: Partial<AsepriteFile>): unknown => {
    try {
      writeAseprite({ ...usual, ...change })
      return 'written'
    } catch (error) {
      return error instanceof AtlasError ? `${error.code} ${error.message}` : error
    }
  }
  const tag = { name: 'a', from: 0, to: 0, direction: 'forward', repeat: 0 } as const
  const key = { frame: 0, x: 0, y: 0, width: 1, height: 1 }

  test('is refused in words', () => {
    expect(refusal({})).toBe('written')
    expect(refusal({ width: 3 })).toBe('SW_FRAME_SIZE Expected every frame to be 3 × 1 pixels, found frame 0 with 2 × 1.')
    expect(refusal({ frames: [] })).toBe('SW_ATLAS_OPTION Expected the frames from 1 to 65535, found 0.')
    expect(refusal({ frames: [{ ...frame, durationMs: 0 }] })).toBe('SW_ATLAS_OPTION Expected the duration from 1 to 65535, found 0.')
    expect(refusal({ frames: [{ ...frame, durationMs: 16.7 }] })).toContain('found 16.7')
    expect(refusal({ tags: [{ ...tag, to: 1 }] })).toBe('SW_ATLAS_OPTION Expected tag "a" within 1 frames, found it from 0 to 1.')
    expect(refusal({ tags: [{ ...tag, repeat: 65536 }] })).toContain('found 65536')
    expect(refusal({ tags: [{ ...tag, name: 'x'.repeat(65536) }] })).toContain('found 65536')
    expect(refusal({ tags: [{ ...tag, name: '\ud800' }] })).toContain('Expected a name of whole characters')
    expect(refusal({ slices: [{ name: 'a', keys: [{ ...key, frame: 1 }] }] })).toContain('within 1 frames, found frame 1')
    expect(refusal({ slices: [{ name: 'a', keys: [{ ...key, x: 0.5 }] }] })).toContain('found 0.5')
    expect(refusal({ slices: [{ name: 'a', keys: [{ ...key, width: -1 }] }] })).toContain('found -1')
  })
})
