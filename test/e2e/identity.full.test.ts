import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatNames } from '../../atlas/index.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type CliRun, figurePng, heroSpec, runCli, serviceEnv } from '../kit/project.ts'
import { level } from '../level.ts'
import { createGame, type Game } from './game.ts'
import { digestFolder, filesOf, gameFiles, runViteBuild } from './vite-process.ts'

// `npm run bench -- --section identity` does the same with large corpora, and with another version of Node.

const files: Readonly<Record<string, string | Uint8Array>> = {
  ...gameFiles,
  'spritewright.config.json': JSON.stringify({
    engine: 'phaser',
    formats: formatNames,
    atlas: { format: ['png', 'webp', 'avif'], palette: 'close', maxSize: 256 },
  }),
  'sprites/hero.png': figurePng(),
  'sprites/hero.sprite.json': JSON.stringify({
    ...JSON.parse(heroSpec(level === 'long' ? ['walk', 'idle'] : ['walk'])),
    size: 48,
    scales: [1, 0.5],
  }),
  'sprites/orc.png': figurePng(9),
  'sprites/orc.sprite.json': JSON.stringify({ ...JSON.parse(heroSpec(['walk'], './orc.png')), scales: [1, 0.5], stabilize: true }),
}

let service: EmbeddedService
let bought: Game
const games: Game[] = []

beforeAll(async () => {
  service = await startEmbeddedService({ jobMs: 0, limits: { post: Infinity, get: Infinity, download: Infinity } })
  bought = await createGame(files)
  games.push(bought)
  const env = serviceEnv(service)
  expectDone(await runCli(bought, ['approve', '--yes'], env))
  expectDone(await runCli(bought, ['build'], env))
})

afterAll(async () => {
  await service.close()
  for (const game of games) await game.remove()
})

/**
 * Another checkout that has the purchases but has built nothing.
 *
 * @param isReversed Whether its files were written in reverse order.
 */
async function checkout(isReversed: boolean): Promise<Game> {
  const results = (await filesOf(join(bought.root, '.spritewright/results'))).map((path) => `.spritewright/results/${path}`)
  const game = await createGame()
  games.push(game)
  const all = [...Object.keys(files), 'sprites.lock.json', ...results]
  for (const path of isReversed ? all.reverse() : all) await game.write(path, await readFile(join(bought.root, path)))
  return game
}

function expectDone(run: CliRun): void {
  expect(run, run.stderr).toMatchObject({ code: 0 })
}

async function digests(game: Game, folder: string): Promise<Record<string, string>> {
  const found = await digestFolder(join(game.root, folder))
  expect(Object.keys(found).length).toBeGreaterThan(3)
  return found
}

test('three cold runs of "npx spritewright build" in every format, two of them at the same time, and a warm one write the same bytes', async () => {
  const run = (game: Game, threads: string): Promise<CliRun> =>
    runCli(game, ['build', '--out', 'out'], { CI: 'true', UV_THREADPOOL_SIZE: threads })
  const [first, second, third] = [await checkout(false), await checkout(true), await checkout(false)]
  expectDone(await run(first, '4'))
  const written = await digests(first, 'out')
  for (const one of await Promise.all([run(second, '1'), run(third, '2')])) expectDone(one)
  expect(await digests(second, 'out')).toEqual(written)
  expect(await digests(third, 'out')).toEqual(written)
  await rm(join(first.root, 'out'), { recursive: true })
  expectDone(await run(first, '4'))
  expect(await digests(first, 'out')).toEqual(written)
})

// vite-build.test.ts checks that a warm run writes the same bytes.
test('two cold runs of "vite build" at the same time write the same bytes', async () => {
  const run = (game: Game, threads: string): Promise<CliRun> => runViteBuild(game.root, { CI: 'true', UV_THREADPOOL_SIZE: threads })
  const [first, second] = [await checkout(false), await checkout(true)]
  for (const one of await Promise.all([run(first, '4'), run(second, '1')])) expectDone(one)
  expect(await digests(second, 'dist')).toEqual(await digests(first, 'dist'))
})
