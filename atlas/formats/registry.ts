import type { FormatName } from '../format-abilities.ts'
import { aseprite } from './aseprite.ts'
import { asepriteFile } from './aseprite-file.ts'
import { boxes } from './boxes.ts'
import { css } from './css.ts'
import type { EngineFormat } from './format.ts'
import { godot } from './godot.ts'
import { libgdx } from './libgdx.ts'
import { phaser } from './phaser.ts'
import { phaserPct } from './phaser-pct.ts'
import { pixi } from './pixi.ts'
import { frames } from './shared/frames.ts'
import { strip } from './strip.ts'
import { texturepacker } from './texturepacker.ts'

/** All formats by name. */
export const formats: Readonly<Record<FormatName, EngineFormat>> = {
  phaser,
  pixi,
  'phaser-pct': phaserPct,
  aseprite,
  'aseprite-file': asepriteFile,
  texturepacker,
  godot,
  libgdx,
  css,
  strip,
  frames,
  boxes,
}
