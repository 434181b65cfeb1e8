import { SpritewrightError } from '../../src/errors.ts'
import { realPath } from '../../src/host/real-path.ts'
import type { BuiltAtlas, BuiltPage, BuiltSheets, ResolvedOptions } from '../../src/index.ts'
import { type SpriteId, specFile, spriteId, toSlashes } from '../ids.ts'
import { allModule, sheetModule, spriteModule, toSheetData, withoutAlternates } from '../module.ts'

/** The content that a build adds to a bundle. The running program always makes its code. */
export interface Bundling {
  readonly sheets: readonly BundledSheet[]
  readonly pages: readonly BundledPage[]
  /** Files to watch under `build --watch`; see {@link sourcesOf}. */
  readonly files: readonly string[]
  /** Sentences for a person, printed at every build. */
  readonly notes: readonly string[]
}

/** A group of sprites as a module of a bundle. */
export interface BundledSheet {
  /** Name of its atlas. */
  readonly name: string
  /** Instead of a page's URL it contains the page's index in `pages`; see {@link pageMark}. */
  readonly code: string
  /** Real paths of the spec files from the root, with forward slashes, in the order of the sprites of the sheet. */
  readonly files: readonly string[]
}

/** A page as an asset of a bundle. */
export interface BundledPage {
  /** `sprites-0.png`, at other scales `sprites-0@0.5x.png`. */
  readonly name: string
  /** They must not be changed. */
  readonly bytes: Uint8Array
  readonly contentType: string
}

/**
 * The mark for the URL of a page that is not in a bundle yet, and its form in code. Nothing else in the list
 * of pages contains a NUL.
 */
const pageMark = (place: number): string => `\0${place}\0`
const pageMarks = /"\\u0000(\d+)\\u0000"/g

/**
 * Makes the modules of sheets.
 *
 * @param root Folder of the project, absolute.
 * @param options.engine If it only uses the first encoding (Phaser), further ones are not shipped.
 */
export function toBundling(sheets: BuiltSheets, root: string, { engine, notes }: Pick<ResolvedOptions, 'engine' | 'notes'>): Bundling {
  const pages: BundledPage[] = []
  const names = [...new Set(sheets.atlases.map((atlas) => atlas.name))]
  const bundled = names.map((name): BundledSheet => {
    const all = sheets.atlases.filter((atlas) => atlas.name === name)
    const variants = engine === 'phaser' ? all.map(withoutAlternates) : all
    const sprites = sheets.sprites.filter((sprite) => sprite.atlas === name)
    const sheet = toSheetData(variants, sprites, (page, atlas, index) =>
      pageMark(pages.push({ name: pageName(atlas, index, page), bytes: page.bytes, contentType: page.contentType }) - 1),
    )
    return { name, code: sheetModule(sheet), files: sprites.map(({ file }) => spriteId(root, file).file) }
  })
  return { sheets: bundled, pages, files: sheets.sprites.flatMap(sourcesOf), notes }
}

/** The files from which a sprite is made, without results. */
export function sourcesOf({ file, picture, overridePaths = [] }: BuiltSheets['sprites'][number]): readonly string[] {
  return [file, ...(picture === undefined ? [] : [picture]), ...overridePaths]
}

/** Adds a page to the bundle, and returns its URL or Vite's mark for it. */
export type EmitPage = (page: BundledPage) => string

/**
 * Returns the code of a module in a build.
 *
 * @throws `SW_SPEC` if a spec is not one of the project's.
 */
export function moduleCode({ sheets, pages }: Bundling, id: SpriteId, root: string, emit: EmitPage): string {
  switch (id.kind) {
    case 'hot':
      return 'export {}\n'
    case 'all':
      return allModule(
        sheets.map(({ name }) => name),
        false,
      )
    case 'sprite': {
      const sheet = sheets.find(({ files }) => files.includes(id.file))
      if (!sheet) throw notOurs(specFile(root, id))
      return spriteModule(sheet.name, sheet.files.indexOf(id.file))
    }
    case 'atlas': {
      const sheet = sheets.find(({ name }) => name === id.name)
      if (!sheet) throw new Error(`Expected an atlas ${id.name}, found none.`)
      return sheet.code.replace(pageMarks, (_, place: string) => JSON.stringify(emit(pages[Number.parseInt(place, 10)] as BundledPage)))
    }
  }
}

/**
 * Returns the sprite that a spec file makes.
 *
 * @param file Its real path, with forward slashes.
 * @throws `SW_SPEC` if the file is not a spec of the project.
 */
export function findSprite(sheets: BuiltSheets, file: string): BuiltSheets['sprites'][number] {
  const sprite = sheets.sprites.find((other) => toSlashes(realPath(other.file)) === file)
  if (sprite) return sprite
  throw notOurs(file)
}

function notOurs(file: string): SpritewrightError {
  return new SpritewrightError('SW_SPEC', {
    message: `${file} is imported, but it is no spec of this project. Expected a file that is there and matches "specs" of the configuration: by default spec files (NAME.sprite.json, .yaml, .yml) and folders NAME.sprites. For Aseprite files add "**/*.aseprite".`,
    facts: { file },
  })
}

function pageName(atlas: BuiltAtlas, index: number, page: BuiltPage): string {
  const scale = atlas.scale === 1 ? '' : `@${atlas.scale}x`
  return `${atlas.name}-${index}${scale}.${page.extension}`
}
