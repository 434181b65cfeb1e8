import type { Atlas } from './atlas.ts'
import { alphaHull, checkCorners } from './frames/hull.ts'
import { cutPlaced } from './frames/placed-frame.ts'

/**
 * Returns the same atlas with the outline of each frame, see {@link alphaHull}. A clear frame gets no outline. For
 * frames at the same place, the outline is computed once.
 *
 * @param corners Most corners of an outline, 4 to 64.
 * @throws {AtlasError} `SW_ATLAS_OPTION` for corners out of range.
 */
export function withOutlines(atlas: Atlas, corners: number): Atlas {
  checkCorners(corners)
  const known = new Map<string, ReturnType<typeof alphaHull>>()
  const frames = atlas.frames.map((frame) => {
    const { page, x, y, width, height, offsetX, offsetY } = frame
    const place = [page, x, y, width, height].join(' ')
    const onPage = known.get(place) ?? alphaHull(cutPlaced(atlas.pages[page]!.bitmap, frame), { corners })
    known.set(place, onPage)
    if (onPage.length === 0) return frame
    return { ...frame, hull: onPage.map((point) => ({ x: toHundredth(point.x + offsetX), y: toHundredth(point.y + offsetY) })) }
  })
  return { ...atlas, frames }
}

function toHundredth(value: number): number {
  return Math.round(value * 100) / 100
}
