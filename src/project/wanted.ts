import { SpritewrightError } from '../errors.ts'
import { foldPath } from '../host/real-path.ts'
import { requestHash } from '../sprite-spec/key.ts'
import { nearestName } from '../sprite-spec/nearest.ts'
import { filesOf } from '../sprite-spec/own-art.ts'
import { type ReferencePicture, readReference, referencePath } from '../sprite-spec/reference.ts'
import { animationId, type RequestChain, type ServiceIdentity, toRequests } from '../sprite-spec/request.ts'
import { readSpecs, type SpecScan } from '../sprite-spec/scan.ts'
import type { AnimationSpec, SpriteSpec } from '../sprite-spec/spec.ts'
import { specName } from '../sprite-spec/spec-file.ts'
import type { Context } from './context.ts'

/** One animation or picture of the project that can be requested from a service. */
export interface WantedAnimation {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  /**
   * The picture file that is its reference, or the first picture of its chain; missing for a chain that
   * begins with a text.
   */
  readonly picture?: ReferencePicture
  /** Its requests under the identity of a service. */
  requests(identity: ServiceIdentity): RequestChain
}

/** One animation or picture of own art. It has no request and no price. */
export interface OwnAnimation extends Pick<WantedAnimation, 'spec' | 'animation'> {
  /** `sprite.animation`, or `sprite` for a picture with the sprite's name. */
  readonly id: string
}

/** Matches the warning that specs are broken which the command does not name. */
export const brokenOthers: RegExp = / other specs? (?:is|are) broken;/

/**
 * Reads the wanted animations of all specs, or of the named ones. A broken spec adds to `errors`; the other
 * specs are still read. With names, a broken spec of another sprite is only a warning of the run.
 */
export async function readWantedAnimations(context: Context, names: readonly string[] = []): Promise<WantedAnimations> {
  const { specs, errors } = await readSpecs(context.host, context.options.root, context.options.specs)
  if (names.length === 0) return toWantedAnimations(context, { specs, errors })
  const meant = names.map((name) => (specName(name) ?? name).replace('#', '.'))
  const isMeant = ({ facts: { file, files = [file] } }: SpritewrightError): boolean =>
    [files].flat().some((one) => meant.some((name) => foldPath(`${name}.`).startsWith(foldPath(`${specName(String(one))}.`))))
  const own = errors.filter(isMeant)
  const others = errors.length - own.length
  const warning = `${others} other ${others === 1 ? 'spec is' : 'specs are'} broken; npx spritewright plan names the faults.`
  if (others > 0) context.warn(warning)
  return toWantedAnimations(
    context,
    { specs, errors: own },
    selector(context, specs, names, own.length > 0, others > 0 ? ` ${warning}` : ''),
  )
}

/** Wanted animations of the readable specs, and the errors of the unreadable ones. */
export interface WantedAnimations {
  /** By sprite name, then in the order of the spec. */
  readonly wanted: readonly WantedAnimation[]
  /** Own art, by sprite name, then in the order of the source. */
  readonly own: readonly OwnAnimation[]
  readonly errors: readonly SpritewrightError[]
}

/**
 * Collects the wanted animations of specs and reads their references.
 *
 * @param isWanted Selects animations.
 * @default all
 */
export async function toWantedAnimations(
  context: Context,
  scan: SpecScan,
  isWanted: (sprite: string, animation: string) => boolean = () => true,
): Promise<WantedAnimations> {
  const errors = [...scan.errors]
  const wanted: WantedAnimation[] = []
  // Sprites may share a picture: a valid picture is read only once.
  const pictures = new Map<string, ReferencePicture>()
  for (const spec of scan.specs) {
    const animations = spec.animations.filter((animation) => isWanted(spec.name, animation.name))
    if (animations.length === 0) continue
    if (spec.reference.kind === 'own') continue
    try {
      const path = referencePath(spec)
      const picture = path === undefined ? undefined : (pictures.get(path) ?? (await readReference(context.host.disk, spec)))
      if (picture) pictures.set(picture.path, picture)
      for (const animation of animations) wanted.push(toWantedAnimation(spec, animation, picture))
    } catch (error) {
      if (!(error instanceof SpritewrightError)) throw error
      errors.push(error)
    }
  }
  return { wanted, own: ownAnimations(context, scan.specs, isWanted), errors }
}

/** The animations and pictures of own art among these specs. Files of all specs are added to the watched files. */
export function ownAnimations(
  { ownFiles }: Context,
  specs: readonly SpriteSpec[],
  isWanted: (sprite: string, animation: string) => boolean = () => true,
): readonly OwnAnimation[] {
  const own = specs.filter(({ reference }) => reference.kind === 'own')
  for (const file of specs.flatMap(filesOf)) ownFiles.add(file)
  return own.flatMap((spec) =>
    spec.animations.flatMap((animation) =>
      isWanted(spec.name, animation.name) ? [{ id: animationId(spec, animation), spec, animation }] : [],
    ),
  )
}

function toWantedAnimation(spec: SpriteSpec, animation: AnimationSpec, picture: ReferencePicture | undefined): WantedAnimation {
  return {
    spec,
    animation,
    ...(picture ? { picture } : {}),
    requests: (identity) => toRequests(spec, animation, picture?.sha256, (step) => requestHash(step, identity)),
  }
}

function selector(
  { options: { service } }: Pick<Context, 'options'>,
  specs: readonly SpriteSpec[],
  names: readonly string[],
  isPartial: boolean,
  broken: string,
): (sprite: string, animation: string) => boolean {
  const ids = specs.flatMap((spec) => [spec.name, ...spec.animations.map((animation) => animationId(spec, animation))])
  const unknown = names.filter((name) => !ids.includes(name))
  if (unknown.length > 0 && !isPartial) {
    // If the shell completes the name, it completes the path of the file.
    const near = [...new Set(unknown.flatMap((name) => nearestName(specName(name) ?? name, ids) ?? []))]
    const advice = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
    const pull =
      typeof service === 'object' && service.queue !== undefined
        ? ' A worker does not pull: in its clone, and wherever a spec may be missing, run git pull first.'
        : ''
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of a sprite, an animation or a picture, found ${unknown.map((name) => JSON.stringify(name)).join(', ')}.${advice} There are: ${[...new Set(ids)].slice(0, 40).join(', ') || 'no specs yet (npx spritewright init writes a first one)'}.${broken}${pull}`,
      facts: { unknown },
    })
  }
  return (sprite, animation) => names.includes(sprite) || names.includes(`${sprite}.${animation}`)
}
