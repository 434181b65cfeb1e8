import type { Fault, ValuePath } from './document.ts'
import { framesField } from './schema.ts'
import { describeValue, valueAt } from './schema-faults.ts'
import { frameRange } from './spec.ts'

/** Refused options and their fields. They would change the request without the priced and approved field. */
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
 * wrong type, only the schema reports it.
 */
export function crossFaults(value: unknown): Fault[] {
  return [...animationNameFaults(value), ...animationFaults(value), ...stepFaults(value), ...scaleFaults(value), ...borderFaults(value)]
}

/** Whether a spec is one of own art. It has no paid field. */
export function isOwnSpec(value: unknown): boolean {
  return valueAt(value, ['source']) !== undefined
}

function animationNameFaults(value: unknown): Fault[] {
  const animations = valueAt(value, ['animations'])
  if (!isObject(animations)) return []
  const names = Object.keys(animations)
  if (names.length === 0) return [{ path: ['animations'], expected: 'at least one animation', found: 'an empty object' }]
  const faults: Fault[] = []
  const first = new Map<string, string>()
  for (const name of names) {
    const other = first.get(name.toLowerCase())
    if (other === undefined) first.set(name.toLowerCase(), name)
    else {
      const expected = `a name that differs from ${describeValue(other)} in more than case`
      faults.push({ path: ['animations', name], expected, found: describeValue(name), isAtKey: true })
    }
  }
  return faults
}

function animationFaults(value: unknown): Fault[] {
  const animations = valueAt(value, ['animations'])
  // Of own art, the source decides how many frames there are.
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

function stepFaults(value: unknown): Fault[] {
  const steps = valueAt(value, ['reference', 'steps'])
  if (!Array.isArray(steps)) return []
  const faults: Fault[] = []
  for (const [index, step] of steps.entries()) {
    const kind = isObject(step) && Object.keys(step).length === 1 ? Object.keys(step)[0] : undefined
    if (kind === undefined) continue
    const isStart = kind === 'text' || kind === 'image'
    const isLater = kind === 'edit' || kind === 'removeBackground' || kind === 'upscale'
    const path = ['reference', 'steps', index]
    if (index === 0 && isLater) faults.push({ path, expected: '{ text } or { image } as the first step', found: `{ ${kind} }` })
    if (index > 0 && isStart) {
      faults.push({ path, expected: '{ edit }, { removeBackground } or { upscale } after the first step', found: `{ ${kind} }` })
    }
  }
  return faults
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
  return isBoth
    ? [{ path: ['stabilize'], expected: 'false beside borders, since frames that are put back have other edges', found: 'true' }]
    : []
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
