import type { AtlasAnimation } from '../atlas.ts'
import { scaleSuffix } from '../encode.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { toHashFrame, toJsonFile, toPageMeta } from './hash-frame.ts'

/**
 * PixiJS 8: a JSON hash a page, and a manifest with a bundle a group.
 *
 * Files: `NAME-0.json`, `NAME-1.json` …; at other scales than 1 `NAME-0@0.5x.json`; `manifest.json`. Alias and bundle have the name of the group; the first page
 * names the others. The manifest's `src` are relative to the folder of the files: `Assets.init({ manifest, basePath: 'assets/sprites' })`.
 *
 * @see PixiJS `Spritesheet`, `Assets.init`, `Assets.loadBundle`.
 */
export const pixi: EngineFormat = { name: 'pixi', write: writePixi }

function writePixi(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const filled = atlases.filter((encoded) => encoded.pages.length > 0)
  const sheets = filled.flatMap((encoded) =>
    encoded.pages.map((_, page) => toJsonFile(sheetFile(encoded, page), toPixiSheet(encoded, page))),
  )
  return [...sheets, toJsonFile('manifest.json', toPixiManifest(filled))]
}

function sheetFile({ atlas }: EncodedAtlas, page: number): string {
  return `${atlas.name}-${page}${scaleSuffix(atlas.scale)}.json`
}

/** The JSON of one page. Animations are whole, since none spans two pages. */
export function toPixiSheet(encoded: EncodedAtlas, page: number): object {
  const { atlas, pages } = encoded
  const onPage = atlas.frames.filter((frame) => frame.page === page)
  const names = new Set(onPage.map((frame) => frame.name))
  const animations = atlas.animations.filter((animation) => animation.frames.some((frame) => names.has(frame.name)))
  // A name can have one duration here; where it comes twice with two, the first counts.
  const durations = new Map(animations.flatMap(({ frames }) => frames.map(({ name, durationMs }) => [name, durationMs] as const)).reverse())
  const others = pages.flatMap((_, index) => (index === 0 ? [] : [sheetFile(encoded, index)]))
  return {
    frames: Object.fromEntries(onPage.map((frame) => [frame.name, toHashFrame(frame, durations.get(frame.name))])),
    animations: Object.fromEntries(animations.map((animation) => [animation.name, playedNames(animation)])),
    meta: {
      ...toPageMeta(pages[page]!, atlas.scale),
      // A star: two pages that name each other never finish loading.
      ...(page === 0 && others.length > 0 ? { related_multi_packs: others } : {}),
    },
  }
}

/** Frame names in playing order. The format has no word for there and back, so the way back is written out, without doubling the ends. */
function playedNames({ frames, loop, yoyo }: AtlasAnimation): readonly string[] {
  const names = frames.map((frame) => frame.name)
  if (!yoyo) return names
  return [...names, ...names.slice(loop ? 1 : 0, -1).reverse()]
}

/** The manifest: a bundle a group, with one source a scale. */
export function toPixiManifest(atlases: readonly EncodedAtlas[]): object {
  const groups = [...new Set(atlases.map((encoded) => encoded.atlas.name))]
  return {
    bundles: groups.map((name) => {
      const variants = atlases.filter((encoded) => encoded.atlas.name === name)
      const isPixelArt = variants.every((encoded) => encoded.atlas.pixelArt)
      const src = variants.map((encoded) => ({
        src: sheetFile(encoded, 0),
        // The resolver would look for both in the file's name, where a bundler's hash hides them.
        format: encoded.pages[0]!.file.split('.').pop(),
        resolution: encoded.atlas.scale,
      }))
      return { name, assets: [{ alias: name, src, ...(isPixelArt ? { data: { textureOptions: { scaleMode: 'nearest' } } } : {}) }] }
    }),
  }
}
