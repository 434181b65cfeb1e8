import { type Bitmap, makePlaceholder, readPicture } from '../../atlas/index.ts'
import { animationId } from '../spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'

/** What a stand-in is drawn from, for what is not bought. */
export interface PlaceholderSource {
  readonly kind: 'placeholder'
  /** Changes with everything that it is drawn from. */
  readonly sha256: string
  /** The reference picture; undefined where it is still to be made. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** What the sprite is: what is drawn where there is no picture. */
  readonly prompt: string
  /** Whether a corner tells it from the real thing. */
  readonly isMarked: boolean
  /** Reads frames of the same sprite that are bought: what comes will most likely be as large. */
  readonly readLike?: (() => Promise<readonly Bitmap[]>) | undefined
}

/** The frames of a stand-in: as many as are asked for, as large as bought ones of the same sprite, where there are some, else shaped like the reference. */
export async function drawPlaceholder(spec: SpriteSpec, animation: AnimationSpec, source: PlaceholderSource): Promise<readonly Bitmap[]> {
  const picture = await source.read()
  // What cannot be read any more is told where it is used itself.
  const like = (await source.readLike?.().catch(() => []))?.[0]
  return makePlaceholder(picture && (await readPicture(picture)), {
    frames: animation.frames,
    label: animationId(spec, animation),
    prompt: source.prompt,
    background: spec.background,
    isMarked: source.isMarked,
    ...(like ? { width: like.width, height: like.height } : {}),
  })
}
