import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type CliRun, figurePng, heroSpec, runCli } from '../kit/project.ts'
import { level } from '../level.ts'
import { canary, disguises, search } from './canary.ts'
import { createGame, type Game, repository } from './game.ts'
import { filesOf, gameFiles, runViteBuild } from './vite-process.ts'

/** With source maps, because they show the content of a bundle. */
const config = `import spritewright from 'spritewright/vite'
export default { plugins: [spritewright()], build: { sourcemap: true } }`

let service: EmbeddedService
let game: Game
/** Folder of this test only: the service's state, packed packages, notes about requests. */
let scratch: string
const atAssets: string[] = []
const runs: CliRun[] = []

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'spritewright-canary-'))
  const before = async ({ origin, method, path, headers, body }: HookedRequest): Promise<undefined> => {
    if (origin === 'assets') atAssets.push(JSON.stringify([method, path, headers, Buffer.from(body).toString('latin1')]))
    return undefined
  }
  service = await startEmbeddedService({
    jobMs: 0,
    dir: join(scratch, 'service'),
    accounts: [{ name: 'demo', keys: [{ key: canary }] }],
    before,
  })
  const hero = heroSpec(['walk', 'idle'])
  game = await createGame({ ...gameFiles, 'vite.config.js': config, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': hero })
  await game.write('package.json', '{"name":"game","version":"1.0.0","private":true,"type":"module"}')
  await live()
}, 600_000)

afterAll(async () => {
  await service?.close()
  await game?.remove()
  await rm(scratch, { recursive: true, force: true })
})

/** Runs the whole life of a project. Failures come at its end, because they print more than successes. */
async function live(): Promise<void> {
  const tell = new URL('tell-requests.mjs', import.meta.url).href
  const env = {
    SPRITEWRIGHT_BASE_URL: service.url,
    SPRITEWRIGHT_API_KEY: canary,
    SPRITEWRIGHT_TOLD: join(scratch, 'requests.jsonl'),
    NODE_OPTIONS: `--import ${tell}`,
  }
  const commands = 'init,plan,approve --yes,build,status --json,ledger,ledger --verify,store ls,store verify,doctor,doctor --json'
  for (const command of commands.split(',')) runs.push(await runCli(game, command.split(' '), env))
  runs.push(await runViteBuild(game.root, env))
  expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0))
  runs.push(await runCli(game, ['plan', 'nobody'], env))
  await service.putAccount({ name: 'demo', keys: [{ key: canary, isRevoked: true }] })
  await game.write('sprites/hero.sprite.json', heroSpec(['walk', 'idle', 'jump']))
  for (const args of [['plan'], ['approve', '--yes'], ['doctor']]) runs.push(await runCli(game, args, env))
  runs.push(await runViteBuild(game.root, env))
  await game.write('sprites/hero.sprite.json', '{ "reference": ')
  runs.push(await runCli(game, ['build'], env), await runViteBuild(game.root, env))
}

/** The files of a folder in which the canary appears. */
async function searchFolder(folder: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) found.push(...search(await readFile(join(folder, path))).map((how) => `${path}: ${how}`))
  return found
}

/** Packs a package as it would be published. Returns its unpacked bytes. */
async function pack(folder: string): Promise<Buffer> {
  const shell = process.platform === 'win32'
  const told = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], {
    cwd: folder,
    shell,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    env: { ...process.env, SPRITEWRIGHT_API_KEY: canary },
  })
  const [packed] = Object.values(JSON.parse(told) as { readonly filename: string }[])
  return gunzipSync(await readFile(join(scratch, packed?.filename ?? '')))
}

test('the search finds a key in each of its disguises', () => {
  for (const [name, form] of Object.entries(disguises(canary))) expect(search(Buffer.concat([Buffer.from('x'), form]))).toContain(name)
  expect(search(Buffer.from(Buffer.from(`xx${canary}yy`).toString('base64')))).not.toEqual([])
})

describe('C40, I7: after a whole life of a project the key is', () => {
  test('in no output', () => {
    for (const { stdout, stderr } of runs) expect(search(stdout + stderr)).toEqual([])
    console.log(`searched the output of ${runs.length} processes`)
  })

  test('in no file that was written: journal, lock file, ledger, state folder, bundle, source maps', async () => {
    const files = await filesOf(game.root)
    for (const expected of ['sprites.lock.json', '.spritewright/ledger.jsonl', 'dist/index.html', 'public/sprites/pack.json'])
      expect(files).toContain(expected)
    expect(files.some((path) => /^dist\/.*\.js\.map$/.test(path))).toBe(true)
    expect(files.some((path) => path.startsWith('.state/'))).toBe(true)
    expect(await searchFolder(game.root, files)).toEqual([])
    console.log(`searched ${files.length} files of the project`)
  })

  test('in nothing that the embedded service keeps of it', async () => {
    const files = (await filesOf(scratch)).filter((path) => path.startsWith('service/'))
    expect(files.length).toBeGreaterThan(0)
    expect(await searchFolder(scratch, files)).toEqual([])
  })

  test('in no request to another origin, and there in no header, path or body', async () => {
    const told = (await readFile(join(scratch, 'requests.jsonl'), 'utf8')).split('\n').filter((line) => line !== '')
    const others = told.filter((line) => (JSON.parse(line) as { origin: string }).origin !== service.url)
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((line) => search(line).length > 0)).toEqual([])
    // The service itself does receive the key, which proves that the sent requests are searched.
    expect(told.some((line) => search(line).length > 0)).toBe(true)
    expect(atAssets.length).toBeGreaterThan(0)
    expect(atAssets.filter((request) => search(request).length > 0)).toEqual([])
    console.log(`searched ${others.length} requests to other origins of ${told.length}`)
  })

  test('in no package that is made meanwhile: this one, the game in the long run, the built files of this one', async () => {
    expect(search(await pack(repository))).toEqual([])
    // All files of the game were already searched unpacked.
    if (level === 'long') expect(search(await pack(game.root))).toEqual([])
    const built = (await filesOf(join(repository, 'dist'))).map((path) => `dist/${path}`)
    expect(await searchFolder(repository, built)).toEqual([])
    console.log(`searched ${level === 'long' ? '2 packed packages' : '1 packed package'} and ${built.length} built files`)
  })
})
