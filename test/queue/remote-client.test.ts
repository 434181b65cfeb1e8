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
async function open(answer: (ask: string) => object, onWait?: (sentence: string) => void, asked: unknown[] = [], signal?: AbortSignal) {
  const clock = new VirtualClock()
  const disk = new MemoryDisk()
  for (const name of ['bullmq', 'ioredis']) disk.files.set(`/game/node_modules/${name}/package.json`, Buffer.from('{}'))
  const memory = new MemoryQueues(clock)
  const openQueue: Host['openQueue'] = (...how) => {
    const queue = memory.open(...how)
    return { ...queue, add: (...job) => queue.add(...job).finally(() => asked.push(job)) }
  }
  const host = { disk, env: {}, openQueue } satisfies Partial<Host> as Partial<Host> as Host
  const queues = await openQueues(host, 'redis://127.0.0.1', '/game')
  queues.inquiries.serve(8, 30_000, async ({ data }) => answer((data as { ask: string }).ask))
  const run = <T>(work: Promise<T>): Promise<T> => clock.run(work)
  return { run, clock, opened: run(openRemoteClient({ clock, random: countingRandom() }, queues, signal, { onWait })) }
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
    client.answer({} as never, {} as never),
    client.deleteConversation('e'),
    client.download({} as never, {} as never),
  ])
    await expect(send).rejects.toMatchObject({ code: 'SW_NO_KEY', message: expect.stringContaining('API key') })
  for (const make of [
    () => client.submissionBody({} as never),
    () => client.maxCreditsOf({} as never),
    () => client.events('e', null, new AbortController().signal),
  ])
    expect(make).toThrow(expect.objectContaining({ code: 'SW_NO_KEY' }))
  expect([client.isCancellable({} as never, {} as never), await client.close()]).toEqual([false, undefined])
})

test('each question is a job of its own, before all orders, with all that it asks', async () => {
  const asked: unknown[] = []
  const estimate = {
    priceVersion: 'v1',
    frameCount: 12,
    background: 'keep',
    credits: '1.6',
    referenceUsd: '0.16',
    referenceCreditCents: 10,
  }
  const { opened, run } = await open((ask) => (ask === 'estimate' ? estimate : whole(ask)), undefined, asked)
  const { client, capabilities: first } = await opened
  expect(await run(client.capabilities())).toEqual(first)
  expect(await run(client.estimate(12, 'keep'))).toEqual({ ...estimate, credits: 16_000n })
  await run(client.balance())
  const questions = [
    { ask: 'capabilities' },
    { ask: 'capabilities' },
    { ask: 'estimate', frames: 12, background: 'keep' },
    { ask: 'balance' },
  ]
  expect(asked).toEqual(questions.map((question) => [expect.any(String), question, 0]))
  expect(new Set(asked.map((job) => (job as [string])[0])).size).toBe(4)
})

test('a question ends with its signal, and after a minute without a worker', async () => {
  const gone = new Error('gone')
  const { opened, run, clock } = await open((ask) => (ask === 'capabilities' ? whole(ask) : clock.sleep(1e6).then(() => whole(ask))))
  const { client } = await opened
  const signal = AbortSignal.abort(gone)
  const asks = [() => client.balance(signal), () => client.capabilities(signal), () => client.estimate(7, 'keep', signal)]
  for (const ask of asks) await expect(run<unknown>(ask())).rejects.toBe(gone)
  await expect((await open(whole, undefined, [], signal)).opened).rejects.toBe(gone)
  const begun = clock.mono()
  await expect(run(client.balance())).rejects.toMatchObject({ code: 'SW_QUEUE', message: expect.stringMatching(/60 seconds\. .*prices/) })
  expect(clock.mono() - begun).toBeLessThan(62_000)
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
  await expect(run(client.balance())).rejects.toMatchObject({
    ...{ code: 'SW_QUEUE', message: expect.stringContaining('balance'), facts: { queue: 'redis://127.0.0.1', ask: 'balance' } },
  })
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
