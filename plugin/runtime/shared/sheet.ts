import type { AnimationData, AtlasData, BoxRow, BoxRows, FrameRow, Outline, SpriteModule } from './data.ts'

// The only form in which a page gets sprites: in the modules of a build, in those of the dev server, and in
// its hot messages. It is plain JSON with a row for each frame.

/** The columns of a {@link FrameRow}, in this order; the anchor only if the spec sets one. */
export const frameColumns = 'page x y width height offsetX offsetY sourceWidth sourceHeight anchorX anchorY'

/** Sprites that share an atlas, and that atlas. */
export interface SheetData {
  /** {@link frameColumns}, for a person who reads the rows. */
  readonly columns: string
  readonly sprites: readonly SpriteRows[]
  /** The same atlas at every scale, largest first. */
  readonly atlases: readonly AtlasRows[]
  /**
   * By name, the sprites that have the variant.
   *
   * @default none
   */
  readonly variants?: Readonly<Record<string, SheetData>>
}

/** A sprite without the data of its atlas. */
export interface SpriteRows extends Omit<SpriteModule, 'animations' | 'order' | 'pictures' | 'frames' | 'atlases' | 'variants'> {
  /** Short names, in the spec's order. */
  readonly animations: readonly string[]
  /** Short names of pictures that are no animations. */
  readonly pictures?: readonly string[]
}

/** An atlas. Its frames belong to its animations, or are pictures. */
export interface AtlasRows extends Omit<AtlasData, 'frames' | 'animations' | 'mirrored'> {
  /** By name, `hero/walk`. */
  readonly animations: Readonly<Record<string, AnimationRows>>
  /** By frame name, `ui/sword`. */
  readonly pictures?: Readonly<Record<string, FrameRow>>
  /** Animations that are the mirror image of another one: `hero/walk-left` is that of `hero/walk-right`. */
  readonly mirrors?: Readonly<Record<string, string>>
}

/** An animation with its frames. A number is the end of a frame's name: 3 is `hero/walk/0003`. */
export interface AnimationRows extends Omit<AnimationData, 'frames'> {
  /** Numbers of the played frames, in playing order. */
  readonly play: readonly number[]
  /**
   * Milliseconds of each played frame.
   *
   * @default 1000 / fps for each
   */
  readonly durations?: readonly number[]
  /** Number of each row. */
  readonly numbers: readonly number[]
  readonly rows: readonly FrameRow[]
}

/** The message of the dev server when art, frames or playback have changed. */
export interface SheetUpdate {
  /** All sprites that changed, whole. */
  readonly sheets: readonly SheetData[]
  /** Names of sprites whose specs are gone. */
  readonly gone?: readonly string[]
}

/** Name of a frame, `hero/walk/0003`. */
function frameName(animation: string, number: number): string {
  return `${animation}/${String(number).padStart(4, '0')}`
}

/** Converts a sheet to the sprites that a game uses. */
export function readSheet({ sprites, atlases, variants = {} }: SheetData): readonly SpriteModule[] {
  const read = atlases.map(readAtlas)
  const looks = Object.entries(variants).map(([name, sheet]) => [name, readSheet(sheet)] as const)
  return sprites.map((sprite) => {
    const own = looks.flatMap(([name, all]) => all.filter((one) => one.name === `${sprite.name}.${name}`).map((one) => [name, one]))
    return { ...readSprite(sprite, atlases[0], read), variants: Object.fromEntries(own) }
  })
}

/** All sprites by name, sorted. */
export function spritesByName(sheets: readonly (readonly SpriteModule[])[]): Readonly<Record<string, SpriteModule>> {
  const sorted = sheets.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(sorted.map((sprite) => [sprite.name, sprite]))
}

function readAtlas(given: AtlasRows): AtlasData {
  const { animations, pictures, ...head } = readMirrors(given)
  const all = Object.entries(animations)
  const frames = all.flatMap(([name, { numbers, rows }]) => numbers.map((number, at) => [frameName(name, number), rows[at]] as const))
  return {
    ...head,
    frames: { ...Object.fromEntries(frames), ...pictures } as AtlasData['frames'],
    animations: Object.fromEntries(all.map(([name, animation]) => [name, readAnimation(name, animation)])),
  }
}

/** Adds the mirror images of animations: their frames, and all that is known of them. */
function readMirrors({ mirrors, ...atlas }: AtlasRows): Omit<AtlasRows, 'mirrors'> & Pick<AtlasData, 'mirrored'> {
  if (!mirrors) return atlas
  const { animations, turned, outlines, boxes } = atlas
  const images = Object.entries(mirrors).flatMap(([name, of]) => {
    const source = animations[of]
    return source ? [{ name, of, source }] : []
  })
  const pairs = images.flatMap(({ name, of, source: { numbers, rows } }) =>
    numbers.map((number, at) => ({ image: frameName(name, number), frame: frameName(of, number), width: (rows[at] as FrameRow)[7] })),
  )
  const isTurned = new Set(turned)
  const withImages = <T>(all: Readonly<Record<string, T>>, mirror: (one: T, width: number) => T): Readonly<Record<string, T>> => {
    const added = pairs.flatMap(({ image, frame, width }) => (all[frame] ? [[image, mirror(all[frame], width)] as const] : []))
    return { ...all, ...Object.fromEntries(added) }
  }
  return {
    ...atlas,
    animations: {
      ...animations,
      ...Object.fromEntries(images.map(({ name, source }) => [name, { ...source, rows: source.rows.map(mirrorRow) }])),
    },
    mirrored: pairs.map(({ image }) => image),
    ...(turned ? { turned: [...turned, ...pairs.flatMap(({ image, frame }) => (isTurned.has(frame) ? [image] : []))] } : {}),
    ...(outlines ? { outlines: withImages(outlines, mirrorOutline) } : {}),
    ...(boxes ? { boxes: withImages(boxes, mirrorBoxes) } : {}),
  }
}

function mirrorOutline(outline: Outline, width: number): Outline {
  return outline.map(([x, y]) => [width - x, y] as const).reverse()
}

function mirrorBoxes(boxes: BoxRows, width: number): BoxRows {
  const mirror = ([x, y, w, h]: BoxRow): BoxRow => [Math.round((width - x - w) * 100) / 100, y, w, h]
  return Object.fromEntries(Object.entries(boxes).map(([name, all]) => [name, all.map(mirror)]))
}

function mirrorRow([page, x, y, w, h, ox, oy, sw, sh, ax, ay]: FrameRow): FrameRow {
  const place = [page, x, y, w, h, sw - ox - w, oy, sw, sh] as const
  return ax === undefined || ay === undefined ? place : [...place, 1 - ax, ay]
}

function readAnimation(name: string, { play, durations, fps, loop, yoyo }: AnimationRows): AnimationData {
  const frames = play.map((number, at) => [frameName(name, number), durations?.[at] ?? 1000 / fps] as const)
  return { frames, fps, loop, yoyo }
}

function readSprite(
  { animations: shorts, pictures: stills = [], ...head }: SpriteRows,
  rows: AtlasRows | undefined,
  atlases: readonly AtlasData[],
): Omit<SpriteModule, 'variants'> {
  const played = shorts.map((short) => {
    const name = `${head.name}/${short}`
    const { frames = [], fps = 12, loop = true, yoyo = false } = atlases[0]?.animations[name] ?? {}
    return [short, { name, frames: frames.map(([frame]) => frame), durations: frames.map(([, ms]) => ms), fps, loop, yoyo }] as const
  })
  const numbersOf = (name: string): readonly number[] => rows?.animations[rows.mirrors?.[name] ?? name]?.numbers ?? []
  const moving = played.flatMap(([, { name }]) => numbersOf(name).map((number) => frameName(name, number)))
  // A picture may have the name of its sprite, and a sprite may be called `constructor`.
  const isWhole = (short: string): boolean => short === head.name.split('.')[0] && Object.hasOwn(rows?.pictures ?? {}, head.name)
  const pictures = Object.fromEntries(stills.map((short) => [short, isWhole(short) ? head.name : `${head.name}/${short}`]))
  const frames = [...moving, ...Object.values(pictures)].sort()
  return { ...head, animations: Object.fromEntries(played), order: shorts, pictures, frames, atlases }
}
