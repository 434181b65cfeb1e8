import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AtlasError } from '../../atlas/errors.ts'
import { type PackedPage, type PackSize, packPages } from '../../atlas/packing/packer.ts'
import { byLevel } from '../level.ts'
import { covered, expectSound, occupancy, packings } from './packings.ts'

/** Typical sizes of sprites; the seed decides. */
function frameSizes(count: number, seed: number, [low, high]: readonly [number, number] = [20, 90]): PackSize[] {
  let state = seed
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return low + Math.floor((state / 2 ** 32) * (high - low + 1))
  }
  return Array.from({ length: count }, () => ({ width: draw(), height: draw() }))
}

/** Animations of this many frames each. */
function inGroups(sizes: readonly PackSize[], perGroup: number): { name: string; members: number[] }[] {
  return Array.from({ length: Math.ceil(sizes.length / perGroup) }, (_, group) => ({
    name: `sprite${String(group).padStart(4, '0')}/walk`,
    members: sizes.flatMap((__, index) => (Math.floor(index / perGroup) === group ? [index] : [])),
  }))
}

function digest(pages: readonly PackedPage[]): string {
  const plain = pages.map((page) => [page.width, page.height, page.groups, [...page.positions].sort(([a], [b]) => a - b)])
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex')
}

const usual = { maxSize: 2048, padding: 2, border: 1 }

describe('packPages', () => {
  test('nothing overlaps, is dropped, leaves its page or comes nearer than the padding; animations are whole; no page is too long', () => {
    fc.assert(
      fc.property(packings, (packing) => expectSound(packPages(packing.sizes, packing.groups, packing.options), packing)),
      { numRuns: byLevel({ quick: 10, full: 40, long: 120 }) },
    )
  })

  test('turning never costs a page or area, and packs what fits in no other way', () => {
    const areaOf = (pages: readonly PackedPage[]): number => pages.reduce((sum, { width, height }) => sum + width * height, 0)
    fc.assert(
      fc.property(packings, ({ sizes, groups, options }) => {
        const upright = packPages(sizes, groups, { ...options, canTurn: false })
        const turned = packPages(sizes, groups, { ...options, canTurn: true })
        expect(turned.length).toBeLessThanOrEqual(upright.length)
        if (turned.length === upright.length) expect(areaOf(turned)).toBeLessThanOrEqual(areaOf(upright))
        const isUpright = turned.every(({ positions }) => [...positions.values()].every(({ isTurned }) => !isTurned))
        if (areaOf(turned) === areaOf(upright) && turned.length === upright.length) expect(isUpright).toBe(true)
      }),
      { numRuns: byLevel({ quick: 10, full: 40, long: 120 }) },
    )
    // A wide and a tall frame of one animation: only if one of them is turned do both fit on a page.
    const cross = [
      { width: 100, height: 50 },
      { width: 50, height: 100 },
    ]
    const [groups, options] = [[{ name: 'a', members: [0, 1] }], { maxSize: 100, padding: 0, border: 0 }]
    expect(() => packPages(cross, groups, options)).toThrow(AtlasError)
    expect(() => packPages(cross, groups, { ...options, maxSize: 60, canTurn: true })).toThrow(AtlasError)
    expect(packPages(cross, groups, { ...options, canTurn: true })).toMatchObject([{ width: 100, height: 100 }])
  })

  test('the order in which groups and their members are named changes no place', () => {
    fc.assert(
      fc.property(packings, fc.infiniteStream(fc.nat()), ({ sizes, groups, options }, numbers) => {
        const shuffled = <T>(values: readonly T[]): T[] =>
          values
            .map((value) => [numbers.next().value as number, value] as const)
            .sort(([a], [b]) => a - b)
            .map(([, value]) => value)
        const other = shuffled(groups).map(({ name, members }) => ({ name, members: shuffled(members) }))
        const places = (pages: readonly PackedPage[]): unknown =>
          pages.map((page) => covered(page, sizes).sort((a, b) => a.index - b.index))
        expect(places(packPages(sizes, other, options))).toEqual(places(packPages(sizes, groups, options)))
      }),
      { numRuns: byLevel({ quick: 10, full: 20, long: 60 }) },
    )
  })

  test('the order of members of one size changes no place', () => {
    const sizes = Array.from({ length: 7 }, () => ({ width: 10, height: 8 }))
    const pages = (members: readonly number[]): PackedPage[] => packPages(sizes, [{ name: 'a', members }], usual)
    expect(pages([4, 6, 0, 2, 5, 1, 3])).toEqual(pages([...sizes.keys()]))
  })

  test('the same input gives these very bytes, on every machine and version', () => {
    const sizes = frameSizes(300, 7)
    expect(digest(packPages(sizes, inGroups(sizes, 12), { ...usual, maxSize: 512 }))).toMatchInlineSnapshot(
      `"f90256dbc6ec3db4db1ae5e9c2fc2b8ded02b852c0ec5f720a18a954a18aa179"`,
    )
    expect(digest(packPages(sizes, inGroups(sizes, 12), { ...usual, canTurn: true }))).toMatchInlineSnapshot(
      `"51a7867ad783b811914613410370864ec258f9c58af6f337bb7b5cbc4423814a"`,
    )
    const many = frameSizes(900, 7)
    expect(digest(packPages(many, inGroups(many, 12), { ...usual, maxSize: 1024 }))).toMatchInlineSnapshot(
      `"9267cd5637e31807e48d7c57de3c9d75f101dd64f1ee69e58de8705598c11691"`,
    )
  })

  test('few boxes in wide borders give these very bytes too: turned, wide, or single on several pages', () => {
    const bordered = { maxSize: 256, padding: 1, border: 3 }
    const sizes = [{ width: 240, height: 9 }, ...frameSizes(24, 8)]
    const single = frameSizes(40, 6)
    expect([
      digest(packPages(sizes, inGroups(sizes, 5), { ...bordered, canTurn: true })),
      digest(packPages(sizes, inGroups(sizes, 5), { ...bordered, maxSize: 512 })),
      digest(packPages(single, inGroups(single, 1), bordered)),
    ]).toMatchInlineSnapshot(`
      [
        "9b64eacf17d4306f03ef70195d9c0f6ebd119ff141bf301bb8a100df53d57e39",
        "ad55ac96c731be0adb1a6f72bc28fffa9d2da8b06d70da95f6915e287f77fe08",
        "9e603fc5d2ba0c04ae2d9ab5627375ac2676100f069a478d4f25c41029b42de2",
      ]
    `)
  })

  test('single pictures on several pages are all there, and a group among them stays whole', () => {
    const sizes = frameSizes(40, 10)
    for (const groups of [inGroups(sizes, 1), [{ name: 'both', members: [0, 1] }, ...inGroups(sizes, 1).slice(2)]]) {
      const pages = packPages(sizes, groups, { ...usual, maxSize: 200 })
      expect(pages.length).toBeGreaterThan(2)
      expectSound(pages, { sizes, groups, options: { ...usual, maxSize: 200 } })
    }
  })

  test.each([
    [110, false, 0.885],
    [110, true, 0.895],
    [800, false, 0.915],
    [800, true, 0.92],
  ])('%i frames of mixed sizes, turned or not (%s), fill more than %d of a page', (count, canTurn, least) => {
    const sizes = frameSizes(count, 3, [24, 96])
    expect(occupancy(packPages(sizes, inGroups(sizes, 12), { ...usual, border: 0, canTurn }), sizes)).toBeGreaterThan(least)
  })

  test('single pictures go where they fill best: better than by name', () => {
    const sizes = frameSizes(byLevel({ quick: 250, full: 600, long: 600 }), 5)
    const options = { ...usual, border: 0, maxSize: 512 }
    const single = occupancy(packPages(sizes, inGroups(sizes, 1), options), sizes)
    expect(single).toBeGreaterThan(occupancy(packPages(sizes, inGroups(sizes, 2), options), sizes))
    expect(single).toBeGreaterThan(byLevel({ quick: 0.9, full: 0.92, long: 0.92 }))
  })

  test('nothing is turned unless it may be', () => {
    const sizes = [{ width: 10, height: 60 }, ...frameSizes(30, 9)]
    const isAnyTurned = (canTurn?: boolean): boolean =>
      packPages(sizes, inGroups(sizes, 31), { ...usual, ...(canTurn === undefined ? {} : { canTurn }) }).some((page) =>
        [...page.positions.values()].some((place) => place.isTurned),
      )
    expect([isAnyTurned(), isAnyTurned(false), isAnyTurned(true)]).toEqual([false, false, true])
  })

  test('full pages are not enough where fewer do: what lies beside the others once it is turned is turned', () => {
    const sizes = [...Array(2).fill({ width: 60, height: 50 }), ...Array(2).fill({ width: 100, height: 20 })]
    const pack = (canTurn: boolean): PackedPage[] => packPages(sizes, inGroups(sizes, 2), { maxSize: 100, padding: 0, border: 0, canTurn })
    expect(pack(false).map(({ width, height }) => [width, height])).toEqual([
      [60, 100],
      [100, 40],
    ])
    expect(pack(true).map(({ width, height }) => [width, height])).toEqual([[100, 100]])
  })

  test('a page is as long as its frames need, and no power of two', () => {
    const [page] = packPages([{ width: 65, height: 33 }], [{ name: 'a/walk', members: [0] }], usual)
    expect([page?.width, page?.height]).toEqual([67, 35])
  })

  test('a frame that fills the largest page to the last pixel fits, one pixel more does not, and the error says what to do', () => {
    const pack = (width: number): PackedPage[] =>
      packPages([{ width, height: 62 }], [{ name: 'boss/roar', members: [0] }], { ...usual, maxSize: 64 })
    expect(pack(62)).toMatchObject([{ width: 64, height: 64 }])
    expect(() => pack(63)).toThrow(AtlasError)
    expect(() => pack(63)).toThrow(/"boss\/roar" to fit on one page of 64 × 64 pixels.*63 × 62 pixels.*size.*use.*larger pages/)
  })

  test('among single pictures the one that is too large is named', () => {
    const sizes = [...frameSizes(60, 4), { width: 300, height: 10 }]
    expect(() => packPages(sizes, inGroups(sizes, 1), { ...usual, maxSize: 256 })).toThrow(/"sprite0060\/walk"/)
  })
})

describe('packPages beside an earlier layout', () => {
  const moved = (before: readonly PackedPage[], after: readonly PackedPage[]): number[] => {
    const places = (pages: readonly PackedPage[]): Map<number, string> =>
      new Map(pages.flatMap((page, at) => [...page.positions].map(([index, place]) => [index, JSON.stringify([at, place])] as const)))
    const later = places(after)
    return [...places(before)].filter(([index, place]) => later.get(index) !== place).map(([index]) => index)
  }

  /** Pages with the groups and positions on them, sorted by number. */
  const laid = (pages: readonly PackedPage[]): unknown =>
    pages.map(({ width, height, groups, positions }) => ({
      width,
      height,
      groups: [...groups].sort((a, b) => a - b),
      positions: [...positions].sort(([a], [b]) => a - b),
    }))

  test('whatever was there before, the pages keep every promise', () => {
    const place = fc.record({ x: fc.integer({ min: -3, max: 170 }), y: fc.integer({ min: -3, max: 170 }), isTurned: fc.constant(false) })
    const positions = fc.array(fc.tuple(fc.nat(59), place), { maxLength: 40 })
    fc.assert(
      fc.property(packings, fc.array(positions, { maxLength: 3 }), (packing, pages) => {
        const known = pages.map((page) => ({ positions: new Map(page.filter(([index]) => index < packing.sizes.length)) }))
        expectSound(packPages(packing.sizes, packing.groups, packing.options, known), packing)
      }),
      { numRuns: byLevel({ quick: 10, full: 40, long: 120 }) },
    )
  })

  test('an unchanged input keeps every place', () => {
    fc.assert(
      fc.property(packings, ({ sizes, groups, options }) => {
        const before = packPages(sizes, groups, options)
        expect(moved(before, packPages(sizes, groups, options, before))).toEqual([])
      }),
      { numRuns: byLevel({ quick: 5, full: 15, long: 40 }) },
    )
  })

  test('what was packed beside something stays as it is the next time, page by page: a layout that is written down is kept', () => {
    fc.assert(
      fc.property(packings, fc.nat(59), fc.nat(59), ({ sizes, groups, options }, from, count) => {
        // Some groups were there before, others are new, and some are gone.
        const start = from % groups.length
        const before = packPages(sizes, groups.slice(start, start + 1 + (count % groups.length)), options)
        const after = packPages(sizes, groups, options, before)
        expect(laid(packPages(sizes, groups, options, after))).toEqual(laid(after))
        const fewer = groups.slice(0, 1 + (count % groups.length))
        const less = packPages(sizes, fewer, options, after)
        expect(laid(packPages(sizes, fewer, options, less))).toEqual(laid(less))
      }),
      { numRuns: byLevel({ quick: 5, full: 15, long: 40 }) },
    )
  })

  test.each(byLevel({ quick: [11, 14], full: [11, 12, 13, 14, 15], long: [11, 12, 13, 14, 15] }))(
    'a sprite more (seed %i) moves no frame, and pages stay within 8 % of fresh ones',
    (seed) => {
      const sizes = frameSizes(144, seed)
      const groups = inGroups(sizes, 12)
      const before = packPages(sizes.slice(0, 132), groups.slice(0, 11), usual)
      const after = packPages(sizes, groups, usual, before)
      expectSound(after, { sizes, groups, options: usual })
      expect(moved(before, after)).toEqual([])
      expect(occupancy(after, sizes)).toBeGreaterThan(occupancy(packPages(sizes, groups, usual), sizes) / 1.08)
    },
  )

  test('on several pages, a sprite more leaves all pages but those that it changes as they were', () => {
    const sizes = frameSizes(600, 12)
    const groups = inGroups(sizes, 12)
    const options = { ...usual, maxSize: 512 }
    const before = packPages(sizes.slice(0, 588), groups.slice(0, 49), options)
    const after = packPages(sizes, groups, options, before)
    expectSound(after, { sizes, groups, options })
    expect(before.length).toBeGreaterThan(4)
    expect(moved(before, after).length).toBeLessThan(588 / 3)
  })

  test('a sprite that looks like one on another page stays on its own', () => {
    const sizes = Array.from({ length: 30 }, () => ({ width: 25, height: 25 }))
    const groups = [
      { name: 'a/walk', members: [0] },
      { name: 'b/walk', members: [...sizes.keys()].slice(1, 16) },
      { name: 'c/walk', members: [...sizes.keys()].slice(16) },
      { name: 'z/walk', members: [0] },
    ]
    const place = (index: number, at: number) => [index, { x: 25 * (at % 4), y: 25 * (at >> 2), isTurned: false }] as const
    const page = (own: readonly number[], members: readonly number[]): PackedPage => {
      return { width: 100, height: 100, groups: own, positions: new Map(members.map(place)) }
    }
    const before = [page([0, 1], [0, ...groups[1]!.members]), page([2, 3], [0, ...groups[2]!.members])]
    const after = packPages(sizes, groups, { maxSize: 100, padding: 0, border: 0 }, before)
    expect(laid(after)).toEqual(laid(before))
  })

  test('where what is left would waste too much, all is packed anew', () => {
    const sizes = frameSizes(144, 13)
    const groups = inGroups(sizes, 12)
    const before = packPages(sizes, groups, usual)
    // Ten of twelve sprites are gone.
    const rest = groups.slice(0, 2)
    expect(digest(packPages(sizes, rest, usual, before))).toBe(digest(packPages(sizes, rest, usual)))
  })
})
