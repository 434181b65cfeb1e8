/**
 * `spritewright/vite`: the Vite plugin.
 *
 * @module
 */
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { nodeDisk } from '../src/host/disk.ts'
import { nodeModuleLoader } from '../src/host/modules/module-loader.ts'
import { insideStore } from '../src/host/watch.ts'
import type { Options } from '../src/index.ts'
import { usesPixi } from '../src/options/config-files.ts'
import { checkBundle, endBuild, loadBundled, startBuild } from './bundle.ts'
import { addDock, type DevToolsContext } from './dev/devtools.ts'
import { escapeError, failHook } from './failure.ts'
import { ownIds, parseId, resolveSprite, specPath } from './ids.ts'
import { createConnections, type PluginSeam } from './session.ts'

export type { Options } from '../src/index.ts'
export type { AnimationData, AtlasData, SpriteAnimation, SpriteModule } from './runtime/shared/data.ts'

/**
 * Buys approved animations, packs them, and makes spec files importable:
 * `import hero from './hero.sprite.json'`, `import { sprites } from 'virtual:spritewright'`.
 *
 * A build fails if an animation is neither bought nor approved, and prints a table of prices. The dev server
 * spends nothing by itself. It shows placeholders, buys what a person approves while it runs, and swaps the
 * real art in.
 *
 * @param options They override `spritewright.config.*`, key by key.
 */
export default function spritewright(options: Options = {}): Plugin[] {
  return createPlugins(options)
}

/** The plugin with a replaceable host and workshop. {@link spritewright} uses the real ones. */
export function createPlugins(options: Options, seam: PluginSeam = {}): Plugin[] {
  const sessions = createConnections(options, seam)
  const ports = { disk: nodeDisk(), loadModule: nodeModuleLoader(), ...seam.host }
  const modules: Plugin = {
    name: 'spritewright:modules',
    enforce: 'pre',
    resolveId: {
      filter: { id: [/^virtual:spritewright/, specPath] },
      handler(source, importer) {
        return resolveSprite(source, importer, sessions.of(this).surroundings.root, (...wanted) => this.resolve(...wanted))
      },
    },
    load: {
      filter: { id: ownIds },
      async handler(id) {
        const own = parseId(id)
        if (!own) return undefined
        const session = sessions.of(this)
        const code = await (session.dev ? session.dev.moduleOf(own) : loadBundled(this, session, own)).catch((error: unknown) =>
          failHook(this, error),
        )
        return { code, moduleType: 'js', moduleSideEffects: own.kind === 'hot' }
      },
    },
  }
  const project: Plugin & { devtools: { setup(context: DevToolsContext): void } } = {
    name: 'spritewright',
    enforce: 'pre',
    config: async ({ root = '.', server = {} }) => ({
      // Vite builds web workers with these plugins alone.
      worker: { plugins: () => [modules] },
      // An unreadable file is reported when the project is opened.
      resolve: { dedupe: (await usesPixi(ports, resolve(root), options.engine).catch(() => false)) ? ['pixi.js'] : [] },
      // `null` turns Vite's watcher off.
      ...(server.watch === null ? {} : { server: { watch: { ignored: [insideStore] } } }),
    }),
    devtools: {
      setup: (context) => {
        if (context.viteServer) addDock(context, () => sessions.ofConfig(context.viteConfig).dev?.printPanel())
      },
    },
    configResolved: (config) => sessions.add(config),
    configureServer: async (server) => {
      const session = sessions.ofConfig(server.config)
      const { createDevSprites } = await import('./dev/dev.ts')
      session.dev = await createDevSprites(server, session).catch((error: unknown) => {
        throw escapeError(error)
      })
    },
    buildStart: {
      sequential: true,
      handler() {
        return startBuild(this, sessions.of(this))
      },
    },
    closeBundle: {
      order: 'post',
      handler() {
        return endBuild(this, sessions.of(this), this.meta.watchMode)
      },
    },
    closeWatcher() {
      return sessions.of(this).close()
    },
  }
  const guard: Plugin = {
    name: 'spritewright:key',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      return checkBundle(this, sessions.of(this), bundle)
    },
  }
  const files: Plugin = {
    name: 'spritewright:files',
    apply: 'serve',
    enforce: 'pre',
    load(id) {
      if (sessions.of(this).dev?.isOwnFile(id)) this.error('This file belongs to spritewright; it is not served.')
    },
  }
  return [project, modules, guard, files]
}
