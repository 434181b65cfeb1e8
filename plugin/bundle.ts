import { dirname, join } from 'node:path'
import { filesOf, SpritewrightError } from '../src/errors.ts'
import { isInside } from '../src/host/real-path.ts'
import { escapeLines } from '../src/host/terminal.ts'
import { moduleCode, sourcesOf } from './build/bundling.ts'
import { type FailingContext, failHook } from './failure.ts'
import { type SpriteId, specPath } from './ids.ts'
import type { PluginSession } from './session.ts'

/** What hooks of a build are called on, as far as we use it; Rollup's and Rolldown's plugin context. */
export interface BuildContext extends FailingContext {
  readonly meta: { readonly watchMode: boolean }
  addWatchFile(file: string): void
  emitFile(file: { type: 'asset'; name: string; source: Uint8Array }): string
  info(words: string): void
}

/** Makes the sheets of a build, before anything is bundled. Under `--watch` whatever they depend on is watched, also where they cannot be made. */
export async function startBuild(context: BuildContext, session: PluginSession): Promise<void> {
  if (!session.surroundings.isBuild) return
  session.enter()
  const { watchMode } = context.meta
  if (watchMode) session.renew()
  try {
    const { files, notes } = await session.bundling()
    for (const note of notes) context.info(escapeLines(note))
    if (watchMode) watchFiles(context, session, files)
  } catch (error) {
    if (watchMode) watchFiles(context, session, await filesInQuestion(session))
    failHook(context, error)
  }
}

/** Ends a build; a project that is watched stays open. */
export async function endBuild(session: PluginSession, isWatched: boolean): Promise<void> {
  if (!session.surroundings.isBuild) {
    await session.dev?.close()
    await session.close()
  } else if (!isWatched) await session.leave()
}

function watchFiles(context: BuildContext, session: PluginSession, files: readonly string[]): void {
  const all = [...files, ...placesOf(files, session.surroundings), join(session.surroundings.root, 'sprites.lock.json')]
  for (const path of new Set(all)) context.addWatchFile(path)
}

/**
 * What may come to be beside specs: a folder of touched-up frames, another spec. Rolldown watches only what is there, so their folder is watched; the root is not, nor a folder that the build
 * writes into: it would never rest. There, what watches paths that do not exist yet (Vite 6 and 7) still sees the frames.
 */
function placesOf(files: readonly string[], { root, outDir }: PluginSession['surroundings']): readonly string[] {
  return files
    .filter((file) => specPath.test(file))
    .map((file) => {
      const folder = dirname(file)
      return isInside(folder, root) || isInside(folder, outDir) ? file.replace(specPath, '.frames') : folder
    })
}

/**
 * All spec files of a project whose build fails, the broken ones too. None where not even the project can be opened, whose configuration is no part of a watched build, nor where its lock
 * file cannot be read: that one is watched all the same, and the build that follows finds the specs.
 */
async function filesInQuestion(session: PluginSession): Promise<readonly string[]> {
  try {
    const workshop = await session.workshop()
    const { sheets, errors } = await workshop.preview()
    return [...sheets.sprites.flatMap(sourcesOf), ...errors.flatMap(filesOf)]
  } catch {
    // Why is what the build itself says.
    return []
  }
}

/** The code of a module of ours in a build. Its pages become assets of the bundle, hashed by content; their URLs are right for every `base`, because the bundler writes them. */
export async function loadBundled(context: BuildContext, session: PluginSession, id: SpriteId): Promise<string> {
  return moduleCode(
    await session.bundling(),
    id,
    session.surroundings.root,
    (name, source) => `import.meta.ROLLUP_FILE_URL_${context.emitFile({ type: 'asset', name, source })}`,
  )
}

/** Fails a build that would ship the API key. */
export async function checkBundle(
  context: BuildContext,
  session: PluginSession,
  bundle: Readonly<Record<string, BundledFile>>,
): Promise<void> {
  try {
    const hasKey = await session.keySearch()
    refuseKey(hasKey, Object.values(bundle))
  } catch (error) {
    failHook(context, error)
  }
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
function refuseKey(hasKey: (bytes: Uint8Array) => boolean, files: readonly BundledFile[]): void {
  for (const file of files) {
    const texts = [file.code, file.source, file.map === null || file.map === undefined ? undefined : JSON.stringify(file.map)]
    const isExposed = texts.some((text) => text !== undefined && hasKey(typeof text === 'string' ? new TextEncoder().encode(text) : text))
    if (!isExposed) continue
    throw new SpritewrightError('SW_KEY_EXPOSED', {
      message: `${file.fileName} would ship the API key to every player. Look for SPRITEWRIGHT_API_KEY in "define", "envPrefix" and in what the game imports. Nothing was written.`,
      facts: { file: file.fileName },
    })
  }
}
