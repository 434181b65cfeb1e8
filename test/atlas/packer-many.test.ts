import { describe, expect, test } from 'vitest'
import { type PackedPage, type PackSize, packPages } from '../../atlas/packing/packer.ts'
import { expectSound } from './packings.ts'
import { refusal } from './refusal.ts'

type Range = readonly [number, number]

/** Frames with random sides from ranges. A few have both sides from another range. */
function draw(count: number, seed: number, widths: Range, heights: Range, other: Range = widths): PackSize[] {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const within = ([low, high]: Range): number => low + Math.floor(next() * (high - low + 1))
  return Array.from({ length: count }, () =>
    next() < 0.03 ? { width: within(other), height: within(other) } : { width: within(widths), height: within(heights) },
  )
}

function groupsOf(sizes: readonly PackSize[], perGroup: number): { name: string; members: number[] }[] {
  return Array.from({ length: Math.ceil(sizes.length / perGroup) }, (_, group) => ({
    name: `sprite${String(group).padStart(4, '0')}/walk`,
    members: [...sizes.keys()].filter((index) => Math.floor(index / perGroup) === group),
  }))
}

const areaOf = (sizes: readonly PackSize[]): number => sizes.reduce((sum, { width, height }) => sum + width * height, 0)

describe('pages of many frames', () => {
  test.each([
    ['of all sizes', draw(260, 1, [12, 90], [12, 90])],
    ['wide ones', draw(240, 2, [20, 200], [8, 30])],
    ['tall ones', draw(240, 3, [8, 30], [20, 200])],
    ['nearly equal', draw(240, 4, [30, 33], [30, 33])],
    ['all equal', draw(220, 5, [32, 32], [32, 32])],
    ['small ones and a few large', draw(260, 6, [4, 30], [4, 30], [150, 300])],
    ['thin lines', draw(220, 7, [1, 3], [1, 60], [1, 200])],
  ])('%s: nothing overlaps, is dropped, or leaves its page', (_, sizes) => {
    const groups = groupsOf(sizes, 12)
    for (const canTurn of [false, true]) {
      for (const maxSize of [512, 2048]) {
        const options = { maxSize, padding: 2, border: 1, canTurn }
        expectSound(packPages(sizes, groups, options), { sizes, groups, options })
      }
    }
  })

  test('pages of many megapixels that must leave much of their room empty are sound too', () => {
    const sizes = [...draw(24, 10, [2100, 2400], [1500, 2400]), ...draw(6, 11, [300, 900], [300, 900])]
    const groups = groupsOf(sizes, 1)
    for (const canTurn of [false, true]) {
      const options = { maxSize: 4096, padding: 2, border: 1, canTurn }
      expectSound(packPages(sizes, groups, options), { sizes, groups, options })
    }
  })

  test('every page but the last is dense', () => {
    const sizes = draw(1200, 9, [20, 90], [20, 90])
    const pages = packPages(sizes, groupsOf(sizes, 12), { maxSize: 1024, padding: 0, border: 0 })
    expect(pages.length).toBeGreaterThan(2)
    for (const { width, height, positions } of pages.slice(0, -1)) {
      const placed = [...positions.keys()].map((index) => sizes[index]!)
      expect(areaOf(placed) / (width * height)).toBeGreaterThan(0.98)
    }
  })
})

describe('the groups of a page', () => {
  /** Rows as wide as a page of 100 pixels. Every group is two of them, which are this high together. */
  const inRows = (heights: readonly number[]): { sizes: PackSize[]; groups: { name: string; members: number[] }[] } => ({
    sizes: heights.flatMap((height) => [
      { width: 100, height: 4 },
      { width: 100, height: height - 4 },
    ]),
    groups: heights.map((_, at) => ({ name: `g${String(at).padStart(2, '0')}`, members: [2 * at, 2 * at + 1] })),
  })
  const exact = { maxSize: 100, padding: 0, border: 0 }
  const taken = (pages: readonly PackedPage[]): unknown => pages.map((page) => page.groups)

  test.each([
    ['all that fit', [40, 60], [[0, 1]]],
    ['the longest run', [40, 30, 20, 10, 30], [[0, 1, 2, 3], [4]]],
    ['a first one that fills it', [100, 50, 50], [[0], [1, 2]]],
    [
      'later ones that fit beside it, until four more did not',
      [40, 30, 50, 60, 70, 35, 20, 15, 10, 10],
      [[0, 1, 6], [2, 5, 7], [3, 8, 9], [4]],
    ],
  ])('a page takes by name %s', (_, heights, expected) => {
    const { sizes, groups } = inRows(heights)
    expect(taken(packPages(sizes, groups, exact))).toEqual(expected)
  })

  test.each([
    ['twelve of which five fit', 12, { width: 34, height: 17 }, [5, 5, 2]],
    ['nine of which one fits', 9, { width: 51, height: 26 }, [1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ])('a page takes as many of equal groups as fit, not as its area allows: %s', (_, count, size, expected) => {
    const sizes = Array.from({ length: 2 * count }, () => size)
    expect(packPages(sizes, groupsOf(sizes, 2), exact).map((page) => page.groups.length)).toEqual(expected)
  })

  test('pages follow the names of their groups, in code units, and equal names their numbers', () => {
    const { sizes, groups } = inRows([60, 61, 62, 63, 64])
    const named = ['b', 'a', 'Z', 'b', 'é'].map((name, at) => ({ ...groups[at]!, name }))
    expect(taken(packPages(sizes, named, exact))).toEqual([[2], [1], [0], [3], [4]])
  })

  test('what two groups share fills a page once', () => {
    const { sizes, groups } = inRows([60, 30])
    const both = [groups[0]!, { name: 'g00b', members: [0, 1, 2, 3] }]
    expect(taken(packPages(sizes, both, exact))).toEqual([[0, 1]])
  })

  test.each([
    ['a group', [[3], [1, 2]], { animation: 'g1', frames: 2, widest: 180, tallest: 100 }],
    [
      'one of several groups',
      [
        [1, 3],
        [0, 1, 2],
        [1, 2],
      ],
      { animation: 'g1', frames: 3, widest: 180, tallest: 200 },
    ],
    ['the first single picture by name', [[3], [4], [4], [0]], { animation: 'g1', frames: 1, widest: 402, tallest: 8 }],
  ])('%s that is too large is named with its size in pixels', (_, members, facts) => {
    const sizes = [
      { width: 30, height: 100 },
      { width: 90, height: 40 },
      { width: 80, height: 50 },
      { width: 5, height: 5 },
      { width: 201, height: 4 },
    ]
    const groups = members.map((some, at) => ({ name: `g${at}`, members: some }))
    const { code, facts: found } = refusal(() => packPages(sizes, groups, { maxSize: 90, padding: 3, border: 0, unit: 2 }))
    expect([code, found]).toEqual(['SW_PACK', { ...facts, maxSize: 180 }])
  })
})
