/**
 * `spritewright/phaser`: sprites of spec files in a Phaser 3.90 or 4 scene. It imports nothing of Phaser at
 * run time, and does everything through the given scene.
 *
 * @module
 */
import type Phaser from 'phaser'
import { toAnimation } from './phaser/data.ts'
import { queueAtlas } from './phaser/load.ts'
import { toRenderer } from './phaser/mirrored.ts'
import { noteShown, shownAtlas, swapAtlas } from './phaser/swap.ts'
import { type AtlasData, mainAtlas, type SpriteModule, withVariants } from './shared/data.ts'
import { onUpdate } from './shared/hot.ts'
import { createNewest, goneKeys, type Push } from './shared/swap.ts'

export { bodyOf, boxesOf, polygonsOf } from './phaser/boxes.ts'
export type { AnimationData, AtlasData, Outline, SpriteAnimation, SpriteModule } from './shared/data.ts'

/** A game that listens to the dev server. */
interface Listening {
  /** The atlas that was announced last, by its key. */
  readonly received: Map<string, AtlasData>
  readonly swap: Push<AtlasData>
}

/** One entry for each game. */
const listening = new WeakMap<object, Listening>()

/**
 * Queues the atlases of sprites in a scene's loader; call it in `preload`. Sprites that share an atlas load
 * it once, and an atlas that the game already has is not loaded again.
 *
 * The loader's `path`, `prefix` and `baseURL` have no effect: URLs are absolute, and keys are those of the
 * sprite modules.
 */
export function preloadSprites(scene: Phaser.Scene, sprites: readonly SpriteModule[]): void {
  listen(scene)
  for (const atlas of distinctAtlases(scene.sys.game, sprites))
    if (!scene.textures.exists(atlas.key)) queueAtlas(scene, atlas, () => show(scene.sys.game, atlas))
}

function show(game: Phaser.Game, atlas: AtlasData): void {
  if (atlas.pixelArt) game.textures.get(atlas.key).setFilter(nearest)
  noteShown(game, atlas)
  // An update that arrived during the loading has found no texture yet.
  const { received, swap } = listening.get(game) ?? {}
  const newest = received?.get(atlas.key)
  if (newest && newest !== atlas) void swap?.(atlas.key, newest)
}

/**
 * Makes the animations of sprites, under their global keys `hero/walk`; call it in `create`. Animations that
 * the game already has stay as they are.
 *
 * @returns The keys, in the order of the sprites and their specs.
 */
export function createAnimations(scene: Phaser.Scene, sprites: readonly SpriteModule[]): string[] {
  listen(scene)
  const keys: string[] = []
  for (const sprite of sprites) {
    const atlas = mainAtlas(sprite)
    for (const short of sprite.order) {
      const name = `${sprite.name}/${short}`
      const animation = atlas.animations[name]
      if (!animation) continue
      keys.push(name)
      // Without the texture, the animation would stay without frames.
      if (scene.textures.exists(atlas.key) && !scene.anims.exists(name)) scene.anims.create(toAnimation(name, animation, atlas.key))
    }
  }
  return keys
}

/**
 * Adds one Phaser sprite of each sprite module to the scene, playing its first animation, or with its first
 * picture. Makes all animations first.
 *
 * @param at Place of the Phaser sprites, in scene pixels.
 * @default (0, 0)
 * @returns The Phaser sprites by name.
 */
export function createSprites<Sprites extends readonly SpriteModule[]>(
  scene: Phaser.Scene,
  sprites: Sprites,
  at: { readonly x: number; readonly y: number } = { x: 0, y: 0 },
): Record<string, Phaser.GameObjects.Sprite> {
  createAnimations(scene, sprites)
  const made: Record<string, Phaser.GameObjects.Sprite> = {}
  for (const sprite of sprites) {
    const first = sprite.animations[sprite.order[0] ?? '']
    const object = scene.add.sprite(at.x, at.y, mainAtlas(sprite).key, first?.frames[0] ?? sprite.frames[0])
    if (first) object.play(first.name)
    made[sprite.name] = object
  }
  return made
}

function distinctAtlases(game: Phaser.Game, sprites: readonly SpriteModule[]): readonly AtlasData[] {
  const atlases = new Map(sprites.map((sprite) => [mainAtlas(sprite).key, mainAtlas(sprite)]))
  return [...atlases.values()].map((atlas) => toRenderer(game, atlas))
}

/** `Phaser.Textures.FilterMode.NEAREST`. */
const nearest = 1

/** Swaps art in place when the dev server sends an update. */
function listen(scene: Phaser.Scene): void {
  const { game } = scene.sys
  if (listening.has(game)) return
  const received = new Map<string, AtlasData>()
  const swap = createNewest<AtlasData>((atlas, isOvertaken) =>
    swapAtlas(game, atlas, isOvertaken).catch((error: unknown) =>
      console.error(`[spritewright] the pages of "${atlas.key}" could not be fetched; what is on the screen stays:`, error),
    ),
  )
  listening.set(game, { received, swap })
  const stop = onUpdate((update) => {
    const emptied = goneKeys(update, game.textures.getTextureKeys()).flatMap((key) => {
      const atlas = shownAtlas(game, key)
      return atlas ? [{ ...atlas, frames: {}, animations: {} }] : []
    })
    for (const atlas of [...distinctAtlases(game, withVariants(update.sprites)), ...emptied]) {
      received.set(atlas.key, atlas)
      void swap(atlas.key, atlas)
    }
  })
  game.events.once('destroy', stop)
}
