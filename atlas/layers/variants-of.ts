import type { PlacedFrame } from '../frames/placed-frame.ts'
import type { AtlasLayer } from '../looks.ts'

/** Pages, in the order of their atlas. */
export interface PageLists<Page> {
  readonly pages: readonly Page[]
  /** The same pages in further encodings, for engines that choose; each list is as long as `pages`. */
  readonly alternates?: readonly (readonly Page[])[]
}

interface Named {
  readonly name: string
}

/** An atlas, encoded or not. */
interface Layered<Page> extends PageLists<Page>, Named {
  readonly frames: readonly PlacedFrame[]
  readonly animations: readonly (Named & { readonly sprite: string; readonly frames: readonly Named[] })[]
  readonly mirrors?: Readonly<Record<string, string>>
  readonly layers?: readonly (Omit<AtlasLayer, 'pages'> & PageLists<Page>)[]
}

/** All pages of an atlas, in all encodings, with those of its layers. */
export function pagesOf<Page>({
  pages,
  alternates = [],
  layers = [],
}: PageLists<Page> & { readonly layers?: readonly PageLists<Page>[] }): Page[] {
  return [...[pages, ...alternates].flat(), ...layers.flatMap(pagesOf)]
}

/**
 * Returns the variants of an atlas as atlases of their own. The variant `red` of `sprites` is the atlas `sprites.red`,
 * and its sprite `hero` has the name `hero.red`: `hero.red/walk/0000`. The places are those of the atlas.
 */
export function variantsOf<Page, A extends Layered<Page>>(atlas: A & Layered<Page>): A[] {
  const normals = atlas.layers?.find(({ kind }) => kind === 'normals')
  const variants = (atlas.layers ?? []).filter(({ kind }) => kind === 'variant')
  return variants.map(({ name: variant, sprites, of, pages, alternates }) => {
    const renamed = <T extends Named>(all: readonly T[]): T[] =>
      all.flatMap((one) => {
        const [sprite = '', ...rest] = one.name.split('/')
        return sprites.includes(sprite) ? [{ ...one, name: [`${sprite}.${variant}`, ...rest].join('/') }] : []
      })
    const animations = renamed(atlas.animations).map((animation) => ({
      ...animation,
      sprite: `${animation.sprite}.${variant}`,
      frames: animation.frames.map((frame) => ({ ...frame, name: frame.name.replace('/', `.${variant}/`) })),
    }))
    const frames = renamed(atlas.frames).map((frame) => ({ ...frame, page: of.indexOf(frame.page) }))
    const mirrors = renamed(Object.entries(atlas.mirrors ?? {}).map(([name, of]) => ({ name, of })))
    return {
      ...atlas,
      name: `${atlas.name}.${variant}`,
      frames,
      animations,
      pages,
      alternates,
      layers: normals && [{ ...normals, of: of.map((_, at) => at), pages: of.map((index) => normals.pages[index]!) }],
      ...(mirrors.length > 0
        ? { mirrors: Object.fromEntries(mirrors.map(({ name, of }) => [name, of.replace('/', `.${variant}/`)])) }
        : {}),
    }
  })
}
