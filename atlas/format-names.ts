/** Names of all formats, those of engines first. */
export const formatNames = [
  'phaser',
  'pixi',
  'phaser-pct',
  'aseprite',
  'texturepacker',
  'godot',
  'libgdx',
  'css',
  'strip',
  'frames',
] as const

/** Name of an output format. */
export type FormatName = (typeof formatNames)[number]

/** Whether a format of this name exists. */
export function isFormatName(name: string): name is FormatName {
  return (formatNames as readonly string[]).includes(name)
}
