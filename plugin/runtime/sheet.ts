import type { AnimationData, AtlasData, FrameRow, PageData, SpriteModule } from './data.ts'

/** An atlas without what can be counted, for a small bundle. `../pack-sheet.ts` makes it. */
export interface PackedAtlas extends Omit<AtlasData, 'pages' | 'frames' | 'animations'> {
  readonly frames: readonly PackedFrames[]
  readonly animations: readonly PackedAnimation[]
}

/**
 * Neighbouring frames whose names are a stem and numbers that count up, four digits or more; a frame with another name stands by itself, its number null.
 * A column of `row` that is null differs from frame to frame: its values follow, frame by frame.
 */
export type PackedFrames = readonly [
  stem: string,
  from: number | null,
  count: number,
  row: readonly (number | null)[],
  values: readonly number[],
]

/** Its played frames by their place in the atlas: the first of a row of neighbours, or all. Durations are one for all, or one each. */
export type PackedAnimation = readonly [
  name: string,
  frames: number | readonly number[],
  count: number,
  durations: number | readonly number[],
  play: Omit<AnimationData, 'frames'>,
]

/** A sprite without what its atlas tells: short names of its animations, and where its frames lie among those of the atlas. */
export type PackedSprite = readonly [
  head: Omit<SpriteModule, 'animations' | 'frames' | 'atlases'>,
  animations: readonly string[],
  from: number,
  count: number,
]

/** What is packed of a group of sprites: its atlas at every scale, largest first. */
export interface PackedSheet {
  readonly atlases: readonly PackedAtlas[]
  readonly sprites: readonly PackedSprite[]
}

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
    made[index] ??= unpackSprite(packed.sprites[index] as PackedSprite, atlases, names)
    return made[index]
  }
  return { sprite, all: () => packed.sprites.map((_, index) => sprite(index)) }
}

/** All sprites by name, sorted. */
export function spritesByName(sheets: readonly Sheet[]): Readonly<Record<string, SpriteModule>> {
  const all = sheets.flatMap((sheet) => sheet.all())
  return Object.fromEntries(all.sort((a, b) => (a.name < b.name ? -1 : 1)).map((sprite) => [sprite.name, sprite]))
}

function unpackAtlas({ frames, animations, ...head }: PackedAtlas, pages: readonly PageData[]): AtlasData {
  const rows = frames.flatMap(unpackFrames)
  return {
    ...head,
    pages,
    frames: Object.fromEntries(rows),
    animations: Object.fromEntries(
      animations.map(([name, played, count, durations, play]) => [
        name,
        {
          frames: Array.from({ length: count }, (_, at) => {
            const [frame] = rows[typeof played === 'number' ? played + at : (played[at] as number)] as [string, FrameRow]
            return [frame, typeof durations === 'number' ? durations : (durations[at] as number)] as const
          }),
          ...play,
        },
      ]),
    ),
  }
}

function unpackFrames([stem, from, count, row, values]: PackedFrames): (readonly [name: string, row: FrameRow])[] {
  let next = 0
  return Array.from({ length: count }, (_, at) => [
    from === null ? stem : `${stem}${String(from + at).padStart(4, '0')}`,
    row.map((value) => value ?? values[next++]) as readonly number[] as FrameRow,
  ])
}

function unpackSprite([head, shorts, from, count]: PackedSprite, atlases: readonly AtlasData[], names: readonly string[]): SpriteModule {
  const animations = shorts.map((short) => {
    const name = `${head.name}/${short}`
    const { frames = [], fps = 12, loop = true, yoyo = false } = atlases[0]?.animations[name] ?? {}
    const played = { name, frames: frames.map(([frame]) => frame), durations: frames.map(([, durationMs]) => durationMs) }
    return [short, { ...played, fps, loop, yoyo }] as const
  })
  return { ...head, animations: Object.fromEntries(animations), frames: names.slice(from, from + count), atlases }
}
