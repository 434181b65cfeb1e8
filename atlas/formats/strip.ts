import type { AtlasAnimation } from '../atlas.ts'
import { type Bitmap, blit, createBitmap } from '../bitmap.ts'
import { abilities } from '../format-abilities.ts'
import type { PlacedFrame } from '../frames/placed-frame.ts'
import { encodePng } from '../png/write.ts'
import { toCss } from './css.ts'
import type { EncodedAtlas, EngineFormat, OutputFile } from './format.ts'
import { cutWhole } from './shared/frames.ts'
import { toTextFile } from './shared/hash-frame.ts'
import { scaleSuffix } from './shared/pages.ts'
import { withStills } from './shared/played.ts'
import { toSafePaths } from './shared/safe-names.ts'

/** A strip wider than this many pixels continues in the next row. */
const WIDEST = 4096

/**
 * Strips: one PNG per animation or picture. Its frames are side by side in equal cells of their untrimmed size, each
 * once, in the order in which they first play. For CSS `steps()`, `load.spritesheet` in Phaser, `loadSprite`
 * with `sliceX` in KAPLAY, and all other readers that cut a picture by a grid.
 *
 * Files: `hero/walk.png` …, `strips.json` with cells, order and durations, and for each group `NAME.css` as
 * in the format `css`; at scales other than 1 with `@0.5x` before the extension. Frames that no animation
 * plays are left out.
 */
export const strip: EngineFormat = { name: 'strip', ...abilities.strip, write: writeStrips }

function writeStrips(atlases: readonly EncodedAtlas[]): readonly OutputFile[] {
  const scales = [...new Set(atlases.map((encoded) => encoded.atlas.scale))]
  return scales.flatMap((scale) => {
    const ofScale = atlases.filter((encoded) => encoded.atlas.scale === scale)
    const paths = toSafePaths(ofScale.flatMap(({ atlas }) => withStills(atlas).map(({ name }) => name)))
    const groups = ofScale.map((encoded) => ({
      encoded,
      strips: withStills(encoded.atlas).flatMap((animation) =>
        toStrip(encoded, animation, `${paths.get(animation.name)!}${scaleSuffix(scale)}.png`),
      ),
    }))
    const sheets = groups
      .filter(({ strips }) => strips.length > 0)
      .map(({ encoded, strips }) => toTextFile(`${encoded.atlas.name}${scaleSuffix(scale)}.css`, toCss(toStripAtlas(encoded, strips))))
    const all = groups.flatMap(({ strips }) => strips)
    const pictures = all.map(({ file, bitmap }) => ({ file, bytes: encodePng(bitmap) }))
    const manifest = Object.fromEntries(all.map((one) => [one.animation.name, toEntry(one)]))
    return [...pictures, ...sheets, toTextFile(`strips${scaleSuffix(scale)}.json`, `${JSON.stringify(manifest, undefined, 2)}\n`)]
  })
}

/** An animation as one picture. */
interface Strip {
  readonly animation: AtlasAnimation
  readonly file: string
  readonly bitmap: Bitmap
  readonly columns: number
  /** One frame per cell, row by row. */
  readonly cells: readonly PlacedFrame[]
}

function toStrip(encoded: EncodedAtlas, animation: AtlasAnimation, file: string): readonly Strip[] {
  const byName = new Map(encoded.atlas.frames.map((frame) => [frame.name, frame] as const))
  const cells = [...new Set(animation.frames.map(({ name }) => name))].map((name) => byName.get(name)!)
  const [first] = cells
  if (first === undefined) return []
  const { sourceWidth: width, sourceHeight: height } = first
  const columns = Math.max(1, Math.min(cells.length, Math.floor(WIDEST / width)))
  const bitmap = createBitmap(columns * width, Math.ceil(cells.length / columns) * height)
  for (const [index, cell] of cells.entries()) {
    blit(bitmap, cutWhole(encoded, cell), (index % columns) * width, Math.floor(index / columns) * height)
  }
  return [{ animation, file, bitmap, columns, cells }]
}

function toEntry({ animation, file, columns, cells }: Strip): object {
  const { sprite, fps, loop, yoyo, frames } = animation
  const { sourceWidth: frameWidth, sourceHeight: frameHeight, anchor, borders } = cells[0]!
  const names = cells.map(({ name }) => name)
  return {
    sprite,
    file,
    frameWidth,
    frameHeight,
    columns,
    rows: Math.ceil(cells.length / columns),
    fps,
    loop,
    yoyo,
    anchor,
    borders,
    cells: names,
    play: frames.map(({ name }) => names.indexOf(name)),
    durations: frames.map(({ durationMs }) => durationMs),
  }
}

/** The strips as the pages of an atlas, without trimming. */
function toStripAtlas({ atlas }: EncodedAtlas, strips: readonly Strip[]): EncodedAtlas {
  const frames = strips.flatMap(({ cells, columns }, page) =>
    cells.map((cell, index) => {
      const { sourceWidth: width, sourceHeight: height } = cell
      const place = { x: (index % columns) * width, y: Math.floor(index / columns) * height, width, height, offsetX: 0, offsetY: 0 }
      return { ...cell, page, ...place }
    }),
  )
  const pages = strips.map(({ file, bitmap }) => ({ file, bytes: new Uint8Array(), width: bitmap.width, height: bitmap.height }))
  return { atlas: { ...atlas, frames, pages: [] }, pages }
}
