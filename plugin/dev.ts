import { relative, resolve } from 'node:path'
import type { ViteDevServer } from 'vite'
import { filesOf } from '../src/errors.ts'
import type { BuiltSprite } from '../src/index.ts'
import { findSprite } from './bundling.ts'
import { compareSheets } from './changes.ts'
import { openDesk } from './desk.ts'
import { hotModule } from './hot-module.ts'
import { formatId, isInside, type SpriteId, specFile, spriteId, toSlashes } from './ids.ts'
import { createMessenger, type Preview, stampOf, toModule, type UrlOf } from './messenger.ts'
import { guardPaths, isOwnPath, servePages } from './middleware.ts'
import { allModule, atlasModule, spriteModule } from './module.ts'
import { createPageShelf } from './pages.ts'
import type { DevSprites, PluginSession } from './session.ts'
import { watchLockFile, watchProject } from './watcher.ts'

/**
 * Serves sprites from memory, one atlas each, placeholders for what is not bought, and keeps pages up to date: a spec saved or a result arrived is swapped into the running game.
 * By itself it spends nothing and asks no service: a person's approval makes the desk do so.
 */
export async function createDevSprites(server: ViteDevServer, session: PluginSession): Promise<DevSprites> {
  const workshop = await session.workshop()
  const { root, base } = session.surroundings
  const folders = [workshop.options.store.dir, `${root}/node_modules/.cache/spritewright`].flatMap((folder) => [
    folder,
    // A root that is a link has two names.
    resolve(server.config.root, relative(root, folder)),
  ])
  // A bundle names the pages of the time when it was made.
  const shelf = createPageShelf(server.config.experimental.bundledDev ? Number.POSITIVE_INFINITY : undefined)
  const prefix = `${base.startsWith('/') ? base : '/'}@spritewright/`
  const urlOf: UrlOf = (page) => `${server.config.server.origin ?? ''}${prefix}${page.sha256}.${page.extension}`
  let current: Promise<Preview> | undefined
  let previous: Preview | undefined
  let isDoubtful = false
  const messenger = createMessenger(server, root, urlOf)
  const look = async (paths?: readonly string[]): Promise<Preview> => {
    const preview = await workshop.preview(paths)
    const { sheets } = preview
    const { changed, gone } = compareSheets(previous?.sheets, sheets)
    shelf.put(sheets.atlases.flatMap((atlas) => atlas.pages))
    await workshop.writeTypings(gone.length > 0 ? sheets : { ...sheets, sprites: changed })
    // All of the root is watched as it is.
    const files = changed.flatMap((sprite) => [sprite.file, ...(sprite.overridePaths ?? [])])
    server.watcher.add(files.filter((file) => !isInside(root, file)))
    // A page that is loaded from now on gets new code; one that is open is told by an event.
    forgetModules(server, root, [...changed, ...gone])
    isDoubtful = preview.errors.length > 0 || gone.length > 0
    previous = preview
    messenger.note(preview)
    return preview
  }
  const now = (): Promise<Preview> => {
    current ??= look()
    return current
  }
  const desk = openDesk(server, {
    workshop,
    root,
    base: base.startsWith('/') ? base : '/',
    shown: now,
    urlOf: (page) => `${prefix}${page.sha256}.${page.extension}`,
  })
  guardPaths(server, folders)
  servePages(server, prefix, (sha256) => shelf.find(sha256) ?? desk.pages.find(sha256))
  watchProject(server, { root, store: workshop.options.store.dir }, async (isStale, changed) => {
    await current?.catch(() => undefined)
    current = look(changed)
    try {
      await current
      // A file may have been seen half written, or under its old name: what is wrong, or gone, is looked at twice before it is told.
      if (isDoubtful) current = look(changed)
      const preview = await current
      // What is sound is told at once, also where more is to come.
      if (!isDoubtful || !isStale()) messenger.tell(preview)
    } finally {
      desk.changed()
    }
  })
  watchLockFile(server, root, desk.approved)
  return {
    close: async () => {
      await desk.close()
      // What is being looked at still writes into the cache.
      for (let last: typeof current; last !== current; ) {
        last = current
        await last?.catch(() => undefined)
      }
    },
    isOwnFile: (id) => isOwnPath(id, server.config.root, server.config.base, folders),
    moduleOf: async (id) => {
      if (id.kind === 'hot') return hotModule()
      try {
        return moduleOf(id, root, await now(), urlOf)
      } catch (error) {
        messenger.pageHasFailed()
        throw error
      }
    },
  }
}

function moduleOf(id: Exclude<SpriteId, { kind: 'hot' }>, root: string, { sheets, errors }: Preview, urlOf: UrlOf): string {
  if (id.kind === 'all') return allModule(sheets, root, true)
  if (id.kind === 'sprite') {
    const file = specFile(root, id)
    const broken = errors.find((error) => filesOf(error).some((other) => toSlashes(other) === file))
    if (broken) throw broken
    const sprite = findSprite(sheets, file)
    return spriteModule(sprite, sheets, stampOf(toModule(sprite, sheets, urlOf)))
  }
  const variants = sheets.atlases.filter((atlas) => atlas.name === id.name)
  return atlasModule(
    variants,
    variants.map((atlas) => atlas.pages.map((page) => JSON.stringify(urlOf(page)))),
  )
}

/** The modules of sprites are made anew when they are asked for next, in every environment, and so is the one of all. */
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
