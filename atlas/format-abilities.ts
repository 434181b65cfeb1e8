import type { FormatName } from './format-names.ts'

/** What pages may be encoded as. */
export const pageFormats = ['png', 'webp', 'avif', 'ktx2'] as const

/** How a page is encoded. */
export type PageFormat = (typeof pageFormats)[number]

/** What a format needs of pages, and what its readers can do with them. */
export interface Abilities {
  /**
   * `beside` has the encoded pages lie beside its data, which names them; `pixels` has their pixels in `atlas.pages`, for a format that writes pictures of its own.
   *
   * @default 'beside'
   */
  readonly pages?: 'beside' | 'pixels'
  /** Encodings of pages that they read. @default png, webp and avif, as browsers do */
  readonly draws?: readonly PageFormat[]
  /** Whether the data names every encoding, and the reader takes the one that it likes best. @default false: it is given one */
  readonly chooses?: boolean
  /** Whether frames may lie turned on the pages. @default false */
  readonly canTurn?: boolean
}

const browsers: readonly PageFormat[] = ['png', 'webp', 'avif']

/** Of every format. Godot imports no AVIF, libGDX neither that nor WebP. Phaser draws turned frames wrongly, most others have no word for them. */
export const abilities: Readonly<Record<FormatName, Abilities>> = {
  phaser: { draws: browsers },
  pixi: { draws: pageFormats, chooses: true, canTurn: true },
  'phaser-pct': { draws: browsers },
  aseprite: { draws: browsers },
  texturepacker: { draws: browsers },
  godot: { draws: ['png', 'webp'] },
  libgdx: { draws: ['png'] },
  css: { draws: browsers },
  strip: { draws: browsers, pages: 'pixels', canTurn: true },
  frames: { draws: browsers, pages: 'pixels', canTurn: true },
}

/** The encodings that a format reads. */
export function drawsOf({ draws }: Abilities): readonly PageFormat[] {
  return draws ?? browsers
}

/**
 * The encodings that a format is given of those that there are: all that it draws where its reader chooses, else one. That is the first in the order of the list; for a format
 * that makes pictures of its own, PNG before the others, which may have lost detail.
 *
 * @returns None where it draws none of them.
 */
export function encodingsFor(format: Abilities, made: readonly PageFormat[]): readonly PageFormat[] {
  const draws = drawsOf(format)
  if (format.chooses) return made.filter((encoding) => draws.includes(encoding))
  const [ordered, from] = format.pages === 'pixels' ? [draws, made] : [made, draws]
  return ordered.filter((encoding) => from.includes(encoding)).slice(0, 1)
}
