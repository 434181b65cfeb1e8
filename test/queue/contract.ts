import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/host/clock.ts'
import { type JobQueue, PutBack } from '../../src/host/net/job-queue.ts'
import { OutageClock } from '../kit/outage-clock.ts'

/** A server of queues under test. */
export interface QueueSubject {
  /**
   * Opens a queue, as another machine would.
   *
   * @param clock Measures how long an answer takes.
   */
  open(name: string, clock: Clock): JobQueue
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

/** Leases in milliseconds: one lasts longer than any test, the other one ends at once. */
const [longMs, shortMs] = [600_000, 50]

/** The laws of a queue. */
export function describeQueue(name: string, subject: () => QueueSubject): void {
  describe(name, () => {
    const opened: JobQueue[] = []
    const outage = new OutageClock()
    const open = (queue: string): JobQueue => {
      const made = subject().open(queue, outage)
      opened.push(made)
      return made
    }
    afterAll(async () => void (await Promise.all(opened.map((queue) => queue.close()))))
    /** Reads a job until it is in this state. */
    const reach = async (queue: JobQueue, id: string, state: string) => {
      for (;;) {
        const job = await queue.read(id)
        if (job?.state === state) return job
      }
    }

    test('a job is there once, whoever adds it how often, and another machine reads it', async () => {
      const [here, there] = [`${randomUUID()}`].flatMap((queue) => [open(queue), open(queue)]) as [JobQueue, JobQueue]
      expect(await here.read('a')).toBeUndefined()
      await Promise.all([here.add('a', { n: 1 }, 1), there.add('a', { n: 1 }, 1)])
      await there.add('a', { n: 2 }, 1)
      expect(await there.read('a')).toMatchObject({ id: 'a', data: { n: 1 }, state: 'waiting', failure: '' })
      expect(await here.list('waiting', 10)).toHaveLength(1)
      await there.remove('a')
      expect(await here.list('waiting', 10)).toEqual([])
    })

    test('jobs are worked on by their priority, 0 first, and settle with a result or the words of a failure', async () => {
      const queue = open(randomUUID())
      for (const [id, priority] of [
        ['c', 3],
        ['b', 1],
        ['d', 3],
        ['a', 0],
      ] as const)
        await queue.add(id, {}, priority)
      expect(await queue.list('waiting', 3)).toHaveLength(3)
      const seen: string[] = []
      const worker = queue.serve(1, longMs, async ({ id }, report) => {
        seen.push(id)
        await report({ phase: 'running' })
        if (id === 'b') throw new Error('refused')
        return { bought: id }
      })
      await reach(queue, 'd', 'done')
      await worker.stop()
      expect(seen).toEqual(['a', 'b', 'c', 'd'])
      expect(await queue.read('a')).toMatchObject({ state: 'done', result: { bought: 'a' }, progress: { phase: 'running' } })
      expect(await queue.read('b')).toMatchObject({ state: 'failed', failure: 'refused' })
      expect((await queue.list('failed', 5)).map(({ id }) => id)).toEqual(['b'])
      // A settled job is in the way of the next one until it is removed.
      await queue.add('b', { again: true }, 1)
      expect(await queue.read('b')).toMatchObject({ state: 'failed' })
      await queue.remove('b')
      await queue.add('b', { again: true }, 1)
      expect(await queue.read('b')).toMatchObject({ state: 'waiting', data: { again: true } })
    })

    test('a job that its handler puts back waits again, and another process ends it', async () => {
      const queue = open(randomUUID())
      await queue.add('a', {}, 1)
      let begun = 0
      const first = queue.serve(1, longMs, async () => {
        begun++
        throw new PutBack('the process ends')
      })
      while (begun === 0) await queue.read('a')
      await first.stop()
      const second = queue.serve(1, longMs, async () => ({}))
      await reach(queue, 'a', 'done')
      await second.stop()
    })

    test('of several processes one holds the lease, while it renews it', async () => {
      const queue = randomUUID()
      const taken = await Promise.all([open(queue), open(queue)].map((one) => one.take('lease', { state: 'fresh' }, longMs)))
      const [held, ...others] = taken.filter((one) => one !== undefined)
      expect(others).toEqual([])
      expect(held?.data).toEqual({ state: 'fresh' })
      expect(await held?.renew()).toBe(true)
      expect(await open(queue).take('lease', { state: 'fresh' }, longMs)).toBeUndefined()
    })

    test('a lease that is renewed no more goes to another process, and has what was noted', async () => {
      const queue = randomUUID()
      const [here, there] = [open(queue), open(queue)]
      const held = await here.take('lease', { state: 'fresh' }, shortMs)
      await held?.note({ state: 'held', by: 'a' })
      let next = await there.take('lease', { state: 'fresh' }, shortMs)
      while (!next) next = await there.take('lease', { state: 'fresh' }, shortMs)
      expect(next.data).toEqual({ state: 'held', by: 'a' })
      expect(await held?.renew()).toBe(false)
    })

    test('a lease that was put back can be taken, and has what was noted', async () => {
      const queue = open(randomUUID())
      const held = await queue.take('lease', {}, longMs)
      await held?.note({ state: 'released' })
      await held?.putBack()
      let next = await queue.take('lease', {}, longMs)
      while (!next) next = await queue.take('lease', {}, longMs)
      expect(next.data).toEqual({ state: 'released' })
    })

    test('a server that restarts is asked again, and a handler goes on', async () => {
      const queue = open(randomUUID())
      const worker = queue.serve(1, longMs, async () => ({ ok: true }))
      await queue.add('a', {}, 1)
      await reach(queue, 'a', 'done')
      await subject().restart()
      for (;;) {
        const done = await queue.add('b', {}, 1).then(
          () => true,
          () => false,
        )
        if (done) break
      }
      for (;;) if ((await queue.read('b').catch(() => undefined))?.state === 'done') break
      await worker.stop()
    })

    test('while the server is away, work ends when its handlers have; then the same queue works on', async () => {
      const queue = open(randomUUID())
      const ended: string[] = []
      let endHandler = (): void => {}
      const handled = new Promise<void>((resolve) => {
        endHandler = resolve
      })
      const worker = queue.serve(1, longMs, async () => {
        await handled
        ended.push('handler')
        return {}
      })
      await queue.add('a', {}, 1)
      await reach(queue, 'a', 'active')
      await subject().stop()
      outage.begin()
      await expect(queue.read('a')).rejects.toThrow()
      const stopped = worker.stop().then(() => ended.push('worker'))
      await expect(queue.read('a')).rejects.toThrow()
      endHandler()
      await stopped
      expect(ended).toEqual(['handler', 'worker'])
      await subject().start()
      outage.end()
      const again = queue.serve(1, longMs, async () => ({}))
      for (;;) {
        await queue.add('b', {}, 1).catch(() => {})
        if ((await queue.read('b').catch(() => undefined))?.state === 'done') break
      }
      await again.stop()
    })
  })
}
