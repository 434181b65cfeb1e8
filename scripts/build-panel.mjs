// Builds the panel's page; run it by itself after a change of the panel.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Writes index.html, panel.js and panel.css to dist/plugin/panel. Addresses are relative to the page, so that
 * any `base` works, and the page loads nothing from elsewhere.
 */
export async function buildPanel(plugins = []) {
  await build({
    plugins,
    root: join(root, 'plugin/panel/ui'),
    base: './',
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      // Browsers that have light-dark(), which both themes need.
      target: ['chrome123', 'firefox120', 'safari17.5'],
      outDir: join(root, 'dist/plugin/panel'),
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { output: { entryFileNames: 'panel.js', assetFileNames: 'panel[extname]' } },
    },
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPanel()
