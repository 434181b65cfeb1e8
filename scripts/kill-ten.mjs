// The real CLI, killed ten times while it buys ten sprites: `node scripts/kill-ten.mjs [--seed N]`. It uses
// play money and a service on this machine, prints every event, and runs the built package.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cli = join(root, 'dist/src/cli/bin.js')
const sprites = 10
const kills = 10
/** Most requests that a run may make before it is killed. */
const longestLife = 14

/**
 * Kills the CLI at ten moments that the seed draws, then lets it end.
 *
 * @returns The outcome.
 * @param {{ seed: number, print: (line: string) => void }} init
 */
export async function killTen({ seed, print }) {
  const project = makeProject(await import('../dist/atlas/index.js'))
  const watch = createWatch()
  const { startEmbeddedService } = await import('../dist/src/service.js')
  // Jobs take a moment, so that some deaths come while one runs.
  const service = await startEmbeddedService({ jobMs: 60, limits: { windowMs: 1000 }, before: watch.before })
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: service.key, XDG_STATE_HOME: join(project, '.state') }
  const say = (run, words) =>
    print(
      `${run.padEnd(7)} ${words.padEnd(52)} ${count(service.charges().length, 'charge')}, ${service.holds().length} held, ${count(resultsOf(project).length, 'result')}`,
    )
  try {
    const approved = await start(project, ['approve', '--yes'], env).ended
    if (approved.code !== 0) throw new Error(`approve ended with ${approved.code}: ${approved.stderr}`)
    print(`${sprites} sprites are approved. Seed ${seed}.`)
    const random = randomOf(seed)
    let killed = 0
    for (let run = 1; killed < kills; run++) {
      const life = 1 + Math.floor(random() * longestLife)
      const child = start(project, ['build', '--buy-only'], env)
      const where = await Promise.race([watch.nth(life), child.ended.then(() => undefined)])
      if (where === undefined) {
        say(`run ${run}`, `ended by itself with ${(await child.ended).code}`)
        break
      }
      child.kill()
      const { signal } = await child.ended
      killed++
      say(`run ${run}`, `${signal} at its request ${life}, ${where}`)
    }
    const last = await start(project, ['build', '--buy-only'], env).ended
    say('last', `ended by itself with ${last.code}`)
    const asked = service.requests().length
    await start(project, ['build', '--buy-only'], env).ended
    const charges = service.charges()
    return {
      kills: killed,
      code: last.code,
      stderr: last.stderr,
      charges: charges.length,
      requests: new Set(charges.map(({ bodySha256 }) => bodySha256)).size,
      held: service.holds().length,
      results: resultsOf(project).length,
      furtherRequests: service.requests().length - asked,
    }
  } finally {
    await service.close()
    rmSync(project, { recursive: true, force: true })
  }
}

/** A project of ten sprites, each with a picture of its own. */
function makeProject({ createBitmap, encodePng }) {
  const folder = mkdtempSync(join(tmpdir(), 'spritewright-kill-ten-'))
  mkdirSync(join(folder, 'sprites'))
  writeFileSync(join(folder, 'package.json'), '{"name":"game","private":true,"type":"module"}')
  // The limits of this account, which no one else uses. With the usual ones, ten sprites would wait for
  // minutes.
  const limits = { windowMs: 1000, post: 100, get: 1000, download: 100, streams: 100 }
  writeFileSync(join(folder, 'spritewright.config.mjs'), `export default ${JSON.stringify({ limits })}`)
  for (let index = 0; index < sprites; index++) {
    const picture = createBitmap(48, 48)
    for (let at = 0; at < 48 * 24; at++) picture.data.set([20 * index, 120, 200, 255], (at + 48 * 12) * 4)
    writeFileSync(join(folder, 'sprites', `figure${index}.png`), encodePng(picture))
    const spec = { reference: `./figure${index}.png`, prompt: `figure ${index}`, animations: { walk: { frames: 7 } } }
    writeFileSync(join(folder, 'sprites', `figure${index}.sprite.json`), JSON.stringify(spec))
  }
  return folder
}

/** Counts the requests of each run as they arrive. */
function createWatch() {
  let wanted = 0
  let tell = () => {}
  return {
    before: async ({ method, path, origin }) => {
      if (--wanted === 0) tell(`${method} ${origin === 'assets' ? 'the file' : path.replace(/[?].*/, '').replace(/[0-9a-f-]{36}/, '…')}`)
      return undefined
    },
    nth: (number) =>
      new Promise((resolve) => {
        wanted = number
        tell = resolve
      }),
  }
}

function start(project, args, env) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [cli, ...args], { cwd: project, env: { PATH, HOME, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (part) => {
    stderr += part
  })
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stderr })))
  return { ended, kill: () => child.kill('SIGKILL') }
}

/** Results in the vault whose content matches their name. */
function resultsOf(project) {
  const vault = join(project, '.spritewright', 'results')
  let names = []
  try {
    names = readdirSync(vault)
  } catch {
    // Nothing is bought yet.
  }
  return names.filter((name) => {
    const digest = () =>
      createHash('sha256')
        .update(readFileSync(join(vault, name)))
        .digest('hex')
    return name.endsWith('.zip') && name === `${digest()}.zip`
  })
}

/** Random numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { seed: { type: 'string', default: String(Date.now() % 100_000) } } })
  const outcome = await killTen({ seed: Number(values.seed), print: (line) => console.log(line) })
  const isRight =
    outcome.code === 0 &&
    outcome.charges === sprites &&
    outcome.requests === sprites &&
    outcome.results === sprites &&
    outcome.held === 0 &&
    outcome.furtherRequests === 0
  console.log(
    `${count(outcome.kills, 'kill')}, ${count(outcome.charges, 'charge')} for ${outcome.requests} requests, ${count(outcome.results, 'result')}, ${outcome.held} held; one more build made ${count(outcome.furtherRequests, 'request')}. ${isRight ? 'Right.' : 'WRONG.'}`,
  )
  if (!isRight) {
    console.error(outcome.stderr)
    process.exitCode = 1
  }
}
