import { expect, test } from 'vitest'
import { nodeQueues, PutBack } from '../../src/host/net/job-queue.ts'
import { leaveRoom } from '../../src/workshop/worker/turns.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const hashOf = (number: number): string => `${number}`.padStart(64, '0')
const orderOf = (id: string, number: number) => ({
  id: `${number}`,
  data: { id, hash: hashOf(number), commit: 'c'.repeat(40), file: 'sprites/hero.sprite.json' },
})
const report = async (): Promise<void> => {}

/** A handler of which each call ends when the test says so. */
function slowHandler() {
  const ends: (() => void)[] = []
  return { ends, handle: () => new Promise<void>((resolve) => ends.push(resolve)) }
}

test.each([
  ['a request', { id: 'hero.walk', hash: hashOf(9) }],
  ['a step of a sprite', { id: 'hero#1', hash: hashOf(8) }],
])(
  'while %s is in flight, other orders leave a handler to its order, which ends; then nothing leaves its turn',
  async (_what, inFlight) => {
    const { ends, handle } = slowHandler()
    const run = leaveRoom([inFlight], 2, handle)
    const others = [run(orderOf('owl.a', 1), report), run(orderOf('owl.b', 2), report)]
    await expect(run(orderOf('owl.c', 3), report)).rejects.toBeInstanceOf(PutBack)
    expect(ends).toHaveLength(2)
    const own = run(orderOf('hero.walk', 9), report)
    ends[2]?.()
    await own
    const last = run(orderOf('owl.c', 3), report)
    for (const end of ends) end()
    await Promise.all([...others, last])
    expect(ends).toHaveLength(4)
  },
)

test('an order of what is in flight that fails keeps its handler for the next try', async () => {
  const { ends, handle } = slowHandler()
  let fails = true
  const run = leaveRoom([{ id: 'hero.walk', hash: hashOf(9) }], 1, async () => {
    if (fails) throw new Error('the store is away')
    return handle()
  })
  await expect(run(orderOf('hero.walk', 9), report)).rejects.toThrow('the store is away')
  fails = false
  const other = run(orderOf('owl.a', 1), report)
  await expect(run(orderOf('owl.b', 2), report)).rejects.toBeInstanceOf(PutBack)
  ends[0]?.()
  await other
})

/** The module of queues, as a project installs it. It tells the handler of its first worker. */
const bullmq = `data:text/javascript,${encodeURIComponent(`
class Connection {
  on() {}
  getBackend = () => this
  pause = async () => {}
  close = async () => {}
}
let tell
export const first = new Promise((resolve) => {
  tell = resolve
})
class Worker extends Connection {
  constructor(_name, handler) {
    super()
    tell(handler)
  }
}
class WaitingError extends Error {}
class DelayedError extends Error {}
export default { Queue: Connection, Worker, WaitingError, DelayedError }
`)}`

test('a job that is put back waits at once, or with a pause from now until that is over', async () => {
  const clock = new ManualClock()
  const target = { kind: 'redis', host: 'h', port: 1, database: 0, isEncrypted: false } as const
  const serving = nodeQueues(clock)(bullmq, target, 'orders', 1000).serve(1, 1000, async ({ data }) => {
    throw new PutBack('', data as number)
  })
  const handler = await (await import(/* @vite-ignore */ bullmq)).first
  const told: unknown[] = []
  const giveBack = async (data: number): Promise<unknown> => {
    const tell =
      (what: string) =>
      async (...given: unknown[]) =>
        void told.push([what, ...given])
    return handler({ data, moveToWait: tell('wait'), moveToDelayed: tell('delay') }, 'token').catch(
      (error: Error) => error.constructor.name,
    )
  }
  expect([await giveBack(0), await giveBack(500)]).toEqual(['WaitingError', 'DelayedError'])
  expect(told).toEqual([
    ['wait', 'token'],
    ['delay', clock.wall() + 500, 'token'],
  ])
  await serving.stop()
})
