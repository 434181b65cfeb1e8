import { type Check, isFlag, isList, isNumber, isWhole, isWords } from './plain-checks.ts'
import { type Fields, isFields, readPlainJson } from './plain-json.ts'
import { type AnimationFile, defaultFrames, frameRange, isPathBeside, namePattern, type SpecFile } from './schema.ts'
import type { SpriteSpec } from './spec.ts'
import { maximumSpecBytes } from './spec-error.ts'
import { specName } from './spec-name.ts'
import { toSpec } from './to-spec.ts'

/**
 * Reads a spec that is plainly in order, without the schema, which takes longer to load than a hundred specs to read.
 *
 * What it takes, `parseSpec` reads as the very same spec. What it does not take may be in order all the same: `parseSpec` says.
 *
 * @param file Absolute path.
 */
export function readPlainSpec(text: string, file: string): SpriteSpec | undefined {
  const name = specName(file)
  if (name === undefined || !namePattern.test(name) || !file.endsWith('.json') || Buffer.byteLength(text) > maximumSpecBytes)
    return undefined
  const data = readPlainJson(text)?.value
  if (!isFields(data) || !hasOnly(data, specFields) || !isInOrder(data)) return undefined
  const animations = data.animations as Record<string, Fields>
  const names = Object.keys(animations)
  const filled = Object.fromEntries(names.map((key) => [key, withDefaults(animations[key] as Fields)]))
  return toSpec(name, file, { ...specDefaults, scales: [1], ...data, animations: filled } as SpecFile, names)
}

const isText: Check = (value) => typeof value === 'string'
const isName: Check = (value) => typeof value === 'string' && namePattern.test(value)
const isPath: Check = (value) => typeof value === 'string' && isPathBeside(value)
const isBorder: Check = (value) => isWhole(value, 0, 2048)
const isPixels: Check = (value) => isWhole(value, 1, 4096)
const boxFields: Readonly<Record<string, Check>> = { width: isPixels, height: isPixels }
const specDefaults = {
  background: 'remove',
  pixelArt: false,
  stabilize: false,
  trim: true,
  extrude: 1,
  padding: 2,
  atlas: 'sprites',
} as const
const specFields: Readonly<Record<string, Check>> = {
  $schema: isText,
  // Chains are few, and left to the schema.
  reference: isPath,
  prompt: isWords,
  background: (value) => value === 'remove' || value === 'keep',
  animations: (value) => isFields(value) && areAnimations(value),
  size: (value) => isPixels(value) || (isFields(value) && Object.keys(value).length === 2 && hasOnly(value, boxFields)),
  pixelArt: isFlag,
  anchor: (value) => isList(value, 2, 2, (share) => isNumber(share, 0, 1)),
  borders: (value) => isBorder(value) || isList(value, 4, 4, isBorder),
  stabilize: isFlag,
  trim: isFlag,
  extrude: (value) => isWhole(value, 0, 16),
  padding: (value) => isWhole(value, 0, 64),
  scales: (value) => isList(value, 1, 8, (scale) => isNumber(scale, Number.MIN_VALUE, 4)) && new Set(value).size === value.length,
  atlas: isName,
}

const animationDefaults = { frames: defaultFrames, take: 1, fps: 12, loop: true, yoyo: false } as const
/** Without `options`, in which anything may stand. */
const animationFields: Readonly<Record<string, Check>> = {
  prompt: isWords,
  frames: (value) => isWhole(value, frameRange.minimum, frameRange.maximum),
  take: (value) => isWhole(value, 1, 9999),
  fps: (value) => isNumber(value, Number.MIN_VALUE, 240),
  loop: isFlag,
  yoyo: isFlag,
  durations: (value) => isList(value, 0, 1000, (duration) => isNumber(duration, 1, 60_000)),
  use: (value) => isList(value, 1, 1000, (frame) => isWhole(frame, 0, frameRange.maximum - 1)),
}

function hasOnly(value: Fields, checks: Readonly<Record<string, Check>>): boolean {
  for (const name of Object.keys(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined || !check(value[name])) return false
  }
  return true
}

/** What must be there, and what does not go together. */
function isInOrder({ reference, prompt, animations, borders, stabilize }: Fields): boolean {
  const isComplete = reference !== undefined && prompt !== undefined && animations !== undefined
  return isComplete && (borders === undefined || stabilize !== true)
}

function areAnimations(animations: Fields): boolean {
  const names = Object.keys(animations)
  // Names that are numbers come first in an object, wherever they stand in the text.
  const areNames = names.length > 0 && names.every((name) => namePattern.test(name) && !/^\d+$/.test(name))
  if (!areNames || new Set(names.map((name) => name.toLowerCase())).size < names.length) return false
  return names.every((name) => isFields(animations[name]) && isAnimation(animations[name]))
}

function isAnimation(animation: Fields): boolean {
  if (!hasOnly(animation, animationFields)) return false
  const { frames, use, durations } = withDefaults(animation)
  const isOfDelivered = use === undefined || use.every((frame) => frame < frames)
  return isOfDelivered && (durations === undefined || durations.length === (use?.length ?? frames))
}

function withDefaults(animation: Fields): AnimationFile {
  return { ...animationDefaults, ...animation }
}
