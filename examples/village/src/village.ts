// What stands where, and how it moves: the same for both engines.

/** Each pixel of a drawing is a square of this many pixels. */
export const zoom = 3
/** In pixels of the drawings, as are all places. */
export const viewWidth = 320
export const viewHeight = 180
export const sky = '#9fd8f5'
/** Where feet stand. */
export const groundY = 148

/** From back to front: a picture, and where the middle of its lower edge is. */
export const scenery = [
  ['cloud', 164, 60],
  ['cloud', 216, 30],
  ['cloud', 292, 56],
  ['hills', 160, groundY],
  ['tree', 12, groundY],
  ['inn', 68, groundY],
  ['tree', 124, groundY],
  ['house', 184, groundY],
  ['tree', 308, groundY],
] as const

const [grass, flowers, path, earth] = ['tiles/ground/0000', 'tiles/ground/0001', 'tiles/ground/0002', 'tiles/ground/0003'] as const
const surface = [grass, flowers, path, path, path, path, flowers, grass, flowers, path, path, path, path, grass, flowers]
const tileSize = 16

/** The ground in tiles, by their left upper corners. */
export const ground = [
  ...surface.map((frame, column) => ({ frame, x: column * tileSize, y: groundY })),
  { frame: flowers, x: 19 * tileSize, y: groundY },
  ...Array.from({ length: 20 }, (_, column) => ({ frame: earth, x: column * tileSize, y: groundY + tileSize })),
]
/** The pond between them. */
export const water = [15, 16, 17, 18].map((column) => ({ x: column * tileSize, y: groundY }))

/** Each coin is a frame further than the one before. */
export const coins = [246, 264, 282].map((x, startFrame) => ({ x, y: groundY - 16, startFrame }))

/** The panel's left upper corner and size. */
export const panel = { x: 8, y: 8, width: 136, height: 42 }
/** Middles of the icons on it. */
export const icons = (['slime', 'king', 'mage', 'scout'] as const).map((picture, at) => ({ picture, x: 28 + at * 32, y: 29 }))

/** Where the knight is after some seconds, and which way he looks: 1 to the right, -1 to the left. */
export const heroAt = (seconds: number): Walker => walk(seconds + 1, 30, 108, 26)
export const goblinAt = (seconds: number): Walker => walk(seconds + 5, 140, 216, 20)

interface Walker {
  readonly x: number
  readonly way: 1 | -1
}

/** To and fro between two places. */
function walk(seconds: number, from: number, to: number, speed: number): Walker {
  const length = to - from
  const done = (seconds * speed) % (2 * length)
  return done < length ? { x: from + done, way: 1 } : { x: to - (done - length), way: -1 }
}
