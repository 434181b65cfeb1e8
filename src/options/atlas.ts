import type { FormatName } from '../../atlas/format-abilities.ts'
import { type Abilities, abilities, drawsOf, encodingsFor, type PageFormat } from '../../atlas/format-abilities.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'

/** Quality by encoding, 1 to 100. */
export interface EncodingQuality {
  readonly webp?: number | undefined
  readonly avif?: number | undefined
  readonly ktx2?: number | undefined
}

/** Settings of atlases; a part of `Options`. */
export interface AtlasSettings {
  /**
   * Longest side of a page in pixels, 64 to 16384.
   *
   * @default 2048
   */
  readonly maxSize?: number | undefined
  /**
   * Encoding of pages, one or several. PixiJS loads the best encoding that a browser can show, in any order
   * of the list. Other formats get the first of the list that they can draw.
   *
   * @default 'png'
   */
  readonly format?: PageFormat | readonly PageFormat[] | undefined
  /**
   * Quality, 1 to 100, for all encodings that can lose detail, or for each of them. KTX2 as UASTC has no quality.
   *
   * @default WebP lossless, AVIF 50, KTX2 50
   */
  readonly quality?: number | EncodingQuality | undefined
  /**
   * Encoding of KTX2 pages. UASTC is larger and better, ETC1S smaller and coarser.
   *
   * @default 'uastc'
   */
  readonly ktx2?: 'uastc' | 'etc1s' | undefined
  /**
   * zlib level of PNGs, 0 to 9. Level 9 takes twice as long or more, for a few hundredths of the bytes.
   *
   * @default 6
   */
  readonly level?: number | undefined
  /**
   * Most corners of each frame's convex outline, 4 to 64, for hit tests. Formats that support outlines write it.
   *
   * @default no outlines
   */
  readonly hull?: number | undefined
  /**
   * Writes PNGs with a palette if that is smaller. `exact`: if a page has at most 256 colours. `close`: also
   * reduces a page of more colours, to as few as stay within a stated error; see docs/formats.md.
   *
   * @default truecolour
   */
  readonly palette?: 'exact' | 'close' | undefined
  /**
   * `best` makes PNGs and lossless WebP as small as possible without loss, in ten to twenty times the time.
   * `vite` (dev) is always fast.
   *
   * @default 'fast'
   */
  readonly effort?: 'fast' | 'best' | undefined
  /**
   * Whether frames are turned if this saves area, for PixiJS. Formats that cannot draw turned frames are refused.
   *
   * @default false
   */
  readonly rotate?: boolean | undefined
  /**
   * Keeps frames where the last build placed them, if pages are at most 8 % larger than after a fresh packing.
   * So players can use files that they already have for longer. The places are stored in `sprites.layout.json`,
   * which you commit. `vite` (dev) packs as usual.
   *
   * @default false
   */
  readonly stable?: boolean | undefined
}

/** The settings after the schema: with its defaults, and `format` as a list. */
type ReadAtlas = Omit<AtlasSettings, 'format'> &
  Required<Pick<AtlasSettings, 'maxSize' | 'ktx2' | 'level' | 'effort' | 'rotate' | 'stable'>> & { readonly format: readonly PageFormat[] }

/** The settings, resolved for the written formats. If `hull` is absent, there are no outlines. */
export interface ResolvedAtlas {
  readonly maxSize: number
  /** One or more, in the order of `format`, KTX2 last, without encodings that no target gets. */
  readonly encodings: readonly PageFormat[]
  /** If WebP is absent, it is lossless. */
  readonly quality?: EncodingQuality
  readonly ktx2: 'uastc' | 'etc1s'
  readonly level: number
  readonly hull?: number
  readonly palette?: 'exact' | 'close'
  /** If absent, encoding is fast. */
  readonly effort?: 'best'
  /** If absent, frames are not turned. */
  readonly rotate?: true
  /** If absent, frames do not keep their places. */
  readonly stable?: true
}

/** One fault in the options. */
export interface OptionIssue {
  /** Dotted, e.g. `atlas.format`. */
  readonly path: string
  readonly expected: string
  readonly found: string
}

/**
 * Resolves the settings of atlases.
 *
 * @param targets The engines and further formats that pages are written for.
 * @returns Faults in `issues`. If there are faults, the other fields are not usable.
 */
export function resolveAtlas(
  settings: ReadAtlas,
  targets: readonly (FormatName | EngineFormat)[],
): { readonly atlas: ResolvedAtlas; readonly notes: readonly string[]; readonly issues: readonly OptionIssue[] } {
  const { maxSize, format, quality, level, ktx2, hull, palette, effort, rotate, stable } = settings
  const { made, notes, issues } = chooseEncodings(format, targets)
  const hasNoPng = palette !== undefined && !made.includes('png')
  return {
    atlas: {
      maxSize,
      encodings: made,
      level,
      ktx2,
      ...(quality === undefined
        ? {}
        : { quality: typeof quality === 'number' ? { webp: quality, avif: quality, ktx2: quality } : quality }),
      ...(hull === undefined ? {} : { hull }),
      ...(palette === undefined ? {} : { palette }),
      ...(effort === 'best' ? { effort } : {}),
      ...(rotate ? { rotate } : {}),
      ...(stable ? { stable } : {}),
    },
    notes,
    issues: [
      ...issues,
      ...(hasNoPng
        ? [{ path: 'atlas.palette', expected: 'none if no PNG is written, since only PNGs have palettes', found: `"${palette}"` }]
        : []),
      ...(rotate ? turnIssues(targets) : []),
    ],
  }
}

/** The encodings that are written, with notes and faults. */
interface EncodingChoice {
  /** In the order of the list, KTX2 last, without encodings that no target gets. */
  readonly made: readonly PageFormat[]
  /** Sentences about wanted encodings that are not used everywhere. */
  readonly notes: readonly string[]
  readonly issues: readonly OptionIssue[]
}

/**
 * Chooses the encodings of pages.
 *
 * @param wanted `atlas.format` as a list.
 * @param targets The engines and further formats that pages are written for.
 */
function chooseEncodings(wanted: readonly PageFormat[], targets: readonly (FormatName | EngineFormat)[]): EncodingChoice {
  const given = [...new Set(targets)].map((target) => {
    const can: Abilities = typeof target === 'string' ? abilities[target] : target
    return { name: typeof target === 'string' ? target : target.name, can, encodings: encodingsFor(can, wanted) }
  })
  // Encodings that every browser can show are first, because data files name the first encoding.
  const ordered = [...wanted].sort((a, b) => Number(a === 'ktx2') - Number(b === 'ktx2'))
  const made = ordered.filter((encoding) => given.some(({ encodings }) => encodings.includes(encoding)))
  const single = given.filter(({ can, encodings }) => !can.chooses && encodings.length > 0)
  return {
    made,
    notes: wanted.length > 1 && single.length > 0 ? [noteOf(single, without(wanted, made))] : [],
    issues: [
      ...given.flatMap(({ name, can, encodings }) =>
        encodings.length > 0
          ? []
          : [{ expected: `an encoding that "${name}" can draw (${drawsOf(can).join(', ')})`, found: listOf(wanted) }],
      ),
      ...(wanted.length > 1 && wanted.includes('ktx2') && !made.includes('ktx2')
        ? [{ expected: 'no "ktx2", which only PixiJS loads, and nothing is written for it', found: listOf(wanted) }]
        : []),
    ].map((issue) => ({ path: 'atlas.format', ...issue })),
  }
}

/** If one format cannot draw turned frames, no other may have them, because all use the same pages. */
function turnIssues(targets: readonly (FormatName | EngineFormat)[]): readonly OptionIssue[] {
  const upright = targets.flatMap((target) => {
    const { name, can }: { name: string; can: Abilities } =
      typeof target === 'string' ? { name: target, can: abilities[target] } : { name: target.name, can: target }
    return can.canTurn ? [] : [`"${name}"`]
  })
  if (upright.length === 0) return []
  const words = [...new Set(upright)].join(', ')
  return [{ path: 'atlas.rotate', expected: `false, since turned frames cannot be drawn in ${words}`, found: 'true' }]
}

function without<T>(all: readonly T[], some: readonly T[]): readonly T[] {
  return all.filter((one) => !some.includes(one))
}

function noteOf(
  single: readonly { readonly name: string; readonly encodings: readonly PageFormat[] }[],
  left: readonly PageFormat[],
): string {
  const words = single.map(({ name, encodings }) => `${name} gets ${encodings[0]}`).join(', ')
  const unused = left.length === 0 ? '' : `; ${left.join(' and ')} ${left.length === 1 ? 'is' : 'are'} not written`
  return `atlas.format: ${words}, since only PixiJS chooses among encodings${unused}.`
}

function listOf(wanted: readonly PageFormat[]): string {
  return wanted.map((encoding) => `"${encoding}"`).join(', ')
}
