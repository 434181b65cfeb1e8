import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Atlas, makeAtlas } from '../../atlas/atlas.ts'
import { type Bitmap, blit, createBitmap, crop } from '../../atlas/bitmap.ts'
import type { FrameSequence } from '../../atlas/frame.ts'
import { cutSequence } from '../../atlas/frames/pieces.ts'
import type { PlacedFrame } from '../../atlas/frames/placed-frame.ts'
import { trim } from '../../atlas/frames/trim.ts'
import { type PackSize, packPages } from '../../atlas/packing/packer.ts'
import { FreeSpace } from '../../atlas/packing/space.ts'
import { refusal } from './refusal.ts'

/** Few colours, so that equal frames and clear borders occur often. */
const bitmaps = (width: number, height: number): fc.Arbitrary<Bitmap> =>
  fc
    .array(fc.constantFrom(0, 0, 0, 0xff0000ff, 0x80ff00ff), { minLength: width * height, maxLength: width * height })
    .map((pixels) => createBitmap(width, height, new Uint8Array(Uint32Array.from(pixels).buffer)))

const sequence = (index: number): fc.Arbitrary<FrameSequence> =>
  fc
    .record({
      size: fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })),
      count: fc.integer({ min: 1, max: 4 }),
      trim: fc.boolean(),
      extrude: fc.integer({ min: 0, max: 3 }),
      padding: fc.integer({ min: 0, max: 4 }),
    })
    .chain(({ size, count, ...rest }) =>
      fc.array(bitmaps(...size), { minLength: count, maxLength: count }).map((pictures) => {
        const name = `s${index}/walk`
        const frames = pictures.map((bitmap, i) => ({ name: `${name}/000${i}`, bitmap, durationMs: 80 }))
        const play = frames.map((frame) => frame.name)
        return { name, sprite: `s${index}`, frames, play, fps: 12, loop: true, yoyo: false, pixelArt: false, ...rest }
      }),
    )

const sequences = fc.integer({ min: 1, max: 6 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => sequence(i))))

/** The frame as an engine draws it: its rectangle at its offset in the untrimmed size. */
function restore(atlas: Atlas, frame: PlacedFrame): Bitmap {
  const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
  const page = atlas.pages[frame.page]!.bitmap
  blit(whole, crop(page, frame.x, frame.y, frame.width, frame.height), frame.offsetX, frame.offsetY)
  return whole
}

describe('packPages', () => {
  const cases = fc.record({
    sizes: fc.array(fc.record({ width: fc.integer({ min: 1, max: 60 }), height: fc.integer({ min: 1, max: 60 }) }), {
      minLength: 1,
      maxLength: 60,
    }),
    padding: fc.integer({ min: 0, max: 5 }),
    border: fc.integer({ min: 0, max: 3 }),
    perGroup: fc.integer({ min: 1, max: 4 }),
  })

  test('rectangles never overlap, keep their padding, never leave the page, and groups stay whole', () => {
    fc.assert(
      fc.property(cases, ({ sizes, padding, border, perGroup }) => {
        const groups = sizes.map((_, start) => ({ name: `g${start}`, members: sizes.map((__, i) => i).slice(start, start + perGroup) }))
        const pages = packPages(sizes, groups, { maxSize: 160, padding, border })
        expect(pages.flatMap((page) => page.groups).sort((a, b) => a - b)).toEqual(groups.map((_, i) => i))
        for (const page of pages) {
          expect(Math.max(page.width, page.height)).toBeLessThanOrEqual(160)
          for (const group of page.groups) for (const member of groups[group]!.members) expect(page.positions.has(member)).toBe(true)
          const placed = [...page.positions].map(([index, at]) => ({ ...at, ...sizes[index]! }))
          for (const [i, a] of placed.entries()) {
            expect(a.x >= border && a.y >= border && a.x + a.width + border <= page.width && a.y + a.height + border <= page.height).toBe(
              true,
            )
            for (const b of placed.slice(i + 1)) {
              const apart =
                a.x + a.width + padding <= b.x ||
                b.x + b.width + padding <= a.x ||
                a.y + a.height + padding <= b.y ||
                b.y + b.height + padding <= a.y
              expect(apart).toBe(true)
            }
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  test('typical frames fill at least 85 of 100 of a page', () => {
    const sizes = Array.from({ length: 400 }, (_, i) => ({ width: 30 + ((i * 37) % 41), height: 40 + ((i * 53) % 47) }))
    const pages = packPages(sizes, [{ name: 'all', members: sizes.map((_, i) => i) }], { maxSize: 2048, padding: 2, border: 1 })
    const used = sizes.reduce((sum, size) => sum + size.width * size.height, 0)
    expect(used / pages.reduce((sum, page) => sum + page.width * page.height, 0)).toBeGreaterThan(0.85)
  })
})

describe('trim', () => {
  test('what is cut off is clear, and putting it back gives the frame', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 })).chain(([w, h]) => bitmaps(w, h)),
        (frame) => {
          const { bitmap, offsetX, offsetY } = trim(frame)
          const whole = createBitmap(frame.width, frame.height)
          blit(whole, bitmap, offsetX, offsetY)
          expect(whole).toEqual(frame)
        },
      ),
    )
  })

  test('one clear pixel stays round the visible ones, where there is one', () => {
    const frame = createBitmap(9, 9)
    frame.data.set([1, 2, 3, 255], (4 * 9 + 5) * 4)
    expect(trim(frame)).toMatchObject({ offsetX: 4, offsetY: 3, bitmap: { width: 3, height: 3 } })
    expect(trim(frame, { margin: 0 })).toMatchObject({ offsetX: 5, offsetY: 4, bitmap: { width: 1, height: 1 } })
    expect(trim(frame, { threshold: 255 })).toMatchObject({ offsetX: 0, offsetY: 0, bitmap: { width: 1, height: 1 } })
  })

  test.each([
    [5, 6, 1, { offsetX: 4, offsetY: 5, bitmap: { width: 3, height: 3 } }],
    [5, 6, 4, { offsetX: 4, offsetY: 4, bitmap: { width: 4, height: 4 } }],
    [4, 7, 4, { offsetX: 0, offsetY: 4, bitmap: { width: 8, height: 8 } }],
    [0, 11, 4, { offsetX: 0, offsetY: 8, bitmap: { width: 4, height: 4 } }],
  ])('a pixel at %i, %i is cut out with a margin in steps of %i', (x, y, align, expected) => {
    const frame = createBitmap(8, 12)
    frame.data.set([1, 2, 3, 255], (y * 8 + x) * 4)
    expect(trim(frame, { align })).toMatchObject(expected)
    expect(trim(createBitmap(8, 12), { align })).toEqual({ bitmap: createBitmap(align, align), offsetX: 0, offsetY: 0 })
  })
})

describe('the free space of a page', () => {
  const boxes = { wide: { width: 6, height: 2 }, tall: { width: 2, height: 6 }, small: { width: 2, height: 2 } }
  /** A page of 10 × 10 with the small box at 2, 0 and the wide one below it. */
  function used(): FreeSpace {
    const space = new FreeSpace(10)
    expect(space.take(boxes.small, { x: 2, y: 0, isTurned: false })).toBe(true)
    expect(space.take(boxes.wide, { x: 0, y: 2, isTurned: false })).toBe(true)
    return space
  }

  test.each([
    [0, 0, false, true],
    [1, 0, false, false],
    [4, 1, false, false],
    [8, 8, false, true],
    [9, 8, false, false],
    [8, 9, false, false],
    [-1, 4, false, false],
    [4, -1, false, false],
  ])('takes a place at %i, %i, turned or not (%s), only inside and beside the others: %s', (x, y, isTurned, isFree) => {
    expect(used().take(boxes.small, { x, y, isTurned })).toBe(isFree)
  })

  test('takes a turned box as it lies', () => {
    expect([4, 5].map((y) => used().take(boxes.wide, { x: 0, y, isTurned: true }))).toEqual([true, false])
    expect([4, 5].map((x) => used().take(boxes.wide, { x, y: 4, isTurned: false }))).toEqual([true, false])
  })

  test('puts a box where the page grows least, topmost and then leftmost, turned only if it may be', () => {
    const put = (box: PackSize, canTurn: boolean): unknown => {
      const space = used()
      return [space.put(box, 0, canTurn), space.width, space.height]
    }
    expect(put(boxes.small, false)).toEqual([{ x: 0, y: 0, isTurned: false }, 6, 4])
    expect(put(boxes.wide, false)).toEqual([{ x: 0, y: 4, isTurned: false }, 6, 6])
    expect(put(boxes.tall, false)).toEqual([{ x: 6, y: 0, isTurned: false }, 8, 6])
    expect(put(boxes.tall, true)).toEqual([{ x: 0, y: 4, isTurned: true }, 6, 6])
    expect(put({ width: 10, height: 7 }, true)).toEqual([undefined, 6, 4])
  })

  test('is filled box by box, in an order that the edge of the page may change', () => {
    const fill = (edge: number, ...all: readonly PackSize[]): readonly string[] => {
      const space = used()
      return all.map((box) => {
        const place = space.put(box, edge, true)
        return place ? `${place.x} ${place.y}${place.isTurned ? ' turned' : ''}` : 'none'
      })
    }
    const { wide, tall, small } = boxes
    expect(fill(0, small, small, small, wide, tall, small)).toEqual(['0 0', '4 0', '6 0', '0 4', '8 0', '6 2'])
    expect(fill(8, tall, tall)).toEqual(['0 4 turned', '6 0'])
    expect(fill(-3, tall, tall)).toEqual(['4 0 turned', '0 4 turned'])
  })

  test('is copied: what is taken in the copy stays free', () => {
    const space = used()
    const copy = space.copy()
    expect(copy.put(boxes.small, 0, false)).toEqual(space.put(boxes.small, 0, false))
    expect([copy.width, copy.height]).toEqual([6, 4])
    expect(copy.take(boxes.small, { x: 2, y: 0, isTurned: false })).toBe(false)
    expect(space.copy().put(boxes.small, 0, false)).toEqual({ x: 4, y: 0, isTurned: false })
  })
})

describe('makeAtlas', () => {
  test('sequences that are cut before give the same atlas', () => {
    fc.assert(
      fc.property(sequences, (all) => {
        expect(
          makeAtlas(
            'sprites',
            all.map((one) => cutSequence(one)),
          ),
        ).toEqual(makeAtlas('sprites', all))
      }),
      { numRuns: 60 },
    )
  })

  test('every frame comes back pixel by pixel, each animation on one page', () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const atlas = makeAtlas('sprites', all, { maxSize: 64 })
        for (const each of all) {
          const placed = each.frames.map((frame) => atlas.frames.find(({ name }) => name === frame.name)!)
          expect(new Set(placed.map((frame) => frame.page)).size).toBe(1)
          for (const [index, frame] of placed.entries()) expect(restore(atlas, frame)).toEqual(each.frames[index]!.bitmap)
        }
      }),
      { numRuns: 80 },
    )
  })

  test('the rings around a frame repeat its edge, and the outermost pixels of a page are clear', () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const atlas = makeAtlas('sprites', all, { maxSize: 64 })
        const pixel = (page: Bitmap, x: number, y: number): string =>
          page.data.subarray((y * page.width + x) * 4, (y * page.width + x) * 4 + 4).join()
        for (const { frames, extrude } of all) {
          for (const { name } of frames) {
            const { page, x, y, width, height } = atlas.frames.find((frame) => frame.name === name)!
            const { bitmap } = atlas.pages[page]!
            for (let ring = 1; ring <= extrude; ring++) {
              expect(pixel(bitmap, x - ring, y - ring)).toBe(pixel(bitmap, x, y))
              expect(pixel(bitmap, x + width - 1 + ring, y)).toBe(pixel(bitmap, x + width - 1, y))
              expect(pixel(bitmap, x, y + height - 1 + ring)).toBe(pixel(bitmap, x, y + height - 1))
            }
          }
        }
        for (const { bitmap } of atlas.pages) {
          for (let x = 0; x < bitmap.width; x++)
            expect([pixel(bitmap, x, 0), pixel(bitmap, x, bitmap.height - 1)]).toEqual(['0,0,0,0', '0,0,0,0'])
          for (let y = 0; y < bitmap.height; y++)
            expect([pixel(bitmap, 0, y), pixel(bitmap, bitmap.width - 1, y)]).toEqual(['0,0,0,0', '0,0,0,0'])
        }
      }),
      { numRuns: 40 },
    )
  })

  test('the order of the sequences changes nothing', () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const forwards = makeAtlas('sprites', all, { maxSize: 64 })
        const backwards = makeAtlas('sprites', [...all].reverse(), { maxSize: 64 })
        expect(backwards).toEqual(forwards)
      }),
      { numRuns: 30 },
    )
  })

  const solid = (width: number, height: number): Bitmap => createBitmap(width, height, new Uint8Array(width * height * 4).fill(200))
  const one = (name: string, frames: readonly Bitmap[], more: Partial<FrameSequence> = {}): FrameSequence => ({
    name,
    sprite: name.split('/')[0]!,
    frames: frames.map((bitmap, i) => ({ name: `${name}/000${i}`, bitmap, durationMs: 100 })),
    play: frames.map((_, i) => `${name}/000${i}`),
    fps: 10,
    loop: true,
    yoyo: false,
    trim: true,
    extrude: 1,
    padding: 2,
    pixelArt: false,
    ...more,
  })

  test('equal pictures lie on a page once, across sprites too', () => {
    const atlas = makeAtlas('sprites', [one('a/walk', [solid(8, 8), solid(8, 8)]), one('b/walk', [solid(8, 8)])])
    expect(new Set(atlas.frames.map(({ x, y }) => `${x},${y}`)).size).toBe(1)
    expect(atlas.pages).toMatchObject([{ bitmap: { width: 12, height: 12 } }])
  })

  test('equal pictures whose edges are repeated a different number of times each have their own place', () => {
    const atlas = makeAtlas('sprites', [one('a/walk', [solid(8, 8)], { extrude: 0 }), one('b/walk', [solid(8, 8)], { extrude: 2 })])
    expect(new Set(atlas.frames.map(({ x, y }) => `${x},${y}`)).size).toBe(2)
  })

  test('a frame played twice may be shown for two durations; without durations its own counts', () => {
    const play = ['a/walk/0000', 'a/walk/0001', 'a/walk/0000']
    const timed = (more: Partial<FrameSequence>): readonly number[] =>
      makeAtlas('sprites', [one('a/walk', [solid(2, 2), solid(2, 2)], { play, ...more })]).animations[0]!.frames.map(
        (frame) => frame.durationMs,
      )
    expect(timed({ durations: [50, 60, 70] })).toEqual([50, 60, 70])
    expect(timed({})).toEqual([100, 100, 100])
    expect(refusal(() => timed({ durations: [50] })).code).toBe('SW_ATLAS_OPTION')
  })

  test('an animation that does not fit on one page is refused by name', () => {
    const { code, facts } = refusal(() => makeAtlas('sprites', [one('big/roar', [solid(64, 64)])], { maxSize: 64 }))
    expect([code, facts.animation, facts.maxSize]).toEqual(['SW_PACK', 'big/roar', 64])
  })

  test('frames of different size in an animation are refused', () => {
    const { code, facts } = refusal(() => makeAtlas('sprites', [one('a/walk', [solid(8, 8), solid(8, 9)])]))
    expect([code, facts.frame, facts.height]).toEqual(['SW_FRAME_SIZE', 'a/walk/0001', 9])
  })

  test.each([
    ['a name twice', [one('a/walk', [solid(2, 2)]), one('a/walk', [solid(2, 2)])]],
    ['an unknown frame', [one('a/walk', [solid(2, 2)], { play: ['a/walk/0009'] })]],
    ['17 rings', [one('a/walk', [solid(2, 2)], { extrude: 17 })]],
    ['no frame', [one('a/walk', [])]],
    ['65 clear pixels between frames', [one('a/walk', [solid(2, 2)], { padding: 65 })]],
  ])('%s is refused', (_, all) => {
    expect(refusal(() => makeAtlas('sprites', all)).code).toBe('SW_ATLAS_OPTION')
  })

  test.each([63, 16_385, 64.5, Number.NaN])('a page of at most %s pixels is refused', (maxSize) => {
    expect(refusal(() => makeAtlas('sprites', [one('a/walk', [solid(2, 2)])], { maxSize })).code).toBe('SW_ATLAS_OPTION')
  })

  test.each([
    [{ extrude: 16 }, {}],
    [{ padding: 64 }, { maxSize: 256 }],
    [{}, { maxSize: 64 }],
    [{}, { maxSize: 16_384 }],
  ])('the limits themselves are allowed: %j, %j', (more, options) => {
    expect(makeAtlas('sprites', [one('a/walk', [solid(2, 2)], more)], options).frames).toHaveLength(1)
  })
})
