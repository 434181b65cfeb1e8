import { type Bitmap, inspectQuality, type QualityFault, type QualityFigures, type ResizedFrame } from '../../atlas/index.ts'
import type { FrameReview } from '../service/wire.ts'
import { meantOf } from '../sprite-spec/pictures.ts'
import { animationId, backgroundOf } from '../sprite-spec/request.ts'
import type { AnimationSpec, FrameFault, SpriteSpec } from '../sprite-spec/spec.ts'

/** A remark on the frames of an animation, for a person. A remark never stops a build. */
export interface FrameFlag {
  /**
   * A measured fault, or a remark of the service: `inspect` (a person should check the frames) or `shifted`
   * (the service moved them). `background` may come from both. `frame-size`: frames were delivered in another size.
   */
  readonly fault: FrameFault & (QualityFault | 'frame-size' | 'inspect' | 'shifted')
  readonly from: 'frames' | 'service'
  /** Indices of delivered frames, ascending. */
  readonly frames: readonly number[]
  /** The worst figure and the limit, in the unit of the fault; missing for remarks of the service. */
  readonly value?: number
  readonly limit?: number
  /** Description of the fault in a few words. */
  readonly words: string
}

/** Quality of the frames of one bought animation, as the game plays them. */
export interface AnimationQuality {
  /** `sprite.animation`. */
  readonly id: string
  /** See `docs/quality.md`. */
  readonly figures: QualityFigures
  /** Empty if no figure is over its limit and the service has no remark. */
  readonly flags: readonly FrameFlag[]
}

/** The quality without the remarks that the spec lists in `meant`. */
export function withoutMeant(quality: AnimationQuality, spec: SpriteSpec, animation: AnimationSpec): AnimationQuality {
  const meant = meantOf(spec, animation)
  return meant.length > 0 ? { ...quality, flags: quality.flags.filter(({ fault }) => !meant.includes(fault)) } : quality
}

/** Input of {@link judgeFrames}. */
export interface JudgedFrames {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  /** In playing order, each once. */
  readonly frames: readonly Bitmap[]
  /** For each frame, the index of the delivered frame. */
  readonly indices: readonly number[]
  /** Frames that were delivered in another size than the others. */
  readonly resized: readonly ResizedFrame[]
  /** Delivered size of the other frames. */
  readonly canvas: { readonly width: number; readonly height: number }
  readonly review: FrameReview | undefined
}

/**
 * Whether playback goes from the last frame directly to the first. An animation that uses a frame twice turns
 * back, so it is no closed loop.
 */
export function isClosedLoop({ loop, yoyo, use }: AnimationSpec): boolean {
  return loop && !yoyo && (use === undefined || new Set(use).size === use.length)
}

/** Measures frames and adds the service's remarks on them. Unused frames are skipped. */
export function judgeFrames(judged: JudgedFrames): AnimationQuality {
  const { spec, animation, frames, indices, review } = judged
  const { figures, flags } = inspectQuality(frames, { loop: isClosedLoop(animation), background: backgroundOf(spec, animation) })
  const own = flags.map(({ fault, frames: at, value, limit }): FrameFlag => {
    const delivered = at.map((place) => indices[place]!).sort((a, b) => a - b)
    return { fault, from: 'frames', frames: delivered, value, limit, words: words[fault](value) }
  })
  return { id: animationId(spec, animation), figures, flags: [...own, ...sizeFlags(judged), ...serviceFlags(spec, indices, review)] }
}

function sizeFlags({ indices, resized, canvas }: JudgedFrames): FrameFlag[] {
  const used = resized.filter(({ index }) => indices.includes(index))
  if (used.length === 0) return []
  const sizes = [...new Set(used.map(({ width, height }) => `${width} × ${height}`))].join(', ')
  const text = `delivered as ${sizes} pixels, the others as ${canvas.width} × ${canvas.height}: padded or cut to that size, centred, at the bottom`
  return [{ fault: 'frame-size', from: 'frames', frames: used.map(({ index }) => index), words: text }]
}

function serviceFlags({ background, stabilize }: SpriteSpec, indices: readonly number[], review: FrameReview | undefined): FrameFlag[] {
  if (!review) return []
  const remarks: readonly (readonly [FrameFlag['fault'], readonly number[], string])[] = [
    ['background', background === 'keep' ? [] : review.keptBackgroundFrames, 'the service left the background in'],
    ['inspect', review.inspectionFrames, 'the service advises to check them'],
    // `stabilize` moves shifted frames back, so they need no remark.
    ['shifted', stabilize ? [] : review.sourceShiftedFrames, 'the service shifted them; "stabilize": true puts them back'],
  ]
  return remarks.flatMap(([fault, frames, text]) => {
    const used = frames.filter((index) => indices.includes(index)).sort((a, b) => a - b)
    return used.length === 0 ? [] : [{ fault, from: 'service' as const, frames: used, words: text }]
  })
}

const percent = (share: number): string => `${Math.round(100 * share)} %`
const pixels = (length: number): string => `${Math.round(length)} px`

const words: Readonly<Record<QualityFault, (value: number) => string>> = {
  'foot-line': (value) => `the figure slips up or down by ${pixels(value)}`,
  'body-anchor': (value) => `the figure slips aside by ${pixels(value)}`,
  scale: (value) => `the figure's size changes by ${percent(value)} and back`,
  'loop-seam': (value) => `from the last frame to the first is ${value.toFixed(1)} times a usual step`,
  palette: (value) => `the colours are off by ${Math.round(value)} of 255`,
  halo: (value) => `${percent(value)} of the outline have a light or coloured rim`,
  background: (value) => `${percent(value)} of the canvas's edge are covered: background left over`,
  duplicate: () => 'the same picture as the frame before',
  blank: () => 'nothing to see',
  'cut-off': (value) => `${pixels(value)} of the figure are on the edge of the canvas: cut off`,
}
