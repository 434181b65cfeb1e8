// Builds the package in dist/: declarations with the TypeScript compiler, ES modules with Vite, and the
// panel's page. Writes the JSON Schemas for editors to schemas/. Dependencies stay imports. The panel and two packages are bundled, with the licences of their
// code.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { buildPanel } from './build-panel.mjs'
import { collectNotices } from './notices.mjs'
import { deletePrivateTypes } from './public-types.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const notices = collectNotices()

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-p', root, '--emitDeclarationOnly', '--stripInternal'], { stdio: 'inherit', cwd: root })
deletePrivateTypes(root)
await bundle(['atlas/index', 'plugin/index', 'src/cli/bin', 'src/index', 'src/service'], 'src/chunks/[name]-[hash].js', true)
// Browsers load these files, so they contain nothing for Node.
await bundle(['plugin/runtime/phaser', 'plugin/runtime/pixi', 'plugin/runtime/shared/sheet'], 'plugin/runtime/shared/[name].js', false)
await buildPanel([notices.plugin])
notices.write(join(dist, 'third-party-notices.txt'))
chmodSync(join(dist, 'src/cli/bin.js'), 0o755)
await writeSchemas()

/**
 * Bundles some entries.
 *
 * @param {readonly string[]} entries Sources, from the root and without their ending.
 * @param {string} chunks Names of the files for code that entries share, or load later.
 * @param {boolean} isCompact Leaves white space out, which is 40 KB of the packed package. Names stay, for stack traces.
 */
async function bundle(entries, chunks, isCompact) {
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [notices.plugin],
    // eventsource-parser runs on Node 20, but its manifest asks for Node 22.12, so as a dependency it would
    // not install everywhere. zod loads 64 files of messages in other languages. Without them, every command
    // takes 0.07 s of CPU less, a quarter of a warm build.
    ssr: { noExternal: ['eventsource-parser', 'zod'] },
    build: {
      ssr: true,
      target: 'es2023',
      minify: isCompact ? 'oxc' : false,
      outDir: dist,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((name) => [name, join(root, `${name}.ts`)])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: chunks,
          comments: { legal: false, jsdoc: false, annotation: true },
          minify: isCompact && { compress: false, mangle: false, codegen: true },
        },
      },
    },
  })
}

/** The paths of these files are in specs, so they are short and never change. */
async function writeSchemas() {
  const { specJsonSchema, configJsonSchema, lockJsonSchema } = await import('../dist/src/index.js')
  mkdirSync(join(root, 'schemas'), { recursive: true })
  const schemas = { sprite: specJsonSchema(), config: configJsonSchema(), lock: lockJsonSchema() }
  for (const [name, schema] of Object.entries(schemas))
    writeFileSync(join(root, 'schemas', `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`)
}
