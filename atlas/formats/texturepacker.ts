import { abilities } from '../format-abilities.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { onPage, toHashFrame, toJsonFile, toPageMeta } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { firstDurations, playedFrames } from './shared/played.ts'

/**
 * TexturePacker's JSON (array), one file per page: `TextureAtlas` in melonJS (all pages in one list),
 * `load.atlas` in Phaser, and most tools that read atlases.
 *
 * Each frame has its `duration`. `animations` lists frames in playing order, including backward frames.
 *
 * Files: `NAME-0.json` …, at scales other than 1 `NAME-0@0.5x.json`; the first page names the others.
 */
export const texturepacker: EngineFormat = { name: 'texturepacker', ...abilities.texturepacker, write: writeTexturePacker }

function writeTexturePacker(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  return atlases.flatMap((encoded) =>
    encoded.pages.map((_, page) => toJsonFile(sheetFile(encoded, page), toTexturePackerSheet(encoded, page))),
  )
}

function sheetFile({ atlas }: EncodedAtlas, page: number): string {
  return `${atlas.name}-${page}${scaleSuffix(atlas.scale)}.json`
}

/** The JSON of one page. */
export function toTexturePackerSheet(encoded: EncodedAtlas, page: number): object {
  const { frames, animations } = onPage(encoded, page)
  const durations = firstDurations(animations)
  const others = encoded.pages.flatMap((_, index) => (index === 0 ? [] : [sheetFile(encoded, index)]))
  return {
    frames: frames.map((placed) => {
      const { anchor, ...frame } = toHashFrame(placed, durations.get(placed.name))
      return {
        filename: placed.name,
        ...frame,
        ...(anchor === undefined ? {} : { pivot: anchor }),
        ...(placed.borders === undefined ? {} : { borders: placed.borders }),
      }
    }),
    animations: Object.fromEntries(animations.map((animation) => [animation.name, playedFrames(animation).map((frame) => frame.name)])),
    meta: {
      ...toPageMeta(encoded.pages[page]!, encoded.atlas.scale),
      // melonJS searches for this word.
      app: 'spritewright (texturepacker)',
      ...(page === 0 && others.length > 0 ? { related_multi_packs: others } : {}),
    },
  }
}
