import type { PlacedFrame } from '../atlas/index.ts'
import { variantsOf } from '../atlas/layers/variants-of.ts'
import type { BuiltAtlas, BuiltPage, BuiltSprite } from '../src/index.ts'
import { sheetSpecifier, toSpecifier } from './ids.ts'
import { type BorderRow, type FrameRow, type PageData, spriteOf } from './runtime/shared/data.ts'
import { type AnimationRows, type AtlasRows, frameColumns, type SheetData } from './runtime/shared/sheet.ts'

// The data for a page, from a build and from the dev server: the JSON of a sheet, and the code of the modules
// that contain it.

/** Returns the URL of a page. */
export type UrlOf = (page: BuiltPage, atlas: BuiltAtlas, index: number) => string

/**
 * Converts sprites that share an atlas to the form that a page reads.
 *
 * @param scales The atlas at every scale, largest first. Its further encodings become `also`.
 */
export function toSheetData(scales: readonly BuiltAtlas[], sprites: readonly BuiltSprite[], urlOf: UrlOf): SheetData {
  const looks = scales.map(variantsOf)
  const variants = (scales[0]?.layers ?? [])
    .filter(({ kind }) => kind === 'variant')
    .map(({ name: variant, sprites: names }, at) => {
      const own = sprites.filter(({ name }) => names.includes(name))
      const renamed = own.map((sprite) => ({ ...sprite, name: `${sprite.name}.${variant}`, atlas: `${sprite.atlas}.${variant}` }))
      return [
        variant,
        toSheetData(
          looks.map((all) => all[at]!),
          renamed,
          urlOf,
        ),
      ] as const
    })
  return {
    columns: frameColumns,
    sprites: sprites.map(({ name, atlas, width, height, anchor, pixelArt, isPlaceholder, animations, pictures }) => {
      return {
        name,
        texture: atlas,
        width,
        height,
        ...(anchor ? { anchor } : {}),
        pixelArt,
        isPlaceholder,
        animations,
        ...(pictures ? { pictures } : {}),
      }
    }),
    atlases: scales.map((atlas) => toAtlasRows(atlas, urlOf)),
    ...(variants.length > 0 ? { variants: Object.fromEntries(variants) } : {}),
  }
}

/** Returns an atlas with its first encoding alone. */
export function withoutAlternates({ alternates: _, layers, ...atlas }: BuiltAtlas): BuiltAtlas {
  return { ...atlas, ...(layers ? { layers: layers.map(({ alternates: __, ...layer }) => layer) } : {}) }
}

function toAtlasRows(atlas: BuiltAtlas, urlOf: UrlOf): AtlasRows {
  const outlines = atlas.frames.flatMap(({ name, hull }) => (hull ? [[name, hull.map(({ x, y }) => [x, y] as const)] as const] : []))
  const boxes = atlas.frames.flatMap(({ name, boxes: own }) => (own ? [[name, own] as const] : []))
  const turned = atlas.frames.flatMap(({ name, isTurned }) => (isTurned ? [name] : []))
  const borders = toBorders(atlas)
  return {
    key: atlas.name,
    scale: atlas.scale,
    pixelArt: atlas.pixelArt,
    version: atlas.pages.map((page) => page.sha256.slice(0, 16)).join('.'),
    ...(turned.length > 0 ? { turned } : {}),
    ...(borders.size > 0 ? { borders: Object.fromEntries(borders) } : {}),
    ...(outlines.length > 0 ? { outlines: Object.fromEntries(outlines) } : {}),
    ...(boxes.length > 0 ? { boxes: Object.fromEntries(boxes) } : {}),
    pages: atlas.pages.map((_, index) => toPageData(atlas, index, urlOf)),
    ...(atlas.mirrors ? { mirrors: atlas.mirrors } : {}),
    animations: toAnimations(atlas),
    ...(atlas.frames.some(({ isStill }) => isStill)
      ? { pictures: Object.fromEntries(atlas.frames.flatMap((frame) => (frame.isStill ? [[frame.name, toRow(frame)]] : []))) }
      : {}),
  }
}

function toBorders({ frames }: BuiltAtlas): ReadonlyMap<string, BorderRow> {
  const borders = new Map<string, BorderRow>()
  for (const { name, isStill, borders: sides } of frames) {
    if (!sides) continue
    const row = [sides.left, sides.top, sides.right, sides.bottom] as const
    const ofSprite = borders.get(spriteOf(name)) ?? row
    // All frames of a sprite's animations have the same borders, apart from mirror images.
    borders.set(isStill || ofSprite.join() !== row.join() ? name : spriteOf(name), row)
  }
  return borders
}

function toPageData(atlas: BuiltAtlas, index: number, urlOf: UrlOf): PageData {
  const { width, height, extension } = atlas.pages[index] as BuiltPage
  const also = (atlas.alternates ?? []).map((pages) => {
    const page = pages[index] as BuiltPage
    return { url: urlOf(page, atlas, index), format: page.extension }
  })
  const url = urlOf(atlas.pages[index] as BuiltPage, atlas, index)
  const map = atlas.layers?.find(({ kind }) => kind === 'normals')?.pages[index]
  const normals = map && urlOf(map, { ...atlas, name: `${atlas.name}.normals` }, index)
  return { url, ...(normals ? { normals } : {}), width, height, format: extension, ...(also.length > 0 ? { also } : {}) }
}

/** The animations of an atlas, in the order of their frames. */
function toAnimations({ frames, animations }: BuiltAtlas): AtlasRows['animations'] {
  const owned = new Map<string, { numbers: number[]; rows: FrameRow[] }>()
  for (const frame of frames) {
    const { name, isStill } = frame
    if (isStill) continue
    const animation = name.slice(0, name.lastIndexOf('/'))
    const { numbers, rows } = owned.get(animation) ?? { numbers: [], rows: [] }
    numbers.push(numberOf(name))
    rows.push(toRow(frame))
    owned.set(animation, { numbers, rows })
  }
  const named = new Map(animations.map((animation) => [animation.name, animation]))
  return Object.fromEntries(
    [...owned].flatMap(([name, own]): [string, AnimationRows][] => {
      const { frames: played = [], fps = 12, loop = true, yoyo = false } = named.get(name) ?? {}
      const isEven = played.every(({ durationMs }) => durationMs === 1000 / fps)
      const durations = isEven ? {} : { durations: played.map(({ durationMs }) => durationMs) }
      return [[name, { fps, loop, yoyo, play: played.map((frame) => numberOf(frame.name)), ...durations, ...own }]]
    }),
  )
}

function toRow({ page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight, anchor }: PlacedFrame): FrameRow {
  const place = [page, x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight] as const
  return anchor ? [...place, anchor.x, anchor.y] : place
}

/** The number that ends the name of a frame. */
function numberOf(frame: string): number {
  return Number.parseInt(frame.slice(frame.lastIndexOf('/') + 1), 10)
}

/**
 * The module of a sheet, which exports its sprites. Its rows are a string that the page parses: a bundler and
 * its plugins process every character of code several times, but a string only once.
 *
 * @param stamps Only in the dev server: a stamp of each sprite's state, by the sprite's name. A later state
 * has another stamp.
 */
export function sheetModule(sheet: SheetData, stamps?: Readonly<Record<string, string>>): string {
  return [
    `import { readSheet } from ${JSON.stringify(sheetSpecifier)}`,
    ...(stamps ? [importHot('keepUpToDate')] : []),
    `export const sprites = /* @__PURE__ */ readSheet(${toSheetCode(sheet)})`,
    ...(stamps ? [`keepUpToDate(sprites, ${toLiteral(stamps)})`] : []),
    '',
  ].join('\n')
}

function toSheetCode({ atlases, variants = {}, ...sheet }: SheetData): string {
  const scales = atlases.map(({ pages, ...atlas }) => `{ ...${toParsed(atlas)}, pages: ${toLiteral(pages)} }`)
  const looks = Object.entries(variants).map(([name, variant]) => `${JSON.stringify(name)}: ${toSheetCode(variant)}`)
  return `{ ...${toParsed(sheet)}, atlases: [${scales.join(', ')}]${looks.length > 0 ? `, variants: { ${looks.join(', ')} }` : ''} }`
}

/** The module of a spec file: one sprite of a sheet, always the same object. */
export function spriteModule(atlas: string, index: number): string {
  return `${importSheet(atlas, 'sprites')}\nexport default sprites[${index}]\n`
}

/**
 * The module `virtual:spritewright`: all sprites by name. If `isHot`, it adds new sprites later and deletes
 * removed ones.
 */
export function allModule(atlases: readonly string[], isHot: boolean): string {
  return [
    `import { spritesByName } from ${JSON.stringify(sheetSpecifier)}`,
    ...(isHot ? [importHot('keepAll')] : []),
    ...atlases.map((atlas, index) => importSheet(atlas, `sprites as s${index}`)),
    `export const sprites = /* @__PURE__ */ spritesByName([${atlases.map((_, index) => `s${index}`).join(', ')}])`,
    ...(isHot ? ['keepAll(sprites)'] : []),
    'export default sprites',
    '',
  ].join('\n')
}

function importSheet(atlas: string, name: string): string {
  return `import { ${name} } from ${JSON.stringify(toSpecifier({ kind: 'atlas', name: atlas }))}`
}

function importHot(name: string): string {
  return `import { ${name} } from ${JSON.stringify(toSpecifier({ kind: 'hot' }))}`
}

/** JSON as an expression that is safe inside a script. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u2028\u2029]/g, toEscape)
}

/** The same as a string that the script parses at run time. */
function toParsed(value: unknown): string {
  return `JSON.parse('${JSON.stringify(value).replace(/[\\'<\u2028\u2029]/g, toEscape)}')`
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
