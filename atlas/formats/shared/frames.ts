import { type Bitmap, blit, createBitmap } from '../../bitmap.ts'
import { AtlasError } from '../../errors.ts'
import { abilities } from '../../format-abilities.ts'
import { cutPlaced, type PlacedFrame } from '../../frames/placed-frame.ts'
import { encodePng } from '../../png/write.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from '../format.ts'
import { toTable, toTextFile } from './hash-frame.ts'
import { scaleSuffix } from './pages.ts'
import { toSafePaths } from './safe-names.ts'

/**
 * Single frames: each frame as a PNG of its untrimmed size, and a manifest that a person can read and edit.
 * They can be used without spritewright.
 *
 * Files: `hero/walk/0000.png` …, `frames.json`; at scales other than 1 `hero/walk/0000@0.5x.png`,
 * `frames@0.5x.json`. Clear pixels keep the colours that they have on the page.
 */
export const frames: EngineFormat = { name: 'frames', ...abilities.frames, write: writeFrames }

function writeFrames(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const scales = [...new Set(atlases.map((encoded) => encoded.atlas.scale))]
  return scales.flatMap((scale) => {
    const ofScale = atlases.filter((encoded) => encoded.atlas.scale === scale)
    const paths = toSafePaths(ofScale.flatMap(({ atlas }) => atlas.frames.map(({ name }) => name)))
    const fileOf = (name: string): string => `${paths.get(name)!}${scaleSuffix(scale)}.png`
    const pictures = ofScale.flatMap((encoded) =>
      encoded.atlas.frames.map((frame) => ({ file: fileOf(frame.name), bytes: encodePng(cutWhole(encoded, frame)) })),
    )
    const manifest = `${JSON.stringify(toManifest(ofScale, scale, fileOf), undefined, 2)}\n`
    return [...pictures, toTextFile(`frames${scaleSuffix(scale)}.json`, manifest)]
  })
}

/** All frames and animations of one scale, by name. */
function toManifest(atlases: readonly EncodedAtlas[], scale: number, fileOf: (name: string) => string): object {
  const placed = atlases.flatMap(({ atlas }) => atlas.frames.map((frame) => ({ group: atlas.name, pixelArt: atlas.pixelArt, frame })))
  const played = atlases.flatMap(({ atlas }) => atlas.animations)
  return {
    scale,
    frames: toTable(
      placed.map(({ group, pixelArt, frame: { name, sourceWidth: width, sourceHeight: height, anchor, borders, hull, boxes } }) => [
        name,
        { file: fileOf(name), group, width, height, pixelArt, anchor, borders, hull, boxes },
      ]),
    ),
    animations: Object.fromEntries(
      played.map(({ name, sprite, fps, loop, yoyo, frames }) => [
        name,
        { sprite, fps, loop, yoyo, frames: frames.map((frame) => ({ frame: frame.name, duration: frame.durationMs })) },
      ]),
    ),
  }
}

/**
 * Cuts a frame from its page and restores its untrimmed size.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` if the atlas has no pixels of the page.
 */
export function cutWhole({ atlas }: EncodedAtlas, frame: PlacedFrame): Bitmap {
  const page = atlas.pages[frame.page]
  if (page === undefined) {
    throw new AtlasError('SW_ATLAS_OPTION', {
      message: `Expected the pixels of page ${frame.page} of "${atlas.name}", found ${atlas.pages.length} pages. A format with pages: 'pixels' needs decoded pages.`,
      facts: { atlas: atlas.name, page: frame.page },
    })
  }
  const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
  blit(whole, cutPlaced(page.bitmap, frame), frame.offsetX, frame.offsetY)
  return whole
}
