import type { PaletteFile } from '../art/palette-file.ts'
import type { Art, ArtBox } from '../art/source.ts'

/** Fewest and most frames of one animation that the service's interface accepts. */
export const frameRange: { readonly minimum: number; readonly maximum: number } = { minimum: 7, maximum: 100 }

/** Most frames of one animation of own art, because the names of frames have four digits. */
export const mostOwnFrames: number = 10_000

/** Highest number of frames a second in a spec. */
export const mostFps: number = 240

/** Longest side, in pixels, of a picture that the step `upscale` accepts (clause C33). */
export const mostUpscaledPx: number = 2048

/** Longest side of a frame in a spec, in pixels. */
export const mostSidePx: number = 4096

/** Faults of frames that a spec may list as intended; see `docs/quality.md`. */
export const frameFaults = [
  'foot-line',
  'body-anchor',
  'scale',
  'loop-seam',
  'palette',
  'halo',
  'background',
  'duplicate',
  'blank',
  'cut-off',
  'frame-size',
  'inspect',
  'shifted',
] as const

/** A remark on frames. */
export type FrameFault = (typeof frameFaults)[number]

/**
 * How an animation plays, and its request to the service. PAID fields make the request; FREE fields never
 * cost anything.
 */
export interface AnimationSpec {
  /** Key in the spec's `animations`. Engines name the animation `sprite/NAME`, commands `sprite.NAME`. */
  readonly name: string
  /** PAID. The animation's action. Defaults to the name. */
  readonly prompt: string
  /** PAID. Number of requested frames, 7 to 100. */
  readonly frames: number
  /** PAID. 1, 2, …: another take of the same request, bought beside the earlier ones. */
  readonly take: number
  /** PAID. Further animation options of the service, passed on unchanged. */
  readonly options?: Readonly<Record<string, unknown>>
  /** FREE. Frames a second. */
  readonly fps: number
  /** FREE. */
  readonly loop: boolean
  /** FREE. Plays forward and back. The frames at both ends are shown once. */
  readonly yoyo: boolean
  /** FREE. Milliseconds of each played frame, one for every played frame. */
  readonly durations?: readonly number[]
  /** FREE. Indices of the delivered frames to play, in order. */
  readonly use?: readonly number[]
  /** FREE. Faults of the quality check that are intended. The check no longer reports them. */
  readonly meant?: readonly FrameFault[]
  /** Set for a picture: its frame has the picture's name. An empty name means the name of the sprite. */
  readonly isPicture?: true
  /**
   * PAID. Steps of a bought picture after the steps of the reference.
   *
   * @default []
   */
  readonly steps?: readonly ReferenceStep[]
}

/** One step of a chain. */
export type ReferenceStep =
  | { readonly kind: 'image'; readonly path: string }
  | {
      readonly kind: 'text' | 'edit' | 'removeBackground' | 'upscale'
      readonly prompt: string
      /** 1, 2, …: another take of the same step, bought beside the earlier ones. */
      readonly take: number
    }

/**
 * The source of the picture to animate: a file beside the spec, or steps. The first step makes or names a
 * picture.
 */
export type Reference =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'steps'; readonly steps: readonly ReferenceStep[] }
  | OwnSource

/** Own art in place of a purchase. */
export interface OwnSource {
  readonly kind: 'own'
  /** FREE. A file or folder, relative to the spec's folder. */
  readonly path: string
  /** FREE. Size of the cells that a picture is cut into, in pixels. */
  readonly grid?: { readonly width: number; readonly height: number }
  /** FREE. Whether the quality of the frames is checked. */
  readonly isChecked: boolean
  /** FREE. The spec's settings for the source's animations, in the order of the file. */
  readonly playback: readonly OwnPlayback[]
}

/** Playback of an animation of own art. Missing fields follow the source. */
export type OwnPlayback = Pick<AnimationSpec, 'name'> &
  Partial<Pick<AnimationSpec, 'fps' | 'loop' | 'yoyo' | 'durations' | 'use' | 'meant'>>

/** A box in shares of the delivered frame. */
export type ShareBox = ArtBox

/** The boxes of a frame; `find` finds them from the pixels. */
export type BoxRule = 'find' | ShareBox | readonly ShareBox[]

/** The boxes of all frames, or by animation, or by animation and number of frame. The key `*` means all others. */
export type BoxRules = BoxRule | Readonly<Record<string, BoxRule | Readonly<Record<string, BoxRule>>>>

/** One sprite: a complete spec file with all defaults. */
export interface SpriteSpec {
  /** The file's stem. */
  readonly name: string
  /** Absolute path of the spec file. */
  readonly file: string
  /** PAID. Its paths are relative to the spec's folder, as in the file. */
  readonly reference: Reference
  /** PAID. What the sprite is; may be empty if it has no bought animation. */
  readonly prompt: string
  /** PAID. */
  readonly background: 'remove' | 'keep'
  /**
   * Animations and pictures, in the order of the file, or of the source. At least one, unless the source has not been
   * read yet.
   */
  readonly animations: readonly AnimationSpec[]
  /** Own art, after it was read; missing for a bought sprite. */
  readonly art?: Art
  /**
   * FREE. Size after scaling. `longest` is the longest side of frames; `box` is the largest width and height;
   * `figure` is the longest side of the figure.
   */
  readonly size?:
    | { readonly kind: 'longest'; readonly px: number }
    | { readonly kind: 'box'; readonly width: number; readonly height: number }
    | { readonly kind: 'figure'; readonly px: number }
  /** FREE. */
  readonly pixelArt: boolean
  /** FREE. Makes true pixels of the frames. At least one field is there. */
  readonly truePixels?: {
    /** Width of a cell in delivered pixels; `find` measures it. */
    readonly grid?: 'find' | number | undefined
    /** The path of a file, relative to the spec's folder, or how many colours to find. */
    readonly palette?: string | number | undefined
    /** `hard`: every pixel is opaque or clear. */
    readonly alpha?: 'hard' | undefined
  }
  /** The palette file of {@link truePixels}, after it was read. */
  readonly paletteFile?: PaletteFile
  /** FREE. 0 to 1 of the untrimmed frame. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** FREE. Borders that a nine-slice does not stretch, in pixels at scale 1. Such frames are not trimmed. */
  readonly borders?: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
  /** FREE. Borders by name of picture. Other frames of the sprite then have no borders. */
  readonly pictureBorders?: Readonly<Record<string, NonNullable<SpriteSpec['borders']>>>
  /** FREE. Boxes for hit tests, by name. */
  readonly boxes?: Readonly<Record<string, BoxRules>>
  /** FREE. Faults of the quality check that are intended, by name of picture. */
  readonly pictureMeant?: Readonly<Record<string, readonly FrameFault[]>>
  /** FREE. Mirror images, left to right: the name of the source by new name. Both are animations, or both pictures. */
  readonly mirrors?: Readonly<Record<string, string>>
  /** FREE. Options of normal maps; `depth` and `soften` in unscaled pixels. */
  readonly normals?: { readonly from: 'shape' | 'luminance'; readonly depth?: number | undefined; readonly soften: number }
  /** FREE. Ramps by name of variant. Colours are `#rrggbb` from dark to light, tolerances distances in OKLab. */
  readonly variants?: Readonly<
    Record<string, readonly { readonly from: readonly string[]; readonly to: readonly string[]; readonly tolerance: number }[]>
  >
  /** FREE. */
  readonly stabilize: boolean
  /** FREE. */
  readonly trim: boolean
  /** FREE. Pixels, 0 to 16. */
  readonly extrude: number
  /** FREE. Pixels, 0 to 64. */
  readonly padding: number
  /** FREE. Resolution variants, e.g. `[1, 0.5]`; the first is the main one. */
  readonly scales: readonly number[]
  /** FREE. Name of the atlas group. */
  readonly atlas: string
}

/** All steps of a bought picture, beginning with the first step of the reference. */
export function stepsOf(
  { reference }: Pick<SpriteSpec, 'reference'>,
  { steps = [] }: Pick<AnimationSpec, 'steps'>,
): readonly ReferenceStep[] {
  return reference.kind === 'steps' ? [...reference.steps, ...steps] : steps
}

/** The name of an animation or picture within its sprite. A picture without a name has the sprite's name. */
export function nameInSprite(spec: Pick<SpriteSpec, 'name'>, { name }: Pick<AnimationSpec, 'name'>): string {
  return name || spec.name
}

/** Returns the name of a frame: `hero/walk/0003`. A picture is `ui/sword`, or `badge` if it has the sprite's name. */
export function frameName(
  { name: sprite }: Pick<SpriteSpec, 'name'>,
  { name, isPicture }: Pick<AnimationSpec, 'name' | 'isPicture'>,
  index: number,
): string {
  if (!isPicture) return `${sprite}/${name}/${frameNumber(index)}`
  return name === '' ? sprite : `${sprite}/${name}`
}

/** Formats the number of a frame in names: `0003`. */
export function frameNumber(index: number): string {
  return String(index).padStart(4, '0')
}
