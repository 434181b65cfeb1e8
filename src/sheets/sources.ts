import type { Bitmap } from '../../atlas/index.ts'
import type { FrameReview } from '../service/wire.ts'
import type { AnimationSpec, SpriteSpec } from '../sprite-spec/spec.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PlaceholderSource } from './placeholder.ts'

/**
 * Names the parts of a result among its entries, for a profile that knows the layout. `frames` may be empty
 * if `sheet` and `atlas` are named.
 */
export type DeliveryLayout = (entries: readonly { readonly name: string; readonly bytes: Uint8Array }[]) => {
  readonly frames: readonly string[]
  readonly sheet?: string | undefined
  readonly atlas?: string | undefined
}

/** Source of the pictures of one animation. */
export type FrameSource =
  /** The raw ZIP of a bought result. */
  | {
      readonly kind: 'result'
      readonly sha256: string
      readonly read: () => Promise<Uint8Array>
      /** The service's review of its frames. */
      readonly review?: FrameReview | undefined
      /** The result was bought before the animation was changed. It is shown until the new result is there. */
      readonly isSuperseded?: true
    }
  /** Own art. */
  | {
      readonly kind: 'own'
      /** Hash of the source, which changes with its bytes. */
      readonly sha256: string
      /** Reads the frames, all of one size. */
      readonly read: () => Promise<readonly Bitmap[]>
    }
  /** A placeholder for an animation that is not bought. */
  | PlaceholderSource

/** A bought result. */
export type ResultSource = Extract<FrameSource, { kind: 'result' }>

/** Whether the quality of frames is checked: always for bought frames, and for own art if its spec asks for it. */
export function isChecked({ spec: { reference }, source }: Pick<SheetInput, 'spec' | 'source'>): boolean {
  return source.kind === 'result' || (source.kind === 'own' && reference.kind === 'own' && reference.isChecked)
}

/** One animation of a project with the source of its pictures. */
export interface SheetInput {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly source: FrameSource
  /**
   * The earlier bought animations of the spec, if the spec sets the size of the figure. The first one that fits
   * sets the scale of this animation.
   *
   * @default []
   */
  readonly bases?: readonly SheetInput[] | undefined
  /**
   * All animations of the sprite that are bought or drawn, with this one.
   *
   * @default this animation alone
   */
  readonly peers?: readonly SheetInput[] | undefined
  /** Frames that a person has touched up; they replace frames of a result only, not of a placeholder. */
  readonly overrides?: Overrides | undefined
  /**
   * The sprite's folder of touched-up frames and the files in it, absolute; empty if there is no folder.
   *
   * @default []
   */
  readonly overridePaths?: readonly string[]
}
