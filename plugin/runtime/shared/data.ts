/**
 * The data that the plugin gives to a game in the browser: plain data, the same for every engine. It imports
 * nothing and has no side effect.
 *
 * @module
 */

/** A page as the browser fetches it. */
export interface PageData {
  /** URL, absolute or relative to the document. */
  readonly url: string
  /** URL of its normal map, with y up; only if a spec has `normals`. */
  readonly normals?: string
  readonly width: number
  readonly height: number
  /** Its encoding: `png`, `webp` … */
  readonly format?: string
  /** The same page in further encodings, for an engine that chooses among them. */
  readonly also?: readonly { readonly url: string; readonly format: string }[]
}

/**
 * Page, x, y, width, height, offset x, offset y, untrimmed width, untrimmed height, and the anchor if there
 * is one. All are in page pixels, except page and anchor.
 */
export type FrameRow =
  | readonly [page: number, x: number, y: number, w: number, h: number, ox: number, oy: number, sw: number, sh: number]
  | readonly [
      page: number,
      x: number,
      y: number,
      w: number,
      h: number,
      ox: number,
      oy: number,
      sw: number,
      sh: number,
      ax: number,
      ay: number,
    ]

/** Corners of a convex polygon, clockwise, as x and y. */
export type Outline = readonly (readonly [x: number, y: number])[]

/** A box of a frame, in page pixels of the untrimmed frame from its top left. */
export type BoxRow = readonly [x: number, y: number, width: number, height: number]

/** Boxes of a frame by name, such as `body`. */
export type BoxRows = Readonly<Record<string, readonly BoxRow[]>>

/** Widths at each side that a nine-slice does not stretch. */
export type BorderRow = readonly [left: number, top: number, right: number, bottom: number]

/** An animation, in playing order. */
export interface AnimationData {
  /** Frame name, and how long it is shown, in milliseconds. */
  readonly frames: readonly (readonly [name: string, durationMs: number])[]
  readonly fps: number
  readonly loop: boolean
  /** Plays there and back, with the ends once. */
  readonly yoyo: boolean
}

/** One atlas at one scale. */
export interface AtlasData {
  /** Texture key in Phaser. PixiJS does not use it as a prefix. */
  readonly key: string
  /** Page pixels per unscaled pixel. */
  readonly scale: number
  readonly pixelArt: boolean
  /** Changes with the content. */
  readonly version: string
  readonly pages: readonly PageData[]
  /** By frame name, `hero/walk/0000`. */
  readonly frames: Readonly<Record<string, FrameRow>>
  /**
   * Names of frames that are turned by 90° clockwise on their pages. Rows have the upright size.
   *
   * @default none
   */
  readonly turned?: readonly string[]
  /**
   * Names of frames that show the pixels of their place mirrored, left to right. Rows have the mirrored offset.
   *
   * @default none
   */
  readonly mirrored?: readonly string[]
  /**
   * Widths that a nine-slice does not stretch, by sprite or picture, in page pixels of the untrimmed frame. Only
   * if a spec has `borders`; see `bordersOf`.
   *
   * @default none
   */
  readonly borders?: Readonly<Record<string, BorderRow>>
  /**
   * Convex outline of the visible part of each frame, as x and y in page pixels of the untrimmed frame. Only
   * if `atlas.hull` asks for it.
   *
   * @default none
   */
  readonly outlines?: Readonly<Record<string, Outline>>
  /**
   * Boxes by frame name. Only of frames that have boxes.
   *
   * @default none
   */
  readonly boxes?: Readonly<Record<string, BoxRows>>
  /** By animation name, `hero/walk`. */
  readonly animations: Readonly<Record<string, AnimationData>>
}

/** One animation of a sprite module. */
export interface SpriteAnimation<Frame extends string = string> {
  /** Name in the engines, `hero/walk`. */
  readonly name: string
  /** Names of the played frames, in order. */
  readonly frames: readonly Frame[]
  /** Milliseconds of each played frame. */
  readonly durations: readonly number[]
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
}

/** The default export of a spec file: `import hero from './hero.sprite.json'`. */
export interface SpriteModule<
  Animation extends string = string,
  Frame extends string = string,
  Picture extends string = string,
  Variant extends string = string,
> {
  readonly name: string
  /** Texture key of its atlas in Phaser: the sprite's own in dev, its group's in a build. */
  readonly texture: string
  /** Untrimmed frame size at scale 1, pixels. */
  readonly width: number
  readonly height: number
  /** 0 to 1 of the untrimmed frame; only if the spec sets it. */
  readonly anchor?: { readonly x: number; readonly y: number }
  readonly pixelArt: boolean
  /** Whether any part of it is a placeholder that is not bought yet. */
  readonly isPlaceholder: boolean
  /** By short name. An object's keys that are whole numbers come first; for the spec's order, see `order`. */
  readonly animations: Readonly<Record<Animation, SpriteAnimation<Frame>>>
  /** Short names of its animations, in the spec's order. */
  readonly order: readonly Animation[]
  /** Frame name of each picture that is no animation, by its short name: `ui/sword` by `sword`. */
  readonly pictures: Readonly<Record<Picture, Frame>>
  /** Names of all frames, sorted. */
  readonly frames: readonly Frame[]
  /** The atlas that contains it, at every scale, largest first. */
  readonly atlases: readonly AtlasData[]
  /**
   * Recoloured copies, by the names in the spec: sprites with a texture of their own. The variant `red` of `hero` is
   * named `hero.red`, and so are its animations and frames: `hero.red/walk`.
   */
  readonly variants: Readonly<Record<Variant, SpriteModule<Animation, string, Picture, never>>>
}

/** The update that a game gets when art, frames or playback have changed on the dev server. */
export interface SpriteUpdate {
  /** All sprites that changed, whole. */
  readonly sprites: readonly SpriteModule[]
  /** Names of sprites whose specs no longer exist. */
  readonly gone?: readonly string[]
}

/** Sprites with their variants. */
export function withVariants(sprites: readonly SpriteModule[]): readonly SpriteModule[] {
  return sprites.flatMap((sprite) => [sprite, ...Object.values(sprite.variants)])
}

/** The atlas at scale 1, or the largest if there is none. */
export function mainAtlas(sprite: SpriteModule): AtlasData {
  const main = sprite.atlases.find((atlas) => atlas.scale === 1) ?? sprite.atlases[0]
  if (!main) throw new Error(`Expected the sprite "${sprite.name}" to have an atlas, found none. Import it from its spec file.`)
  return main
}

/**
 * Name of the sprite that a frame belongs to.
 *
 * @param frame `hero/walk/0000`, `ui/sword`, `badge`
 */
export function spriteOf(frame: string): string {
  return frame.split('/')[0] as string
}

/**
 * Widths of a frame that a nine-slice does not stretch, in page pixels. Returns `undefined` if the spec of
 * its sprite has no borders.
 */
export function bordersOf({ borders = {} }: AtlasData, frame: string): BorderRow | undefined {
  // A sprite may be called `constructor`.
  const owner = [frame, spriteOf(frame)].find((name) => Object.hasOwn(borders, name))
  return owner === undefined ? undefined : borders[owner]
}
