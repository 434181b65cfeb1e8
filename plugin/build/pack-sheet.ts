import type { BuiltAtlas, BuiltSprite } from '../../src/index.ts'
import { toAtlasData, toSpriteHead } from '../module.ts'
import type { AtlasData, FrameRow } from '../runtime/shared/data.ts'
import type {
  PackedAnimation,
  PackedAtlas,
  PackedFrames,
  PackedKind,
  PackedPlay,
  PackedRow,
  PackedSheet,
  PackedSprite,
} from '../runtime/shared/sheet.ts'
import { again, digits, half } from '../runtime/shared/sheet.ts'

// Frame names make up most of what a game would load of an atlas, three times each, then places; and a bundler looks for imports, URLs and workers in all of it.

/** Packs a group of sprites for `runtime/sheet.ts`. @param variants Its atlas at every scale, largest first. */
export function packSheet(variants: readonly BuiltAtlas[], sprites: readonly BuiltSprite[]): PackedSheet {
  // Frames are sorted by name, so that those of a sprite lie together.
  const places = new Map<string, { readonly from: number; count: number }>()
  for (const [from, { name }] of (variants[0]?.frames ?? []).entries()) {
    const sprite = name.slice(0, name.indexOf('/'))
    const place = places.get(sprite) ?? { from, count: 0 }
    place.count++
    places.set(sprite, place)
  }
  const kinds = createList<PackedKind>()
  return {
    atlases: variants.map((atlas) => packAtlas(toAtlasData(atlas, []))),
    sprites: sprites.map((sprite): PackedSprite => {
      const { from, count } = places.get(sprite.name) ?? { from: 0, count: 0 }
      const { name, ...head } = toSpriteHead(sprite)
      return [name, kinds.place([head, sprite.animations]), from, count]
    }),
    kinds: kinds.all,
  }
}

/** A list in which equals stand once. */
interface List<T> {
  readonly all: readonly T[]
  /** Where a value stands, added where it was not there. */
  place(value: T): number
}

function createList<T>(): List<T> {
  const places = new Map<string, number>()
  const all: T[] = []
  const place = (value: T): number => {
    const text = JSON.stringify(value)
    const known = places.get(text) ?? all.push(value) - 1
    places.set(text, known)
    return known
  }
  return { all, place }
}

function packAtlas({ frames, animations, pages: _, ...head }: AtlasData): PackedAtlas {
  const places = new Map(Object.keys(frames).map((name, index) => [name, index]))
  const rows = createList<PackedRow>()
  const plays = createList<PackedPlay>()
  return {
    ...head,
    frames: toRuns(Object.entries(frames)).map((run) => packFrames(run, rows)),
    rows: rows.all,
    animations: Object.entries(animations).map(([name, { frames: played, ...play }]): PackedAnimation => {
      const order = played.map(([frame]) => places.get(frame) as number)
      const durations = played.map(([, durationMs]) => durationMs)
      const [first = 0] = order
      const isRow = order.every((place, at) => place === first + at)
      const isEven = durations.every((durationMs) => durationMs === durations[0])
      return [name, isRow ? first : order, order.length, plays.place([isEven ? (durations[0] ?? 0) : durations, play])]
    }),
    plays: plays.all,
  }
}

type Entry = readonly [name: string, row: FrameRow]

/** A name as its stem and its number; null where it does not end in one of four digits or more, written as it would be again. */
function toCounted(name: string): { readonly stem: string; readonly number: number | null } {
  const [, stem = '', digits = ''] = /^(.*?)(\d{4,15})$/.exec(name) ?? []
  const number = Number.parseInt(digits, 10)
  return String(number).padStart(4, '0') === digits ? { stem, number } : { stem: name, number: null }
}

/** Neighbours that count up, with rows of equal length in which only whole numbers differ. */
function toRuns(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const runs: Entry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run && before && isNext(before, entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs
}

function isNext([before, beforeRow]: Entry, [name, row]: Entry): boolean {
  const [one, other] = [toCounted(before), toCounted(name)]
  const isCounted = one.number !== null && other.number === one.number + 1 && other.stem === one.stem && row.length === beforeRow.length
  return isCounted && row.every((value, column) => value === beforeRow[column] || (isCount(value) && isCount(beforeRow[column])))
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function packFrames(run: readonly Entry[], rows: List<PackedRow>): PackedFrames {
  const [[first, firstRow]] = run as readonly [Entry]
  const { stem, number } = toCounted(first)
  const row = firstRow.map((value, column) => (run.every(([, other]) => other[column] === value) ? value : null))
  return [stem, number, run.length, rows.place(row), toText(run.map(([, values]) => values.filter((_, column) => row[column] === null)))]
}

/** What differs in the frames of a run; a frame that is as an earlier one is said to be. */
function toText(frames: readonly (readonly number[])[]): string {
  const places = new Map<string, number>()
  return frames
    .map((values, index) => {
      const own = values.map(toDigits).join('')
      const known = places.get(own)
      places.set(own, index)
      const back = known === undefined ? own : `${again}${toDigits(index - known)}`
      return back.length < own.length ? back : own
    })
    .join('')
}

function toDigits(value: number): string {
  let text = digits.charAt(value % half)
  for (let rest = Math.floor(value / half); rest > 0; rest = Math.floor((rest - 1) / half))
    text = digits.charAt(half + ((rest - 1) % half)) + text
  return text
}
