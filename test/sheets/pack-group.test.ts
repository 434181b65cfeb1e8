import { expect, test } from 'vitest'
import { formatLayout, type Layout, toLayout } from '../../src/sheets/layout.ts'
import { layOut } from '../../src/sheets/pack-group.ts'
import { painting } from '../atlas/formats/project.ts'

/** Pictures of several shapes, filled to the edge or not. */
const sequences = [
  [9, 36, 4],
  [30, 16, 4],
  [120, 6, 1],
  [6, 120, 1],
].map(([width, height, count], at) =>
  painting(`s${at}/walk`, { width: width!, height: height!, count: count!, trim: false, pixelArt: true }),
)

/** A layout in which two frames of one size each have changed places. */
const swapped = (layout: Layout): Layout =>
  new Map(
    [...layout].map(([name, frames]) => [
      name,
      frames.map(({ name: own, ...place }, at) => {
        const other = frames[at ^ 1]
        return { ...place, name: other?.width === place.width ? other.name : own }
      }),
    ]),
  )

test.each([
  ['one layout', [1, 0.5]],
  ['a layout for each scale', [1, 0.34]],
  ['one scale', [0.75]],
])(
  'a group in %s has its scales on pages of the given size, turned if it may be, and keeps the places of an earlier build',
  async (_what, scales) => {
    const pack = (more: Partial<Parameters<typeof layOut>[3]>) => layOut('ui', sequences, scales, { maxSize: 256, rotate: false, ...more })
    const before = await pack({})
    const widest = (frames: readonly { readonly sourceWidth: number }[]) => Math.max(...frames.map(({ sourceWidth }) => sourceWidth))
    expect(before.map(({ name, scale, pages, frames }) => [name, scale, pages.length, widest(frames)])).toEqual(
      scales.map((scale) => ['ui', scale, 1, Math.round(120 * scale)]),
    )
    const isTurned = (atlases: typeof before) => atlases.map(({ frames }) => frames.some((frame) => frame.isTurned))
    expect(isTurned(before)).toEqual(scales.map(() => false))
    expect(isTurned(await pack({ rotate: true }))).toContain(true)
    await expect(pack({ maxSize: 64 })).rejects.toMatchObject({ code: 'SW_PACK' })
    const earlier = swapped(toLayout(before as never))
    const kept = await pack({ earlier })
    expect(formatLayout(toLayout(kept as never))).toBe(formatLayout(earlier))
  },
)
