import { describe, expect, test } from 'vitest'
import { layOutInBands } from '../../atlas/packing/bands.ts'
import type { Box } from '../../atlas/packing/boxes.ts'
import type { PackSize } from '../../atlas/packing/packer.ts'
import { packPages } from '../../atlas/packing/packer.ts'
import { layOut } from '../../atlas/packing/search.ts'
import { expectSound } from './packings.ts'

type Range = readonly [number, number]

/** Boxes with random sides from ranges. A few have both sides from another range. */
function draw(count: number, seed: number, widths: Range, heights: Range, other: Range = widths): Box[] {
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

const areaOf = (boxes: readonly Box[]): number => boxes.reduce((sum, { width, height }) => sum + width * height, 0)
const usual = { longest: 2048, edge: 0 }

describe('pages in bands', () => {
  test.each([
    ['of all sizes', draw(260, 1, [12, 90], [12, 90])],
    ['wide ones', draw(240, 2, [20, 200], [8, 30])],
    ['tall ones', draw(240, 3, [8, 30], [20, 200])],
    ['nearly equal', draw(240, 4, [30, 33], [30, 33])],
    ['all equal', draw(220, 5, [32, 32], [32, 32])],
    ['small ones and a few large', draw(260, 6, [4, 30], [4, 30], [150, 300])],
    ['thin lines', draw(220, 7, [1, 3], [1, 60], [1, 200])],
  ])('many frames, %s: nothing overlaps, is dropped, or leaves its page', (_, sizes) => {
    const groups = groupsOf(sizes, 12)
    for (const canTurn of [false, true]) {
      for (const maxSize of [512, 2048]) {
        const options = { maxSize, padding: 2, border: 1, canTurn }
        expectSound(packPages(sizes, groups, options), { sizes, groups, options })
      }
    }
  })

  test.each([
    [false, [20, 120], [20, 120]],
    [true, [20, 120], [20, 120]],
    [false, [20, 60], [40, 160]],
    [true, [40, 160], [20, 60]],
  ] as const)('fill more of a page than the search of the whole page does (turned or not: %s, %j × %j)', (canTurn, widths, heights) => {
    const boxes = draw(400, 11, widths, heights)
    const page = layOutInBands(boxes, { ...usual, canTurn })!
    const other = layOut(boxes, { ...usual, canTurn })!
    expect(areaOf(boxes) / (page.width * page.height)).toBeGreaterThan(0.99)
    expect(page.width * page.height).toBeLessThan(other.width * other.height)
  })

  test('where bands suit frames badly, the page is no larger than the other search finds it', () => {
    for (const boxes of [draw(300, 4, [30, 33], [30, 33]), draw(300, 5, [32, 32], [32, 32])]) {
      const [page] = packPages(boxes, groupsOf(boxes, 300), { maxSize: 2048, padding: 0, border: 0 })
      const other = layOut(boxes, { ...usual, canTurn: false })!
      expect(page!.width * page!.height).toBeLessThanOrEqual(other.width * other.height)
    }
  })

  test('few boxes, boxes as wide as the page, and more than it holds are left to others', () => {
    expect(layOutInBands(draw(100, 8, [20, 90], [20, 90]), { ...usual, canTurn: false })).toBeUndefined()
    expect(
      layOutInBands([...draw(300, 8, [20, 90], [20, 90]), { width: 2000, height: 2000 }], { ...usual, canTurn: false }),
    ).toBeUndefined()
    expect(layOutInBands(draw(300, 8, [20, 90], [20, 90]), { ...usual, longest: 700, canTurn: false })).toBeUndefined()
  })

  test('several pages are denser than the search of whole pages makes them; what fits on one page is left to that search', () => {
    const sizes = draw(1200, 9, [20, 90], [20, 90])
    const options = { maxSize: 1024, padding: 0, border: 0 }
    const pages = packPages(sizes, groupsOf(sizes, 12), options)
    expect(pages.length).toBeGreaterThan(2)
    const boxesOf = (page: (typeof pages)[number]): Box[] => [...page.positions.keys()].map((index) => sizes[index]!)
    for (const page of pages.slice(0, -1)) expect(areaOf(boxesOf(page)) / (page.width * page.height)).toBeGreaterThan(0.985)
    const [only] = packPages(sizes, groupsOf(sizes, 12), { ...options, maxSize: 4096 })
    const other = layOut(sizes, { longest: 4096, edge: 0, canTurn: false })!
    expect([only!.width, only!.height]).toEqual([other.width, other.height])
  })
})
