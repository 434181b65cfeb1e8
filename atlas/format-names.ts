/** Names of all formats, the engines' own first. */
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

/** What data can be written for. */
export type FormatName = (typeof formatNames)[number]

/** Whether there is a format of this name. */
export function isFormatName(name: string): name is FormatName {
  return (formatNames as readonly string[]).includes(name)
}
