import { toBorders } from './borders.ts'
import { normalsField } from './look-fields.ts'
import type { AnimationFile, OwnSpecFile, SpecFile, StepFile } from './schema.ts'
import { type AnimationSpec, type OwnSource, type Reference, type ReferenceStep, type SpriteSpec, stepsOf } from './spec.ts'
import { toTruePixels } from './true-pixels.ts'

/** The names in a field of a spec file, in the order of the file. */
export type NamesIn = (field: 'animations' | 'pictures') => readonly string[]

/**
 * Turns the data of a spec file into a spec.
 *
 * @param name The file's stem.
 * @param file Absolute path.
 * @param data Validated, with all defaults.
 */
export function toSpec(name: string, file: string, data: SpecFile, namesIn: NamesIn): SpriteSpec {
  const { animations = {}, pictures = {} } = data
  const reference = toReference(data.reference)
  const isStill = data.animations === undefined && data.pictures === undefined
  return {
    name,
    file,
    reference,
    prompt: data.prompt ?? '',
    background: data.background,
    animations: [
      ...inOrder(namesIn('animations'), animations, toAnimation),
      ...inOrder(namesIn('pictures'), pictures, (key, steps) => toPicture(key, reference, steps.map(toStep))),
      ...(isStill ? [toPicture('', reference, [])] : []),
    ],
    ...toPacking(data),
  }
}

function inOrder<Data, Made>(
  names: readonly string[],
  data: Readonly<Record<string, Data>>,
  make: (name: string, data: Data) => Made,
): readonly Made[] {
  return names.flatMap((name) => (Object.hasOwn(data, name) ? [make(name, data[name] as Data)] : []))
}

/**
 * Turns the data of a spec file of own art into a spec. Its animations are added when the source is read.
 *
 * @param name As for {@link toSpec}.
 */
export function toOwnSpec(name: string, file: string, data: OwnSpecFile, namesIn: NamesIn): SpriteSpec {
  const { source: path, grid, check: isChecked, animations = {} } = data
  const playback = inOrder(namesIn('animations'), animations, (key, own) => ({ name: key, ...own }))
  const reference: OwnSource = { kind: 'own', path, ...(grid ? { grid: { width: grid[0], height: grid[1] } } : {}), isChecked, playback }
  return { name, file, reference, prompt: '', background: 'keep', animations: [], ...toPacking(data) }
}

type Packing = Omit<SpriteSpec, 'name' | 'file' | 'reference' | 'prompt' | 'background' | 'animations' | 'art'>

function toPacking(data: SpecFile | OwnSpecFile): Packing {
  return {
    ...(data.size === undefined ? {} : { size: toSize(data.size) }),
    pixelArt: data.pixelArt !== false,
    ...toTruePixels(data.pixelArt),
    ...(data.anchor ? { anchor: { x: data.anchor[0], y: data.anchor[1] } } : {}),
    ...toBorders(data.borders),
    ...(data.boxes ? { boxes: data.boxes } : {}),
    ...(data.meant ? { pictureMeant: data.meant } : {}),
    ...(data.mirror ? { mirrors: data.mirror } : {}),
    ...(data.normals ? { normals: data.normals === true ? normalsField.parse({}) : data.normals } : {}),
    ...(data.variants ? { variants: toVariants(data.variants, data.pixelArt ? 0 : 0.05) } : {}),
    stabilize: data.stabilize,
    trim: data.trim,
    extrude: data.extrude,
    padding: data.padding,
    scales: data.scales,
    atlas: data.atlas,
  }
}

/** @param usual Tolerance of a ramp that sets none. */
function toVariants(variants: NonNullable<SpecFile['variants']>, usual: number): NonNullable<SpriteSpec['variants']> {
  const whole = (colour: string): string => colour.toLowerCase().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
  const toRamp = ({ from, to, tolerance = usual }: (typeof variants)[string][number]) => ({
    from: from.map(whole),
    to: to.map(whole),
    tolerance,
  })
  return Object.fromEntries(Object.entries(variants).map(([name, ramps]) => [name, ramps.map(toRamp)]))
}

function toAnimation(name: string, data: AnimationFile): AnimationSpec {
  return {
    name,
    prompt: data.prompt ?? name,
    frames: data.frames,
    take: data.take,
    ...(data.options && Object.keys(data.options).length > 0 ? { options: data.options } : {}),
    fps: data.fps,
    loop: data.loop,
    yoyo: data.yoyo,
    ...(data.durations ? { durations: data.durations } : {}),
    ...(data.use ? { use: data.use } : {}),
    ...(data.meant && data.meant.length > 0 ? { meant: data.meant } : {}),
  }
}

/** A picture of one frame, with the take of its last step. */
function toPicture(name: string, reference: Reference, steps: readonly ReferenceStep[]): AnimationSpec {
  const last = stepsOf({ reference }, { steps }).at(-1)
  const take = last === undefined || last.kind === 'image' ? 1 : last.take
  return { name, prompt: '', frames: 1, take, fps: 1, loop: false, yoyo: false, isPicture: true, steps }
}

function toSize(size: NonNullable<SpecFile['size']>): NonNullable<SpriteSpec['size']> {
  if (typeof size === 'number') return { kind: 'longest', px: size }
  return 'figure' in size ? { kind: 'figure', px: size.figure } : { kind: 'box', width: size.width, height: size.height }
}

/** A chain of one picture without further steps costs nothing, so it becomes a plain file. */
function toReference(reference: SpecFile['reference']): Reference {
  if (typeof reference === 'string') return { kind: 'file', path: reference }
  const steps = reference.steps.map(toStep)
  const [first] = steps
  return steps.length === 1 && first?.kind === 'image' ? { kind: 'file', path: first.path } : { kind: 'steps', steps }
}

function toStep(step: StepFile): ReferenceStep {
  if ('image' in step) return { kind: 'image', path: step.image }
  const { take } = step
  if ('text' in step) return { kind: 'text', prompt: step.text, take }
  if ('edit' in step) return { kind: 'edit', prompt: step.edit, take }
  if ('removeBackground' in step) return { kind: 'removeBackground', prompt: step.removeBackground, take }
  return { kind: 'upscale', prompt: step.upscale, take }
}
