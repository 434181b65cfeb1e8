import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { onPage, toHashFrame, toJsonFile, toPageMeta, toTable } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { firstDurations, playedFrames } from './shared/played.ts'

/**
 * PixiJS 8: one JSON hash per page, and a manifest with one bundle per group.
 *
 * Files: `NAME-0.json`, `NAME-1.json` …; at scales other than 1 `NAME-0@0.5x.json`, for further encodings
 * `NAME-0.webp.json`; `manifest.json`. Alias and bundle have the name of the group; the first page names the
 * others. Each frame has its `duration`. `durations` has the times of an animation's frames in playing order:
 * `new AnimatedSprite(sheet.animations[name].map((texture, at) => ({ texture, time:
 * sheet.data.durations[name][at] })))`. The manifest's `src` are relative to the folder of the files:
 * `Assets.init({ manifest, basePath: 'assets/sprites' })`.
 *
 * @see PixiJS `Spritesheet`, `Assets.init`, `Assets.loadBundle`.
 */
export const pixi: EngineFormat = { name: 'pixi', ...abilities.pixi, write: writePixi }

function writePixi(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const filled = atlases.filter((encoded) => encoded.pages.length > 0)
  const sheets = filled
    .flatMap(toEncodings)
    .flatMap(({ encoded, isFirst }) =>
      encoded.pages.map((_, page) => toJsonFile(sheetFile(encoded, page, isFirst), toPixiSheet(encoded, page, isFirst))),
    )
  return [...sheets, toJsonFile('manifest.json', toPixiManifest(filled))]
}

/** One encoding of an atlas. */
interface Encoding {
  readonly encoded: EncodedAtlas
  /** Whether its data files omit the encoding from their names. */
  readonly isFirst: boolean
}

function toEncodings(encoded: EncodedAtlas): readonly Encoding[] {
  const others = (encoded.alternates ?? []).map((pages) => ({ encoded: { ...encoded, pages }, isFirst: false }))
  return [{ encoded, isFirst: true }, ...others]
}

/** The extension of the pages: `png`, `webp` … */
function encodingOf({ pages }: EncodedAtlas): string {
  return pages[0]!.file.split('.').pop()!
}

/** PixiJS selects KTX2 under the name `basis`, if the game has imported `pixi.js/ktx2`. */
function formatOf(encoding: string): string {
  return encoding === 'ktx2' ? 'basis' : encoding
}

function sheetFile(encoded: EncodedAtlas, page: number, isFirst: boolean): string {
  const { name, scale } = encoded.atlas
  return `${name}-${page}${scaleSuffix(scale)}${isFirst ? '' : `.${encodingOf(encoded)}`}.json`
}

/**
 * The JSON of one page. An animation is complete, since none spans two pages.
 *
 * @param isFirst Whether file names omit this encoding.
 * @default true
 */
export function toPixiSheet(encoded: EncodedAtlas, page: number, isFirst: boolean = true): object {
  const { atlas, pages } = encoded
  const { frames, animations } = onPage(encoded, page)
  const durations = firstDurations(animations)
  const others = pages.flatMap((_, index) => (index === 0 ? [] : [sheetFile(encoded, index, isFirst)]))
  const played = animations.map((animation) => ({ name: animation.name, frames: playedFrames(animation) }))
  return {
    frames: toTable(frames.map((frame) => [frame.name, toPixiFrame(frame, atlas.scale, durations.get(frame.name))])),
    animations: Object.fromEntries(played.map(({ name, frames }) => [name, frames.map((frame) => frame.name)])),
    // PixiJS keeps unknown fields in `sheet.data`. One duration per frame of the animation.
    durations: Object.fromEntries(played.map(({ name, frames }) => [name, frames.map((frame) => frame.durationMs)])),
    meta: {
      ...toPageMeta(pages[page]!, atlas.scale),
      // PixiJS keeps the name of the normal map in `sheet.data.meta`. The game loads it.
      ...(encoded.normals ? { normals: encoded.normals[page]!.file } : {}),
      // Only the first page names the others: two pages that name each other never finish loading.
      ...(page === 0 && others.length > 0 ? { related_multi_packs: others } : {}),
    },
  }
}

/** PixiJS divides sizes and places by the scale in `meta`, but not the borders. */
function toPixiFrame(placed: PlacedFrame, scale: number, durationMs: number | undefined): object {
  const frame = toHashFrame(placed, durationMs)
  if (placed.borders === undefined) return frame
  const { left, top, right, bottom } = placed.borders
  return { ...frame, borders: { left: left / scale, top: top / scale, right: right / scale, bottom: bottom / scale } }
}

/**
 * The manifest: one bundle per group, with a source for each scale and encoding.
 *
 * PixiJS selects the encoding first and the scale second, so only encodings available at every scale are
 * listed. Otherwise a browser that selects `webp` would get it at the wrong scale.
 */
export function toPixiManifest(atlases: readonly EncodedAtlas[]): object {
  const groups = [...new Set(atlases.map((encoded) => encoded.atlas.name))]
  return {
    bundles: groups.map((name) => {
      const variants = atlases.filter((encoded) => encoded.atlas.name === name)
      const isPixelArt = variants.every((encoded) => encoded.atlas.pixelArt)
      const lists = variants.map(toEncodings)
      const inAll = ({ encoded }: Encoding): boolean =>
        lists.every((list) => list.some((other) => encodingOf(other.encoded) === encodingOf(encoded)))
      const grid = lists.flat().filter(inAll)
      const src = (grid.length > 0 ? grid : lists.map((list) => list[0]!)).map(({ encoded, isFirst }) => ({
        src: sheetFile(encoded, 0, isFirst),
        // The resolver could read both from the file name, unless a bundler adds a hash to the name.
        format: formatOf(encodingOf(encoded)),
        resolution: encoded.atlas.scale,
      }))
      return { name, assets: [{ alias: name, src, ...(isPixelArt ? { data: { textureOptions: { scaleMode: 'nearest' } } } : {}) }] }
    }),
  }
}
