import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { figurePng, heroSpec, runCli, serviceEnv } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { createGame, type Game } from './game.ts'
import { digestFolder, gameFiles, runViteBuild } from './vite-process.ts'

let service: EmbeddedService
const games: Game[] = []

beforeEach(async () => {
  service = await startEmbeddedService({ jobMs: 0, makers: quickMakers() })
})

afterEach(async () => {
  await service.close()
  for (const game of games.splice(0)) await game.remove()
})

async function newGame(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Game> {
  const game = await createGame({ ...gameFiles, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec(['walk']), ...files })
  games.push(game)
  return game
}

function posts(): string[] {
  return service.requests().flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
}

describe('vite build', () => {
  test('buys what is approved, once; the second time it asks the service nothing and writes the same bytes', async () => {
    const game = await newGame()
    const env = serviceEnv(service)
    expect(await runCli(game, ['approve', '--yes'], env)).toMatchObject({ code: 0 })
    const first = await runViteBuild(game.root, env)
    expect(first, first.stderr).toMatchObject({ code: 0 })
    expect(service.charges()).toHaveLength(1)
    const written = await digestFolder(join(game.root, 'dist'))
    expect(Object.keys(written).some((path) => path.endsWith('.png'))).toBe(true)
    const asked = service.requests().length

    const second = await runViteBuild(game.root, env)
    expect(second, second.stderr).toMatchObject({ code: 0 })
    expect(service.requests().slice(asked)).toEqual([])
    expect(await digestFolder(join(game.root, 'dist'))).toEqual(written)
  })

  test('without a key and without a service it builds the same bytes from the lock file and the paid results', async () => {
    const game = await newGame()
    const env = serviceEnv(service)
    await runCli(game, ['approve', '--yes'], env)
    expect(await runViteBuild(game.root, env)).toMatchObject({ code: 0 })
    const asked = service.requests().length

    const clone = await newGame()
    for (const path of ['sprites.lock.json', '.spritewright/results'])
      await cp(join(game.root, path), join(clone.root, path), { recursive: true })
    const built = await runViteBuild(clone.root, { CI: 'true' })
    expect(built, built.stderr).toMatchObject({ code: 0 })
    expect(await digestFolder(join(clone.root, 'dist'))).toEqual(await digestFolder(join(game.root, 'dist')))
    expect(service.requests().slice(asked)).toEqual([])
  })

  test('fails where a sprite is not approved, names its cost and the command, and posts nothing', async () => {
    const game = await newGame()
    const built = await runViteBuild(game.root, serviceEnv(service))
    expect(built.code).toBe(1)
    expect(built.stderr).toContain('1.6 credits')
    expect(built.stderr).toContain('npx spritewright approve hero')
    expect(built.stderr).toContain('SW_APPROVAL: ')
    // Lines of this package's code help nobody. Vite adds lines of its own.
    expect(built.stderr).not.toMatch(/\n +at .*(failHook|startBuild)/)
    expect(posts()).toEqual([])
    expect(service.charges()).toEqual([])
    expect(service.holds()).toEqual([])
  })

  test('in CI never buys, though it is approved', async () => {
    const game = await newGame()
    const env = serviceEnv(service)
    await runCli(game, ['approve', '--yes'], env)
    const before = posts().length
    const built = await runViteBuild(game.root, { ...env, CI: 'true' })
    expect(built.code).toBe(1)
    expect(built.stderr).toContain('CI does not buy')
    expect(posts().slice(before)).toEqual([])
    expect(service.charges()).toEqual([])

    const byCommand = await runCli(game, ['build', '--json'], { ...env, CI: 'true' })
    expect(byCommand.code).toBe(3)
    expect(JSON.parse(byCommand.stdout)).toMatchObject({ error: { code: 'SW_MISSING' } })
    expect(posts().slice(before)).toEqual([])
  })

  test('refuses to run where the key has a name that Vite ships to browsers', async () => {
    const game = await newGame({ '.env': `VITE_SPRITEWRIGHT_API_KEY=${service.key}\n` })
    const built = await runViteBuild(game.root, serviceEnv(service))
    expect(built.code).toBe(1)
    expect(built.stderr).toContain('VITE_SPRITEWRIGHT_API_KEY')
    expect(built.stderr).not.toContain(service.key)
    expect(service.requests()).toEqual([])
  })

  test('writes nothing where the game itself would ship the key', async () => {
    const game = await newGame({
      'vite.config.js': `import spritewright from 'spritewright/vite'
export default { plugins: [spritewright()], define: { __KEY__: JSON.stringify(process.env.SPRITEWRIGHT_API_KEY) } }`,
      'main.js': `import hero from './sprites/hero.sprite.json'
document.title = hero.name + __KEY__`,
    })
    const env = serviceEnv(service)
    await runCli(game, ['approve', '--yes'], env)
    const built = await runViteBuild(game.root, env)
    expect(built.code).toBe(1)
    expect(built.stderr).toContain('would ship the API key')
    expect(built.stderr + built.stdout).not.toContain(service.key)
    await expect(digestFolder(join(game.root, 'dist'))).rejects.toThrow('ENOENT')
  })
})
