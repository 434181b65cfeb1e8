// Makes the package in dist/: declarations and plain ES modules, one a source file; then the entries and what they share in a few files (dist/src/chunks), since
// half of a short life would be looking for modules; and the panel, a page in one script and one style sheet. The package holds the entries, the chunks and what browsers are given; the single modules stay for the benchmarks.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, parseAst } from 'vite'
import { buildPanel } from './build-panel.mjs'
import { collectNotices } from './notices.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const packed = join(dist, '.packed')
const require = createRequire(import.meta.url)
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
/** What `exports` and `bin` of the manifest name, and users load in Node. */
const entries = ['atlas/index', 'plugin/dev/dev', 'src/index', 'src/service', 'src/workshop']
/** What Vite loads at every start, in one file. What it imports later are the entries above. */
const plugin = 'plugin/index'
/** The command line is CommonJS, which Node starts faster, and lets what was compiled of it be kept, whatever its version (src/host/kept-code.ts): what every start loads, and all that is done besides looking whether anything has changed. */
const [command, program] = ['src/cli/bin', 'src/cli/whole']
/**
 * Packages that go into the bundles. Every cold start needs most of them, and finding their many small files takes longer than what they are needed for.
 * eventsource-parser runs on Node 20, but its manifest asks for Node 22.12: as a dependency it would not install everywhere.
 */
const inlined = ['cac', 'canonicalize', 'eventsource-parser', 'jsonc-parser', 'picocolors']
const notices = collectNotices()
/**
 * Node reads text of ASCII alone several times faster than any other, and indentation is a tenth of what it reads. Lines stay lines and names stay names, so that what a failure shows can be read.
 * What is not ASCII stands in texts and patterns, where it may be written as escapes; where a line begins within a text, nothing is taken off it.
 */
const quickToRead = {
  name: 'quick-to-read',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = toAscii(withoutIndents(chunk.code))
  },
}
/** Code that is kept compiled cannot import by itself: it is handed what does (src/host/kept-code.ts). */
const handedImports = {
  name: 'handed-imports',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const places = nodesOf(parseAst(chunk.code), 'ImportExpression').map(({ start }) => start)
      for (const at of places.sort((a, b) => b - a)) chunk.code = `${chunk.code.slice(0, at)}__${chunk.code.slice(at)}`
    }
  },
}

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit', cwd: root })
await bundle(entries, packed)
await bundle([program], packed, { format: 'cjs', plugins: [handedImports] })
cpSync(packed, dist, { recursive: true })
rmSync(packed, { recursive: true })
await bundle([plugin], dist, { plugins: [besides(entries)] })
await bundle([command], dist, { format: 'cjs' })
await buildPanel([notices.plugin])
notices.write(join(dist, 'third-party-notices.txt'))
const bin = join(dist, 'src/cli/bin.cjs')
if (existsSync(bin)) chmodSync(bin, 0o755)

/** @param {readonly string[]} names @param {string} outDir @param {{ format?: 'es' | 'cjs', plugins?: import('vite').Plugin[] }} options */
async function bundle(names, outDir, { format = 'es', plugins = [] } = {}) {
  const ending = format === 'es' ? 'js' : 'cjs'
  await build({
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [...plugins, notices.plugin, quickToRead],
    ssr: { noExternal: inlined },
    build: {
      ssr: true,
      target: 'es2023',
      minify: false,
      outDir,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)])),
        // Beside the entries of src: what looks for a neighbour by its own address finds it one folder up, from there as from its source.
        output: {
          format,
          entryFileNames: `[name].${ending}`,
          chunkFileNames: `src/chunks/[name]-[hash].${ending}`,
          // What is declared has its comments in the declarations.
          comments: { legal: false, annotation: true, jsdoc: false },
        },
      },
    },
  })
}

/** Leaves bundles that are there already where they are, and writes the way to them. @param {readonly string[]} others */
function besides(others) {
  const lead = 'besides:'
  return {
    name: 'besides',
    enforce: 'pre',
    resolveId(id, importer) {
      const other = others.find((name) => importer !== undefined && join(dirname(importer), id) === join(dist, `${name}.js`))
      return other === undefined ? undefined : { id: `${lead}${other}`, external: true }
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(new RegExp(`${lead}([\\w/]+)`, 'g'), (_, other) => {
        const way = posix.relative(posix.dirname(fileName), `${other}.js`)
        return way.startsWith('.') ? way : `./${way}`
      })
    },
  }
}

/** @param {string} code */
function toAscii(code) {
  const [clash] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code) ?? []
  if (clash !== undefined)
    throw new Error(`Expected no backslash before a character that is not ASCII, whose escape it would undo, found ${clash}.`)
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** @param {string} code */
function withoutIndents(code) {
  const texts = textsOver(parseAst(code)).filter(([from, to]) => code.slice(from, to).includes('\n'))
  return code.replaceAll(/^\t+/gm, (tabs, at) => (texts.some(([from, to]) => from <= at && at < to) ? tabs : ''))
}

/** Where the fixed parts of template texts stand. @returns {[from: number, to: number][]} */
function textsOver(node) {
  return nodesOf(node, 'TemplateElement').map(({ start, end }) => [start, end])
}

/** All nodes of a kind, none of which holds another one that is asked for. */
function nodesOf(node, type) {
  if (typeof node !== 'object' || node === null) return []
  return node.type === type ? [node] : Object.values(node).flatMap((child) => nodesOf(child, type))
}
