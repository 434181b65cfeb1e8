import { SpritewrightError } from '../errors.ts'
import { bordersOf } from './borders.ts'
import type { ValuePath } from './document.ts'
import { type AnimationSpec, type ReferenceStep, type SpriteSpec, stepsOf } from './spec.ts'

/**
 * The embedded service's host in identities. It does not have the port, which may change: purchases stay valid
 * under any port.
 */
export const embeddedHost = 'embedded'

/** The service and the kind of key with which requests are bought. Results of two identities never mix. */
export interface ServiceIdentity {
  /**
   * Host (with port) and path of the service's base URL, e.g. `api.example.com`; `embedded` for the embedded
   * service.
   */
  readonly host: string
  readonly keyMode: 'test' | 'live'
  readonly apiVersion: string
}

/** The source picture of a request: a file, by its content, or the result of another request. */
export type RequestReference =
  /** SHA-256 of the file's bytes, lower-case hex. */
  | { readonly kind: 'file'; readonly sha256: string }
  /** Request hash of the previous step. */
  | { readonly kind: 'request'; readonly hash: string }

/** Operations that return one picture. Each costs one credit. */
export type ImageOperation = 'text_to_image' | 'image_to_image' | 'background_remove' | 'upscale'

/** One execution that makes one picture: a step of a chain, or the last step, which makes a picture of the game. */
export interface ImageRequest {
  readonly operation: ImageOperation
  /**
   * `sprite#2`: the place in the chain of the first sprite that needs this step, or `sprite.picture#2` after the
   * reference; `sprite.picture`, or `sprite`, for a picture of the game. For people; not part of the identity.
   */
  readonly id: string
  readonly prompt: string
  /** `undefined` only for `text_to_image`. */
  readonly reference?: RequestReference
  readonly take: number
}

/** One `sprite_sheet` execution for one animation. */
export interface SheetRequest {
  readonly operation: 'sprite_sheet'
  /** `sprite.animation`. For people; not part of the identity. */
  readonly id: string
  /** The sprite's prompt and the animation's prompt, on two lines. */
  readonly prompt: string
  readonly reference: RequestReference
  readonly frames: number
  readonly background: 'remove' | 'keep'
  readonly options?: Readonly<Record<string, unknown>>
  readonly take: number
}

/** One paid execution at the service. Its identity is its `requestHash`. */
export type PaidRequest = SheetRequest | ImageRequest

/** The id of an animation on the command line, in the lock file and in messages: `sprite.animation`. */
export function animationId(spec: Pick<SpriteSpec, 'name'>, animation: Pick<AnimationSpec, 'name'>): string {
  // One picture may have the name of its sprite.
  return animation.name === '' ? spec.name : `${spec.name}.${animation.name}`
}

/** The sprite's name in the id of an animation (`hero.walk`) or of a step (`hero#2`). */
export function spriteOf(id: string): string {
  return id.split(/[.#]/)[0] ?? id
}

/** The paid steps before a request, in order, and the request. */
export interface RequestChain<Request extends PaidRequest = PaidRequest> {
  readonly steps: readonly ImageRequest[]
  readonly request: Request
}

/**
 * The requests of one animation or picture of a spec.
 *
 * @param pictureSha256 Hash of the picture file that is the reference or its first step; `undefined` if the
 * first step is a text.
 * @param hashOf Returns the request hash of a step under the current identity. Each request names the previous
 * step by this hash.
 */
export function toRequests(
  spec: SpriteSpec,
  animation: AnimationSpec,
  pictureSha256: string | undefined,
  hashOf: (request: ImageRequest) => string,
): RequestChain {
  const id = animationId(spec, animation)
  const file: RequestReference | undefined = pictureSha256 === undefined ? undefined : { kind: 'file', sha256: pictureSha256 }
  const start = toSteps(spec.name, spec.reference.kind === 'steps' ? spec.reference.steps : [], file, hashOf)
  if (!animation.isPicture) return { steps: start.steps, request: toSheetRequest(spec, animation, start.reference ?? nothingOf(id)) }
  const { steps } = toSteps(id, animation.steps ?? [], start.reference, hashOf)
  const all = [...start.steps, ...steps]
  return { steps: all.slice(0, -1), request: { ...(all.at(-1) ?? nothingOf(id)), id } }
}

function nothingOf(id: string): never {
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected a request for "${id}", found nothing to make it from. Please report this.`,
  })
}

function toSheetRequest(spec: SpriteSpec, animation: AnimationSpec, reference: RequestReference): SheetRequest {
  return {
    operation: 'sprite_sheet',
    id: animationId(spec, animation),
    prompt: `${spec.prompt}\n${animation.prompt}`,
    reference,
    frames: animation.frames,
    background: spec.background,
    ...(animation.options ? { options: animation.options } : {}),
    take: animation.take,
  }
}

/** The requests of some steps, and the picture after them. */
function toSteps(
  owner: string,
  list: readonly ReferenceStep[],
  from: RequestReference | undefined,
  hashOf: (request: ImageRequest) => string,
): { readonly steps: readonly ImageRequest[]; readonly reference: RequestReference | undefined } {
  let reference = from
  const steps: ImageRequest[] = []
  for (const [index, step] of list.entries()) {
    if (step.kind === 'image') continue
    const { prompt, take } = step
    const request: ImageRequest = {
      operation: operations[step.kind],
      id: `${owner}#${index + 1}`,
      prompt,
      ...(reference ? { reference } : {}),
      take,
    }
    steps.push(request)
    reference = { kind: 'request', hash: hashOf(request) }
  }
  return { steps, reference }
}

const operations: Readonly<Record<Exclude<ReferenceStep['kind'], 'image'>, ImageOperation>> = {
  text: 'text_to_image',
  edit: 'image_to_image',
  removeBackground: 'background_remove',
  upscale: 'upscale',
}

/** Whether the background of the frames is removed: for a picture, if its last step removes it. */
export function backgroundOf(spec: SpriteSpec, animation: AnimationSpec): SpriteSpec['background'] {
  if (!animation.isPicture || spec.reference.kind === 'own') return spec.background
  const last = stepsOf(spec, animation).findLast(({ kind }) => kind !== 'upscale')
  // The parts of a nine-slice end at the edge.
  return last?.kind === 'removeBackground' && bordersOf(spec, animation) === undefined ? 'remove' : 'keep'
}

/** The path of the field `take` of a bought animation or picture. A picture has this field in its last step. */
export function takePath({ reference }: SpriteSpec, { name, isPicture, steps = [] }: AnimationSpec): ValuePath {
  if (!isPicture) return ['animations', name, 'take']
  if (steps.length > 0) return ['pictures', name, steps.length - 1, 'take']
  return ['reference', 'steps', (reference.kind === 'steps' ? reference.steps.length : 1) - 1, 'take']
}
