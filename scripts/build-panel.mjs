// Makes the panel's page; run by itself after a change of the panel.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Makes index.html, panel.js and panel.css in dist/plugin/panel, with addresses relative to the page, so that any `base` is right. Nothing of it is loaded from elsewhere. */
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
      // What has light-dark(), which both themes are made with.
      target: ['chrome123', 'firefox120', 'safari17.5'],
      outDir: join(root, 'dist/plugin/panel'),
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { output: { entryFileNames: 'panel.js', assetFileNames: 'panel[extname]' } },
    },
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPanel()
