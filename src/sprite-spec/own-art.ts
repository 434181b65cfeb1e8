import { basename, dirname, resolve } from 'node:path'
import { readArt } from '../art/art.ts'
import { readPaletteFile } from '../art/palette-file.ts'
import { type Art, type ArtSequence, sourceError } from '../art/source.ts'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { foldPath } from '../host/real-path.ts'
import { bordersOf } from './borders.ts'
import { boxFaults } from './boxes.ts'
import { mirrorFaults } from './mirrors.ts'
import { nearestName } from './nearest.ts'
import { unknownPicture } from './pictures.ts'
import { namePattern, nameWords, ownSpecSchema } from './schema.ts'
import { type AnimationSpec, mostFps, mostOwnFrames, nameInSprite, type OwnPlayback, type OwnSource, type SpriteSpec } from './spec.ts'
import { bareArtName } from './spec-file.ts'
import { toOwnSpec } from './to-spec.ts'

/** Name of the animation of a file without animation names. */
const wholeName = 'all'

const defaultFps = 12

/**
 * Reads the files of a spec that are no reference: the source of own art, with its animations and pictures in the
 * order of the source, and a palette.
 *
 * @throws `SW_SOURCE` for a damaged file, or if an animation of the spec is not in the source; `SW_DISK` for an
 * unreadable file. The fact `file` is the spec, and `source` is the faulty file.
 */
export async function withArt(disk: Disk, spec: SpriteSpec): Promise<SpriteSpec> {
  const { reference, truePixels } = spec
  const palette = truePixels?.palette
  const paletteFile = typeof palette === 'string' ? await fromFile(spec, palette, (path) => readPaletteFile(disk, path)) : undefined
  const painted = paletteFile ? { ...spec, paletteFile } : spec
  return reference.kind === 'own' ? fromFile(spec, reference.path, (path) => readSource(disk, painted, reference, path)) : painted
}

async function readSource(disk: Disk, spec: SpriteSpec, reference: OwnSource, path: string): Promise<SpriteSpec> {
  const art = await readArt(disk, { path, grid: reference.grid })
  for (const sequence of art.sequences) checkFrames(path, { name: sequence.name, frames: sequence.frames })
  const animations = toAnimations(art, reference)
  checkNames(path, animations)
  const pictures = animations.flatMap((animation) => (animation.isPicture ? [nameInSprite(spec, animation)] : []))
  for (const [field, named = {}] of [['borders', spec.pictureBorders] as const, ['meant', spec.pictureMeant] as const]) {
    const unknown = unknownPicture(Object.keys(named), pictures)
    if (unknown) throw sourceError(path, unknown.expected, `"${unknown.name}"`, `Correct "${field}" in the spec.`)
  }
  for (const animation of animations) checkFrames(path, animation)
  const framesOf = new Map(animations.map((animation) => [nameInSprite(spec, animation), animation.frames]))
  const [fault] = [...mirrorFaults(spec.mirrors, framesOf), ...boxFaults(spec.boxes, framesOf)]
  if (fault) throw sourceError(path, fault.expected, fault.found, `Correct "${fault.path.join('.')}" in the spec.`)
  const { anchor = art.anchor } = spec
  const made = { ...spec, animations, art, ...(anchor ? { anchor } : {}) }
  if (spec.stabilize && animations.some((animation) => bordersOf(made, animation)))
    throw sourceError(path, '"stabilize" false beside the borders of a slice', 'true', 'Take one of them out.')
  return made
}

/** Reads a file beside a spec. An error gets the spec as its file. */
async function fromFile<T>({ file }: SpriteSpec, beside: string, read: (path: string) => Promise<T>): Promise<T> {
  const path = resolve(dirname(file), beside)
  try {
    return await read(path)
  } catch (error) {
    if (!(error instanceof SpritewrightError)) throw error
    const source = error.facts.file as string
    const facts = { ...error.facts, file, source, sources: [path, source] }
    throw new SpritewrightError(error.code, { message: error.message, facts, cause: error })
  }
}

/**
 * The default spec of own art without a spec file.
 *
 * @throws `SW_SOURCE` for a name that no sprite may have.
 */
export function bareSpec(file: string): SpriteSpec {
  const name = bareArtName(file) ?? ''
  if (!namePattern.test(name)) throw sourceError(file, `${nameWords}, before the ending`, JSON.stringify(basename(file)), 'Rename it.')
  return toOwnSpec(name, file, ownSpecSchema.parse({ source: `./${basename(file)}` }), () => [])
}

/** The files that {@link withArt} has read, absolute. */
export function filesOf({ art, paletteFile }: SpriteSpec): readonly string[] {
  return [...(art?.files ?? []), ...(paletteFile ? [paletteFile.path] : [])]
}

/** Finds the pictures of an animation of own art. */
export function sequenceOf({ art }: SpriteSpec, { name }: Pick<AnimationSpec, 'name'>): ArtSequence {
  const sequences = art?.sequences ?? []
  const found = sequences.find((sequence) => sequence.name === name) ?? sequences[0]
  if (found) return found
  throw new SpritewrightError('SW_INTERNAL', { message: `Expected pictures of "${name}", found none. Please report this.` })
}

function toAnimations({ sequences, files }: Art, { playback }: OwnSource): readonly AnimationSpec[] {
  const [first] = sequences
  // A file without names is one run of frames, from which the spec may select animations.
  if (first?.name === '' && playback.length > 0) return playback.map((own) => toAnimation({ ...first, isPicture: false }, own))
  const names = sequences.map(({ name }) => name)
  const unknown = playback.find(({ name }) => !names.includes(name))
  if (unknown) {
    const near = nearestName(unknown.name, names)
    throw sourceError(
      files[0] as string,
      `an animation ${JSON.stringify(unknown.name)}, which the spec names`,
      `${names.join(', ')}`,
      near === undefined ? 'Correct "animations" in the spec.' : `Did you mean "${near}"?`,
    )
  }
  return sequences.map((sequence) => {
    const name = sequence.name === '' && !sequence.isPicture ? wholeName : sequence.name
    return toAnimation(sequence, playback.find((own) => own.name === name) ?? { name })
  })
}

/** Values of the spec override values of the source. */
function toAnimation(sequence: ArtSequence, own: OwnPlayback): AnimationSpec {
  const { frames, isPicture } = sequence
  const use = own.use ?? sequence.play
  const played = use ?? Array.from({ length: frames }, (_, index) => index)
  const times =
    own.fps === undefined ? sequence.durations && played.map((index) => Math.max(1, sequence.durations?.[index] ?? 0)) : undefined
  const [time = 0] = times ?? []
  const pace = 1000 / time
  const isEven = times?.every((ms) => ms === time) === true && pace <= mostFps
  const durations = own.durations ?? (isEven ? undefined : times)
  return {
    name: own.name,
    prompt: '',
    frames,
    take: 1,
    fps: own.fps ?? (isEven ? pace : defaultFps),
    loop: own.loop ?? sequence.loop,
    yoyo: own.yoyo ?? sequence.yoyo,
    ...(durations ? { durations } : {}),
    ...(use ? { use } : {}),
    ...(own.meant && own.meant.length > 0 ? { meant: own.meant } : {}),
    ...(isPicture ? { isPicture } : {}),
  }
}

function checkNames(path: string, animations: readonly AnimationSpec[]): void {
  const first = new Map<string, string>()
  for (const { name, isPicture } of animations) {
    if (!namePattern.test(name) && !(isPicture && name === ''))
      throw sourceError(path, nameWords, JSON.stringify(name), 'Rename the tag or the file.')
    const other = first.get(foldPath(name))
    if (other !== undefined)
      throw sourceError(
        path,
        'names that differ in more than case',
        `${JSON.stringify(other)} and ${JSON.stringify(name)}`,
        'Rename one of them.',
      )
    first.set(foldPath(name), name)
  }
}

function checkFrames(path: string, { name, frames, use, durations }: Pick<AnimationSpec, 'name' | 'frames' | 'use' | 'durations'>): void {
  const shown = JSON.stringify(name)
  if (frames > mostOwnFrames)
    throw sourceError(path, `at most ${mostOwnFrames} frames in an animation`, `${frames} in ${shown}`, 'Split it.')
  const beyond = use?.find((index) => index >= frames)
  if (beyond !== undefined)
    throw sourceError(path, `frames 0 to ${frames - 1} in "use" of ${shown}`, `frame ${beyond}`, 'Correct "use" in the spec.')
  const played = use?.length ?? frames
  if (durations && durations.length !== played)
    throw sourceError(
      path,
      `${played} durations of ${shown}, one for each frame played`,
      `${durations.length}`,
      'Correct "durations" in the spec.',
    )
}
