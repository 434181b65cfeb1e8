import { expect, test } from 'vitest'
import { PutBack } from '../../src/host/net/job-queue.ts'
import { leaveRoom } from '../../src/workshop/worker/turns.ts'

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
