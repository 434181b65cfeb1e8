import type Phaser from 'phaser'
import type { BoxRow, BoxRows, Outline } from '../shared/data.ts'

/** An object that shows a frame. */
export type Shown = Phaser.GameObjects.Sprite | Phaser.GameObjects.Image

/** A point of the world. */
type Point = Phaser.Types.Math.Vector2Like

/** Polygons of the shown frame by name, in its pixels, flipped as the object is. `outline` is its outline. */
function polygonsIn({ frame, flipX, flipY, displayOriginX, displayOriginY }: Shown, name: string): readonly Outline[] {
  const { boxes, hull } = frame.customData as { readonly boxes?: BoxRows; readonly hull?: Outline }
  const rectangles = (boxes && Object.hasOwn(boxes, name) && boxes[name]) || []
  const found = name === 'outline' ? (hull ? [hull] : []) : rectangles.map(cornersOf)
  // Phaser flips a frame around its anchor if it has one, and otherwise in its place.
  const { customPivot, realWidth, realHeight } = frame as typeof frame & { readonly customPivot: boolean }
  const [across, down] = customPivot ? [2 * displayOriginX, 2 * displayOriginY] : [realWidth, realHeight]
  return found.map((points) => points.map(([x, y]) => [flipX ? across - x : x, flipY ? down - y : y] as const))
}

/** The corners of a box, clockwise. */
function cornersOf([x, y, width, height]: BoxRow): Outline {
  return [0, 1, 3, 2].map((corner) => [x + (corner & 1) * width, y + (corner >> 1) * height] as const)
}

/**
 * The boxes of the frame that an object shows, as polygons in pixels of the world, turned and flipped as the object is.
 * Matter's `Bodies.fromVertices` takes them, with their centre as place.
 *
 * @param name Name of the boxes; `outline` is the outline that `atlas.hull` asks for.
 * @returns An empty list if the frame has no such box.
 */
export function polygonsOf(object: Shown, name: string): Point[][] {
  const matrix = object.getWorldTransformMatrix()
  const { displayOriginX, displayOriginY } = object
  return polygonsIn(object, name).map((points) => points.map(([x, y]) => matrix.transformPoint(x - displayOriginX, y - displayOriginY)))
}

/**
 * The boxes of the frame that an object shows, as rectangles in pixels of the world. A turned box gets the upright
 * rectangle around it.
 *
 * @returns An empty list if the frame has no such box.
 */
export function boxesOf(object: Shown, name: string): { x: number; y: number; width: number; height: number }[] {
  return polygonsOf(object, name).map(boundsOf)
}

function boundsOf(points: readonly Point[]): { x: number; y: number; width: number; height: number } {
  const [across, down] = [points.map(({ x = 0 }) => x), points.map(({ y = 0 }) => y)]
  const [x, y] = [Math.min(...across), Math.min(...down)]
  return { x, y, width: Math.max(...across) - x, height: Math.max(...down) - y }
}

/**
 * Gives an object an Arcade body of the size and at the place of a box. The body follows the frames that the object
 * shows, its flips, and swaps. It stays as it is while a frame has no such box.
 *
 * @param name Name of the box; of several, the first counts.
 * @default 'body'
 * @returns The dynamic body. The scene needs Arcade physics.
 */
export function bodyOf(object: Shown, name: string = 'body'): Phaser.Physics.Arcade.Body {
  if (!object.body) object.scene.physics.add.existing(object)
  const body = object.body as Phaser.Physics.Arcade.Body
  const { updateFromGameObject } = Object.getPrototypeOf(body) as Phaser.Physics.Arcade.Body
  // Arcade calls it before each step, after the animations went on.
  body.updateFromGameObject = (): void => {
    const [points] = polygonsIn(object, name)
    if (points) {
      const { x, y, width, height } = boundsOf(points.map(([x, y]) => ({ x, y })))
      if (body.sourceWidth !== width || body.sourceHeight !== height) body.setSize(width, height, false)
      // A negative scale mirrors the body, whose place is its top left corner.
      body.setOffset(object.scaleX < 0 ? x + width : x, object.scaleY < 0 ? y + height : y)
    }
    updateFromGameObject.call(body)
  }
  body.updateFromGameObject()
  return body
}
