/** Names of all formats, those of engines first. */
export const formatNames = [
  'phaser',
  'pixi',
  'phaser-pct',
  'aseprite',
  'aseprite-file',
  'texturepacker',
  'godot',
  'libgdx',
  'css',
  'strip',
  'frames',
  'boxes',
] as const

/** Name of an output format. */
export type FormatName = (typeof formatNames)[number]

/** Whether a format of this name exists. */
export function isFormatName(name: string): name is FormatName {
  return (formatNames as readonly string[]).includes(name)
}

/** Encodings of pages. */
export const pageFormats = ['png', 'webp', 'avif', 'ktx2'] as const

/** The encoding of a page. */
export type PageFormat = (typeof pageFormats)[number]

/** Requirements of a format for its pages, and abilities of its readers. */
export interface Abilities {
  /**
   * `beside`: the encoded pages are files next to the data, which names them. `pixels`: the format writes
   * pictures of its own from the pixels in `atlas.pages`.
   *
   * @default 'beside'
   */
  readonly pages?: 'beside' | 'pixels'
  /**
   * Encodings that the format's readers can draw.
   *
   * @default png, webp and avif, as in browsers
   */
  readonly draws?: readonly PageFormat[]
  /**
   * Whether the data names all encodings and the reader chooses one. If not, the format gets one encoding.
   *
   * @default false
   */
  readonly chooses?: boolean
  /**
   * Whether frames may be turned on the pages.
   *
   * @default false
   */
  readonly canTurn?: boolean
}

const browsers: readonly PageFormat[] = ['png', 'webp', 'avif']

/**
 * Abilities of all formats. Godot does not import AVIF; libGDX imports neither AVIF nor WebP. Phaser draws
 * turned frames wrongly, and most other formats cannot represent them.
 */
export const abilities: Readonly<Record<FormatName, Abilities>> = {
  phaser: { draws: browsers },
  pixi: { draws: pageFormats, chooses: true, canTurn: true },
  'phaser-pct': { draws: browsers },
  aseprite: { draws: browsers },
  'aseprite-file': { draws: browsers, pages: 'pixels', canTurn: true },
  texturepacker: { draws: browsers },
  godot: { draws: ['png', 'webp'] },
  libgdx: { draws: ['png'] },
  css: { draws: browsers },
  strip: { draws: browsers, pages: 'pixels', canTurn: true },
  frames: { draws: browsers, pages: 'pixels', canTurn: true },
  boxes: { draws: browsers, pages: 'pixels', canTurn: true },
}

/** Returns the encodings that a format can draw. */
export function drawsOf({ draws }: Abilities): readonly PageFormat[] {
  return draws ?? browsers
}

/**
 * Selects the encodings for a format from the available ones. If the format's reader chooses, the format gets all
 * encodings that it can draw. Otherwise it gets the first of them in the order of the list. A format that writes its
 * own pictures gets PNG first, since other encodings may have lost detail.
 *
 * @returns An empty list if the format can draw none of them.
 */
export function encodingsFor(format: Abilities, made: readonly PageFormat[]): readonly PageFormat[] {
  const draws = drawsOf(format)
  if (format.chooses) return made.filter((encoding) => draws.includes(encoding))
  const [ordered, from] = format.pages === 'pixels' ? [draws, made] : [made, draws]
  return ordered.filter((encoding) => from.includes(encoding)).slice(0, 1)
}
