import type Phaser from 'phaser'
import type { AtlasData, FrameRow } from '../shared/data.ts'
import type { LiveFrame, LiveTexture } from './live.ts'

// Phaser has no mirrored frames. WebGL draws a frame mirrored if its left and right texture coordinates are swapped.
// The Canvas renderer copies the pixels as they are on the page, so it gets each page a second time, mirrored.

/** `Phaser.CANVAS`. */
const canvasRenderer = 1
/** Ends the URL of a mirrored page. A browser fetches the same file. */
const mark = '#mirrored'

/** The atlas as the renderer of a game can draw it. */
export function toRenderer({ renderer }: Phaser.Game, atlas: AtlasData): AtlasData {
  const { mirrored, ...rest } = atlas
  if (!mirrored || renderer?.type !== canvasRenderer) return atlas
  const { pages } = atlas
  const images = mirrored.map((name): readonly [string, FrameRow] => {
    const [page, x, y, w, ...others] = atlas.frames[name] as FrameRow
    return [name, [page + pages.length, (pages[page]?.width ?? 0) - x - w, y, w, ...others] as FrameRow]
  })
  return {
    ...rest,
    pages: [...pages, ...pages.map((page) => ({ ...page, url: `${page.url}${mark}` }))],
    frames: { ...atlas.frames, ...Object.fromEntries(images) },
  }
}

/** The picture of a page, mirrored if its URL asks for that. */
export function toPicture<Picture>(url: string, image: Picture): Picture | HTMLCanvasElement {
  if (!url.endsWith(mark)) return image
  const { width, height } = image as HTMLImageElement
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  context?.scale(-1, 1)
  context?.drawImage(image as HTMLImageElement, -width, 0)
  return canvas
}

type Crop = Parameters<LiveFrame['setCropUVs']>[0]

/** Methods of a mirrored frame. Objects call them again when they crop or flip it. */
const methods = {
  updateUVs(this: LiveFrame): LiveFrame {
    return swap(prototypeOf(this).updateUVs.call(this))
  },
  setCropUVs(this: LiveFrame, crop: Crop, x: number, y: number, w: number, h: number, flipX: boolean, flipY: boolean): Crop {
    return Object.assign(swap(prototypeOf(this).setCropUVs.call(this, crop, x, y, w, h, !flipX, flipY)), { flipX })
  },
}

function prototypeOf(frame: LiveFrame): LiveFrame {
  return Object.getPrototypeOf(frame) as LiveFrame
}

function swap<Uvs extends { u0: number; u1: number }>(uvs: Uvs): Uvs {
  const { u0, u1 } = uvs
  return Object.assign(uvs, { u0: u1, u1: u0 })
}

/** Makes the mirrored frames of an atlas draw mirrored, after they were cut. */
export function mirrorFrames({ frames }: LiveTexture, { mirrored = [] }: AtlasData): void {
  for (const name of mirrored) if (frames[name]) Object.assign(frames[name], methods).updateUVs()
}

/** Makes a frame an ordinary one again. */
export function unmirror(frame: Partial<LiveFrame>): void {
  delete frame.updateUVs
  delete frame.setCropUVs
}
