import type { BuiltAtlas, BuiltSprite } from '../src/index.ts'
import { toAtlasData, toSpriteHead } from './module.ts'
import type { AtlasData, FrameRow } from './runtime/data.ts'
import type { PackedAnimation, PackedAtlas, PackedFrames, PackedSheet, PackedSprite } from './runtime/sheet.ts'

// Frame names make up most of what a game would load of an atlas, three times each; and most of what a bundler would have to read.

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
  return {
    atlases: variants.map((atlas) => packAtlas(toAtlasData(atlas, []))),
    sprites: sprites.map((sprite): PackedSprite => {
      const { from, count } = places.get(sprite.name) ?? { from: 0, count: 0 }
      return [toSpriteHead(sprite), sprite.animations, from, count]
    }),
  }
}

function packAtlas({ frames, animations, pages: _, ...head }: AtlasData): PackedAtlas {
  const places = new Map(Object.keys(frames).map((name, index) => [name, index]))
  return {
    ...head,
    frames: toRuns(Object.entries(frames)).map(packFrames),
    animations: Object.entries(animations).map(([name, { frames: played, ...play }]): PackedAnimation => {
      const order = played.map(([frame]) => places.get(frame) as number)
      const durations = played.map(([, durationMs]) => durationMs)
      const [first = 0] = order
      const isRow = order.every((place, at) => place === first + at)
      const isEven = durations.every((durationMs) => durationMs === durations[0])
      return [name, isRow ? first : order, order.length, isEven ? (durations[0] ?? 0) : durations, play]
    }),
  }
}

type Entry = readonly [name: string, row: FrameRow]

/** A name as its stem and its number; null where it does not end in one of four digits or more, written as it would be again. */
function toCounted(name: string): { readonly stem: string; readonly number: number | null } {
  const [, stem = '', digits = ''] = /^(.*?)(\d{4,15})$/.exec(name) ?? []
  const number = Number.parseInt(digits, 10)
  return String(number).padStart(4, '0') === digits ? { stem, number } : { stem: name, number: null }
}

/** Neighbours that count up, with rows of equal length. */
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
  return one.number !== null && other.number === one.number + 1 && other.stem === one.stem && row.length === beforeRow.length
}

function packFrames(run: readonly Entry[]): PackedFrames {
  const [[first, firstRow]] = run as readonly [Entry]
  const { stem, number } = toCounted(first)
  const row = firstRow.map((value, column) => (run.every(([, other]) => other[column] === value) ? value : null))
  return [stem, number, run.length, row, run.flatMap(([, values]) => values.filter((_, column) => row[column] === null))]
}
