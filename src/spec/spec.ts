/** Fewest and most frames of one animation, as the service's interface has them. */
export const frameRange: { readonly minimum: number; readonly maximum: number } = { minimum: 7, maximum: 100 }

/** Most frames a second that a spec may ask for. */
export const mostFps: number = 240

/** Longest side of a picture that the step `upscale` takes (clause C33), pixels. */
export const mostUpscaledPx: number = 2048

/** Longest side of a frame that a spec may ask for, pixels. */
export const mostSidePx: number = 4096

/** Which way an animation plays and what it asks of the service. PAID fields make the request; FREE ones never cost anything. */
export interface AnimationSpec {
  /** Key in the spec's `animations`; the animation is `sprite/NAME` in the engines and `sprite.NAME` in a command. */
  readonly name: string
  /** PAID. What this animation does. Defaults to the name. */
  readonly prompt: string
  /** PAID. Number of frames asked for, 7 to 100. */
  readonly frames: number
  /** PAID. 1, 2, …: another take of the same request, bought beside the earlier ones. */
  readonly take: number
  /** PAID. Further animation options of the service, passed through as they are. */
  readonly options?: Readonly<Record<string, unknown>>
  /** FREE. Frames a second. */
  readonly fps: number
  /** FREE. */
  readonly loop: boolean
  /** FREE. Plays there and back without doubling the ends. */
  readonly yoyo: boolean
  /** FREE. Milliseconds of each played frame; as many as frames are played. */
  readonly durations?: readonly number[]
  /** FREE. Indices of the delivered frames to play, in order. */
  readonly use?: readonly number[]
}

/** One step of a reference chain. */
export type ReferenceStep =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly path: string }
  | { readonly kind: 'edit'; readonly prompt: string }
  | { readonly kind: 'removeBackground'; readonly prompt: string }
  | { readonly kind: 'upscale'; readonly prompt: string }

/** Where the picture comes from that is to be animated: a file beside the spec, or steps of which the first makes or names a picture. */
export type Reference =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'steps'; readonly steps: readonly ReferenceStep[] }

/** One sprite as its author asks for it: a whole spec file, with every default filled in. */
export interface SpriteSpec {
  /** The file's stem. */
  readonly name: string
  /** Absolute path of the spec file. */
  readonly file: string
  /** PAID. Paths inside are as written, relative to the spec's folder. */
  readonly reference: Reference
  /** PAID. What the sprite is. */
  readonly prompt: string
  /** PAID. */
  readonly background: 'remove' | 'keep'
  /** In the order of the file; at least one. */
  readonly animations: readonly AnimationSpec[]
  /** FREE. Frame size after scaling; `longest` scales the longest side, `box` fits inside. */
  readonly size?:
    | { readonly kind: 'longest'; readonly px: number }
    | { readonly kind: 'box'; readonly width: number; readonly height: number }
  /** FREE. */
  readonly pixelArt: boolean
  /** FREE. 0 to 1 of the untrimmed frame. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** FREE. What a nine-slice keeps unstretched at each side of a frame, pixels at scale 1; such frames are not trimmed. */
  readonly borders?: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
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
