import { describe, expect, test } from 'vitest'
import { type PackSize, packPages } from '../../atlas/packing/packer.ts'
import { expectSound } from './packings.ts'

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
