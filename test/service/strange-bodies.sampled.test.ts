import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { NetRequest } from '../../src/host/net.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import type { ManualClock } from '../kit/manual-clock.ts'
import { describeWith } from '../kit/needs.ts'
import { type Reply, scriptedNet } from '../kit/scripted-net.ts'
import { byLevel } from '../level.ts'
import { corpus, executionId, testClient } from './fixtures.ts'

const folder = corpus('json')
const files = folder === null ? [] : (JSON.parse(readFileSync(`${folder}/index.json`, 'utf8')) as { files: { file: string }[] }).files
/** One file in three of each kind of answer; each file is the body of two kinds. The long run takes all. */
const stride = byLevel({ quick: 72, full: 3, long: 1 })
const asset = 'https://api.example.com/v1/image-jobs/job/asset'
const record = async (): Promise<void> => {}

/** Every method of the client that reads a body of the service. */
const calls: Readonly<Record<string, (client: ServiceClient) => Promise<unknown>>> = {
  capabilities: (client) => client.capabilities(),
  balance: (client) => client.balance(),
  estimate: (client) => client.estimate(12, 'remove'),
  upload: (client) => client.uploadReference({ bytes: new Uint8Array([1]), contentType: 'image/png' }),
  execution: (client) => client.execution(executionId),
  cancel: (client) => client.cancel(executionId),
  deletion: (client) => client.deleteConversation('c'),
  download: (client) => client.download(asset),
  events: async (client) => {
    const all: unknown[] = []
    for await (const event of client.events(executionId, null, new AbortController().signal)) all.push(event)
    return all
  },
}
/**
 * The methods that may start paid work. They must make one request and return an outcome, whatever the
 * answer.
 */
const paid: Readonly<Record<string, (client: ServiceClient) => Promise<{ readonly kind: string }>>> = {
  submission: (client) => client.submit({ key: 'k', body: new Uint8Array([0x7b, 0x7d]) }, record),
  answer: (client) => client.answer({ executionId: 'exec-1', conversationId: 'c', questionId: 'q', text: 't', key: 'k' }, record),
}

async function outcomeOf(call: (client: ServiceClient) => Promise<unknown>, client: ServiceClient, clock: ManualClock): Promise<string> {
  try {
    await clock.run(call(client))
    return 'a value'
  } catch (error) {
    if (error instanceof SpritewrightError) return error.code
    throw error
  }
}

const isPaid = (request: NetRequest): boolean => request.method === 'POST' && /\/v1\/(execute|conversations\/)/.test(request.url)

describeWith(folder !== null, 'corpora')('every file of the JSON corpus', () => {
  const kinds: readonly [string, number, string][] = [
    ['a success', 200, 'application/json'],
    ['an acceptance', 202, 'application/json'],
    ['a refusal', 422, 'application/json'],
    ['a rate limit', 429, 'application/json'],
    ['a failure', 500, 'application/json'],
    ['an event stream', 200, 'text/event-stream'],
  ]
  test.each(kinds)(
    'C27, C32: as the body of %s (%i) gives a value or a typed error, and no paid request is sent twice',
    async (_, status, type) => {
      const codes = new Set<string>()
      const first = kinds.findIndex((kind) => kind[1] === status && kind[2] === type) % stride
      for (const { file } of files.filter((_file, at) => at % stride === first)) {
        const body = new Uint8Array(readFileSync(`${folder}/${file}`))
        const reply: Reply = { status, headers: { 'content-type': type }, body }
        for (const [name, call] of Object.entries(calls)) {
          const { client, clock } = testClient(scriptedNet(() => reply))
          const outcome = await outcomeOf(call, client, clock)
          codes.add(outcome)
          expect(outcome, `${name} of ${file}`).toMatch(/^(a value|SW_WIRE|SW_REFUSED|SW_KEY_REFUSED|SW_CAPABILITY|SW_UNREACHABLE)$/)
          if (['capabilities', 'estimate', 'upload', 'execution'].includes(name)) expect(outcome, `${name} of ${file}`).not.toBe('a value')
        }
        for (const [name, call] of Object.entries(paid)) {
          const net = scriptedNet(() => reply)
          const { client, clock } = testClient(net)
          const outcome = await clock.run(call(client))
          expect(outcome.kind, `${name} of ${file}`).toBe('unknown')
          expect(net.requests.filter(isPaid)).toHaveLength(1)
        }
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
      expect(codes.size).toBeGreaterThan(0)
    },
  )

  test('C21: as the payload of an event it is a hint or nothing, and the stream goes on', async () => {
    for (const { file } of files) {
      const lines = readFileSync(`${folder}/${file}`, 'utf8').split(/\r\n|\r|\n/)
      const text = `event: progress\nid: 1\n${lines.map((line) => `data: ${line}`).join('\n')}\n\nevent: done\nid: 2\ndata: {"status": "completed"}\n\n`
      const net = scriptedNet(() => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: text }))
      const { client, clock } = testClient(net)
      const seen = (await clock.run(calls.events?.(client) ?? Promise.resolve([]))) as { kind: string; status: string | null }[]
      expect(
        seen.map((event) => event.kind),
        file,
      ).toEqual(['progress', 'done'])
      expect(seen[1]?.status).toBe('completed')
    }
  })
})
