import { dirname, join } from 'node:path'
import type { ResolvedBuildEnvironmentOptions } from 'vite'
import { filesOf, SpritewrightError } from '../src/errors.ts'
import { isInside } from '../src/host/real-path.ts'
import { escapeLines } from '../src/host/terminal.ts'
import { moduleCode, sourcesOf } from './build/bundling.ts'
import { type FailingContext, failHook } from './failure.ts'
import { type SpriteId, specPath, toSlashes } from './ids.ts'
import type { PluginSession } from './session.ts'

/** The plugin context of a build's hooks, in Rollup and Rolldown: the parts that are used here. */
export interface BuildContext extends FailingContext {
  readonly environment: { readonly config: { readonly build: InlineOptions } }
  readonly meta: { readonly watchMode: boolean }
  addWatchFile(file: string): void
  emitFile(file: { type: 'asset'; name: string; source: Uint8Array }): string
  info(words: string): void
}

/**
 * Makes the sheets of a build before anything is bundled. Under `--watch`, watches the files that the sheets
 * depend on, even if the sheets cannot be made.
 */
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

/**
 * Ends a build. A watched project stays open. If a purchase failed and the bundle has a placeholder in its place, the
 * build fails now, after the files are written.
 */
export async function endBuild(context: FailingContext, session: PluginSession, isWatched: boolean): Promise<void> {
  if (!session.surroundings.isBuild) {
    await session.dev?.close()
    await session.close()
    return
  }
  if (!isWatched) await session.leave()
  const { failures } = session
  if (failures.length > 0) failHook(context, new AggregateError(failures))
}

function watchFiles(context: BuildContext, session: PluginSession, files: readonly string[]): void {
  const lock = ['sprites.lock.json', 'sprites.lock'].map((name) => join(session.surroundings.root, name))
  const all = [...files, ...placesOf(files, session.surroundings), ...lock]
  for (const path of new Set(all)) context.addWatchFile(path)
}

/**
 * Paths beside specs that may appear later: a folder of touched-up frames, another spec. Rolldown watches
 * only existing paths, so the folder of the specs is watched. The root and a folder that the build writes
 * into are not: the watcher would never rest. Vite 6 and 7 watch paths that do not exist yet, and still see
 * new frames there.
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
 * All spec files of a project whose build fails, the broken ones too. Returns none if the project cannot be
 * opened: its configuration is not watched. Returns none if the lock file cannot be read: that file is
 * watched anyway, and the next build finds the specs.
 */
async function filesInQuestion(session: PluginSession): Promise<readonly string[]> {
  try {
    const workshop = await session.workshop()
    const { sheets, errors } = await workshop.preview()
    return [...sheets.sprites.flatMap(sourcesOf), ...errors.flatMap(filesOf)]
  } catch {
    // The build itself reports the error.
    return []
  }
}

/**
 * Returns the code of a plugin module in a build. Its pages become assets of the bundle, hashed by content, or
 * `data:` URLs. Vite replaces the marks in the code by URLs, as it does for its own assets: in workers, for
 * servers, for every `base`, by `experimental.renderBuiltUrl`.
 */
export async function loadBundled(context: BuildContext, session: PluginSession, id: SpriteId): Promise<string> {
  const bundling = await session.bundling()
  // A worker has a build of its own, which does not know of `--watch`. Vite repeats it if one of these files changes.
  watchFiles(context, session, bundling.files)
  const { root } = session.surroundings
  return moduleCode(bundling, id, root, ({ name, bytes: source, contentType }) =>
    isInlined(context.environment.config.build, toSlashes(join(root, name)), Buffer.from(source))
      ? `data:${contentType};base64,${Buffer.from(source).toString('base64')}`
      : `__VITE_ASSET__${context.emitFile({ type: 'asset', name, source })}__`,
  )
}

/** The options by which Vite writes an asset into the code. */
type InlineOptions = Pick<ResolvedBuildEnvironmentOptions, 'lib' | 'assetsInlineLimit'>

/** Whether Vite would write an asset into the code. */
function isInlined({ lib, assetsInlineLimit: limit }: InlineOptions, file: string, bytes: Buffer): boolean {
  if (lib) return true
  const isAsked = typeof limit === 'function'
  return (isAsked ? limit(file, bytes) : undefined) ?? bytes.length < (isAsked ? 4096 : Number(limit))
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

/** A file that a bundler is about to write. */
interface BundledFile {
  readonly fileName: string
  readonly type: string
  readonly code?: string
  readonly source?: string | Uint8Array
  readonly map?: unknown
}

/** @throws `SW_KEY_EXPOSED` if a file to be shipped contains the API key, plain or encoded. */
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
