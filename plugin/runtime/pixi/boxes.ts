import { Rectangle, type Sprite, type Texture } from 'pixi.js'
import type { BoxRows } from '../shared/data.ts'

/** The boxes of frames, in unscaled pixels. A swap changes them. */
const known = new WeakMap<Texture, BoxRows>()

/** Remembers the boxes of a frame. */
export function noteBoxes(texture: Texture, boxes: BoxRows = {}, scale = 1): Texture {
  const unscaled = Object.entries(boxes).map(([name, all]) => [name, all.map((box) => box.map((px) => px / scale))])
  known.set(texture, Object.fromEntries(unscaled) as BoxRows)
  return texture
}

/** Gives a frame the boxes of another one. */
export function copyBoxes(texture: Texture, from: Texture): void {
  noteBoxes(texture, known.get(from))
}

/**
 * The boxes of the frame that a sprite shows, in the coordinates of the sprite: `sprite.toGlobal` and its parents move,
 * scale, turn and flip them with the sprite.
 *
 * @returns An empty list if the frame has no such box.
 */
export function boxesOf({ texture, anchor }: Sprite, name: string): Rectangle[] {
  const boxes = known.get(texture) ?? {}
  const [left, top] = [anchor.x * texture.orig.width, anchor.y * texture.orig.height]
  return (Object.hasOwn(boxes, name) ? (boxes[name] ?? []) : []).map(([x, y, w, h]) => new Rectangle(x - left, y - top, w, h))
}
