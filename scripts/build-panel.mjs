// Makes the panel's page in dist/plugin/panel: index.html, panel.js, panel.css, with addresses relative to the page, so that any `base` is right. Nothing of it is loaded from elsewhere.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

await build({
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
