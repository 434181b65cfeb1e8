import type { FormatName } from '../../../atlas/format-abilities.ts'

/** What comes through a format, as the suite tests it and docs/formats.md tells it. */
export interface Carries {
  /** How long each frame is shown: as it is played (a frame that comes twice may have two durations), or once for each frame. */
  readonly durations: 'played' | 'frame'
  readonly anchor: boolean
  readonly borders: boolean
  readonly hull: boolean
  /** Whether it plays for ever or once. */
  readonly loop: boolean
}

/** Every format. */
export const carries: Readonly<Record<FormatName, Carries>> = {
  phaser: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
  pixi: { durations: 'played', anchor: true, borders: true, hull: true, loop: false },
  'phaser-pct': { durations: 'played', anchor: false, borders: false, hull: false, loop: true },
  aseprite: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
  texturepacker: { durations: 'frame', anchor: true, borders: true, hull: true, loop: false },
  godot: { durations: 'played', anchor: false, borders: false, hull: false, loop: true },
  libgdx: { durations: 'played', anchor: true, borders: true, hull: false, loop: false },
  css: { durations: 'played', anchor: true, borders: false, hull: false, loop: true },
  strip: { durations: 'played', anchor: true, borders: true, hull: false, loop: true },
  frames: { durations: 'played', anchor: true, borders: true, hull: true, loop: true },
}
