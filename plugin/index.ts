/**
 * `spritewright/vite`: the Vite plugin.
 *
 * @module
 */
import { dirname, resolve } from 'node:path'
import type { Plugin, ResolvedConfig } from 'vite'
import type { Options } from '../src/index.ts'
import { bundledModule, refuseKey } from './bundle.ts'
import { createDevSprites, type DevSprites } from './dev.ts'
import { toFailure } from './failure.ts'
import { formatId, ownIds, parseId, parseSpecifier, specPath, toSlashes } from './ids.ts'
import { createSession, type MakeWorkshop, type PluginSession } from './session.ts'

export type { Options } from '../src/index.ts'
export type { AnimationData, AtlasData, SpriteAnimation, SpriteModule } from './runtime/data.ts'

/**
 * Buys what is approved, packs it, and makes spec files importable: `import hero from './hero.sprite.json'`, `import { sprites } from 'virtual:spritewright'`.
 *
 * A build fails where something is not bought and not approved, with a table of what it would cost. The dev server never spends: it shows placeholders, and swaps the real art in.
 *
 * @param options Win over `spritewright.config.*`, key by key.
 */
export default function spritewright(options: Options = {}): Plugin[] {
  return createPlugins(options)
}

/** The plugin over a workshop of the caller's making; {@link spritewright} is this with the real one. */
export function createPlugins(options: Options, makeWorkshop?: MakeWorkshop): Plugin[] {
  let session: PluginSession | undefined
  let dev: DevSprites | undefined
  const open = (): PluginSession => {
    if (!session) throw new Error('Expected Vite to resolve its configuration before it uses the plugin spritewright.')
    return session
  }
  const modules: Plugin = {
    name: 'spritewright',
    enforce: 'pre',
    config: () => ({ resolve: { dedupe: ['pixi.js'] } }),
    configResolved: (config) => {
      session = createSession(toSurroundings(config), options, makeWorkshop)
    },
    configureServer: async (server) => {
      dev = await createDevSprites(server, open())
    },
    buildStart: {
      sequential: true,
      async handler() {
        if (!open().surroundings.isBuild) return
        const sheets = await open()
          .sheets()
          .catch((error: unknown) => this.error(toFailure(error)))
        for (const sprite of sheets.sprites) this.addWatchFile(sprite.file)
      },
    },
    resolveId: {
      filter: { id: [/^virtual:spritewright/, /\.sprite\.(json|yaml|yml)$/] },
      handler(source, importer) {
        const own = parseSpecifier(source)
        if (own) return formatId(own)
        return resolveSpec(source, importer, open().surroundings.root)
      },
    },
    load: {
      filter: { id: ownIds },
      async handler(id) {
        const own = parseId(id)
        if (!own) return undefined
        try {
          const code = dev
            ? await dev.moduleOf(own)
            : bundledModule(own, await open().sheets(), (name, source) => this.emitFile({ type: 'asset', name, source }))
          return { code, moduleType: 'js', moduleSideEffects: own.kind === 'hot' }
        } catch (error) {
          return this.error(toFailure(error))
        }
      },
    },
    closeBundle: {
      order: 'post',
      async handler() {
        if (this.meta.watchMode) open().renew()
        else await session?.close()
      },
    },
  }
  const guard: Plugin = {
    name: 'spritewright:key',
    apply: 'build',
    enforce: 'post',
    async generateBundle(_, bundle) {
      const workshop = await open().workshop()
      try {
        refuseKey(workshop, Object.values(bundle))
      } catch (error) {
        this.error(toFailure(error))
      }
    },
  }
  return [modules, guard]
}

function toSurroundings(config: ResolvedConfig): Parameters<typeof createSession>[0] {
  return {
    root: config.root,
    base: config.base,
    mode: config.mode,
    envPrefix: config.envPrefix ?? 'VITE_',
    isBuild: config.command === 'build',
  }
}

/** A spec that is imported as a module; with a query (`?url`, `?raw`) it stays a plain file. */
function resolveSpec(source: string, importer: string | undefined, root: string): string | undefined {
  if (!specPath.test(source)) return undefined
  const own = importer === undefined ? undefined : parseId(importer)
  if (own) return undefined
  const isRooted = source.startsWith('/')
  if (!isRooted && !source.startsWith('.')) return undefined
  const from = importer === undefined ? root : dirname(importer.split('?')[0] ?? root)
  const file = isRooted ? rootedPath(source, root) : resolve(from, source)
  return formatId({ kind: 'sprite', file: toSlashes(file) })
}

/** `/sprites/hero.sprite.json` is a path under the root, unless it is an absolute path already. */
function rootedPath(source: string, root: string): string {
  return toSlashes(source).startsWith(`${toSlashes(root)}/`) ? source : resolve(root, `.${source}`)
}
