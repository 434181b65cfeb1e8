import { join } from 'node:path'
import { type BuiltAtlas, type BuiltPage, type BuiltSheets, SpritewrightError, type Workshop } from '../src/index.ts'
import { filesOf, type PluginFailure, toFailure } from './failure.ts'
import { type SpriteId, specFile, toSlashes } from './ids.ts'
import { allModule, atlasModule, spriteModule } from './module.ts'
import type { PluginSession } from './session.ts'

/** What hooks of a build are called on, as far as we use it; Rollup's and Rolldown's plugin context. */
export interface BuildContext {
  readonly meta: { readonly watchMode: boolean }
  addWatchFile(file: string): void
  emitFile(file: { type: 'asset'; name: string; source: Uint8Array }): string
  info(words: string): void
  error(failure: PluginFailure): never
}

/** Makes the sheets of a build, before anything is bundled. Under `--watch` whatever they depend on is watched, also where they cannot be made. */
export async function startBuild(context: BuildContext, session: PluginSession): Promise<void> {
  if (!session.surroundings.isBuild) return
  session.enter()
  const { watchMode } = context.meta
  if (watchMode) session.renew()
  try {
    const sheets = await session.sheets()
    for (const note of (await session.workshop()).options.notes) context.info(note)
    if (watchMode) watchFiles(context, session, sheets.sprites.flatMap(sourcesOf))
  } catch (error) {
    if (watchMode) watchFiles(context, session, await filesInQuestion(session))
    context.error(toFailure(error))
  }
}

/** Ends a build; a project that is watched stays open. */
export async function endBuild(session: PluginSession, isWatched: boolean): Promise<void> {
  if (!session.surroundings.isBuild) await session.close()
  else if (!isWatched) await session.leave()
}

function watchFiles(context: BuildContext, session: PluginSession, files: readonly string[]): void {
  for (const file of [...files, join(session.surroundings.root, 'sprites.lock.json')]) context.addWatchFile(file)
}

/** All spec files of a project whose build fails, the broken ones too. None where not even the project can be opened: its configuration is no part of a watched build. */
async function filesInQuestion(session: PluginSession): Promise<readonly string[]> {
  const workshop = await session.workshop().catch(() => undefined)
  if (!workshop) return []
  const { sheets, errors } = await workshop.preview()
  return [...sheets.sprites.flatMap(sourcesOf), ...errors.flatMap(filesOf)]
}

/** The files that a sprite is made of, results left out. */
function sourcesOf({ file, picture, overridePaths = [] }: BuiltSheets['sprites'][number]): readonly string[] {
  return [file, ...(picture === undefined ? [] : [picture]), ...overridePaths]
}

/** The code of a module of ours in a build. */
export async function loadBundled(context: BuildContext, session: PluginSession, id: SpriteId): Promise<string> {
  const sheets = await session.sheets()
  const { engine } = (await session.workshop()).options
  const emit: EmitPage = (name, source) => context.emitFile({ type: 'asset', name, source })
  return bundledModule(id, session.surroundings.root, sheets, emit, engine !== 'phaser')
}

/** Fails a build that would ship the API key. */
export async function checkBundle(context: BuildContext, session: PluginSession, files: readonly BundledFile[]): Promise<void> {
  const workshop = await session.workshop()
  try {
    refuseKey(workshop, files)
  } catch (error) {
    context.error(toFailure(error))
  }
}

/** Emits a file into a bundle and answers the reference by which code finds its URL. */
type EmitPage = (name: string, bytes: Uint8Array) => string

/**
 * The code of a module of ours in a build. Pages become assets of the bundle, hashed by content; their URLs are right for every `base`, because the bundler writes them.
 *
 * @param mayChoose Whether the engine takes the encoding that it likes best; else further ones are not shipped.
 * @throws `SW_SPEC` for a spec that is not one of the project's.
 */
function bundledModule(id: SpriteId, root: string, sheets: BuiltSheets, emit: EmitPage, mayChoose: boolean): string {
  switch (id.kind) {
    case 'all':
      return allModule(sheets, root, false)
    case 'hot':
      return 'export {}\n'
    case 'atlas': {
      const variants = sheets.atlases.filter((atlas) => atlas.name === id.name)
      const addresses = (atlas: BuiltAtlas, pages: readonly BuiltPage[]): readonly string[] =>
        pages.map((page, index) => `import.meta.ROLLUP_FILE_URL_${emit(pageName(atlas, index, page), page.bytes)}`)
      return atlasModule(
        variants,
        variants.map((atlas) => addresses(atlas, atlas.pages)),
        variants.map(({ alternates = [], ...atlas }) => (mayChoose ? alternates.map((pages) => addresses(atlas, pages)) : [])),
      )
    }
    case 'sprite':
      return spriteModule(findSprite(sheets, specFile(root, id)), sheets)
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
function pageName(atlas: BuiltAtlas, index: number, page: BuiltPage): string {
  const scale = atlas.scale === 1 ? '' : `@${atlas.scale}x`
  return `${atlas.name}-${index}${scale}.${page.extension}`
}

/** Anything a bundler is about to write. */
interface BundledFile {
  readonly fileName: string
  readonly type: string
  readonly code?: string
  readonly source?: string | Uint8Array
  readonly map?: unknown
}

/** @throws `SW_KEY_EXPOSED` where a file that would be shipped holds the API key, plain or encoded. */
function refuseKey(workshop: Workshop, files: readonly BundledFile[]): void {
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
