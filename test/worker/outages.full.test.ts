import { readdir, readFile, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import type { Clock } from '../../src/host/clock.ts'
import { nodeHost } from '../../src/host/host.ts'
import { type HeldJob, nodeQueues, type OpenQueue } from '../../src/host/net/job-queue.ts'
import { openQueues } from '../../src/queue/open.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { expectCount } from '../kit/expect-count.ts'
import { type HiredWorker, leaseMs } from '../kit/hired-worker.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith } from '../kit/needs.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { startHere } from '../kit/program.ts'
import { heroSpec, serviceEnv, type TestProject } from '../kit/project.ts'
import { hasRedis, type RedisServer } from '../kit/servers/redis.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { git, push } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

/**
 * Queues whose lease is taken, and then cannot be noted, renewed or given back while `isCut` says so. A lease that
 * was cut off is free at once, as if its time were over.
 */
function cutQueues(
  isCut: () => boolean,
  {
    onTaken = () => {},
    onNoted = () => {},
  }: { readonly onTaken?: (() => void) | undefined; readonly onNoted?: ((note: object) => void) | undefined },
): OpenQueue {
  const open = nodeQueues(new OutageClock())
  return (...address) => {
    const queue = open(...address)
    return {
      ...queue,
      take: async (...args) => {
        const job = await queue.take(...args)
        if (!job) return undefined
        onTaken()
        let isFree = false
        const cut =
          <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
          async (...args: A): Promise<T> => {
            if (!isCut()) return call(...args)
            if (!isFree) await job.putBack()
            isFree = true
            throw new Error('read ECONNRESET')
          }
        const note = async (data: object): Promise<void> => {
          await job.note(data)
          onNoted(data)
        }
        return { data: job.data, renew: cut(job.renew), note: cut(note), putBack: cut(job.putBack) }
      },
    }
  }
}

describeWith(hasRedis, 'Redis')('a worker in trouble', () => {
  let redis: RedisServer
  let team: Team
  /** Called with the number of leases that were taken. */
  let cutAt = (_taken: number): void => {}
  eachTeam((one, server) => {
    team = one
    redis = server
  })

  test.each(['the store', 'the service', 'the queue after a lease was taken'])(
    'an outage of %s at the start does not end it: it says so once, and works when that is over',
    async (what) => {
      let isOut = true
      let asked = 0
      const triedAgain = new Promise<void>((resolve) => {
        team.before = async ({ path }) => {
          if (!isOut || what !== 'the service' || !path.endsWith('/capabilities')) return undefined
          // Five tries of one read.
          if (++asked === 11) resolve()
          return { status: 502, headers: {}, body: new Uint8Array() }
        }
        if (what !== 'the service') cutAt = (taken) => void (taken === 3 && resolve())
      })
      if (what === 'the store') await rename(team.journal, `${team.journal}.away`)
      let taken = 0
      const openQueue = cutQueues(() => isOut && what.startsWith('the queue'), { onTaken: () => cutAt(++taken) })
      const worker = await team.hire({ openQueue })
      await Promise.race([triedAgain, worker.tells('This worker is active.')])
      if (what === 'the store') await rename(`${team.journal}.away`, team.journal)
      isOut = false
      await worker.tells('This worker is active.')
      const words = { 'the store': 'the shared store', 'the service': 'found status 502' }[what] ?? 'ECONNRESET'
      expect(
        worker.sentences.filter((sentence) => sentence.includes(words)),
        worker.sentences.join('\n'),
      ).toHaveLength(1)
      expect(await team.run('plan')).toMatchObject({ code: 0 })
    },
  )

  test('an outage of the queue that is longer than its lease ends nothing: then it takes the lease again, and buys', async () => {
    const limits = new OutageClock()
    let isOut = false
    const openQueue: OpenQueue = (...address) => {
      const queue = nodeQueues(limits)(...address)
      const take: typeof queue.take = async (...args) => {
        // It could take effect when the server is back, and then nobody renews the lease.
        if (isOut) throw new Error('connect ECONNREFUSED')
        return queue.take(...args)
      }
      return { ...queue, take }
    }
    const clock = shortPauses()
    let passedMs = 0
    const later = { ...clock, mono: () => clock.mono() + passedMs }
    const worker = await team.hire({ openQueue, clock: later })
    await worker.tells('This worker is active.')
    isOut = true
    await redis.stop()
    limits.begin()
    passedMs = 2 * leaseMs
    await worker.tells('lost its lease')
    await redis.start()
    limits.end()
    isOut = false
    await worker.tells('This worker is active.', 2)
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    expect(await team.run('build', 'hero.walk', '--buy-only')).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 1)
    await redis.stop()
    limits.begin()
    await worker.end()
    await redis.start()
  })

  test('while the worker cannot fetch, an order waits and says so; then it is bought', async () => {
    const worker = await team.hire()
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const origin = join(team.journal, '../origin.git')
    await rename(origin, `${origin}.away`)
    const build = team.start(['build', 'hero.walk', '--buy-only'])
    await worker.tells('hero.walk: the worker could not fetch, and tries again: ')
    await build.writes('could not fetch')
    await rename(`${origin}.away`, origin)
    expect(await build.ended).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 1)
  })

  test('a broken chain of records keeps the place of its request, which may be at work, and stops no other one', async () => {
    let endWalk = (): void => {}
    let worker: HiredWorker | undefined
    const walks = new Promise<void>((resolve) => {
      team.sheetAt = async (number) => {
        if (number > 1) return worker?.tells(': ordered.', 2)
        resolve()
        return new Promise((end) => {
          endWalk = end
        })
      }
    })
    worker = await team.hire()
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const first = team.run('build', 'hero.walk', '--buy-only', '--json')
    await walks
    await worker.end()
    const lock = JSON.parse(await readFile(join(team.desk.root, 'sprites.lock.json'), 'utf8')) as LockFile
    const [hash = ''] = Object.keys(lock.animations['hero.walk'] ?? {})
    await rm(join(team.journal, hash, '0001.json'))
    worker = await team.hire()
    await worker.tells('This worker is active.')
    expect(worker.sentences.filter((sentence) => sentence.includes('One request is left out') && sentence.includes(hash))).toHaveLength(1)
    expect(JSON.parse((await first).stdout)).toMatchObject({ error: { code: 'SW_JOURNAL' } })
    // A third job at once would fail.
    expect(await team.run('build', 'hero.idle', 'hero.jump', '--buy-only')).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 2)
    endWalk()
  })

  /** Sends `hero.walk`. The store fails before the answer is recorded, and works again an hour later, without a worker. */
  async function sendUnrecorded(clone: TestProject): Promise<HiredWorker> {
    const sent = new Promise<void>((resolve) => {
      team.after = async ({ method, path }, response) => {
        if (method !== 'POST' || path !== '/v1/execute') return response
        await rename(team.journal, `${team.journal}.away`)
        resolve()
        return response
      }
    })
    const worker = await team.hire({}, { clone })
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const build = team.start(['build', 'hero.walk', '--buy-only'])
    await sent
    await worker.end()
    const anHourAgo = new Date(Date.now() - 3_600_000)
    for (const name of await readdir(`${team.journal}.away`, { recursive: true }))
      await utimes(join(`${team.journal}.away`, name), anHourAgo, anHourAgo)
    await rename(`${team.journal}.away`, team.journal)
    team.after = async (_request, response) => response
    build.interrupt()
    await build.ended
    return worker
  }

  test.each([
    ['the same commit', async () => {}],
    ['another commit', async () => void (await push(team.desk))],
    [
      'the same commit, though a person has wanted to pay again',
      async (clone: TestProject) => {
        await git(clone.root, 'pull', '-q')
        const approvers = testKey(2).fingerprint
        const env = { ...keyEnv(1), ...serviceEnv(team.service), SPRITEWRIGHT_APPROVERS: approvers }
        for (const decision of ['--replay', '--abandon'])
          expect((await startHere(clone, ['recover', 'hero.walk', decision], env).ended).stderr).toContain(
            'waits for a decision, found none',
          )
      },
    ],
  ])(
    'what it paid for while the store failed is told, survives its end, and is fetched past the window by an order of %s: one charge',
    async (_which, change) => {
      const clone = await team.studio.clone()
      const { sentences } = await sendUnrecorded(clone)
      expect(sentences.join('\n')).toMatch(/accepted it as execution [0-9a-f-]{36}, but the shared journal could not record that/)
      await change(clone)
      await team.hire({}, { clone })
      const build = await team.run('build', 'hero.walk', '--buy-only')
      expect(build.code, build.stderr).toBe(0)
      expectCount(
        team.service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute'),
        1,
      )
      expectCount(team.service.charges(), 1)
    },
  )

  test('what nobody can know is decided where the worker is: a machine without a key is told so, and decides nothing', async () => {
    await sendUnrecorded(await team.studio.clone())
    const clone = await team.studio.clone()
    await team.hire({}, { clone })
    const build = await team.run('build', 'hero.walk', '--buy-only', '--json')
    expect(build.code).toBe(6)
    const { error } = JSON.parse(build.stdout) as { error: { message: string } }
    expect(error.message).toMatch(/recover hero\.walk --replay .* Do that in the clone of the worker, after git pull there/)
    const before = team.service.requests().length
    for (const decision of ['--replay', '--abandon']) {
      const { code, stdout } = await team.run('recover', 'hero.walk', decision, '--json')
      expect([code, JSON.parse(stdout)]).toMatchObject([
        errorCodes.SW_NO_KEY.exit,
        { error: { code: 'SW_NO_KEY', message: expect.stringMatching(`In its clone.*npx spritewright recover hero.walk ${decision}$`) } },
      ])
    }
    expectCount(team.service.requests(), before)
    // Given up, it could be approved and paid again.
    expect(await team.run('build', 'hero.walk', '--buy-only')).toMatchObject({ code: 6 })
    // The worker's clone does not have what was pushed meanwhile.
    await team.desk.write('sprites/owl.sprite.json', heroSpec(['idle']))
    await push(team.desk)
    const there = () => startHere(clone, ['recover', 'owl.idle', '--abandon'], { ...team.env, ...serviceEnv(team.service) }).ended
    expect((await there()).stderr).toMatch(/"owl.idle".*git pull first/)
    await git(clone.root, 'pull', '-q')
    expect((await there()).stderr).toContain('Expected a purchase of "owl.idle" that waits for a decision, found none')
  })

  test('it makes its signing key before its first purchase, and says it, so that others can name it', async () => {
    const clone = await team.studio.clone()
    const worker = await team.hire({}, { clone, env: { SPRITEWRIGHT_SIGNING_KEY: '' } })
    await worker.tells('Its signing key is ')
    const [, key] = /Its signing key is ([0-9a-f]{40})\. Name it in SPRITEWRIGHT_APPROVERS/.exec(worker.sentences.join('\n')) ?? []
    const { SPRITEWRIGHT_SIGNING_KEY: _own, ...env } = team.env
    const doctor = await startHere(clone, ['doctor'], { ...env, ...serviceEnv(team.service) }).ended
    expect(doctor.stdout).toContain(`you approve and buy as ${key}`)
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
    const first = await team.hire({ openQueue })
    await first.tells('This worker is active.')
    await first.end()
    const done: string[] = []
    team.before = async () => void done.push('asked the service')
    const clock = shortPauses()
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await clock.sleep(ms, signal)
      done.push(`slept ${ms}`)
    }
    const second = await team.hire({ clock: { ...clock, sleep } })
    await second.tells('This worker is active.')
    const from = done.indexOf(`slept ${team.windowMs}`)
    expect(from).toBeGreaterThanOrEqual(0)
    expect(done.indexOf('asked the service')).toBeGreaterThan(from)
  })

  test('a worker whose lease another one has taken makes no further request, and what it had sent is paid once', async () => {
    let endWalk = (): void => {}
    const walks = new Promise<void>((resolve) => {
      team.sheetAt = async () => {
        resolve()
        return new Promise((end) => {
          endWalk = end
        })
      }
    })
    const worker = await team.hire()
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const build = team.run('build', 'hero.walk', '--buy-only')
    await walks
    const queues = await openQueues({ ...nodeHost(), env: team.env }, team.queue, process.cwd())
    let others: HeldJob | undefined
    while (!others) {
      await redis.wipe()
      others = await queues.lease.take('lease', { state: 'held', by: 'another worker' }, 60_000)
    }
    await worker.tells('lost its lease')
    const asked = team.service.requests().length
    endWalk()
    await worker.tells('another worker is active')
    expectCount(team.service.requests(), asked)
    await others.putBack()
    expect(await build).toMatchObject({ code: 0 })
    expect(team.service.requests().length).toBeGreaterThan(asked)
    expectCount(team.service.charges(), 1)
    await queues.close()
  })

  test('what cannot pass ends it, also if the queue does not answer any more: a key that the service refuses', async () => {
    let isOut = false
    team.before = async () => {
      isOut = true
      return undefined
    }
    const openQueue = cutQueues(() => isOut, {})
    const worker = await team.hire({ openQueue }, { env: { SPRITEWRIGHT_API_KEY: 'sw_test_another_key' } })
    await expect(worker.tells('This worker is active.')).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
  })
})
