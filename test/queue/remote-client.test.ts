import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { Host } from '../../src/host/host.ts'
import { formatFailure } from '../../src/queue/messages.ts'
import { openQueues } from '../../src/queue/open.ts'
import { openRemoteClient } from '../../src/queue/remote-client.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryQueues } from '../kit/memory-queues.ts'
import { VirtualClock } from '../kit/virtual-clock.ts'

const capabilities = {
  ...{
    apiVersion: '1',
    keyMode: 'test',
    operations: [],
    assumed: [],
    imageCredits: '1',
    maximumInputBytes: null,
    maximumInputDimension: null,
  },
  ...{ maximumSourceInputBytes: null, supportedInputExtensions: null, serverSentEvents: null, managedExecute: null },
  ...{ interactiveQuestions: null, stagedInputUploads: null, testModeUsesCredits: null, minimumFrames: 7, maximumFrames: 100 },
}

/** A client of a worker that answers each inquiry by a script. */
async function open(answer: (ask: string) => object, onWait?: (sentence: string) => void) {
  const clock = new VirtualClock()
  const disk = new MemoryDisk()
  for (const name of ['bullmq', 'ioredis']) disk.files.set(`/game/node_modules/${name}/package.json`, Buffer.from('{}'))
  const host = { disk, env: {}, openQueue: new MemoryQueues(clock).open } satisfies Partial<Host> as Partial<Host> as Host
  const queues = await openQueues(host, 'redis://127.0.0.1', '/game')
  queues.inquiries.serve(8, 30_000, async ({ data }) => answer((data as { ask: string }).ask))
  const run = <T>(work: Promise<T>): Promise<T> => clock.run(work)
  return { run, clock, opened: run(openRemoteClient({ clock, random: countingRandom() }, queues, undefined, { onWait })) }
}

const whole = (ask: string): object => (ask === 'capabilities' ? { host: 'api.example.com', capabilities } : { credits: '2.5' })

test('a client asks the worker for account and prices, and has no key for anything else', async () => {
  const { opened, run } = await open(whole)
  const { client, capabilities: first } = await opened
  expect([client.host, client.keyTag('salt'), first.imageCredits]).toEqual(['api.example.com', '', 10_000n])
  expect(await run(client.balance())).toBe(25_000n)
  for (const send of [
    client.execution('e'),
    client.cancel('e'),
    client.uploadReference({} as never),
    client.submit({} as never, async () => {}),
  ])
    await expect(send).rejects.toMatchObject({ code: 'SW_NO_KEY' })
})

test("the worker's own error is the client's, with its code", async () => {
  const refused = new SpritewrightError('SW_KEY_REFUSED', { message: 'The service refuses the key.' })
  const { opened } = await open(() => {
    throw new Error(formatFailure(refused))
  })
  await expect(opened).rejects.toMatchObject({ code: 'SW_KEY_REFUSED', message: 'The service refuses the key.', facts: { from: 'worker' } })
})

test('an answer in another form is no answer', async () => {
  const { opened, run } = await open((ask) => (ask === 'balance' ? { credits: 'many' } : whole(ask)))
  const { client } = await opened
  await expect(run(client.balance())).rejects.toMatchObject({ code: 'SW_QUEUE', facts: { ask: 'balance' } })
})

test('a worker that takes some seconds is told of once', async () => {
  const told: string[] = []
  const { opened, run, clock } = await open(
    (ask) => clock.sleep(7000).then(() => whole(ask)),
    (sentence) => told.push(sentence),
  )
  await run((await opened).client.balance())
  expect(told).toEqual([expect.stringMatching(/^Waiting for the worker at redis:\/\/127\.0\.0\.1 to answer\./)])
})
