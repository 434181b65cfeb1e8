import type { AtlasAnimation } from '../atlas.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { toHashFrame, toJsonFile, toPageMeta, toTable } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'

/** Options of {@link createPhaserFormat}. */
export interface PhaserOptions {
  /**
   * `path` of the pack's section: the folder of the files, relative to the game's page, e.g.
   * `assets/sprites/`. Phaser resolves the files of a pack against the loader's path, not against the pack.
   * Without this option the game calls `this.load.setPath('assets/sprites/')` before it loads the pack.
   *
   * @default none
   */
  readonly path?: string
}

/**
 * Phaser 3.90 and 4: one atlas file per group (JSON hash; `multiatlas` for several pages), an animation file,
 * and a pack that loads all of them.
 *
 * Files: `NAME.json`, `NAME.anims.json`, `pack.json`; at scales other than 1 `NAME@0.5x.json` and
 * `pack@0.5x.json`, with the same keys, so that a game loads the pack of one scale. The texture key is the
 * name of the group, an animation's key is `sprite/animation`.
 *
 * @see Phaser's `load.pack`, `load.atlas`, `load.multiatlas`, `load.animation`.
 */
export function createPhaserFormat(options: PhaserOptions = {}): EngineFormat {
  return { name: 'phaser', ...abilities.phaser, write: (atlases) => writePhaser(atlases, options) }
}

/** {@link createPhaserFormat} without options. */
export const phaser: EngineFormat = createPhaserFormat()

function writePhaser(atlases: readonly EncodedAtlas[], options: PhaserOptions): readonly OutputFile[] {
  const filled = atlases.filter((encoded) => encoded.pages.length > 0)
  const sheets = filled.map((encoded) => toJsonFile(sheetFile(encoded), toPhaserSheet(encoded)))
  return [...sheets, ...toPhaserPacks(filled, toPackEntry, options)]
}

/**
 * Returns an animation file for each group, and a pack for each scale.
 *
 * @param toEntry Returns the pack's entry for an atlas texture.
 */
export function toPhaserPacks(
  filled: readonly EncodedAtlas[],
  toEntry: (encoded: EncodedAtlas) => object,
  options: PhaserOptions,
): readonly OutputFile[] {
  // Frames have the same names at every scale, so one animation file per group is enough.
  const groups = [...new Map(filled.map((encoded) => [encoded.atlas.name, encoded] as const)).values()]
  const animations = groups.map(({ atlas }) => toJsonFile(animationFile(atlas.name), toPhaserAnimations(atlas.name, atlas.animations)))
  const scales = [...new Set(filled.map((encoded) => encoded.atlas.scale))]
  const packs = scales.map((scale) => {
    const ofScale = filled.filter((encoded) => encoded.atlas.scale === scale)
    const entries = ofScale.map(({ atlas }) => ({ type: 'animation', key: `${atlas.name}.anims`, url: animationFile(atlas.name) }))
    const section = { files: [...ofScale.map(toEntry), ...entries] }
    const pack = {
      sprites: options.path === undefined ? section : { path: options.path, ...section },
      meta: { app: 'spritewright', version: '1.0' },
    }
    return toJsonFile(`pack${scaleSuffix(scale)}.json`, pack)
  })
  return [...animations, ...packs]
}

function sheetFile({ atlas }: EncodedAtlas): string {
  return `${atlas.name}${scaleSuffix(atlas.scale)}.json`
}

function animationFile(name: string): string {
  return `${name}.anims.json`
}

/** The atlas JSON: a hash of one page, or `textures` for several. */
export function toPhaserSheet({ atlas, pages, normals }: EncodedAtlas): object {
  const [first] = pages
  if (pages.length === 1 && first !== undefined) {
    return {
      frames: toTable(atlas.frames.map((frame) => [frame.name, toPhaserFrame(frame)])),
      animations: Object.fromEntries(atlas.animations.map(({ name, frames }) => [name, frames.map((frame) => frame.name)])),
      meta: toPageMeta(first, atlas.scale),
    }
  }
  const textures = pages.map((page, index) => {
    const { image, format, size, scale } = toPageMeta(page, atlas.scale)
    const frames = atlas.frames.filter((frame) => frame.page === index).map((frame) => ({ filename: frame.name, ...toPhaserFrame(frame) }))
    return { image, ...(normals ? { normalMap: normals[index]!.file } : {}), format, size, scale: Number(scale), frames }
  })
  return { textures, meta: { app: 'spritewright', version: '1.0' } }
}

/** Phaser's `scale9Borders` is the stretched part of a nine-slice; other formats have the borders. */
function toPhaserFrame(placed: PlacedFrame): object {
  const { borders, sourceWidth, sourceHeight } = placed
  if (borders === undefined) return toHashFrame(placed)
  const { left: x, top: y, right, bottom } = borders
  return { ...toHashFrame(placed), scale9Borders: { x, y, w: sourceWidth - x - right, h: sourceHeight - y - bottom } }
}

/** The animation JSON. Durations of frames are absolute milliseconds, which Phaser reads since 3.90. */
export function toPhaserAnimations(texture: string, animations: readonly AtlasAnimation[]): object {
  return {
    anims: animations.map((animation) => ({
      key: animation.name,
      type: 'frame',
      frames: animation.frames.map(({ name, durationMs }) => ({ key: texture, frame: name, duration: durationMs })),
      frameRate: animation.fps,
      repeat: animation.loop ? -1 : 0,
      yoyo: animation.yoyo,
    })),
  }
}

function toPackEntry(encoded: EncodedAtlas): object {
  const key = encoded.atlas.name
  const [first] = encoded.pages
  // Phaser loads the pages of a multiatlas by their names in its JSON, under the same path.
  if (encoded.pages.length > 1) return { type: 'multiatlas', key, url: sheetFile(encoded) }
  const normalMap = encoded.normals?.[0]?.file
  return { type: 'atlas', key, textureURL: first!.file, ...(normalMap ? { normalMap } : {}), atlasURL: sheetFile(encoded) }
}
