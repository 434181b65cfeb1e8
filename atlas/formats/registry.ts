import { aseprite } from './aseprite.ts'
import { css } from './css.ts'
import type { EngineFormat } from './format.ts'
import { frames } from './frames.ts'
import { godot } from './godot.ts'
import { libgdx } from './libgdx.ts'
import type { FormatName } from './names.ts'
import { phaser } from './phaser.ts'
import { phaserPct } from './phaser-pct.ts'
import { pixi } from './pixi.ts'
import { strip } from './strip.ts'
import { texturepacker } from './texturepacker.ts'

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, EngineFormat>> = {
  phaser,
  pixi,
  'phaser-pct': phaserPct,
  aseprite,
  texturepacker,
  godot,
  libgdx,
  css,
  strip,
  frames,
}
