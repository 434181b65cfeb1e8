import fc from 'fast-check'
import { expect } from 'vitest'
import type { PackedPage, PackGroup, PackOptions, PackSize } from '../../atlas/packing/packer.ts'

/**
 * Sizes to pack, animations of one or more sizes, which may share some, and bounds within which each
 * animation fits on a page.
 */
export interface Packing {
  readonly sizes: readonly PackSize[]
  readonly groups: readonly PackGroup[]
  readonly options: PackOptions
}

/** Packings of up to 60 rectangles for pages of 160 pixels: one page or several. */
export const packings: fc.Arbitrary<Packing> = fc
  .record({
    sizes: fc.array(fc.record({ width: fc.integer({ min: 1, max: 48 }), height: fc.integer({ min: 1, max: 48 }) }), {
      minLength: 1,
      maxLength: 60,
    }),
    padding: fc.integer({ min: 0, max: 5 }),
    border: fc.integer({ min: 0, max: 3 }),
    perGroup: fc.integer({ min: 1, max: 4 }),
    isShared: fc.boolean(),
    canTurn: fc.boolean(),
  })
  .map(({ sizes, perGroup, isShared, ...bounds }) => {
    const starts = sizes.flatMap((_, index) => (isShared || index % perGroup === 0 ? [index] : []))
    const groups = starts.map((start) => ({
      name: `g${String(start).padStart(2, '0')}`,
      members: sizes.map((_, index) => index).slice(start, start + perGroup),
    }))
    return { sizes, groups, options: { maxSize: 160, ...bounds } }
  })

/** The area of each rectangle on a page. */
export function covered(
  page: PackedPage,
  sizes: readonly PackSize[],
): { index: number; x: number; y: number; width: number; height: number }[] {
  return [...page.positions].map(([index, { x, y, isTurned }]) => {
    const { width, height } = sizes[index]!
    return { index, x, y, width: isTurned ? height : width, height: isTurned ? width : height }
  })
}

/**
 * Fails unless pages keep every promise: nothing dropped, every group whole and once, rectangles inside and
 * apart, no page larger than allowed.
 */
export function expectSound(pages: readonly PackedPage[], { sizes, groups, options }: Packing): void {
  const { maxSize, padding, border } = options
  expect(pages.flatMap((page) => page.groups).sort((a, b) => a - b)).toEqual(groups.map((_, index) => index))
  for (const page of pages) {
    expect(Math.max(page.width, page.height)).toBeLessThanOrEqual(maxSize)
    const wanted = new Set(page.groups.flatMap((group) => groups[group]!.members))
    expect([...page.positions.keys()].sort((a, b) => a - b)).toEqual([...wanted].sort((a, b) => a - b))
    const placed = covered(page, sizes)
    let atEdge = border
    let between = padding
    for (const [at, a] of placed.entries()) {
      atEdge = Math.min(atEdge, a.x, a.y, page.width - a.x - a.width, page.height - a.y - a.height)
      for (let other = at + 1; other < placed.length; other++) {
        const b = placed[other]!
        between = Math.min(between, Math.max(b.x - a.x - a.width, a.x - b.x - b.width, b.y - a.y - a.height, a.y - b.y - b.height))
      }
    }
    expect({ atEdge, between }).toEqual({ atEdge: border, between: padding })
  }
}

/** Area of the rectangles, each once, as a share of the pages' area: 0 to 1. */
export function occupancy(pages: readonly PackedPage[], sizes: readonly PackSize[]): number {
  const area = (all: readonly PackSize[]): number => all.reduce((sum, { width, height }) => sum + width * height, 0)
  return area(sizes) / area(pages)
}
