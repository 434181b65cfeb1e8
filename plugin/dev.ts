import type { ViteDevServer } from 'vite'
import type { BuiltPage, BuiltSheets, SpritewrightError } from '../src/index.ts'
import { findSprite } from './bundle.ts'
import { toFailure } from './failure.ts'
import { formatId, type SpriteId, toSlashes } from './ids.ts'
import { guardPaths, servePages } from './middleware.ts'
import { allModule, atlasModule, hotModule, spriteModule, toAtlasData, toSpriteData } from './module.ts'
import type { SpriteModule } from './runtime/data.ts'
import type { PluginSession } from './session.ts'
import { watchProject } from './watcher.ts'

/** The sprites of a running dev server. */
export interface DevSprites {
  /** The code of a module of ours, as things stand now. */
  moduleOf(id: SpriteId): Promise<string>
}

interface Preview {
  readonly sheets: BuiltSheets
  readonly errors: readonly SpritewrightError[]
}

/**
 * Serves sprites from memory, one atlas each, placeholders for what is not bought, and keeps pages up to date: a spec saved or a result arrived is swapped into the running game.
 * It spends nothing and asks no service.
 */
export async function createDevSprites(server: ViteDevServer, session: PluginSession): Promise<DevSprites> {
  const workshop = await session.workshop()
  const { root, base } = session.surroundings
  const pages = new Map<string, BuiltPage>()
  const prefix = `${base.startsWith('/') ? base : '/'}@spritewright/`
  let current: Promise<Preview> | undefined
  const look = async (): Promise<Preview> => {
    const preview = await workshop.preview()
    for (const page of preview.sheets.atlases.flatMap((atlas) => atlas.pages)) pages.set(page.sha256, page)
    await workshop.writeTypings(preview.sheets)
    return preview
  }
  const now = (): Promise<Preview> => {
    current ??= look()
    return current
  }
  const urlOf = (page: BuiltPage): string => `${prefix}${page.sha256}.${page.extension}`
  guardPaths(server, [workshop.options.store.dir, `${root}/node_modules/.cache/spritewright`])
  servePages(server, prefix, (sha256) => pages.get(sha256))
  const told = { hasFailed: false }
  watchProject(server, root, async () => {
    const before = await now().catch(() => undefined)
    current = look()
    tell(server, before, await current, urlOf, told)
  })
  return {
    moduleOf: async (id) => {
      if (id.kind === 'hot') return hotModule()
      const { sheets, errors } = await now()
      if (id.kind === 'all') return allModule(sheets)
      if (id.kind === 'sprite') {
        const broken = errors.find((error) => typeof error.facts.file === 'string' && toSlashes(error.facts.file) === id.file)
        if (broken) throw broken
        return spriteModule(findSprite(sheets, id.file), sheets, true)
      }
      const variants = sheets.atlases.filter((atlas) => atlas.name === id.name)
      return atlasModule(
        variants,
        variants.map((atlas) => atlas.pages.map((page) => JSON.stringify(urlOf(page)))),
      )
    },
  }
}

/** Tells pages what has changed: updates as one event, what is broken as an overlay with its place, and that it is mended. */
function tell(
  server: ViteDevServer,
  before: Preview | undefined,
  after: Preview,
  urlOf: (page: BuiltPage) => string,
  told: { hasFailed: boolean },
): void {
  const { client } = server.environments
  const modules = toModules(after.sheets, urlOf)
  const old = new Map(before ? toModules(before.sheets, urlOf).map((sprite) => [sprite.name, JSON.stringify(sprite)]) : [])
  const changed = modules.filter((sprite) => old.get(sprite.name) !== JSON.stringify(sprite))
  const ids = [
    formatId({ kind: 'all' }),
    ...after.sheets.sprites.map((sprite) => formatId({ kind: 'sprite', file: toSlashes(sprite.file) })),
    ...after.sheets.atlases.map((atlas) => formatId({ kind: 'atlas', name: atlas.name })),
  ]
  for (const id of ids) {
    // A page that is loaded from now on gets the new code; one that is open is told by the event.
    const module = client.moduleGraph.getModuleById(id)
    if (module) client.moduleGraph.invalidateModule(module)
  }
  const first = after.errors[0]
  if (first) {
    const { message, id, loc } = toFailure(first)
    client.hot.send({ type: 'error', err: { message, stack: '', plugin: 'spritewright', ...(id ? { id } : {}), ...(loc ? { loc } : {}) } })
  } else if (told.hasFailed) client.hot.send('spritewright:mended', {})
  told.hasFailed = first !== undefined
  if (changed.length > 0) client.hot.send('spritewright:update', { sprites: changed })
}

function toModules(sheets: BuiltSheets, urlOf: (page: BuiltPage) => string): readonly SpriteModule[] {
  return sheets.sprites.map((sprite) => ({
    ...toSpriteData(sprite, sheets),
    atlases: sheets.atlases.filter((atlas) => atlas.name === sprite.atlas).map((atlas) => toAtlasData(atlas, atlas.pages.map(urlOf))),
  }))
}
