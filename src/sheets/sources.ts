import type { FrameReview } from '../service/wire.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PlaceholderSource } from './placeholder.ts'

/** Names the parts of a result among its entries, where a profile knows the layout; frames may be left out where sheet and atlas are named. */
export type DeliveryLayout = (entries: readonly { readonly name: string; readonly bytes: Uint8Array }[]) => {
  readonly frames: readonly string[]
  readonly sheet?: string | undefined
  readonly atlas?: string | undefined
}

/** Where the pictures of one animation come from. */
export type FrameSource =
  /** The raw ZIP that was paid for. */
  | {
      readonly kind: 'result'
      readonly sha256: string
      readonly read: () => Promise<Uint8Array>
      /** What the service said of its frames. */
      readonly review?: FrameReview | undefined
    }
  /** A stand-in for what is not bought. */
  | PlaceholderSource

/** A bought result. */
export type ResultSource = Extract<FrameSource, { kind: 'result' }>

/** One animation of a project and where its pictures come from. */
export interface SheetInput {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly source: FrameSource
  /** Frames that a person has touched up; they lie over a result alone. */
  readonly overrides?: Overrides | undefined
  /** The sprite's folder of such frames and the files in it, absolute; empty where there is no folder. @default [] */
  readonly overridePaths?: readonly string[]
}
