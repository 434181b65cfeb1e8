import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { repository } from '../e2e/game.ts'
import { isLong } from '../long.ts'
import { cliBin, startCli } from '../project.ts'
import { onDesk, openDesk } from './desk.ts'

/** Names the file that a run writes what it has compiled to. */
const keepVariable = 'SPRITEWRIGHT_TEST_KEEP_COMPILED'

/** Runs the program from its source and, where there is one, from what an earlier run compiled of it. */
const starter = `const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')
const filename = join(__dirname, 'program.cjs')
const compiled = join(__dirname, 'program.compiled')
const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined
const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData })
if (script.cachedDataRejected) throw new Error('Expected what was compiled of the program to fit it.')
// It stands where the published one does: that is where it looks for its package and its neighbours.
const place = ${JSON.stringify(cliBin)}
script.runInThisContext()({}, require, { exports: {} }, place, dirname(place), pathToFileURL(place).href, (id) => import(id))
const kept = process.env.${keepVariable}
if (kept) process.on('exit', () => writeFileSync(kept, script.createCachedData()))
`

/**
 * The built CLI with everything that it imports in one script that is compiled once: the same code in a third of the time, since most of a short life is looking for
 * modules and compiling them. Long runs take the CLI as it is published.
 *
 * @returns Its first file. It stays until a later process packs its own.
 */
export async function packCli(): Promise<string> {
  if (isLong) return cliBin
  packed ??= pack()
  return packed
}

/** Test files that follow each other in one worker share it. */
let packed: Promise<string> | undefined

async function pack(): Promise<string> {
  // Within the repository, so that it finds jiti and sharp, which look for neighbours of their own.
  const results = join(repository, 'test-results')
  await mkdir(results, { recursive: true })
  await removeDead(results)
  const folder = await mkdtemp(join(results, `cli-${process.pid}-`))
  await bundle(folder)
  const bin = join(folder, 'bin.cjs')
  await writeFile(bin, starter)
  await compile(bin, join(folder, 'program.compiled'))
  return bin
}

/** Removes what processes that have ended left: a test worker is ended without a word. */
async function removeDead(results: string): Promise<void> {
  for (const name of await readdir(results)) {
    const owner = /^cli-(\d+)-/.exec(name)?.[1]
    if (owner !== undefined && !isAlive(Number.parseInt(owner, 10))) await rm(join(results, name), { recursive: true, force: true })
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

async function bundle(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: repository,
    ssr: { noExternal: true, external: ['jiti', 'sharp', 'vite'] },
    // A script knows neither modules' addresses nor waiting at its top, and one that is compiled already cannot import by itself: it is handed what it needs.
    define: { 'import.meta.filename': '__filename', 'import.meta.url': '__fileUrl' },
    plugins: [
      {
        name: 'as-a-script',
        transform: (code, id) => (id === cliBin ? code.replace('await runInFull()', 'runInFull()') : undefined),
        generateBundle: (_options, files) => {
          const names = 'exports, require, module, __filename, __dirname, __fileUrl, __import'
          for (const file of Object.values(files))
            if (file.type === 'chunk')
              file.code = `(function (${names}) {${file.code.replace(/^#!.*/, '').replaceAll(/\bimport\("/g, '__import("')}\n})`
        },
      },
    ],
    build: {
      ssr: cliBin,
      outDir: folder,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false, entryFileNames: 'program.cjs' } },
    },
  })
}

/** Buys once, and keeps what was compiled for it. */
function compile(bin: string, kept: string): Promise<void> {
  return onDesk(openDesk(), async ({ project, env }) => {
    for (const args of [
      ['approve', '--yes'],
      ['build', '--buy-only'],
    ]) {
      const { code, stderr } = await startCli(project, args, { ...env, [keepVariable]: kept }, 'pipe', bin).ended
      if (code !== 0 || stderr !== '')
        throw new Error(`Expected the packed CLI to run ${args.join(' ')}, found exit code ${code}: ${stderr}`)
    }
  })
}
