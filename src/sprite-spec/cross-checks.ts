import { boxFaults } from './boxes.ts'
import type { Fault, ValuePath } from './document.ts'
import { mirrorFaults } from './mirrors.ts'
import { unknownPicture } from './pictures.ts'
import { framesField, promptWords } from './schema.ts'
import { describeValue, isObject, valueAt } from './schema-faults.ts'
import { frameRange, mostOwnFrames } from './spec.ts'

/** Refused options and the fields to use instead. Price and approval cover the field, but not such an option. */
const reservedOptions: Readonly<Record<string, string>> = {
  frame_count: 'animations.NAME.frames',
  frames: 'animations.NAME.frames',
  background: 'background',
  max_credits: 'an approval',
}

/**
 * Finds faults that a schema cannot find, because they concern two fields.
 *
 * Checks the raw value, so that these faults appear together with those of the schema. If a part has the
 * wrong type, only the schema reports this part.
 *
 * @param name The sprite's name. A sprite that is one picture gives its name to the picture.
 */
export function crossFaults(value: unknown, name: string): Fault[] {
  const framesOf = framesIn(value, name)
  return [
    ...nameFaults(value),
    ...subjectFaults(value),
    ...animationFaults(value),
    ...stepFaults(value),
    ...pictureFaults(value),
    ...scaleFaults(value),
    ...borderFaults(value),
    ...namedPictureFaults(value, name),
    ...mirrorFaults(valueAt(value, ['mirror']), framesOf),
    ...boxFaults(valueAt(value, ['boxes']), framesOf),
  ]
}

/** Whether a spec is for own art, which has no paid field. */
export function isOwnSpec(value: unknown): boolean {
  return valueAt(value, ['source']) !== undefined
}

/** Reports a picture with the name of an animation. */
function nameFaults(value: unknown): Fault[] {
  const faults: Fault[] = []
  const first = new Map<string, string>()
  for (const [field, one] of [['animations', 'animation'] as const, ['pictures', 'picture'] as const]) {
    const named = valueAt(value, [field])
    if (!isObject(named)) continue
    const names = Object.keys(named)
    if (names.length === 0) faults.push({ path: [field], expected: `at least one ${one}`, found: 'an empty object' })
    for (const name of names) {
      const other = first.get(name.toLowerCase())
      if (other === undefined) first.set(name.toLowerCase(), name)
      else {
        const expected = `a name that differs from ${describeValue(other)} in more than case`
        faults.push({ path: [field, name], expected, found: describeValue(name), isAtKey: true })
      }
    }
  }
  return faults
}

/** Checks the subject of a spec: animations, which need a prompt, pictures, or the last step of the reference. */
function subjectFaults(value: unknown): Fault[] {
  if (!isObject(value) || isOwnSpec(value)) return []
  const { reference, animations, pictures, prompt } = value
  if (animations !== undefined) return prompt === undefined ? [{ path: ['prompt'], expected: promptWords, found: 'nothing' }] : []
  if (pictures !== undefined || reference === undefined || hasPaidStep(value)) return []
  const expected = 'animations or pictures by name, or a reference of steps that are paid for: without them, nothing is bought'
  return [{ path: ['animations'], expected, found: 'nothing' }]
}

function hasPaidStep(value: unknown): boolean {
  const steps = valueAt(value, ['reference', 'steps'])
  // Other faults of the steps are reported separately.
  return Array.isArray(steps) && !(steps.length === 1 && valueAt(steps[0], ['image']) !== undefined)
}

function pictureFaults(value: unknown): Fault[] {
  const pictures = valueAt(value, ['pictures'])
  if (!isObject(pictures)) return []
  return Object.entries(pictures).flatMap(([name, steps]) => {
    if (!Array.isArray(steps)) return []
    const path = ['pictures', name]
    if (steps.length === 0 && !hasPaidStep(value))
      return [{ path, expected: 'at least one step, since the reference is a file and costs nothing', found: 'an empty list' }]
    return steps.flatMap((step, index) => {
      const kind = kindOf(step)
      return kind === 'text' || kind === 'image' ? [{ path: [...path, index], expected: laterWords, found: `{ ${kind} }` }] : []
    })
  })
}

function animationFaults(value: unknown): Fault[] {
  const animations = valueAt(value, ['animations'])
  // For own art, the source decides the number of frames.
  if (!isObject(animations) || isOwnSpec(value)) return []
  return Object.entries(animations).flatMap(([name, animation]) => {
    if (!isObject(animation)) return []
    const path = ['animations', name]
    return [...frameFaults(animation, path), ...optionFaults(animation.options, [...path, 'options'])]
  })
}

function frameFaults(animation: Readonly<Record<string, unknown>>, path: ValuePath): Fault[] {
  const { use, durations, frames } = animation
  const faults: Fault[] = []
  const { data: count } = framesField.safeParse(frames)
  if (Array.isArray(use) && count !== undefined) {
    for (const [index, frame] of use.entries()) {
      if (!Number.isInteger(frame) || frame < count || frame >= frameRange.maximum) continue
      faults.push({ path: [...path, 'use', index], expected: `one of the ${count} frames, 0 to ${count - 1}`, found: String(frame) })
    }
  }
  const played = Array.isArray(use) ? use.length : count
  if (Array.isArray(durations) && played !== undefined && durations.length !== played) {
    const expected = `${played} durations, one for each frame played`
    faults.push({ path: [...path, 'durations'], expected, found: describeValue(durations) })
  }
  return faults
}

function optionFaults(options: unknown, path: ValuePath): Fault[] {
  if (!isObject(options)) return []
  return Object.keys(options)
    .filter((key) => Object.hasOwn(reservedOptions, key))
    .map((key) => ({
      path: [...path, key],
      expected: `no such option, since it is set by ${reservedOptions[key]}`,
      found: `the field ${describeValue(key)}`,
      isAtKey: true,
    }))
}

const laterWords = '{ edit }, { removeBackground } or { upscale } after the first step'

/** The kind of a step that has one. */
function kindOf(step: unknown): string | undefined {
  const keys = isObject(step) ? Object.keys(step).filter((key) => key !== 'take') : []
  return keys.length === 1 ? keys[0] : undefined
}

function stepFaults(value: unknown): Fault[] {
  const steps = valueAt(value, ['reference', 'steps'])
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step, index) => {
    const kind = kindOf(step)
    const isStart = kind === 'text' || kind === 'image'
    const isLater = kind === 'edit' || kind === 'removeBackground' || kind === 'upscale'
    const path = ['reference', 'steps', index]
    if (index === 0 && isLater) return [{ path, expected: '{ text } or { image } as the first step', found: `{ ${kind} }` }]
    return index > 0 && isStart ? [{ path, expected: laterWords, found: `{ ${kind} }` }] : []
  })
}

function scaleFaults(value: unknown): Fault[] {
  const scales = valueAt(value, ['scales'])
  if (!Array.isArray(scales)) return []
  return scales.flatMap((scale, index) =>
    scales.indexOf(scale) < index ? [{ path: ['scales', index], expected: 'each scale once', found: `${describeValue(scale)} again` }] : [],
  )
}

function borderFaults(value: unknown): Fault[] {
  const isBoth = valueAt(value, ['borders']) !== undefined && valueAt(value, ['stabilize']) === true
  return isBoth ? [{ path: ['stabilize'], expected: 'false beside borders, since moved frames have other edges', found: 'true' }] : []
}

/** The number of frames by animation and picture. For own art, the source decides. */
function framesIn(value: unknown, name: string): ReadonlyMap<string, number> | undefined {
  if (isOwnSpec(value)) return undefined
  const animations = valueAt(value, ['animations'])
  const moving = isObject(animations) ? Object.entries(animations) : []
  return new Map([
    ...moving.map(([key, animation]) => [key, framesField.safeParse(valueAt(animation, ['frames'])).data ?? mostOwnFrames] as const),
    ...picturesIn(value, name).map((key) => [key, 1] as const),
  ])
}

/** Checks fields by name of picture. For own art, the source decides which pictures exist. */
function namedPictureFaults(value: unknown, name: string): Fault[] {
  if (isOwnSpec(value)) return []
  const names = picturesIn(value, name)
  return ['borders', 'meant'].flatMap((field) => {
    const named = valueAt(value, [field])
    const unknown = isObject(named) && unknownPicture(Object.keys(named), names)
    return unknown ? [{ path: [field, unknown.name], expected: unknown.expected, found: describeValue(unknown.name), isAtKey: true }] : []
  })
}

/** The names of the pictures that a spec of a bought sprite has. */
function picturesIn(value: unknown, name: string): readonly string[] {
  const pictures = valueAt(value, ['pictures'])
  if (pictures === undefined && valueAt(value, ['animations']) === undefined) return [name]
  return isObject(pictures) ? Object.keys(pictures) : []
}
