import { z } from 'zod'
import { foundBoxes } from '../../atlas/limits.ts'
import type { Fault, ValuePath } from './document.ts'
import { numberFrom } from './fields.ts'
import { sourceWords } from './mirrors.ts'
import { knownWords } from './nearest.ts'
import { isObject } from './schema-faults.ts'
import { type AnimationSpec, type BoxRule, type BoxRules, nameInSprite, type ShareBox, type SpriteSpec } from './spec.ts'

/** The key of a rule for all animations, or all frames, that have no rule of their own. */
const others = '*'

const boxWords = '[x, y, width, height] inside of the frame, each from 0 to 1 of it'
const share = (): z.ZodNumber => numberFrom(0, 1, boxWords)
/** Tolerance for sums of rounded shares. */
const most = 1 + 1e-9
const boxField = z
  .tuple([share(), share(), share(), share()], { error: boxWords })
  .refine(([x, , width]) => width > 0 && x + width <= most, { error: boxWords, path: [2] })
  .refine(([, y, , height]) => height > 0 && y + height <= most, { error: boxWords, path: [3] })
const ruleWords = `"find", a box ${boxWords}, or a list of boxes`
const rules = [
  z.literal('find', { error: '"find"' }),
  boxField,
  z.array(boxField, { error: 'a list of boxes' }).max(16, { error: 'at most 16 boxes' }),
] as const
const byFrame = z.record(
  z.string().regex(/^(?:\*|0|[1-9]\d{0,3})$/, { error: 'the number of a frame, or * for all others' }),
  z.union(rules, { error: ruleWords }),
)
const byAnimation = z.record(
  z.string().regex(/^(?:\*|[A-Za-z0-9][A-Za-z0-9_-]*)$/, { error: 'the name of an animation or picture, or * for all others' }),
  z.union([...rules, byFrame], { error: `${ruleWords}, or an object of these by number of frame` }),
)

/**
 * The rules of one box in a spec file: for all frames, by animation, or by animation and number of frame.
 *
 * @internal
 */
export const boxRulesField = z.union([...rules, byAnimation], { error: `${ruleWords}, or an object of these by name of animation` })

/**
 * Finds faults of the boxes that their schema cannot find: an unknown animation, a frame beyond the end, or a box that
 * cannot be found from pixels.
 *
 * @param framesOf Number of frames by name of animation or picture.
 * @default names and numbers are not checked
 */
export function boxFaults(boxes: unknown, framesOf?: ReadonlyMap<string, number>): Fault[] {
  const faults: Fault[] = []
  const check = (box: string, rule: unknown, path: ValuePath, frames: number): void => {
    if (rule === 'find' && !(foundBoxes as readonly string[]).includes(box))
      faults.push({ path, expected: `numbers, because only ${foundBoxes.join(', ')} can be found from pixels`, found: '"find"' })
    for (const [key, inner] of Object.entries(isObject(rule) ? rule : {})) {
      const isAnimation = path.length === 2
      const own = isAnimation && key !== others ? (framesOf?.get(key) ?? 0) : frames
      if (framesOf && key !== others && (isAnimation ? !framesOf.has(key) : Number(key) >= frames)) {
        const expected = isAnimation
          ? knownWords(sourceWords, key, [...framesOf.keys()])
          : `one of the ${frames} frames, 0 to ${frames - 1}`
        faults.push({ path: [...path, key], expected, found: JSON.stringify(key), isAtKey: true })
      }
      check(box, inner, [...path, key], own)
    }
  }
  const longest = Math.max(...(framesOf?.values() ?? []))
  for (const [box, rule] of Object.entries(isObject(boxes) ? boxes : {})) check(box, rule, ['boxes', box], longest)
  return faults
}

/**
 * The boxes of a frame: from the spec, or else from the slices of its source. Sorted by name.
 *
 * @param index Number of the delivered frame.
 * @returns Boxes by name, in shares of the delivered frame; `find` means that they are to be found from pixels.
 */
export function boxesOf(
  spec: SpriteSpec,
  animation: AnimationSpec,
  index: number,
): readonly (readonly [name: string, boxes: 'find' | readonly ShareBox[]])[] {
  const { boxes = {}, art } = spec
  // Animations of a file without names have its one sequence.
  const { boxes: sliced = {} } = art?.sequences.find(({ name }) => name === animation.name) ?? art?.sequences[0] ?? {}
  const names = [...new Set([...Object.keys(boxes), ...Object.keys(sliced)])].sort()
  return names.map((name) => {
    const rules = pick(boxes as BoxRules, name)
    const [own, all] = [nameInSprite(spec, animation), others].map((key) => pick(rules, key))
    const rule = pick(own, String(index)) ?? pick(own, others) ?? pick(all, String(index)) ?? pick(all, others)
    return [name, toList((rule as BoxRule | undefined) ?? ((Object.hasOwn(sliced, name) && sliced[name]?.[index]) || []))]
  })
}

/** The part of rules for a key. Rules without keys are for all keys. */
function pick(rules: BoxRules | undefined, key: string): BoxRules | undefined {
  if (!isObject(rules)) return rules
  return Object.hasOwn(rules, key) ? (rules[key] as BoxRules) : undefined
}

function toList(rule: BoxRule): 'find' | readonly ShareBox[] {
  return rule === 'find' || typeof rule[0] !== 'number' ? (rule as 'find' | readonly ShareBox[]) : [rule as ShareBox]
}
