import { type Bitmap, makePlaceholder, readPicture } from '../../atlas/index.ts'
import { animationId, backgroundOf } from '../sprite-spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../sprite-spec/spec.ts'

/** Source of a placeholder for an animation that is not bought. */
export interface PlaceholderSource {
  readonly kind: 'placeholder'
  /** Changes with every input of the drawing. */
  readonly sha256: string
  /** Reads the reference picture. Returns `undefined` if the picture has not been made yet. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Description of the sprite. It selects the figure if there is no picture. */
  readonly prompt: string
  /** Whether a mark in a corner distinguishes the placeholder from a bought animation. */
  readonly isMarked: boolean
  /** Reads bought frames of the same sprite, because the result will most likely have their size. */
  readonly readLike?: (() => Promise<readonly Bitmap[]>) | undefined
}

/**
 * Draws the frames of a placeholder, as many as the spec asks for. If the same sprite has bought frames, the
 * placeholder has their size, and otherwise the shape of the reference.
 */
export async function drawPlaceholder(spec: SpriteSpec, animation: AnimationSpec, source: PlaceholderSource): Promise<readonly Bitmap[]> {
  const picture = await source.read()
  // A result that cannot be read is reported for its own animation, not here.
  const like = (await source.readLike?.().catch(() => []))?.[0]
  return makePlaceholder(picture && (await readPicture(picture)), {
    frames: animation.frames,
    label: animationId(spec, animation),
    prompt: source.prompt,
    background: backgroundOf(spec, animation),
    isMarked: source.isMarked,
    ...(like ? { width: like.width, height: like.height } : {}),
  })
}
