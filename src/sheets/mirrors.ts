import { bordersOf } from '../sprite-spec/borders.ts'
import { mirrorsOf } from '../sprite-spec/mirrors.ts'
import type { AnimationSpec } from '../sprite-spec/spec.ts'
import type { SheetOptions } from './model.ts'
import type { SheetInput } from './sources.ts'

/**
 * Whether the mirror images of an animation get pixels of their own: for readers that cannot draw mirrored frames, for
 * pictures, which games also tile and fill shapes with, for nine-slices, and for normal maps, whose vectors change too.
 */
function isBaked({ spec, animation }: SheetInput, { canMirror = false }: SheetOptions): boolean {
  return !canMirror || animation.isPicture === true || spec.normals !== undefined || bordersOf(spec, animation) !== undefined
}

/** Names of the mirror images that get pixels of their own, e.g. `walk-left`. */
export function bakedMirrors(input: SheetInput, options: SheetOptions): readonly string[] {
  return isBaked(input, options) ? mirrorsOf(input.spec, input.animation) : []
}

/** Names of the mirror images that engines draw from the pixels of their source. */
export function drawnMirrors(input: SheetInput, options: SheetOptions): readonly string[] {
  return isBaked(input, options) ? [] : mirrorsOf(input.spec, input.animation)
}

/** An animation or picture whose frames are in an atlas, and its mirror images there. */
export function withBaked(input: SheetInput, options: SheetOptions): readonly AnimationSpec[] {
  return [input.animation, ...bakedMirrors(input, options).map((name) => ({ ...input.animation, name }))]
}
