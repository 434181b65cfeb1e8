// Makes the package in dist/: declarations and plain ES modules, one a source file; then the entries and what they share in a few files (dist/src/chunks), since
// half of a short life would be looking for modules; and the panel, a page in one script and one style sheet. The package holds the entries, the chunks and what browsers are given; the single modules stay for the benchmarks.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const packed = join(dist, '.packed')
const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
/** What `exports` and `bin` of the manifest name, and users load in Node. */
const entries = ['atlas/index', 'plugin/index', 'src/cli/bin', 'src/index', 'src/service']

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit', cwd: root })
await build({
  root,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'warn',
  build: {
    ssr: true,
    target: 'es2023',
    minify: false,
    outDir: packed,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((entry) => [entry, join(dist, `${entry}.js`)])),
      // Beside the entries of src: what looks for a neighbour by its own address finds it one folder up, from there as from its source.
      output: { entryFileNames: '[name].js', chunkFileNames: 'src/chunks/[name]-[hash].js' },
    },
  },
})
cpSync(packed, dist, { recursive: true })
rmSync(packed, { recursive: true })
// `scripts/build-panel.mjs` alone is enough after a change of the panel.
await import('./build-panel.mjs')
const bin = join(dist, 'src/cli/bin.js')
if (existsSync(bin)) chmodSync(bin, 0o755)
