import { relative, resolve } from 'node:path'
import type { ViteDevServer } from 'vite'
import { pagesOf } from '../../atlas/layers/variants-of.ts'
import { filesOf } from '../../src/errors.ts'
import { findPackage } from '../../src/host/modules/installed-package.ts'
import { isInside, realPath } from '../../src/host/real-path.ts'
import type { BuiltSprite, Preview } from '../../src/index.ts'
import { findSprite } from '../build/bundling.ts'
import { readError } from '../failure.ts'
import { guardPaths, isOwnPath } from '../http/middleware.ts'
import { createPageShelf, servePages } from '../http/pages.ts'
import { formatId, type SpriteId, specFile, spriteId, toSlashes } from '../ids.ts'
import { createLog } from '../log.ts'
import { allModule, spriteModule, type UrlOf } from '../module.ts'
import { tellNews } from '../news.ts'
import { openPanelServer } from '../panel/server/panel-server.ts'
import { canSwapIn } from '../runtime/shared/swap.ts'
import type { DevSprites, PluginSession } from '../session.ts'
import { compareSheets, newlySuperseded, spritesOf } from './changes.ts'
import { hotModule } from './hot-module.ts'
import { createMessenger, shownModule } from './messenger.ts'
import { createShownSprites, type PreviewChange } from './shown-sprites.ts'
import { createTypingsWriter } from './typings.ts'
import { watchLockFile, watchProject } from './watcher.ts'

/** Milliseconds in which a program may finish writing a file that cannot be read, or is gone. */
const againMs = 30

/**
 * Serves sprites from memory, with one atlas each and placeholders for unbought animations, and keeps pages
 * up to date. A saved spec or a new result is swapped into the running game. The server by itself spends
 * nothing and asks no service: the panel server buys after a person's approval.
 */
export async function createDevSprites(server: ViteDevServer, session: PluginSession): Promise<DevSprites> {
  const workshop = await session.workshop()
  const { root, base } = session.surroundings
  const { dir, shared = dir } = workshop.options.store
  const folders = [dir, shared, `${root}/node_modules/.cache/spritewright`].flatMap((folder) => [
    folder,
    // A root that is a link has two names.
    resolve(server.config.root, relative(root, folder)),
  ])
  const pixi = server.config.resolve.dedupe.includes('pixi.js') && (await findPackage(workshop.host.disk, 'pixi.js', [root], ''))
  if (pixi && !canSwapIn(pixi.version))
    createLog(server.config).info(`PixiJS ${pixi.version} reloads the page for every change of a sprite; 8.8 and newer swap it in place.`)
  // A bundle names the pages of the time when it was made, so they are all kept.
  const shelf = createPageShelf(server.config.experimental.bundledDev ? Number.POSITIVE_INFINITY : undefined)
  const prefix = `${base.startsWith('/') ? base : '/'}@spritewright/`
  const urlOf: UrlOf = (page) => `${server.config.server.origin ?? ''}${prefix}${page.sha256}.${page.extension}`
  const messenger = createMessenger(server, root, urlOf)
  const typings = createTypingsWriter(workshop, (error) => createLog(server.config).error(readError(error).message))
  let untyped: PreviewChange | undefined
  const writeTypings = async (): Promise<void> => {
    const due = untyped
    untyped = undefined
    if (due) await typings.write({ ...due, now: shownSprites.newest() ?? due.now })
  }
  const shownSprites = createShownSprites(workshop.preview, async (change) => {
    const { now, before, isChange } = change
    const { changed, gone } = compareSheets(before?.sheets, now.sheets)
    shelf.put(now.sheets.atlases.flatMap(pagesOf))
    for (const id of newlySuperseded(before?.sheets, now.sheets))
      createLog(server.config).info(`${id} has changed since it was bought. The bought frames play until the new ones are here.`)
    // A saved spec is shown before its typings are written. An imported sprite gets its typings first.
    if (before && isChange) untyped = { ...change, before: untyped?.before ?? before }
    else await typings.write(change)
    // The root is watched anyway.
    const known = new Set(before?.specs)
    const fresh = now.specs.filter((spec) => !known.has(spec)).map(({ file }) => file)
    const files = [
      ...fresh,
      ...changed.flatMap(({ picture, overridePaths = [] }) => [...overridePaths, ...(picture === undefined ? [] : [picture])]),
    ]
    server.watcher.add(files.filter((file) => !isInside(root, file)))
    // A page that loads from now on gets new code; an open page gets an event.
    if (before) forgetModules(server, root, isChange ? [...changed, ...gone] : changed.filter((sprite) => isRemade(sprite, before)))
    // A file that was locked for a moment is read with the next preview, although no file has changed. The
    // end of its error must still reach pages and panel.
    if (before && !isChange && hasLostErrors(before, now)) {
      messenger.send(now)
      panel.changed([])
    }
  })
  const panel = openPanelServer(server, {
    workshop,
    root,
    base: base.startsWith('/') ? base : '/',
    names: async () => (await shownSprites.with([])).specs.map(({ name }) => name).sort(),
    shown: (open) => shownSprites.withMore(open),
    show: async (name) => {
      const before = shownSprites.newest()
      const preview = await shownSprites.with([name])
      return { preview, isNew: preview !== before }
    },
    page: (sha256) => shelf.find(sha256),
  })
  guardPaths(server, folders)
  servePages(server, prefix, (sha256) => shelf.find(sha256))
  let told: Preview | undefined
  /** Reads changes, and sends them to pages. */
  const refresh = async (isStale: () => boolean, changed: readonly string[] | undefined): Promise<void> => {
    const before = shownSprites.newest()
    told ??= before
    try {
      let isDoubtful = hasDoubts(await shownSprites.change(changed), before)
      // A file may be half written, or still under its old name. So errors and gone specs are read twice
      // before they are sent.
      if (isDoubtful) {
        const middle = shownSprites.newest()
        await workshop.host.clock.sleep(againMs)
        isDoubtful = hasDoubts(await shownSprites.change(changed), middle)
      }
      // A sound state is sent at once, even if more changes follow.
      if (isDoubtful && isStale()) return
      messenger.send(shownSprites.newest() as Preview)
    } finally {
      panel.changed(changed)
      await writeTypings()
    }
    const now = shownSprites.newest() as Preview
    await tellNews(createLog(server.config), told, now, panel.overview)
    told = now
  }
  let refreshing: Promise<unknown> = Promise.resolve()
  const endWatch = watchProject(server, root, workshop.files, (isStale, changed) => {
    const run = refresh(isStale, changed)
    refreshing = run.catch(() => undefined)
    return run
  })
  watchLockFile(server, root, workshop.files, panel.approved)
  /** Makes the sprites that a page imports, and keeps them up to date from now on. */
  const shownWith = async (names: readonly string[] | 'all'): Promise<Preview> => {
    const preview = await shownSprites.with(names)
    messenger.note(shownSprites.newest() ?? preview, names)
    return preview
  }
  return {
    close: async () => {
      endWatch()
      await panel.close()
      // A read that is still running writes into the cache.
      await shownSprites.idle()
      await refreshing
      await typings.close()
    },
    printPanel: panel.print,
    isOwnFile: (id) => isOwnPath(id, server.config.root, server.config.base, folders),
    moduleOf: async (id) => {
      if (id.kind === 'hot') return hotModule()
      try {
        return moduleOf(id, root, await shownWith(id.kind === 'all' ? 'all' : await nameOf(id)), urlOf)
      } catch (error) {
        messenger.pageHasFailed()
        throw error
      }
    },
  }
  /** Name of the sprite of a module. Returns none if its spec is broken, or if there is no such spec. */
  async function nameOf(id: Extract<SpriteId, { kind: 'sprite' | 'atlas' }>): Promise<readonly string[]> {
    if (id.kind === 'atlas') return [id.name]
    const file = specFile(root, id)
    return (await shownSprites.with([])).specs.flatMap((spec) => (toSlashes(realPath(spec.file)) === file ? [spec.name] : []))
  }
}

/**
 * Whether a sprite is not new: the previous preview had it, or an error of its spec. Only then an outdated
 * module may exist. A new sprite may be made for a page that loads its module right now, so that module must
 * stay valid.
 */
function isRemade({ name, file }: BuiltSprite, { sheets, errors }: Preview): boolean {
  return spritesOf(sheets).has(name) || errors.flatMap(filesOf).includes(file)
}

/** Whether an error has been fixed. */
function hasLostErrors(before: Preview, now: Preview): boolean {
  const there = new Set(now.errors.map(({ message }) => message))
  return before.errors.some(({ message }) => !there.has(message))
}

/** Whether there is an error, or a spec is gone. */
function hasDoubts(now: Preview, before: Preview | undefined): boolean {
  if (now.errors.length > 0) return true
  const there = new Set(now.specs.map(({ name }) => name))
  return before?.specs.some(({ name }) => !there.has(name)) === true
}

function moduleOf(id: Exclude<SpriteId, { kind: 'hot' }>, root: string, { sheets, errors }: Preview, urlOf: UrlOf): string {
  if (id.kind === 'all') {
    const atlases = sheets.sprites.map(({ atlas }) => atlas)
    return allModule(atlases, true)
  }
  if (id.kind === 'atlas') {
    const shown = spritesOf(sheets).get(id.name)
    if (!shown) throw new Error(`Expected an atlas ${id.name}, found none.`)
    return shownModule(shown, urlOf)
  }
  const file = specFile(root, id)
  const broken = errors.find((error) => filesOf(error).some((other) => toSlashes(realPath(other)) === file))
  if (broken) throw broken
  return spriteModule(findSprite(sheets, file).atlas, 0)
}

/**
 * Invalidates the modules of these sprites and the module of all sprites, in every environment. They are made
 * again on the next request.
 */
function forgetModules(server: ViteDevServer, root: string, sprites: readonly BuiltSprite[]): void {
  if (sprites.length === 0) return
  const ids = sprites.flatMap((sprite) => [formatId(spriteId(root, sprite.file)), formatId({ kind: 'atlas', name: sprite.atlas })])
  for (const { moduleGraph } of Object.values(server.environments)) {
    for (const id of [formatId({ kind: 'all' }), ...ids]) {
      const module = moduleGraph.getModuleById(id)
      if (module) moduleGraph.invalidateModule(module)
    }
  }
}
