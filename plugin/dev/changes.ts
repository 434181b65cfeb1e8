import type { BuiltAtlas, BuiltSheets, BuiltSprite } from '../../src/index.ts'
import { animationId } from '../../src/sprite-spec/request.ts'

/** A sprite and the atlases that contain it. */
export interface ShownSprite {
  readonly sprite: BuiltSprite
  /** At every scale. */
  readonly atlases: readonly BuiltAtlas[]
}

const known = new WeakMap<BuiltSheets, ReadonlyMap<string, ShownSprite>>()

/** The sprites of sheets, by name. */
export function spritesOf(sheets: BuiltSheets): ReadonlyMap<string, ShownSprite> {
  const sprites = known.get(sheets) ?? readSprites(sheets)
  known.set(sheets, sprites)
  return sprites
}

function readSprites({ sprites, atlases }: BuiltSheets): ReadonlyMap<string, ShownSprite> {
  const byName = new Map<string, BuiltAtlas[]>()
  for (const atlas of atlases) byName.set(atlas.name, [...(byName.get(atlas.name) ?? []), atlas])
  return new Map(sprites.map((sprite) => [sprite.name, { sprite, atlases: byName.get(sprite.atlas) ?? [] }]))
}

/**
 * Whether nothing of a sprite has changed. An atlas that was packed again is another object; an unchanged one
 * is the very same object.
 */
export function isSame(before: ShownSprite | undefined, after: ShownSprite): boolean {
  if (!before) return false
  const hasSameAtlases = before.atlases.length === after.atlases.length && before.atlases.every((atlas, at) => atlas === after.atlases[at])
  return hasSameAtlases && (before.sprite === after.sprite || JSON.stringify(before.sprite) === JSON.stringify(after.sprite))
}

/** The changes from one state of sheets to another. */
export interface SheetChanges {
  /** New and changed sprites. */
  readonly changed: readonly BuiltSprite[]
  /** Sprites that no longer exist. */
  readonly gone: readonly BuiltSprite[]
}

/**
 * Compares sheets.
 *
 * @param before `undefined` if there were none.
 */
export function compareSheets(before: BuiltSheets | undefined, after: BuiltSheets): SheetChanges {
  const [old, now] = [before ? spritesOf(before) : new Map<string, ShownSprite>(), spritesOf(after)]
  return {
    changed: [...now].flatMap(([name, shown]) => (isSame(old.get(name), shown) ? [] : [shown.sprite])),
    gone: [...old].flatMap(([name, { sprite }]) => (now.has(name) ? [] : [sprite])),
  }
}

/** Ids of the animations that show superseded frames since the last state. */
export function newlySuperseded(before: BuiltSheets | undefined, after: BuiltSheets): readonly string[] {
  const known = new Set(before ? supersededIn(before) : [])
  return supersededIn(after).filter((id) => !known.has(id))
}

/** Ids of animations and pictures that show what was bought before they were changed. */
export function supersededIn({ sprites }: BuiltSheets): readonly string[] {
  return sprites.flatMap(({ name, superseded = [] }) => superseded.map((animation) => animationId({ name }, { name: animation })))
}
