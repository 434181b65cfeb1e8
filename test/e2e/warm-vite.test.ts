import { readFileSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { startEmbeddedService } from '../../src/embedded/service.ts'
import { figurePng, heroSpec, runCli, serviceEnv } from '../project.ts'
import { createGame, type Game, repository } from './game.ts'
import { digestFolder, gameFiles, runViteBuild } from './vite-process.ts'

const games: Game[] = []
afterAll(async () => {
  for (const game of games) await game.remove()
})

const hook = pathToFileURL(join(dirname(fileURLToPath(import.meta.url)), '../cli/tell-modules.mjs')).href

/** Modules of this package, and of what it depends on, that a build has loaded: paths from the repository, with forward slashes. */
async function modulesOf(game: Game, env: Readonly<Record<string, string>>): Promise<string[]> {
  const log = join(game.root, '.modules')
  rmSync(log, { force: true })
  const built = await runViteBuild(game.root, { ...env, NODE_OPTIONS: `--import=${hook}`, TELL_MODULES: log })
  expect(built, built.stderr).toMatchObject({ code: 0 })
  const paths = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((url) => fileURLToPath(url).replaceAll(sep, '/'))
  const own = `${repository.replaceAll(sep, '/')}/dist/`
  return paths.flatMap((path) =>
    path.startsWith(own)
      ? [path.slice(own.length)]
      : /\/node_modules\/(?:@img|sharp|undici|yaml|jiti)\//.test(path)
        ? [path.replace(/^.*\/node_modules\//, '')]
        : [],
  )
}

test('a warm vite build loads one file of the package: no workshop, no sharp; the first one loads the workshop, and no sharp for plain PNGs', async () => {
  const service = await startEmbeddedService({ jobMs: 0 })
  const game = await createGame({ ...gameFiles, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec(['walk']) })
  games.push(game)
  const env = serviceEnv(service)
  await runCli(game, ['approve', '--yes'], env)
  expect(await runViteBuild(game.root, env)).toMatchObject({ code: 0 })
  await service.close()
  // What was bought a moment ago is not yet what a later build sees: this one packs it anew, without the service.
  rmSync(join(game.root, 'node_modules/.cache'), { recursive: true, force: true })
  const cold = await modulesOf(game, env)
  expect(cold).toContain('src/workshop.js')
  // Those explain what is wrong; here nothing is.
  expect(cold.filter((path) => /schemas|json-text|on-demand/.test(path))).toEqual([])
  expect(cold.filter((path) => !path.endsWith('.js') || path.startsWith('sharp'))).toEqual([])
  const first = await digestFolder(join(game.root, 'dist'))
  rmSync(join(game.root, 'dist'), { recursive: true })
  expect(await modulesOf(game, env)).toEqual(['plugin/index.js'])
  expect(await digestFolder(join(game.root, 'dist'))).toEqual(first)
})
