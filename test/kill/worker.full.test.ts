import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFailed, test } from 'vitest'
import { randomOf } from '../../scripts/kill-ten.mjs'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith } from '../kit/needs.ts'
import { heroSpec, runCli, serviceEnv, startCli } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { createStudio, git, push, type Studio } from '../kit/studio.ts'
import { level } from '../level.ts'
import { startWorkers } from './workers.ts'

/** How large a run is. `npm run sim` plays the whole studio. */
interface Size {
  readonly workers: number
  readonly clients: number
  readonly each: number
  readonly kills: number
  readonly wipes: number
}
const isWhole = level === 'long'
const size: Size = isWhole
  ? { workers: 5, clients: 20, each: 10, kills: 15, wipes: 6 }
  : { workers: 2, clients: 2, each: 2, kills: 2, wipes: 1 }

const windowMs = 1000
const [keeper, artist] = [1, 2]

/** Points of a purchase at which a worker dies. */
const points = ['before POST /v1/execute', 'after POST /v1/execute', 'before GET asset', 'after GET execution'] as const
const isAt = (point: (typeof points)[number], { method, path }: HookedRequest): boolean => {
  if (point.includes('POST')) return method === 'POST' && path === '/v1/execute'
  return point.includes('asset') ? path.includes('/asset') : method === 'GET' && path.startsWith('/v1/executions/')
}

describeWith(hasRedis && (!isWhole || hasPostgres), 'Redis and PostgreSQL')('a studio whose worker is killed again and again', () => {
  test('I1, I4: one charge each, no 429, no third job, and every client ends', async () => {
    const unit = randomOf(7)
    const redis: RedisServer = await startRedis()
    const postgres: PostgresServer | undefined = isWhole ? await startPostgres() : undefined
    let left = { kills: 0, wipes: 0 }
    let countdown = 1
    let kill = (): boolean => false
    const troubles: Promise<void>[] = []
    let at = 0
    /** Kills the active worker at the next point, or takes the queue away. */
    const trouble = async (when: 'before' | 'after', request: HookedRequest): Promise<void> => {
      const point = points[at % points.length] ?? points[0]
      if (left.kills > 0 && point.startsWith(when) && isAt(point, request) && --countdown <= 0) {
        countdown = 1 + Math.floor(unit() * (isWhole ? 12 : 2))
        if (kill()) {
          at++
          left.kills--
        }
      }
      if (when === 'after' && left.wipes > 0 && request.method === 'POST' && unit() < (isWhole ? 0.03 : 0.3)) {
        left.wipes--
        troubles.push(left.wipes % 2 === 0 ? redis.wipe() : redis.restart())
        if (postgres && left.wipes % 3 === 0) troubles.push(postgres.restart())
      }
    }
    const limits = { windowMs, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }
    const service: EmbeddedService = await startEmbeddedService({
      jobMs: 150,
      makers: quickMakers(),
      limits,
      accounts: [{ name: 'demo', credits: '1000', keys: [{ key: 'test-key-of-the-studio' }] }],
      before: async (request) => void (await trouble('before', request)),
      after: async (request, response): Promise<ServedResponse> => {
        await trouble('after', request)
        return response
      },
    })
    const animations = Array.from({ length: size.each }, (_, index) => `a${index}`)
    const studio: Studio = await createStudio({}, (folder) => ({
      service: { queue: `redis://127.0.0.1:${redis.port}` },
      store: {
        shared: join(folder, 'results'),
        journal: postgres ? `postgres://127.0.0.1:${postgres.port}/postgres` : join(folder, 'journal'),
      },
      limits,
    }))
    const env = { ...redis.env, ...(postgres?.env ?? {}) }
    const machines = await Promise.all(Array.from({ length: size.workers }, async () => ({ clone: await studio.clone() })))
    const workers = startWorkers(machines, {
      ...env,
      ...serviceEnv(service),
      ...keyEnv(keeper),
      SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint,
      SPRITEWRIGHT_BRANCHES: 'branch-*',
    })
    kill = () => workers.kill('active')
    const progress: string[] = []
    // If a client never ends, this says what it waits for.
    onTestFailed(() => {
      const requests = service.requests().map(({ method, path, status }) => `${method} ${path} ${status}`)
      console.log([...progress, workers.said(), ...requests, inspect({ charges: service.charges(), left })].join('\n'))
    })
    try {
      const desks = await Promise.all(
        Array.from({ length: size.clients }, async (_, index) => {
          const desk = await studio.clone()
          await desk.remove('sprites/hero.sprite.json')
          // Equal requests are bought once, whatever their sprites are called.
          await desk.write(`sprites/s${index}.sprite.json`, heroSpec(animations).replace('a small figure', `figure ${index}`))
          return desk
        }),
      )
      for (const [index, desk] of desks.entries()) {
        const approved = await runCli(desk, ['approve', '--yes'], { ...env, ...keyEnv(artist) })
        expect(approved.code, approved.stderr).toBe(0)
        await git(desk.root, 'checkout', '-qb', `branch-${index}`)
        await push(desk, `branch-${index}`)
      }
      left = { kills: size.kills, wipes: size.wipes }
      const from = performance.now()
      const clients = desks.map((desk) => startCli(desk, ['build', '--buy-only'], { ...env, ...keyEnv(artist) }))
      for (const { child } of clients) child.stderr?.on('data', (part: Buffer) => progress.push(`${child.pid}: ${part}`))
      const runs = await Promise.all(clients.map(({ ended }) => ended))
      progress.push('All clients have ended.')
      await Promise.all(troubles)
      const sprites = size.clients * size.each
      const refused = service.requests().filter(({ status }) => status === 429).length
      console.log(
        `${size.workers} workers, ${size.clients} clients, ${sprites} sprites: ${size.kills - left.kills} kills, ${size.wipes - left.wipes} times the queue was emptied, ` +
          `${service.charges().length} charges, ${refused} answers 429, ${service.requests().length} requests, ${Math.round((performance.now() - from) / 1000)} s`,
      )
      for (const { code, stderr } of runs) expect(code, stderr).toBe(0)
      expectCount(service.charges(), sprites)
      expect(service.holds()).toEqual([])
      expect(service.mistakes()).toEqual([])
      expect(refused).toBe(0)
      expect(left).toEqual({ kills: 0, wipes: 0 })
    } finally {
      await workers.end()
      await service.close()
      await redis.close()
      await postgres?.close()
      await studio.remove()
    }
  })
})
