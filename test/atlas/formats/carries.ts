import type { FormatName } from '../../../atlas/format-abilities.ts'

/** The data that a format transports. The suite tests it, and docs/formats.md lists it. */
export interface Carries {
  /** Durations: of each played frame (a frame that is played twice may have two), one for each frame, or none. */
  readonly durations: 'played' | 'frame' | 'none'
  readonly anchor: boolean
  readonly borders: boolean
  readonly hull: boolean
  /** Whether the format says if an animation loops or plays once. */
  readonly loop: boolean
}

/** Every format. */
export const carries: Readonly<Record<FormatName, Carries>> = {
  phaser: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
  pixi: { durations: 'played', anchor: true, borders: true, hull: true, loop: false },
  'phaser-pct': { durations: 'played', anchor: false, borders: false, hull: false, loop: true },
  aseprite: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
  'aseprite-file': { durations: 'played', anchor: true, borders: true, hull: false, loop: true },
  texturepacker: { durations: 'frame', anchor: true, borders: true, hull: true, loop: false },
  godot: { durations: 'played', anchor: false, borders: false, hull: false, loop: true },
  libgdx: { durations: 'played', anchor: true, borders: true, hull: false, loop: false },
  css: { durations: 'played', anchor: true, borders: false, hull: false, loop: true },
  strip: { durations: 'played', anchor: true, borders: true, hull: false, loop: true },
  frames: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
  boxes: { durations: 'none', anchor: true, borders: false, hull: true, loop: false },
}
