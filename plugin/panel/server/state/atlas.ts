import type { BuiltAtlas, BuiltSheets } from '../../../../src/index.ts'
import type { PanelAtlas, PanelAtlases, PanelAtlasFrame } from '../../../protocol/protocol.ts'
import type { StateParts } from './parts.ts'

type Placed = BuiltAtlas['frames'][number]

/** Packed atlases in the form of the panel. */
export function toPanelAtlases({ atlases }: BuiltSheets, urlOf: StateParts['urlOf']): PanelAtlases {
  return { atlases: atlases.map((atlas) => toAtlas(atlas, urlOf)) }
}

function toAtlas({ name, scale, pages, frames }: BuiltAtlas, urlOf: StateParts['urlOf']): PanelAtlas {
  // Equal frames share one place.
  const covered = new Map(frames.map((frame) => [`${frame.page} ${frame.x} ${frame.y}`, frame] as const))
  return {
    name,
    scale,
    pages: pages.map((page, index) => {
      const own = [...covered.values()].filter((frame) => frame.page === index)
      const area = own.reduce((sum, { width, height }) => sum + width * height, 0)
      const { width, height } = page
      return { url: urlOf(page), width, height, bytes: page.bytes.length, filled: area / (width * height) }
    }),
    frames: frames.map(toFrame),
  }
}

function toFrame(frame: Placed): PanelAtlasFrame {
  const { name, page, x, y, width, height, isTurned = false, hull, borders, sourceWidth, sourceHeight } = frame
  const [left, top] = borders ? [borders.left, borders.top] : [0, 0]
  const [right, bottom] = borders ? [sourceWidth - borders.right, sourceHeight - borders.bottom] : [0, 0]
  const [from, to] = [onPage(frame, { x: left, y: top }), onPage(frame, { x: right, y: bottom })]
  return {
    name,
    page,
    x,
    y,
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    isTurned,
    ...(hull ? { hull: hull.map((point) => onPage(frame, point)) } : {}),
    ...(borders ? { slices: { x: [from.x, to.x], y: [from.y, to.y] } } : {}),
  }
}

/** A point of the untrimmed frame on its page. A turned frame is turned clockwise. */
function onPage({ x, y, height, offsetX, offsetY, isTurned }: Placed, at: { readonly x: number; readonly y: number }) {
  const [right, down] = [at.x - offsetX, at.y - offsetY]
  return isTurned ? { x: x + height - down, y: y + right } : { x: x + right, y: y + down }
}
