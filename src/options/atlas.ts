import type { FormatName } from '../../atlas/format-abilities.ts'
import { type Abilities, abilities, drawsOf, encodingsFor, type PageFormat } from '../../atlas/format-abilities.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'

/** Quality by encoding, 1 to 100. */
export interface EncodingQuality {
  readonly webp?: number | undefined
  readonly avif?: number | undefined
  readonly ktx2?: number | undefined
}

/** How atlases are made; a part of `Options`. */
export interface AtlasSettings {
  /** Longest side of a page in pixels, 64 to 16384. @default 2048 */
  readonly maxSize?: number | undefined
  /** How pages are encoded, once or in several ways: PixiJS takes the best that a browser can show, whatever the order; other formats get the first of the list that they draw. @default 'png' */
  readonly format?: PageFormat | readonly PageFormat[] | undefined
  /** 1 to 100, for encodings that can lose detail, or for each of them; KTX2 as UASTC has none. @default WebP lossless, AVIF 50, KTX2 50 */
  readonly quality?: number | EncodingQuality | undefined
  /** What KTX2 pages hold: UASTC is larger and better, ETC1S smaller and coarser. @default 'uastc' */
  readonly ktx2?: 'uastc' | 'etc1s' | undefined
  /** zlib level of PNGs, 0 to 9: 9 takes twice as long or more for a few hundredths of the bytes. @default 6 */
  readonly level?: number | undefined
  /** Corners at most of each frame's convex outline, 4 to 64, for hits; formats that can carry it do. @default no outlines */
  readonly hull?: number | undefined
  /** PNGs with a palette where that is smaller: `exact` where a page has at most 256 colours, `close` also where it looks alike with 256. @default truecolour */
  readonly palette?: 'exact' | 'close' | undefined
  /** Whether frames are turned where they lie closer so, for PixiJS: formats that cannot draw that are refused. @default false */
  readonly rotate?: boolean | undefined
  /** Leaves frames where the last build has put them, as long as pages are at most 8 % larger than packed anew: what a player has already stays valid for longer. The places lie in `sprites.layout.json`, which is committed; `vite` (dev) packs as ever. @default false */
  readonly stable?: boolean | undefined
}

/** The same as the schema returns it: with its defaults, and `format` as a list. */
export interface ReadAtlas {
  readonly maxSize: number
  readonly format: readonly PageFormat[]
  readonly quality?: number | EncodingQuality | undefined
  readonly ktx2: 'uastc' | 'etc1s'
  readonly level: number
  readonly hull?: number | undefined
  readonly palette?: 'exact' | 'close' | undefined
  readonly rotate: boolean
  readonly stable: boolean
}

/** The same, resolved for what is written. `hull` absent: no outlines. */
export interface ResolvedAtlas {
  readonly maxSize: number
  /** One or more, in the order of `format`, KTX2 last; without those that nothing is given. */
  readonly encodings: readonly PageFormat[]
  /** Where WebP is absent, it is lossless. */
  readonly quality?: EncodingQuality
  readonly ktx2: 'uastc' | 'etc1s'
  readonly level: number
  readonly hull?: number
  readonly palette?: 'exact' | 'close'
  /** Absent: no. */
  readonly rotate?: true
  /** Absent: no. */
  readonly stable?: true
}

/** Something that is wrong with the options. */
export interface OptionIssue {
  /** Dotted, e.g. `atlas.format`. */
  readonly path: string
  readonly expected: string
  readonly found: string
}

/**
 * Fills in what atlases are made by.
 *
 * @param targets The engines and the further formats: everything that pages are written for.
 * @returns What is wrong in `issues`; then the rest is of no use.
 */
export function resolveAtlas(
  settings: ReadAtlas,
  targets: readonly (FormatName | EngineFormat)[],
): { readonly atlas: ResolvedAtlas; readonly notes: readonly string[]; readonly issues: readonly OptionIssue[] } {
  const { maxSize, format, quality, level, ktx2, hull, palette, rotate, stable } = settings
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

/** What becomes of the encodings that a project asks for. */
interface EncodingChoice {
  /** In the order of the list; what nothing that is written would be given is left out. */
  readonly made: readonly PageFormat[]
  /** Sentences about what is asked for and not done. */
  readonly notes: readonly string[]
  readonly issues: readonly OptionIssue[]
}

/**
 * Chooses what pages are encoded as.
 *
 * @param wanted `atlas.format` as a list.
 * @param targets The engines and the further formats: everything that pages are written for.
 */
function chooseEncodings(wanted: readonly PageFormat[], targets: readonly (FormatName | EngineFormat)[]): EncodingChoice {
  const given = [...new Set(targets)].map((target) => {
    const can: Abilities = typeof target === 'string' ? abilities[target] : target
    return { name: typeof target === 'string' ? target : target.name, can, encodings: encodingsFor(can, wanted) }
  })
  // What every browser shows goes first: the data that no resolver has chosen names it.
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

/** Where a format cannot draw turned frames, no other may have them: all are written from the same pages. */
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
