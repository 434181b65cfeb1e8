import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { expectCount } from '../kit/expect-count.ts'
import { type HiredWorker, hireWorker } from '../kit/hired-worker.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith } from '../kit/needs.ts'
import { hasPackages } from '../kit/packages.ts'
import { startHere } from '../kit/program.ts'
import { heroSpec, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { createStudio, push, type Studio } from '../kit/studio.ts'

const [keeper, artist] = [1, 2]
const limits = { windowMs: 500, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }

describeWith(hasRedis && hasPostgres && hasPackages('pg'), 'Redis and PostgreSQL')('two games of one account', () => {
  let redis: RedisServer
  let postgres: PostgresServer
  let service: EmbeddedService
  /** Called before each request to the service. */
  let before: (request: HookedRequest) => Promise<void>
  const hired: HiredWorker[] = []
  const studios: Studio[] = []

  beforeAll(async () => {
    redis = await startRedis()
    postgres = await startPostgres()
  })
  afterAll(async () => {
    await redis.close()
    await postgres.close()
  })
  beforeEach(async () => {
    before = async () => {}
    service = await startEmbeddedService({
      jobMs: 300,
      makers: quickMakers(),
      limits,
      before: async (request) => {
        await before(request)
        return undefined
      },
    })
  })
  afterEach(async () => {
    for (const worker of hired.splice(0)) await worker.end().catch(() => {})
    for (const studio of studios.splice(0)) await studio.remove()
    await service.close()
  })

  /** Makes a game with a desk, and a clone for a worker. Their animations are approved and pushed. */
  async function makeGame(name: string, animations: readonly string[], database: number) {
    const studio = await createStudio(
      {
        'package.json': JSON.stringify({ name, type: 'module' }),
        'sprites/hero.sprite.json': heroSpec([...animations]).replace('a small figure', `${name} ${database}`),
      },
      (folder) => ({
        service: { queue: `redis://127.0.0.1:${redis.port}/${database}` },
        store: { shared: join(folder, 'results'), journal: `postgres://127.0.0.1:${postgres.port}/postgres` },
        limits,
      }),
    )
    studios.push(studio)
    const desk = await studio.clone()
    const clone = await studio.clone()
    const run = (...args: string[]) =>
      startHere(desk, args, { ...redis.env, ...postgres.env, ...keyEnv(artist) }, { clock: shortPauses() }).ended
    const approve = async (): Promise<void> => {
      const { code, stdout, stderr } = await run('approve', '--yes')
      expect(code, stdout + stderr).toBe(0)
      await push(desk)
    }
    return { clone, run, approve }
  }

  const workerEnv = () => ({
    ...redis.env,
    ...postgres.env,
    ...serviceEnv(service),
    ...keyEnv(keeper),
    SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint,
  })
  const hire = async (clone: TestProject): Promise<void> => {
    const worker = await hireWorker(clone, workerEnv())
    hired.push(worker)
    await worker.tells('This worker is active.')
  }
  const failures = () => hired.flatMap(({ sentences }) => sentences.filter((sentence) => /too_many_active_jobs|failed/i.test(sentence)))

  test('one worker buys nine animations of two games: nine charges, none failed for places', async () => {
    const castle = await makeGame('castle', ['walk', 'idle', 'jump', 'fall', 'run'], 1)
    const space = await makeGame('space', ['walk', 'idle', 'jump', 'fall'], 1)
    await castle.clone.write('.state/spritewright/settings.json', JSON.stringify({ worker: { projects: [{ dir: space.clone.root }] } }))
    await hire(castle.clone)
    for (const game of [castle, space]) await game.approve()
    const built = await Promise.all([castle.run('build', '--buy-only'), space.run('build', '--buy-only')])
    expect(built.map(({ code }) => code)).toEqual([0, 0])
    expectCount(service.charges(), 9)
    expect(failures()).toEqual([])
    expect(service.requests().filter(({ path }) => path === '/v1/execute')).toHaveLength(9)
  })

  test('two workers of two games with a state folder each share the places by their journal: none failed', async () => {
    const castle = await makeGame('castle', ['walk', 'idle', 'jump', 'fall', 'run'], 2)
    const space = await makeGame('space', ['walk', 'idle', 'jump', 'fall'], 3)
    for (const game of [castle, space]) await hire(game.clone)
    for (const game of [castle, space]) await game.approve()
    const built = await Promise.all([castle.run('build', '--buy-only'), space.run('build', '--buy-only')])
    expect(built.map(({ code }) => code)).toEqual([0, 0])
    expectCount(service.charges(), 9)
    expect(failures()).toEqual([])
    expect(service.requests().filter(({ path }) => path === '/v1/execute')).toHaveLength(9)
  })

  test('journal and queue are away in the middle of five builds of two games: the worker waits, all end in order, nothing is paid twice', async () => {
    const castle = await makeGame('castle', ['walk', 'idle', 'jump'], 4)
    const space = await makeGame('space', ['walk', 'idle'], 4)
    await castle.clone.write('.state/spritewright/settings.json', JSON.stringify({ worker: { projects: [{ dir: space.clone.root }] } }))
    let posts = 0
    before = async ({ method, path }) => {
      if (method === 'POST' && path === '/v1/execute' && ++posts === 1) await Promise.all([postgres.stop(), redis.stop()])
    }
    const told: string[] = []
    let back: Promise<unknown> | undefined
    hired.push(
      await hireWorker(castle.clone, workerEnv(), {}, {}, (sentence) => {
        told.push(sentence)
        if (sentence.includes('does not answer')) back ??= Promise.all([postgres.start(), redis.start()])
      }),
    )
    for (const game of [castle, space]) await game.approve()
    const ids = [...['walk', 'idle', 'jump'].map((id) => [castle, id] as const), ...['walk', 'idle'].map((id) => [space, id] as const)]
    const built = await Promise.all(ids.map(([game, id]) => game.run('build', `hero.${id}`, '--buy-only')))
    await back
    expect(
      built.map(({ code }) => code),
      built.map(({ stderr }) => stderr).join(),
    ).toEqual([0, 0, 0, 0, 0])
    expect(told.some((sentence) => sentence.includes('does not answer'))).toBe(true)
    expectCount(service.charges(), 5)
  })
})
