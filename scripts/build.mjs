// Builds the package in dist/: declarations with the TypeScript compiler, ES modules with Vite, the panel's page, and
// the JSON Schemas. Dependencies stay imports, but for the panel's and two packages. Their licences are kept.
import { execFileSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { buildPanel } from './build-panel.mjs'
import { collectNotices } from './notices.mjs'
import { deletePrivateTypes } from './public-types.mjs'
import { writeSchemas } from './schemas.mjs'

const root = join(import.meta.dirname, '..')
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
await writeSchemas(root)

/**
 * Bundles entries: sources from the root, without their ending. `chunks` names the files for code that they share,
 * or load later. `isCompact` leaves white space out, 40 KB of the packed package. Names stay, for stack traces.
 */
async function bundle(entries, chunks, isCompact) {
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [notices.plugin],
    // eventsource-parser runs on Node 20, but its manifest asks for Node 22.12, so it would not install everywhere.
    // zod loads 64 files of messages in other languages, which take 0.07 s of CPU, a quarter of a warm build.
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
          chunkFileNames: chunks,
          codeSplitting: { groups: [{ name: 'zod', test: /node_modules[\\/]zod/ }] },
          comments: { legal: false, jsdoc: false, annotation: true },
          minify: isCompact && { compress: false, mangle: false, codegen: true },
        },
      },
    },
  })
}
