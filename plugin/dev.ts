import type { ViteDevServer } from 'vite'
import type { BuiltPage, BuiltSheets, SpritewrightError } from '../src/index.ts'
import { findSprite } from './bundling.ts'
import { filesOf, toFailure } from './failure.ts'
import { formatId, type SpriteId, specFile, spriteId, toSlashes } from './ids.ts'
import { guardPaths, isOwnPath, servePages } from './middleware.ts'
import { allModule, atlasModule, hotModule, spriteModule, toAtlasData, toSpriteData } from './module.ts'
import { createPageShelf } from './pages.ts'
import type { SpriteModule } from './runtime/data.ts'
import type { DevSprites, PluginSession } from './session.ts'
import { watchProject } from './watcher.ts'

/** What is shown now. */
interface Preview {
  readonly sheets: BuiltSheets
  readonly errors: readonly SpritewrightError[]
}

type UrlOf = (page: BuiltPage) => string

/**
 * Serves sprites from memory, one atlas each, placeholders for what is not bought, and keeps pages up to date: a spec saved or a result arrived is swapped into the running game.
 * It spends nothing and asks no service.
 */
export async function createDevSprites(server: ViteDevServer, session: PluginSession): Promise<DevSprites> {
  const workshop = await session.workshop()
  const { root, base } = session.surroundings
  const folders = [workshop.options.store.dir, `${root}/node_modules/.cache/spritewright`]
  const shelf = createPageShelf()
  const prefix = `${base.startsWith('/') ? base : '/'}@spritewright/`
  const urlOf: UrlOf = (page) => `${server.config.server.origin ?? ''}${prefix}${page.sha256}.${page.extension}`
  let current: Promise<Preview> | undefined
  const messenger = createMessenger(server, root, urlOf)
  const look = async (): Promise<Preview> => {
    const preview = await workshop.preview()
    shelf.put(preview.sheets.atlases.flatMap((atlas) => atlas.pages))
    await workshop.writeTypings(preview.sheets)
    server.watcher.add(preview.sheets.sprites.flatMap((sprite) => [sprite.file, ...(sprite.overridePaths ?? [])]))
    messenger.note(preview)
    return preview
  }
  const now = (): Promise<Preview> => {
    current ??= look()
    return current
  }
  guardPaths(server, folders)
  servePages(server, prefix, shelf.find)
  watchProject(server, { root, store: workshop.options.store.dir }, async (isStale) => {
    await current?.catch(() => undefined)
    current = look()
    // A file may have been seen half written, or under its old name: what is wrong is looked at twice before it is told.
    if ((await current).errors.length > 0) current = look()
    const preview = await current
    if (!isStale()) messenger.tell(preview)
  })
  return {
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
  if (id.kind === 'all') return allModule(sheets, root)
  if (id.kind === 'sprite') {
    const file = specFile(root, id)
    const broken = errors.find((error) => filesOf(error).some((other) => toSlashes(other) === file))
    if (broken) throw broken
    return spriteModule(findSprite(sheets, file), sheets, true)
  }
  const variants = sheets.atlases.filter((atlas) => atlas.name === id.name)
  return atlasModule(
    variants,
    variants.map((atlas) => atlas.pages.map((page) => JSON.stringify(urlOf(page)))),
  )
}

/** Tells pages what has changed since they were told last. */
interface Messenger {
  /** A preview that pages may be loaded with; the first is what later ones are compared with. */
  note(preview: Preview): void
  /** A page got an error in place of a module: it does not run, and only a reload helps it. */
  pageHasFailed(): void
  tell(preview: Preview): void
}

/** Updates go out as one event, what is broken as an overlay with its place; then that it is mended. */
function createMessenger(server: ViteDevServer, root: string, urlOf: UrlOf): Messenger {
  let shown: Preview | undefined
  let hasError = false
  let isPageDead = false
  return {
    note: (preview) => {
      shown ??= preview
      // A page that is loaded from now on gets new code; one that is open is told by an event.
      forgetModules(server, root, [shown, preview])
    },
    pageHasFailed: () => {
      isPageDead = true
    },
    tell: (after) => {
      const { hot } = server.environments.client
      const before = shown
      shown = after
      const old = new Map(before ? toModules(before.sheets, urlOf).map((sprite) => [sprite.name, JSON.stringify(sprite)]) : [])
      const changed = toModules(after.sheets, urlOf).filter((sprite) => old.get(sprite.name) !== JSON.stringify(sprite))
      const [first] = after.errors
      if (first) hot.send({ type: 'error', err: { ...toFailure(first), stack: '', plugin: 'spritewright' } })
      else if (isPageDead) hot.send({ type: 'full-reload' })
      else if (hasError) hot.send('spritewright:mended', {})
      hasError = first !== undefined
      isPageDead &&= hasError
      if (changed.length > 0) hot.send('spritewright:update', { sprites: changed })
    },
  }
}

/** Modules of ours are made anew when they are asked for next, in every environment. */
function forgetModules(server: ViteDevServer, root: string, previews: readonly Preview[]): void {
  const ids = new Set(previews.flatMap(({ sheets }) => idsOf(sheets, root)))
  for (const { moduleGraph } of Object.values(server.environments)) {
    for (const id of ids) {
      const module = moduleGraph.getModuleById(id)
      if (module) moduleGraph.invalidateModule(module)
    }
  }
}

function idsOf(sheets: BuiltSheets, root: string): readonly string[] {
  return [
    formatId({ kind: 'all' }),
    ...sheets.sprites.map((sprite) => formatId(spriteId(root, sprite.file))),
    ...sheets.atlases.map((atlas) => formatId({ kind: 'atlas', name: atlas.name })),
  ]
}

function toModules(sheets: BuiltSheets, urlOf: UrlOf): readonly SpriteModule[] {
  return sheets.sprites.map((sprite) => ({
    ...toSpriteData(sprite, sheets),
    atlases: sheets.atlases.filter((atlas) => atlas.name === sprite.atlas).map((atlas) => toAtlasData(atlas, atlas.pages.map(urlOf))),
  }))
}
