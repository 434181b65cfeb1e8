// Checks the package as users get it: packs it, checks it from outside, installs it into an empty project and
// runs it there.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { readPublicTypes } from './public-types.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'spritewright-package-'))
/** Entries that contain only types, or nothing to run. */
const notRun = new Set(['./client', './package.json'])
/** Entries that import an engine. Engines are optional, so an empty project has none. */
const needsEngine = new Set(['./phaser', './pixi'])
/** Licences of the bundled code. */
const notices = 'dist/third-party-notices.txt'
/** Bytes of the packed package. */
const packedLimit = 850_000
const problems = []

try {
  node(['scripts/build.mjs'], root)
  const { tarball, files } = pack()
  checkFiles(files)
  checkPanel()
  checkImports()
  await checkWithPublint(tarball)
  checkTypes(tarball)
  const project = install(tarball)
  checkEntries(project)
  checkCommand(project)
  checkDeclarations(project)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
for (const problem of problems) console.error(`✗ ${problem}`)
console.log(problems.length === 0 ? 'The package is good.' : `The package has ${problems.length} problem(s).`)
process.exitCode = problems.length === 0 ? 0 : 1

function pack() {
  const told = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], root)
  const [packed] = Object.values(JSON.parse(told))
  console.log(
    `packed: ${packed.files.length} files, ${(packed.size / 1024).toFixed(0)} KiB, ${(packed.unpackedSize / 1024).toFixed(0)} KiB unpacked`,
  )
  if (packed.size > packedLimit) problems.push(`Expected a package of at most ${packedLimit} bytes, found ${packed.size}.`)
  return { tarball: join(scratch, packed.filename), files: packed.files.map(({ path }) => path) }
}

/** Checks that the package has every file that the manifest promises, and no other file of the repository. */
function checkFiles(files) {
  // npm warns users of them. "npm install" of a clone builds by the "prepare" of an example, which is not packed.
  const ownScripts = ['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in manifest.scripts)
  if (ownScripts.length > 0)
    problems.push(`Expected no script that runs at an installation, found ${ownScripts.join(', ')} in package.json.`)
  const promised = [...Object.values(manifest.exports).flatMap(targetsOf), ...Object.values(manifest.bin)].map((path) =>
    path.replace(/^\.\//, ''),
  )
  const pages = readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))
  const schemas = ['sprite', 'config', 'lock'].map((name) => `schemas/${name}.schema.json`)
  const expected = new Set([
    ...promised,
    ...schemas,
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'SECURITY.md',
    ...pages,
    ...readdirSync(join(root, 'skills')).map((name) => `skills/${name}/SKILL.md`),
    'client.d.ts',
    'package.json',
    notices,
  ])
  for (const path of expected) if (!files.includes(path)) problems.push(`Expected ${path} in the package, it is missing.`)
  const isWanted = (path) => expected.has(path) || /^dist\/(?:atlas|src|plugin)\/.*\.(?:js|d\.ts|html|css|svg)$/.test(path)
  for (const path of files) if (!isWanted(path)) problems.push(`Expected nothing but the built package, found ${path}.`)
}

/** Checks that a user has the packages that the declarations import. */
function checkImports() {
  const given = new Set([manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })])
  for (const [file, imports] of readPublicTypes(root)) {
    for (const from of imports.filter((name) => !given.has(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0])))
      problems.push(`Expected the declarations to import what the package depends on, found ${from} in ${file.slice(root.length + 1)}.`)
  }
}

/** Checks that the panel's page is small, so that it opens at once, also on a slow machine. */
function checkPanel() {
  const bytes = ['index.html', 'panel.js', 'panel.css'].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(root, 'dist/plugin/panel', name))).length,
    0,
  )
  console.log(`the panel: ${(bytes / 1024).toFixed(1)} KiB gzip`)
  if (bytes > 60 * 1024) problems.push(`Expected the panel's page in at most 60 KiB gzip, found ${(bytes / 1024).toFixed(1)}.`)
}

/** @param {unknown} target */
function targetsOf(target) {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf)
}

async function checkWithPublint(tarball) {
  const bytes = readFileSync(tarball)
  const packed = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: packed }, strict: true })
  for (const message of messages) problems.push(`publint: ${formatMessage(message, pkg, { color: false })}`)
}

/**
 * Checks how TypeScript sees every entry except `./client`. That one has only types, so there is no
 * JavaScript to compare with, and no loader reads it.
 */
function checkTypes(tarball) {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  const args = [
    attw,
    tarball,
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    './client',
    '--format',
    'ascii',
    '--no-color',
    '--no-emoji',
  ]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) problems.push(`attw:\n${stdout}${stderr}`)
}

function install(tarball) {
  const project = join(scratch, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty-project', private: true, type: 'module' }))
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], project)
  return project
}

function checkEntries(project) {
  for (const entry of Object.keys(manifest.exports)) {
    const name = entry.replace(/^\./, manifest.name)
    if (notRun.has(entry)) continue
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(name)})`], {
      cwd: project,
      encoding: 'utf8',
    })
    // The only thing that an entry for an engine may lack is that engine.
    const lacksEngine = needsEngine.has(entry) && /Cannot find package '(?:phaser|pixi\.js)'/.test(stderr)
    if (status !== 0 && !lacksEngine) problems.push(`Expected "${name}" to be importable in an empty project, found:\n${stderr}`)
  }
}

function checkCommand(project) {
  const [command] = Object.keys(manifest.bin)
  const shell = process.platform === 'win32'
  const help = spawnSync('npx', ['--no-install', command, '--help'], { cwd: project, encoding: 'utf8', shell })
  if (help.status !== 0 || !help.stdout.includes('build'))
    problems.push(`Expected "npx ${command} --help" to list the commands, found:\n${help.stdout}${help.stderr}`)
  const version = spawnSync('npx', ['--no-install', command, '--version'], { cwd: project, encoding: 'utf8', shell })
  if (!version.stdout.includes(manifest.version))
    problems.push(`Expected "npx ${command} --version" to say ${manifest.version}, found:\n${version.stdout}${version.stderr}`)
  // An empty project has no optional package.
  const bin = join(project, 'node_modules', manifest.name, manifest.bin[command])
  const tools = spawnSync(process.execPath, [bin, 'mcp'], { cwd: project, encoding: 'utf8', input: '' })
  if (tools.status !== 2 || tools.stdout !== '' || !tools.stderr.includes('npm install --save-dev @modelcontextprotocol/server'))
    problems.push(`Expected "${command} mcp" to name the package that it lacks, found:\n${tools.stdout}${tools.stderr}`)
}

/**
 * Checks that a user's strict project compiles against the declarations of the entries that need no engine
 * and no bundler.
 */
function checkDeclarations(project) {
  const names = Object.keys(manifest.exports).filter((entry) => entry !== './package.json' && entry !== './vite' && !needsEngine.has(entry))
  const imports = names.map((entry, index) =>
    notRun.has(entry)
      ? `/// <reference types="${entry.replace(/^\./, manifest.name)}" />`
      : `import * as entry${index} from '${entry.replace(/^\./, manifest.name)}'\nvoid entry${index}`,
  )
  writeFileSync(join(project, 'use.ts'), `${imports.sort().join('\n')}\n`)
  const options = {
    strict: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    noEmit: true,
    types: [],
    skipLibCheck: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8', cwd: project })
  if (status !== 0) problems.push(`Expected a strict project to compile against the package, found:\n${stdout}`)
}

function npm(args, cwd) {
  // The surrounding "npm run" passes its own settings on, but the temporary project belongs to no workspace.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?:config_(?:workspace|local_prefix|prefix)|package_|lifecycle_)/i.test(name)),
  )
  return execFileSync('npm', args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
}

function node(args, cwd) {
  execFileSync(process.execPath, args, { cwd, stdio: 'inherit' })
}
