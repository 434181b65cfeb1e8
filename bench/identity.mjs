import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatNames } from '../dist/atlas/index.js'
import { installInto } from './install.mjs'
import { makeProject, projectEnv } from './project.mjs'
import { check } from './report.mjs'
import { addViteGame } from './vite-project.mjs'

const here = import.meta.dirname
const other = join(here, 'node24')
const cli = join(here, '../dist/src/cli/bin.js')
const vite = join(here, '../node_modules/vite/bin/vite.js')

/** Everything that a build can write: all formats, all encodings, two scales. */
const config = { formats: formatNames, atlas: { format: ['png', 'webp', 'avif'], palette: 'exact' } }
const spec = { scales: [1, 0.5] }

/**
 * Builds the same project in several folders: with its files written in another order, with another number of
 * threads, two at the same time, with another version of Node, and warm. Measures how many bytes of
 * `spritewright build` and of `vite build` differ.
 */
export async function identity({ size, corpus, cache }) {
  installInto(other, console.log)
  const node24 = join(other, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const project = (name, isReversed = false) => {
    const folder = makeProject(corpus, join(cache, `identity-${name}-${size}`), { isReversed, spec })
    writeFileSync(join(folder, 'spritewright.config.json'), JSON.stringify(config))
    return addViteGame(folder)
  }
  const first = { run: 'alone, 4 threads', folder: project('a'), node: process.execPath, threads: '4' }
  const pair = [
    { run: 'at the same time, 1 thread, files in another order', folder: project('b', true), node: process.execPath, threads: '1' },
    { run: 'at the same time, 4 threads', folder: project('c'), node: process.execPath, threads: '4' },
  ]
  const later = { run: 'another Node, 4 threads', folder: project('d', true), node: node24, threads: '4' }
  const rows = []
  const add = (run, what) => rows.push({ run: run.run, Node: run.node === node24 ? versionOf(other) : process.versions.node, ...what })
  const cold = async (run) => ({ build: await build(run), vite: await viteBuild(run) })
  const wanted = await cold(first)
  add(first, tell(wanted, wanted))
  const both = await Promise.all(pair.map(cold))
  for (const [at, found] of both.entries()) add(pair[at], tell(found, wanted))
  add(later, tell(await cold(later), wanted))
  for (const run of [first, later]) {
    const warm = { ...run, run: `${run.run}, warm` }
    for (const out of ['out', 'dist']) rmSync(join(run.folder, out), { recursive: true })
    add(warm, tell(await cold(warm), wanted))
  }
  const differing = (what) => rows.reduce((sum, row) => sum + row[what], 0)
  return {
    rows,
    checks: ['build: other files', 'vite: other files'].map((what) =>
      check(`${size} ${what} over all runs`, differing(what), 'at most', 0),
    ),
  }
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'node_modules/node/package.json'), 'utf8')).version
}

/** Counts files that are missing on one side or differ, and prints their names. */
function tell(found, wanted) {
  const differ = (what) => {
    const names = [...new Set([...found[what].keys(), ...wanted[what].keys()])]
    const others = names.filter((name) => found[what].get(name)?.hash !== wanted[what].get(name)?.hash)
    if (others.length > 0)
      console.log(`  other bytes: ${others.slice(0, 8).join(', ')}${others.length > 8 ? ` and ${others.length - 8} more` : ''}`)
    return others.length
  }
  const kb = (what) => [...found[what].values()].reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  return {
    'build: files': found.build.size,
    'build: kB': kb('build'),
    'build: other files': differ('build'),
    'vite: files': found.vite.size,
    'vite: other files': differ('vite'),
  }
}

async function build(run) {
  await start(run, cli, ['build', '--out', 'out'])
  return digest(join(run.folder, 'out'))
}

async function viteBuild(run) {
  await start(run, vite, ['build'])
  return digest(join(run.folder, 'dist'))
}

async function start({ node, folder, threads }, script, args) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...projectEnv, CI: 'true', UV_THREADPOOL_SIZE: threads }
  const child = spawn(node, [script, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (part) => (stderr += part))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr.slice(-800)}`)
}

/** Files by name, with size and SHA-256. */
function digest(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile())
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(folder, name))
      return [name, { bytes: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') }]
    }),
  )
}
