import type { Bitmap } from '../bitmap.ts'
import { drawPage, lazyPage, type PagePicture } from '../compose.ts'
import { wholeBlocks } from '../encode/texture.ts'
import type { FrameSequence } from '../frame.ts'
import type { AtlasLayer, Looks, Page } from '../looks.ts'
import type { PackedPage } from '../packing/packer.ts'
import { drawNormals } from './normals.ts'
import { createRecolour } from './recolour.ts'

/** A packed page with its pictures. */
export interface DrawnPage {
  readonly page: PackedPage
  readonly pictures: readonly PagePicture[]
}

/** Returns the function that changes a picture; `undefined` if the looks do not have the layer. */
type PainterOf = (looks: Looks | undefined) => ((bitmap: Bitmap) => Bitmap) | undefined

/**
 * Draws the pages of an atlas and its layers: one for each variant, and one of normal maps. A layer has the layout of
 * the atlas, and only the frames of sprites that have the look.
 *
 * @param scale Page pixels per unscaled pixel.
 * @returns No `layers` if no sequence has looks.
 */
export function drawPages(
  drawn: readonly DrawnPage[],
  sequences: readonly FrameSequence[],
  scale: number,
): { readonly pages: readonly Page[]; readonly layers?: readonly AtlasLayer[] } {
  const pages = drawn.map(({ page, pictures }, index) => lazyPage(index, () => drawPage(page, pictures)))
  const variants = new Set(sequences.flatMap(({ looks }) => Object.keys(looks?.variants ?? {})))
  const layers = [...variants].sort().map((name) => drawLayer({ kind: 'variant', name }, drawn, sequences, recolourTo(name)))
  if (sequences.some(({ looks }) => looks?.normals))
    layers.push(
      drawLayer({ kind: 'normals', name: 'normals' }, drawn, sequences, (looks) => {
        const { normals } = looks ?? {}
        return normals && ((bitmap) => drawNormals(bitmap, normals, scale))
      }),
    )
  return { pages, ...(layers.length > 0 ? { layers } : {}) }
}

function drawLayer(
  head: Pick<AtlasLayer, 'kind' | 'name'>,
  drawn: readonly DrawnPage[],
  sequences: readonly FrameSequence[],
  painterOf: PainterOf,
): AtlasLayer {
  const shown = drawn.flatMap(({ page, pictures }, index) => {
    const positions = new Map([...page.positions].filter(([picture]) => painterOf(pictures[picture]?.looks)))
    // Phaser counts the normal maps of a texture, so no page may be without one.
    return positions.size > 0 || head.kind === 'normals' ? [{ index, page: { ...page, positions }, pictures }] : []
  })
  return {
    ...head,
    sprites: [...new Set(sequences.flatMap(({ looks, sprite }) => (painterOf(looks) ? [sprite] : [])))].sort(),
    of: shown.map(({ index }) => index),
    pages: shown.map(({ page, pictures }, at) =>
      lazyPage(at, () => {
        const painted = pictures.map((picture, index) =>
          page.positions.has(index) ? { ...picture, bitmap: painterOf(picture.looks)!(picture.bitmap) } : picture,
        )
        return head.kind === 'normals' ? flatten(drawPage(page, painted)) : drawPage(page, painted)
      }),
    ),
  }
}

/**
 * Enlarges the pages of an atlas with normal maps as KTX2 does, so that a shader finds a normal at the place of its
 * pixel. An atlas without normal maps stays as it is.
 */
export function inWholeBlocks<A extends { readonly pages: readonly Page[]; readonly layers?: readonly AtlasLayer[] }>(atlas: A): A {
  if (!atlas.layers?.some(({ kind }) => kind === 'normals')) return atlas
  const enlarge = (pages: readonly Page[], change = (page: Bitmap): Bitmap => page): Page[] =>
    pages.map((page) => lazyPage(page.index, () => change(wholeBlocks(page.bitmap))))
  const layers = atlas.layers.map((layer) => ({ ...layer, pages: enlarge(layer.pages, layer.kind === 'normals' ? flatten : undefined) }))
  return { ...atlas, pages: enlarge(atlas.pages), layers }
}

/** Gives clear pixels the normal that faces the viewer, so that a light shines on sprites without normal maps. */
function flatten(page: Bitmap): Bitmap {
  for (let at = 0; at < page.data.length; at += 4) if (page.data[at + 3] === 0) page.data.set([128, 128, 255, 255], at)
  return page
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
