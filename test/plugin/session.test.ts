import type { ResolvedConfig } from 'vite'
import { describe, expect, test } from 'vitest'
import { createConnections, createSession, type HookContext, type MakeWorkshop, type Surroundings } from '../../plugin/session.ts'
import type { Workshop, WorkshopInit } from '../../src/index.ts'

/** A configuration of Vite, with the parts that the plugin reads. */
function configOf(own: object = {}): ResolvedConfig {
  const logger = { info: () => {}, warn: () => {}, error: () => {} }
  const parts = { root: '/game', base: '/', mode: 'production', envDir: '/game', command: 'build', build: { outDir: 'dist' } }
  return { ...parts, logger, worker: {}, ...own } as unknown as ResolvedConfig
}

/** The context of a hook that serves a configuration. */
const hookOf = (config: ResolvedConfig): HookContext => ({ environment: { getTopLevelConfig: () => config } })

const print = (): void => {}
const log = { info: print, money: print, warn: print, error: print }
const host = { env: { A: 'b' } } as unknown as WorkshopInit['host']

describe('the sessions of a plugin', () => {
  test('have the parts of the configuration that they serve', () => {
    const sessions = createConnections({})
    const config = configOf({
      ...{ root: '/work/tower', base: '/tower/', mode: 'staging', envDir: false, envPrefix: ['A_', 'B_'] },
      ...{ command: 'serve', build: { outDir: '../out' } },
    })
    sessions.add(config)
    expect(sessions.ofConfig(config).surroundings).toEqual({
      ...{ root: '/work/tower', base: '/tower/', mode: 'staging', envDir: false, envPrefix: ['A_', 'B_'] },
      ...{ isBuild: false, outDir: '/work/out' },
      log: { info: expect.any(Function), money: expect.any(Function), warn: expect.any(Function), error: expect.any(Function) },
    })
    const plain = configOf()
    sessions.add(plain)
    const { isBuild, envPrefix, envDir, outDir } = sessions.ofConfig(plain).surroundings
    expect({ isBuild, envPrefix, envDir, outDir }).toEqual({ isBuild: true, envPrefix: 'VITE_', envDir: '/game', outDir: '/game/dist' })
    expect(sessions.ofConfig(plain)).toMatchObject({ dev: undefined, failures: [] })
  })

  test('are found by the configuration of a hook and by its copy for a worker; any other hook has the latest', () => {
    const sessions = createConnections({})
    expect(() => sessions.of({})).toThrow('Expected Vite to resolve its configuration before it uses the plugin spritewright.')
    const [first, second, other] = [configOf({ mode: 'first' }), configOf({ mode: 'second' }), configOf({ mode: 'other' })]
    sessions.add(first)
    sessions.add(second)
    const hooks = [hookOf(first), hookOf({ ...first, mode: 'worker' }), hookOf(second), hookOf(other), {}]
    expect(hooks.map((hook) => sessions.of(hook).surroundings.mode)).toEqual(['first', 'first', 'second', 'second', 'second'])
    expect(sessions.of(hookOf(first))).toBe(sessions.ofConfig(first))
  })

  test('open their projects with the options and the seam of the plugin', async () => {
    const opened: WorkshopInit[] = []
    const makeWorkshop: MakeWorkshop = async (init) => {
      opened.push(init)
      return {} as Workshop
    }
    const sessions = createConnections({ engine: 'phaser' }, { host, makeWorkshop })
    const config = configOf({ command: 'serve' })
    sessions.add(config)
    await sessions.ofConfig(config).workshop()
    expect(opened).toMatchObject([{ root: '/game', options: { engine: 'phaser' }, host }])
  })
})

describe('the project of a session', () => {
  test.each([
    [true, 'waits for places and answers in a build'],
    [false, 'waits for nothing under a dev server'],
  ])('(isBuild %s) is opened once with all its surroundings, and %s', async (isBuild) => {
    const opened: WorkshopInit[] = []
    const workshop = {} as Workshop
    const surroundings: Surroundings = {
      ...{ root: '/game', base: '/', mode: 'staging', envDir: '/env', envPrefix: 'GAME_', isBuild, outDir: '/game/dist', log },
    }
    const options = { engine: 'pixi' } as const
    const session = createSession(surroundings, options, {
      host,
      makeWorkshop: async (init) => {
        opened.push(init)
        return workshop
      },
    })
    expect([await session.workshop(), await session.workshop()]).toEqual([workshop, workshop])
    const [{ waitUntil, ...init }] = opened as [WorkshopInit]
    expect(opened).toHaveLength(1)
    expect(init).toEqual({ root: '/game', mode: 'staging', envDir: '/env', envPrefix: 'GAME_', options, host, onWait: log.money })
    expect(waitUntil?.aborted).toBe(isBuild ? false : undefined)
  })

  test('finds its key in bytes', async () => {
    const containsKey = (bytes: Uint8Array): boolean => bytes.includes(7)
    const session = createSession(
      { root: '/game', isBuild: true, log } as unknown as Surroundings,
      {},
      {
        makeWorkshop: async () => ({ containsKey }) as unknown as Workshop,
      },
    )
    const hasKey = await session.keySearch()
    expect([new Uint8Array([1, 7]), new Uint8Array([1])].map(hasKey)).toEqual([true, false])
  })
})
