import { type EarlierFrame, scaleSuffix, sharedUnit } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { PackedAtlas } from './model.ts'

/**
 * Positions of frames on the pages of each atlas, so that a later build can keep them. The key is the atlas's
 * name, with the scale unless it is 1: `sprites`, `sprites@2x`.
 */
export type Layout = ReadonlyMap<string, readonly EarlierFrame[]>

/** Raised when the meaning of the file changes. */
const layoutVersion = 1

/** No group has more pages than this. */
const mostPages = 10_000

/** Returns the key of an atlas in a layout. */
export function layoutName(atlas: string, scale: number): string {
  return `${atlas}${scaleSuffix(scale)}`
}

/**
 * Collects the positions of the frames of atlases. For scales that share a layout, it contains only the largest.
 */
export function toLayout(atlases: readonly PackedAtlas[]): Layout {
  const layout = new Map<string, readonly EarlierFrame[]>()
  for (const name of new Set(atlases.map((atlas) => atlas.name))) {
    const own = atlases.filter((atlas) => atlas.name === name).sort((a, b) => b.scale - a.scale)
    const isShared = sharedUnit(own.map(({ scale }) => scale)) !== undefined
    for (const { scale, frames } of isShared ? own.slice(0, 1) : own)
      layout.set(
        layoutName(name, scale),
        frames.map(({ name, page, x, y, width, height, isTurned }) => ({
          name,
          page,
          x,
          y,
          width,
          height,
          ...(isTurned ? { isTurned } : {}),
        })),
      )
  }
  return layout
}

/**
 * Hashes the layouts of one group.
 *
 * @param names Keys of the group's atlases, see {@link layoutName}.
 */
export function layoutDigest(layout: Layout, names: readonly string[]): string {
  const rows = [...names].sort().map((name) => [name, toRows(layout.get(name) ?? [])])
  return sha256(JSON.stringify(rows))
}

function toRows(frames: readonly EarlierFrame[]): readonly (readonly [name: string, ...numbers: number[]])[] {
  return [...frames]
    .sort(byName)
    .map(({ name, page, x, y, width, height, isTurned }) => [name, page, x, y, width, height, ...(isTurned ? [1] : [])] as const)
}

/** Compares names of sprites and atlases by code units. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/**
 * Formats `sprites.layout.json`. The text is sorted and has a line for each animation, so that branches seldom
 * change the same line. A line lists `[frame, page, x, y, width, height]` of each frame, and a further 1 for
 * a turned frame.
 */
export function formatLayout(layout: Layout): string {
  const atlases = [...layout]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, frames]) => {
      const animations = new Map<string, unknown[]>()
      for (const [frame, ...numbers] of toRows(frames)) {
        const [animation, short] = splitName(frame)
        animations.set(animation, [...(animations.get(animation) ?? []), [short, ...numbers]])
      }
      const lines = [...animations].map(([animation, rows]) => `      ${JSON.stringify(animation)}: ${JSON.stringify(rows)}`)
      return `    ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n    }`
    })
  return `{\n  "version": ${layoutVersion},\n  "atlases": {\n${atlases.join(',\n')}\n  }\n}\n`
}

/** Splits `hero/walk/0003` into `hero/walk` and `0003`. */
function splitName(frame: string): readonly [animation: string, short: string] {
  const at = frame.lastIndexOf('/')
  return [frame.slice(0, Math.max(at, 0)), frame.slice(at + 1)]
}

/**
 * Parses a text of {@link formatLayout}. The text may have been merged or edited: the packer handles positions
 * that conflict.
 *
 * @param shownAs Name of the file in messages.
 * @throws `SW_LAYOUT` for a text that is no layout, or a layout of another version.
 */
export function parseLayout(text: string, shownAs: string): Layout {
  const refuse = (found: string): SpritewrightError =>
    new SpritewrightError('SW_LAYOUT', {
      message: `${shownAs}: expected the places of frames as a build wrote them, found ${found}. Take the file of one branch, or delete it: then everything is packed from scratch, and every frame may move.`,
      facts: { file: shownAs },
    })
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw refuse(`no JSON (${(error as Error).message})`)
  }
  if (!isRecord(document) || !isRecord(document.atlases)) throw refuse('no "atlases"')
  if (document.version !== layoutVersion)
    throw refuse(`version ${JSON.stringify(document.version)}, this spritewright knows ${layoutVersion}`)
  const layout = new Map<string, readonly EarlierFrame[]>()
  for (const [name, animations] of Object.entries(document.atlases)) {
    if (!isRecord(animations)) throw refuse(`no animations in "${name}"`)
    const frames = Object.entries(animations).flatMap(([animation, rows]) => {
      const read = Array.isArray(rows) ? rows.map((row: unknown) => toFrame(animation, row)) : [undefined]
      if (read.includes(undefined)) throw refuse(`something else than [frame, page, x, y, width, height] in "${animation}"`)
      return read as EarlierFrame[]
    })
    layout.set(name, frames)
  }
  return layout
}

function toFrame(animation: string, row: unknown): EarlierFrame | undefined {
  if (!Array.isArray(row) || (row.length !== 6 && !(row.length === 7 && row[6] === 1))) return undefined
  const short: unknown = row[0]
  const numbers: readonly unknown[] = row.slice(1)
  if (typeof short !== 'string' || !numbers.every(isPixels)) return undefined
  const page = numbers[0]!
  const name = animation === '' ? short : `${animation}/${short}`
  const frame = { name, page, x: numbers[1]!, y: numbers[2]!, width: numbers[3]!, height: numbers[4]! }
  if (page >= mostPages) return undefined
  return row.length === 7 ? { ...frame, isTurned: true } : frame
}

function isPixels(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
