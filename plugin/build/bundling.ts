import { SpritewrightError } from '../../src/errors.ts'
import type { BuiltAtlas, BuiltPage, BuiltSheets, ResolvedOptions } from '../../src/index.ts'
import { fromRoot, type SpriteId, specFile, toSlashes } from '../ids.ts'
import { allModule, sheetModule, spriteModule, toSheetData, withoutAlternates } from '../module.ts'

/** What a build puts into a bundle. Its code is always made by the running program. */
export interface Bundling {
  readonly sheets: readonly BundledSheet[]
  readonly pages: readonly BundledPage[]
  /** What is watched under `build --watch`: see {@link sourcesOf}. */
  readonly files: readonly string[]
  /** Sentences for a person, told at every build. */
  readonly notes: readonly string[]
}

/** A group of sprites as a module of a bundle. */
export interface BundledSheet {
  /** Of its atlas. */
  readonly name: string
  /** In place of a page's URL it holds the page's place in `pages`, see {@link pageMark}. */
  readonly code: string
  /** Spec files from the root, with forward slashes; in the order in which its sprites are opened. */
  readonly files: readonly string[]
}

/** A page as an asset of a bundle. */
export interface BundledPage {
  /** `sprites-0.png`, at other scales `sprites-0@0.5x.png`. */
  readonly name: string
  /** Nobody may change them. */
  readonly bytes: Uint8Array
}

/** The URL of a page that is not in a bundle yet, and how it reads in code. Nothing else in the list of pages holds a NUL. */
const pageMark = (place: number): string => `\0${place}\0`
const pageMarks = /"\\u0000(\d+)\\u0000"/g

/**
 * The modules of sheets.
 *
 * @param root Folder of the project, absolute.
 * @param options.engine Where it takes the first encoding that it draws, further ones are not shipped.
 */
export function toBundling(sheets: BuiltSheets, root: string, { engine, notes }: Pick<ResolvedOptions, 'engine' | 'notes'>): Bundling {
  const pages: BundledPage[] = []
  const names = [...new Set(sheets.atlases.map((atlas) => atlas.name))]
  const bundled = names.map((name): BundledSheet => {
    const all = sheets.atlases.filter((atlas) => atlas.name === name)
    const variants = engine === 'phaser' ? all.map(withoutAlternates) : all
    const sprites = sheets.sprites.filter((sprite) => sprite.atlas === name)
    const sheet = toSheetData(variants, sprites, (page, atlas, index) =>
      pageMark(pages.push({ name: pageName(atlas, index, page), bytes: page.bytes }) - 1),
    )
    return { name, code: sheetModule(sheet), files: sprites.map(({ file }) => fromRoot(root, file)) }
  })
  return { sheets: bundled, pages, files: sheets.sprites.flatMap(sourcesOf), notes }
}

/** The files that a sprite is made of, results left out. */
export function sourcesOf({ file, picture, overridePaths = [] }: BuiltSheets['sprites'][number]): readonly string[] {
  return [file, ...(picture === undefined ? [] : [picture]), ...overridePaths]
}

/** Puts a page into the bundle, and answers the expression of its URL. */
export type EmitPage = (name: string, bytes: Uint8Array) => string

/**
 * The code of a module in a build.
 *
 * @throws `SW_SPEC` for a spec that is not one of the project's.
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
      return sheet.code.replace(pageMarks, (_, place: string) => {
        const page = pages[Number.parseInt(place, 10)] as BundledPage
        return emit(page.name, page.bytes)
      })
    }
  }
}

/** The sprite that a spec file makes. @throws `SW_SPEC` where the file is no spec of the project. */
export function findSprite(sheets: BuiltSheets, file: string): BuiltSheets['sprites'][number] {
  const sprite = sheets.sprites.find((other) => toSlashes(other.file) === file)
  if (sprite) return sprite
  throw notOurs(file)
}

function notOurs(file: string): SpritewrightError {
  return new SpritewrightError('SW_SPEC', {
    message: `${file} is imported, but it is no spec of this project. Expected a file that is there and matches "specs" of the configuration (default **/*.sprite.{json,yaml,yml} under the root).`,
    facts: { file },
  })
}

function pageName(atlas: BuiltAtlas, index: number, page: BuiltPage): string {
  const scale = atlas.scale === 1 ? '' : `@${atlas.scale}x`
  return `${atlas.name}-${index}${scale}.${page.extension}`
}
