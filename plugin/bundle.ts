import { type BuiltAtlas, type BuiltSheets, SpritewrightError, type Workshop } from '../src/index.ts'
import { type SpriteId, toSlashes } from './ids.ts'
import { allModule, atlasModule, spriteModule } from './module.ts'

/** Emits a file into a bundle and answers the reference by which code finds its URL. */
export type EmitPage = (name: string, bytes: Uint8Array) => string

/**
 * The code of a module of ours in a build. Pages become assets of the bundle, hashed by content; their URLs are right for every `base`, because the bundler writes them.
 *
 * @throws `SW_SPEC` for a spec that is not one of the project's.
 */
export function bundledModule(id: SpriteId, sheets: BuiltSheets, emit: EmitPage): string {
  switch (id.kind) {
    case 'all':
      return allModule(sheets)
    case 'hot':
      return 'export {}\n'
    case 'atlas': {
      const variants = sheets.atlases.filter((atlas) => atlas.name === id.name)
      return atlasModule(
        variants,
        variants.map((atlas) =>
          atlas.pages.map((page, index) => `import.meta.ROLLUP_FILE_URL_${emit(pageName(atlas, index), page.bytes)}`),
        ),
      )
    }
    case 'sprite':
      return spriteModule(findSprite(sheets, id.file), sheets, false)
  }
}

/** The sprite that a spec file makes. @throws `SW_SPEC` where the file is no spec of the project. */
export function findSprite(sheets: BuiltSheets, file: string): BuiltSheets['sprites'][number] {
  const sprite = sheets.sprites.find((other) => toSlashes(other.file) === file)
  if (sprite) return sprite
  throw new SpritewrightError('SW_SPEC', {
    message: `${file} is imported, but it is no spec of this project. Expected it to match "specs" of the configuration (default **/*.sprite.{json,yaml,yml} under the root).`,
    facts: { file },
  })
}

/** `sprites-0.png`, at other scales `sprites-0@0.5x.png`. */
function pageName(atlas: BuiltAtlas, index: number): string {
  const scale = atlas.scale === 1 ? '' : `@${atlas.scale}x`
  return `${atlas.name}-${index}${scale}.${atlas.pages[index]?.extension ?? 'png'}`
}

/** Anything a bundler is about to write. */
export interface BundledFile {
  readonly fileName: string
  readonly type: string
  readonly code?: string
  readonly source?: string | Uint8Array
  readonly map?: unknown
}

/** @throws `SW_KEY_EXPOSED` where a file that would be shipped holds the API key, plain or encoded. */
export function refuseKey(workshop: Workshop, files: readonly BundledFile[]): void {
  for (const file of files) {
    const texts = [file.code, file.source, file.map === null || file.map === undefined ? undefined : JSON.stringify(file.map)]
    const isExposed = texts.some(
      (text) => text !== undefined && workshop.containsKey(typeof text === 'string' ? new TextEncoder().encode(text) : text),
    )
    if (!isExposed) continue
    throw new SpritewrightError('SW_KEY_EXPOSED', {
      message: `${file.fileName} would ship the API key to every player. Look for SPRITEWRIGHT_API_KEY in "define", "envPrefix" and in what the game imports. Nothing was written.`,
      facts: { file: file.fileName },
    })
  }
}
