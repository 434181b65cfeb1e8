import { Rectangle, Texture, type TextureSource } from 'pixi.js'
import { type AtlasData, bordersOf } from '../shared/data.ts'
import { noteBoxes } from './boxes.ts'

/**
 * Cuts all frames of an atlas out of its pages. The textures are what PixiJS's own `Spritesheet` makes of the
 * same data, but that class has a synchronous parser only since PixiJS 8.16, and a swap must happen in one
 * task.
 *
 * @param sources The pictures of its pages, in order. Frames of a missing page are left out.
 */
export function cutPages(data: AtlasData, sources: readonly TextureSource[]): Record<string, Texture> {
  const [turned, mirrored] = [new Set(data.turned), new Set(data.mirrored)]
  return Object.fromEntries(
    Object.keys(data.frames).flatMap((name) => {
      const texture = cut(data, name, { isTurned: turned.has(name), isMirrored: mirrored.has(name) }, sources)
      return texture ? [[name, texture]] : []
    }),
  )
}

/** How a page holds a frame. */
interface Held {
  readonly isTurned: boolean
  readonly isMirrored: boolean
}

function cut(data: AtlasData, name: string, { isTurned, isMirrored }: Held, sources: readonly TextureSource[]): Texture | undefined {
  const [page, x, y, w, h, offsetX, offsetY, sourceW, sourceH, anchorX, anchorY] = data.frames[name]!
  const source = sources[page]
  if (!source) return undefined
  const rectangle = (left: number, top: number, width: number, height: number): Rectangle =>
    new Rectangle(left / data.scale, top / data.scale, width / data.scale, height / data.scale)
  const borders = bordersOf(data, name)?.map((px) => px / data.scale)
  const texture = new Texture({
    source,
    label: name,
    frame: isTurned ? rectangle(x, y, h, w) : rectangle(x, y, w, h),
    orig: rectangle(0, 0, sourceW, sourceH),
    ...(w !== sourceW || h !== sourceH ? { trim: rectangle(offsetX, offsetY, w, h) } : {}),
    // 2 is a quarter turn, 12 a mirror image, and 14 the mirror image of a quarter turn, see PixiJS's `groupD8`.
    rotate: (isTurned ? 2 : 0) + (isMirrored ? 12 : 0),
    ...(anchorX === undefined || anchorY === undefined ? {} : { defaultAnchor: { x: anchorX, y: anchorY } }),
    ...(borders ? { defaultBorders: { left: borders[0]!, top: borders[1]!, right: borders[2]!, bottom: borders[3]! } } : {}),
  })
  return noteBoxes(texture, data.boxes?.[name], data.scale)
}
