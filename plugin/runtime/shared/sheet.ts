import type { AnimationData, AtlasData, FrameRow, PageData, SpriteModule } from './data.ts'

// What many have in common stands once, in a list, and each says where in the list. What is different in every frame is a text: a bundler looks at every character, several times.

/** An atlas without what can be counted, for a small bundle. `../../build/pack-sheet.ts` makes it. */
export interface PackedAtlas extends Omit<AtlasData, 'pages' | 'frames' | 'animations'> {
  readonly rows: readonly PackedRow[]
  readonly frames: readonly PackedFrames[]
  readonly plays: readonly PackedPlay[]
  readonly animations: readonly PackedAnimation[]
}

/** A {@link FrameRow}; what differs from frame to frame is null. */
export type PackedRow = readonly (number | null)[]

/**
 * Neighbouring frames whose names are a stem and numbers that count up, four digits or more; a frame with another name stands by itself, its number null.
 * `row` is a place in `rows`. What is null there follows in `values`, frame by frame, as numbers of {@link digits}; {@link again} and a number: the same as the frame so many before it.
 */
export type PackedFrames = readonly [stem: string, from: number | null, count: number, row: number, values: string]

/** Durations are one for all frames, or one each. */
export type PackedPlay = readonly [durations: number | readonly number[], play: Omit<AnimationData, 'frames'>]

/** Its played frames by their place in the atlas: the first of a row of neighbours, or all. `play` is a place in `plays`. */
export type PackedAnimation = readonly [name: string, frames: number | readonly number[], count: number, play: number]

/** A sprite without its name and what its atlas tells: short names of its animations. */
export type PackedKind = readonly [head: Omit<SpriteModule, 'name' | 'animations' | 'frames' | 'atlases'>, animations: readonly string[]]

/** A place in `kinds`, and where the sprite's frames lie among those of the atlas. */
export type PackedSprite = readonly [name: string, kind: number, from: number, count: number]

/** What is packed of a group of sprites: its atlas at every scale, largest first. */
export interface PackedSheet {
  readonly atlases: readonly PackedAtlas[]
  readonly kinds: readonly PackedKind[]
  readonly sprites: readonly PackedSprite[]
}

/**
 * Digits of whole numbers, none of which has to be escaped in a text or a script. The first half of them end a number, the others go before; those count from one, so that no number is written twice.
 */
export const digits = '!#$%&()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}'
/** How many digits end a number. */
export const half: number = digits.length / 2
/** Stands before a number that leads back. */
export const again = '~'

/** A group of sprites as a game uses it. */
export interface Sheet {
  /** The same sprite at every call. */
  sprite(index: number): SpriteModule
  all(): readonly SpriteModule[]
}

/** Opens what a build has packed. @param text JSON of a {@link PackedSheet}. @param pages Of each atlas. */
export function openSheet(text: string, pages: readonly (readonly PageData[])[]): Sheet {
  const packed = JSON.parse(text) as PackedSheet
  const atlases = packed.atlases.map((atlas, at) => unpackAtlas(atlas, pages[at] ?? []))
  const names = Object.keys(atlases[0]?.frames ?? {})
  const made: SpriteModule[] = []
  const sprite = (index: number): SpriteModule => {
    made[index] ??= unpackSprite(packed.sprites[index] as PackedSprite, packed.kinds, atlases, names)
    return made[index]
  }
  return { sprite, all: () => packed.sprites.map((_, index) => sprite(index)) }
}

/** All sprites by name, sorted. */
export function spritesByName(sheets: readonly Sheet[]): Readonly<Record<string, SpriteModule>> {
  const all = sheets.flatMap((sheet) => sheet.all())
  return Object.fromEntries(all.sort((a, b) => (a.name < b.name ? -1 : 1)).map((sprite) => [sprite.name, sprite]))
}

function unpackAtlas({ rows, frames, plays, animations, ...head }: PackedAtlas, pages: readonly PageData[]): AtlasData {
  const named = frames.flatMap((packed) => unpackFrames(packed, rows))
  return {
    ...head,
    pages,
    frames: Object.fromEntries(named),
    animations: Object.fromEntries(
      animations.map(([name, played, count, at]) => {
        const [durations, play] = plays[at] as PackedPlay
        const frameOf = (place: number): readonly [name: string, durationMs: number] => {
          const [frame] = named[typeof played === 'number' ? played + place : (played[place] as number)] as [string, FrameRow]
          return [frame, typeof durations === 'number' ? durations : (durations[place] as number)]
        }
        return [name, { frames: Array.from({ length: count }, (_, place) => frameOf(place)), ...play }]
      }),
    ),
  }
}

type Named = readonly [name: string, row: FrameRow]

function unpackFrames([stem, from, count, row, text]: PackedFrames, rows: readonly PackedRow[]): readonly Named[] {
  const numbers = numbersOf(text)
  const unpacked: Named[] = []
  let at = 0
  for (let index = 0; index < count; index++) {
    const name = from === null ? stem : `${stem}${String(from + index).padStart(4, '0')}`
    if (numbers[at] === -1) {
      const [, known] = unpacked[index - (numbers[at + 1] as number)] as Named
      unpacked.push([name, known])
      at += 2
      continue
    }
    const own = [...(rows[row] as PackedRow)]
    for (let column = 0; column < own.length; column++) if (own[column] === null) own[column] = numbers[at++] as number
    unpacked.push([name, own as readonly (number | null)[] as FrameRow])
  }
  return unpacked
}

/** Numbers of {@link digits}; {@link again}, which is no digit, comes out as −1. */
function numbersOf(text: string): readonly number[] {
  const numbers: number[] = []
  let value = 0
  for (const character of text) {
    const digit = digits.indexOf(character)
    if (digit >= half) value = (value + digit - half + 1) * half
    else {
      numbers.push(value + digit)
      value = 0
    }
  }
  return numbers
}

function unpackSprite(
  [name, kind, from, count]: PackedSprite,
  kinds: readonly PackedKind[],
  atlases: readonly AtlasData[],
  names: readonly string[],
): SpriteModule {
  const [head, shorts] = kinds[kind] as PackedKind
  const animations = shorts.map((short) => {
    const { frames = [], fps = 12, loop = true, yoyo = false } = atlases[0]?.animations[`${name}/${short}`] ?? {}
    const played = {
      name: `${name}/${short}`,
      frames: frames.map(([frame]) => frame),
      durations: frames.map(([, durationMs]) => durationMs),
    }
    return [short, { ...played, fps, loop, yoyo }] as const
  })
  return { name, ...head, animations: Object.fromEntries(animations), frames: names.slice(from, from + count), atlases }
}
