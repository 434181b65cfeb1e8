import type { BuiltAtlas, BuiltSheets } from '../../../src/index.ts'
import type { Json } from './json.ts'
import type { StateParts } from './parts.ts'

type Placed = BuiltAtlas['frames'][number]

/** The atlas groups as a build would pack them, sorted by name, then by scale, largest first. */
export type PanelAtlases = Json<ReturnType<typeof toPanelAtlases>>

/** One atlas at one scale. */
export type PanelAtlas = Json<ReturnType<typeof toAtlas>>

/** One frame as it lies on its page. All coordinates are pixels of the page. */
export type PanelAtlasFrame = Json<ReturnType<typeof toFrame>>

/** Packed atlases in the form of the panel. */
export function toPanelAtlases({ atlases }: BuiltSheets, urlOf: StateParts['urlOf']) {
  return { atlases: atlases.map((atlas) => toAtlas(atlas, urlOf)) }
}

function toAtlas({ name, scale, pages, frames }: BuiltAtlas, urlOf: StateParts['urlOf']) {
  // Equal frames share one place.
  const covered = new Map(frames.map((frame) => [`${frame.page} ${frame.x} ${frame.y}`, frame] as const))
  return {
    name,
    scale,
    pages: pages.map((page, index) => {
      const own = [...covered.values()].filter((frame) => frame.page === index)
      const area = own.reduce((sum, { width, height }) => sum + width * height, 0)
      const { width, height } = page
      return {
        url: urlOf(page),
        width,
        height,
        /** Size of the encoded picture. */
        bytes: page.bytes.length,
        /** Share of its pixels that frames cover, 0 to 1. */
        filled: area / (width * height),
      }
    }),
    frames: frames.map(toFrame),
  }
}

function toFrame(frame: Placed) {
  const { name, page, x, y, width, height, isTurned = false, hull, borders, sourceWidth, sourceHeight } = frame
  const [left, top] = borders ? [borders.left, borders.top] : [0, 0]
  const [right, bottom] = borders ? [sourceWidth - borders.right, sourceHeight - borders.bottom] : [0, 0]
  const [from, to] = [onPage(frame, { x: left, y: top }), onPage(frame, { x: right, y: bottom })]
  return {
    name,
    page,
    x,
    y,
    /** Covered size, turned if the frame is. */
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    isTurned,
    /** Corners of its outline, if the build makes outlines. */
    hull: hull?.map((point) => onPage(frame, point)),
    /** Lines of its nine-slice: two from top to bottom, two from left to right. */
    slices: borders && { x: [from.x, to.x], y: [from.y, to.y] },
  }
}

/** A point of the untrimmed frame on its page. A turned frame is turned clockwise. */
function onPage({ x, y, height, offsetX, offsetY, isTurned }: Placed, at: { readonly x: number; readonly y: number }) {
  const [right, down] = [at.x - offsetX, at.y - offsetY]
  return isTurned ? { x: x + height - down, y: y + right } : { x: x + right, y: y + down }
}
