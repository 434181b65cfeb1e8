import type { EngineFormat } from './format.ts'
import { phaser } from './phaser.ts'
import { pixi } from './pixi.ts'

/** Engines that data can be written for. */
export type FormatName = 'phaser' | 'pixi'

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, EngineFormat>> = { phaser, pixi }

/** Whether there is a format of this name. */
export function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(formats, name)
}
