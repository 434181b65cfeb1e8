import type { AnimationSpec, SpriteSpec } from './spec.ts'

/** Where and under which kind of key something is bought. Results of two identities never mix. */
export interface ServiceIdentity {
  /** Host (with port) and path of the service's base URL, e.g. `api.example.com`; `embedded` for the embedded service. */
  readonly host: string
  readonly keyMode: 'test' | 'live'
  readonly apiVersion: string
}

/** One paid thing: one `sprite_sheet` execution for one animation. Its identity is {@link requestHash}. */
export interface SheetRequest {
  readonly operation: 'sprite_sheet'
  /** `sprite.animation`, for people; not part of the identity. */
  readonly id: string
  /** The sprite's prompt and the animation's, on two lines. */
  readonly prompt: string
  /** SHA-256 of the reference picture's bytes, lower-case hex. */
  readonly referenceSha256: string
  readonly frames: number
  readonly background: 'remove' | 'keep'
  readonly options?: Readonly<Record<string, unknown>>
  readonly take: number
}

/** What one animation of a spec asks of the service. */
export function toSheetRequest(spec: SpriteSpec, animation: AnimationSpec, referenceSha256: string): SheetRequest {
  return {
    operation: 'sprite_sheet',
    id: `${spec.name}.${animation.name}`,
    prompt: `${spec.prompt}\n${animation.prompt}`,
    referenceSha256,
    frames: animation.frames,
    background: spec.background,
    ...(animation.options ? { options: animation.options } : {}),
    take: animation.take,
  }
}
