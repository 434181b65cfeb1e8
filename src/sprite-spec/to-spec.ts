import type { AnimationFile, OwnSpecFile, SpecFile, StepFile } from './schema.ts'
import type { AnimationSpec, OwnSource, Reference, ReferenceStep, SpriteSpec } from './spec.ts'

/**
 * Turns the data of a spec file into a spec.
 *
 * @param name The file's stem.
 * @param file Absolute path.
 * @param data Validated, with all defaults.
 * @param order The animations' names in the order of the file.
 */
export function toSpec(name: string, file: string, data: SpecFile, order: readonly string[]): SpriteSpec {
  return {
    name,
    file,
    reference: toReference(data.reference),
    prompt: data.prompt,
    background: data.background,
    animations: order.flatMap((key) => {
      const animation = Object.hasOwn(data.animations, key) ? data.animations[key] : undefined
      return animation ? [toAnimation(key, animation)] : []
    }),
    ...toPacking(data),
  }
}

/**
 * Turns the data of a spec file of own art into a spec. Its animations follow when the source is read.
 *
 * @param name As of {@link toSpec}.
 */
export function toOwnSpec(name: string, file: string, data: OwnSpecFile, order: readonly string[]): SpriteSpec {
  const { source: path, grid, check: isChecked, animations = {} } = data
  const playback = order.flatMap((key) => (Object.hasOwn(animations, key) ? [{ name: key, ...animations[key] }] : []))
  const reference: OwnSource = { kind: 'own', path, ...(grid ? { grid: { width: grid[0], height: grid[1] } } : {}), isChecked, playback }
  return { name, file, reference, prompt: '', background: 'keep', animations: [], ...toPacking(data) }
}

type Packing = Omit<SpriteSpec, 'name' | 'file' | 'reference' | 'prompt' | 'background' | 'animations' | 'art'>

function toPacking(data: SpecFile | OwnSpecFile): Packing {
  return {
    ...(data.size === undefined ? {} : { size: toSize(data.size) }),
    pixelArt: data.pixelArt,
    ...(data.anchor ? { anchor: { x: data.anchor[0], y: data.anchor[1] } } : {}),
    ...(data.borders === undefined ? {} : { borders: toBorders(data.borders) }),
    stabilize: data.stabilize,
    trim: data.trim,
    extrude: data.extrude,
    padding: data.padding,
    scales: data.scales,
    atlas: data.atlas,
  }
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

function toBorders(borders: NonNullable<SpecFile['borders']>): NonNullable<SpriteSpec['borders']> {
  const [left, top, right, bottom] = typeof borders === 'number' ? [borders, borders, borders, borders] : borders
  return { left, top, right, bottom }
}

function toSize(size: NonNullable<SpecFile['size']>): NonNullable<SpriteSpec['size']> {
  if (typeof size === 'number') return { kind: 'longest', px: size }
  return 'figure' in size ? { kind: 'figure', px: size.figure } : { kind: 'box', width: size.width, height: size.height }
}

/** A chain of one picture without further steps costs nothing, so it becomes that file. */
function toReference(reference: SpecFile['reference']): Reference {
  if (typeof reference === 'string') return { kind: 'file', path: reference }
  const steps = reference.steps.map(toStep)
  const [first] = steps
  return steps.length === 1 && first?.kind === 'image' ? { kind: 'file', path: first.path } : { kind: 'steps', steps }
}

function toStep(step: StepFile): ReferenceStep {
  if ('text' in step) return { kind: 'text', text: step.text }
  if ('image' in step) return { kind: 'image', path: step.image }
  if ('edit' in step) return { kind: 'edit', prompt: step.edit }
  if ('removeBackground' in step) return { kind: 'removeBackground', prompt: step.removeBackground }
  return { kind: 'upscale', prompt: step.upscale }
}
