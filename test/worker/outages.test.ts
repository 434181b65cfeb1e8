import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { nodeQueues, type OpenQueue } from '../../src/host/net/job-queue.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { type HiredWorker, hireWorker } from '../kit/hired-worker.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { heroSpec, runCli, serviceEnv, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { createStudio, push, type Studio } from '../kit/studio.ts'

const [keeper, artist] = [1, 2]
const windowMs = 500

/** Queues whose lease is taken, and then cannot be noted, renewed or given back while `isCut` says so. */
function cutQueues(
  isCut: () => boolean,
  {
    onTaken = () => {},
    onNoted = () => {},
  }: { readonly onTaken?: (() => void) | undefined; readonly onNoted?: ((note: object) => void) | undefined },
): OpenQueue {
  const open = nodeQueues()
  const cut =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (isCut()) throw new Error('read ECONNRESET')
      return call(...args)
    }
  return (...address) => {
    const queue = open(...address)
    return {
      ...queue,
      take: async (...args) => {
        const job = await queue.take(...args)
        if (!job) return undefined
        onTaken()
        const note = async (data: object): Promise<void> => {
          await job.note(data)
          onNoted(data)
        }
        return { data: job.data, renew: cut(job.renew), note: cut(note), putBack: cut(job.putBack) }
      },
    }
  }
}

describe.skipIf(!hasRedis)('a worker in trouble', () => {
  let redis: RedisServer
  let service: EmbeddedService
  let studio: Studio
  let desk: TestProject
  let worker: HiredWorker | undefined
  let journal = ''
  let database = 0
  /** Called with the number of leases that were taken. */
  let cutAt = (_taken: number): void => {}
  /** Holds a sheet back at the service. */
  let sheetAt: (number: number) => Promise<void>
  let before: (request: HookedRequest) => Promise<ServedResponse | undefined>
  const workerEnv = () => ({
    ...redis.env,
    ...serviceEnv(service),
    ...keyEnv(keeper),
    SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint,
  })
  const cli = (...args: string[]) => runCli(desk, args, { ...redis.env, ...keyEnv(artist) })

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(async () => {
    database = (database + 1) % 16
    before = async () => undefined
    let sheets = 0
    sheetAt = async () => {}
    const limits = { windowMs, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }
    service = await startEmbeddedService({
      jobMs: 100,
      makers: quickMakers({ until: () => sheetAt(++sheets) }),
      limits,
      before: (request) => before(request),
    })
    studio = await createStudio({ 'sprites/hero.sprite.json': heroSpec(['walk', 'idle', 'jump']) }, (folder) => {
      journal = join(folder, 'journal')
      return {
        service: { queue: `redis://127.0.0.1:${redis.port}/${database}` },
        store: { shared: join(folder, 'results'), journal },
        limits,
      }
    })
    desk = await studio.clone()
  })
  afterEach(async () => {
    await worker?.end()
    worker = undefined
    await service.close()
    await studio.remove()
  })

  test.each(['the store', 'the service', 'the queue after a lease was taken'])(
    'an outage of %s at the start does not end it: it says so once, and works when that is over',
    async (what) => {
      let isOut = true
      let asked = 0
      const triedAgain = new Promise<void>((resolve) => {
        before = async ({ path }) => {
          if (!isOut || what !== 'the service' || !path.endsWith('/capabilities')) return undefined
          // Five tries of one read.
          if (++asked === 11) resolve()
          return { status: 502, headers: {}, body: new Uint8Array() }
        }
        if (what !== 'the service') cutAt = (taken) => void (taken === 3 && resolve())
      })
      if (what === 'the store') await rename(journal, `${journal}.away`)
      let taken = 0
      const openQueue = cutQueues(() => isOut && what.startsWith('the queue'), { onTaken: () => cutAt(++taken) })
      worker = await hireWorker(await studio.clone(), workerEnv(), { openQueue, clock: fasterClock(4) }, { leaseMs: 1200 })
      await Promise.race([triedAgain, worker.tells('This worker is active.')])
      if (what === 'the store') await rename(`${journal}.away`, journal)
      isOut = false
      await worker.tells('This worker is active.')
      const words = { 'the store': 'the shared store', 'the service': 'found status 502' }[what] ?? 'ECONNRESET'
      expect(
        worker.sentences.filter((sentence) => sentence.includes(words)),
        worker.sentences.join('\n'),
      ).toHaveLength(1)
      expect(await cli('plan')).toMatchObject({ code: 0 })
    },
  )

  test('a broken chain of records keeps the place of its request, which may be at work, and stops no other one', async () => {
    let endWalk = (): void => {}
    const walks = new Promise<void>((resolve) => {
      sheetAt = async (number) => {
        if (number > 1) return worker?.tells(': ordered.', 2)
        resolve()
        return new Promise((end) => {
          endWalk = end
        })
      }
    })
    worker = await hireWorker(await studio.clone(), workerEnv())
    expect(await cli('approve', '--yes')).toMatchObject({ code: 0 })
    await push(desk)
    const first = cli('build', 'hero.walk', '--buy-only', '--json')
    await walks
    await worker.end()
    const [hash = ''] = (await readdir(journal)).filter((name) => /^[0-9a-f]{64}$/.test(name))
    await rm(join(journal, hash, '0001.json'))
    worker = await hireWorker(await studio.clone(), workerEnv())
    await worker.tells('This worker is active.')
    expect(worker.sentences.filter((sentence) => sentence.includes('One request is left out') && sentence.includes(hash))).toHaveLength(1)
    expect(JSON.parse((await first).stdout)).toMatchObject({ error: { code: 'SW_JOURNAL' } })
    // A third job at once would fail.
    expect(await cli('build', 'hero.idle', 'hero.jump', '--buy-only')).toMatchObject({ code: 0 })
    expect(service.charges()).toHaveLength(2)
    endWalk()
  })

  test.each([
    ['', false],
    [', also if it dies before its lease is free', true],
  ])('after a worker that ended in order, the next one lets a window pass before its first request%s', async (_how, dies) => {
    let isOut = false
    const onNoted = (note: object): void => {
      isOut = dies && 'state' in note && note.state === 'released'
    }
    const openQueue = cutQueues(() => isOut, { onNoted })
    worker = await hireWorker(await studio.clone(), workerEnv(), { openQueue })
    await worker.tells('This worker is active.')
    await worker.end()
    const done: string[] = []
    before = async () => void done.push('asked the service')
    const clock = nodeClock()
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await clock.sleep(ms, signal)
      done.push(`slept ${ms}`)
    }
    worker = await hireWorker(await studio.clone(), workerEnv(), { clock: { ...clock, sleep } })
    await worker.tells('This worker is active.')
    const from = done.indexOf(`slept ${windowMs}`)
    expect(from).toBeGreaterThanOrEqual(0)
    expect(done.indexOf('asked the service')).toBeGreaterThan(from)
  })

  test('what cannot pass ends it, also if the queue does not answer any more: a key that the service refuses', async () => {
    let isOut = false
    before = async () => {
      isOut = true
      return undefined
    }
    const openQueue = cutQueues(() => isOut, {})
    worker = await hireWorker(await studio.clone(), { ...workerEnv(), SPRITEWRIGHT_API_KEY: 'sw_test_another_key' }, { openQueue })
    await expect(worker.tells('This worker is active.')).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
    worker = undefined
  })
})
