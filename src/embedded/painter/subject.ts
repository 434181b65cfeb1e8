import type { Rgb } from './canvas.ts'
import type { Pen } from './pen.ts'

/** What a prompt leaves to its subject's drawing. */
export interface Look {
  /** The colour that the prompt names first, else the subject's own. */
  readonly main: Rgb
  /** The second one. */
  readonly second: Rgb
  /** Words of the prompt, in small letters. */
  readonly words: ReadonlySet<string>
  /** The next of the numbers from 0 to 1 that belong to the prompt. */
  readonly chance: () => number
}

/** Something that can be drawn. */
export interface Subject {
  /** Words that name it, the first being its name. */
  readonly names: readonly string[]
  readonly main: Rgb
  readonly second: Rgb
  /** Draws it into 256 × 256 units, standing on 246, with room for an outline. */
  readonly draw: (pen: Pen, look: Look) => void
  /** Where a hat sits and how wide it is, units; null for what wears none. */
  readonly head: { readonly x: number; readonly y: number; readonly width: number } | null
}
