import type { Bitmap } from '../bitmap.ts'
import { drawPage, lazyPage, type PagePicture } from '../compose.ts'
import type { FrameSequence } from '../frame.ts'
import type { AtlasLayer, Looks } from '../looks.ts'
import type { PackedPage } from '../packing/packer.ts'
import { createRecolour } from './recolour.ts'

/** A packed page with its pictures. */
export interface DrawnPage {
  readonly page: PackedPage
  readonly pictures: readonly PagePicture[]
}

/** Returns the function that changes a picture; `undefined` if the looks do not have the layer. */
type PainterOf = (looks: Looks | undefined) => ((bitmap: Bitmap) => Bitmap) | undefined

/**
 * Draws the layers of an atlas: one for each variant. A layer has the layout of the atlas, and only the frames of
 * sprites that have the look.
 *
 * @returns An empty object if no sequence has looks.
 */
export function drawLayers(drawn: readonly DrawnPage[], sequences: readonly FrameSequence[]): { readonly layers?: readonly AtlasLayer[] } {
  const variants = new Set(sequences.flatMap(({ looks }) => Object.keys(looks?.variants ?? {})))
  const layers = [...variants].sort().map((name) => drawLayer({ kind: 'variant', name }, drawn, sequences, recolourTo(name)))
  return layers.length > 0 ? { layers } : {}
}

function drawLayer(
  head: Pick<AtlasLayer, 'kind' | 'name'>,
  drawn: readonly DrawnPage[],
  sequences: readonly FrameSequence[],
  painterOf: PainterOf,
): AtlasLayer {
  const shown = drawn.flatMap(({ page, pictures }, index) => {
    const positions = new Map([...page.positions].filter(([picture]) => painterOf(pictures[picture]?.looks)))
    return positions.size > 0 ? [{ index, page: { ...page, positions }, pictures }] : []
  })
  return {
    ...head,
    sprites: [...new Set(sequences.flatMap(({ looks, sprite }) => (painterOf(looks) ? [sprite] : [])))].sort(),
    of: shown.map(({ index }) => index),
    pages: shown.map(({ page, pictures }, at) =>
      lazyPage(at, () =>
        drawPage(
          page,
          pictures.map((picture, index) =>
            page.positions.has(index) ? { ...picture, bitmap: painterOf(picture.looks)!(picture.bitmap) } : picture,
          ),
        ),
      ),
    ),
  }
}

/** Sprites with the same ramps share a function, which remembers the colours that it has seen. */
function recolourTo(variant: string): PainterOf {
  const painters = new Map<string, (bitmap: Bitmap) => Bitmap>()
  return (looks) => {
    const { variants = {} } = looks ?? {}
    // A variant may be called `constructor`.
    if (!Object.hasOwn(variants, variant)) return undefined
    const ramps = variants[variant]!
    const key = JSON.stringify(ramps)
    const painter = painters.get(key) ?? createRecolour(ramps)
    painters.set(key, painter)
    return painter
  }
}
