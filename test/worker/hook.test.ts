import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { nodeNet } from '../../src/host/net.ts'
import { nodeRunCommand } from '../../src/host/run-command.ts'
import { type Listener, listen, type RequestHandler, type ServedResponse } from '../../src/host/server.ts'
import { searchFor } from '../../src/key-search.ts'
import { readSettings } from '../../src/project/trust/settings.ts'
import { createHook, type Hook } from '../../src/workshop/worker/hook.ts'
import type { WorkerEvent } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { type Reply, scriptedNet } from '../kit/scripted-net.ts'

const key = 'sk_test_0123456789abcdef'
const url = 'https://chat.example.com/hooks/abc'
const question: WorkerEvent = {
  kind: 'question',
  message: '"hero.walk" asks: which side? <!channel> @everyone',
  fields: { id: 'hero.walk', hash: 'ab', code: 'SW_QUESTION' },
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function settingsDisk(onEvent: unknown): MemoryDisk {
  const disk = new MemoryDisk()
  disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify({ worker: { onEvent } })))
  return disk
}

interface HookWorld {
  readonly hook: Hook
  readonly clock: ManualClock
  readonly warnings: string[]
}

function hookWorld(onEvent: unknown, ports: Pick<Partial<Host>, 'net' | 'runCommand'>): HookWorld {
  const clock = new ManualClock()
  const warnings: string[] = []
  const host = { disk: settingsDisk(onEvent), stateFolder: '/state', clock, net: scriptedNet(() => new Error('no net')), ...ports }
  const hook = createHook(host, searchFor(key), (message) => warnings.push(message))
  closers.push(() => hook.close())
  return { hook, clock, warnings }
}

/** Moves the clock on until all pauses are over. */
async function settle(clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await clock.advance(1000)
}

const bodiesOf = (net: ReturnType<typeof scriptedNet>) =>
  net.requests.map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>)

describe('the form that a chat accepts', () => {
  const plain = (status: number, text: string): ServedResponse => ({
    status,
    headers: { 'content-type': 'text/plain' },
    body: new TextEncoder().encode(text),
  })
  /** What each chat refuses, as its documentation says. */
  const chats: Readonly<Record<string, (body: Record<string, unknown>) => ServedResponse>> = {
    slack: ({ text }) => (typeof text === 'string' && text !== '' ? plain(200, 'ok') : plain(400, 'no_text')),
    mattermost: ({ text, type, props = {} }) =>
      typeof text === 'string' && text !== '' && type === undefined && typeof props === 'object'
        ? plain(200, 'ok')
        : plain(400, '{"id":"web.incoming_webhook.text.app_error","message":"No text specified"}'),
    discord: ({ content }) =>
      typeof content === 'string' && content !== '' && content.length <= 2000
        ? { status: 204, headers: {}, body: new Uint8Array() }
        : plain(400, '{"message":"Cannot send an empty message","code":50006}'),
  }

  test.each(Object.keys(chats))('%s shows a question, whose words call nobody', async (chat) => {
    let taken: (body: Record<string, unknown>) => void = () => {}
    const arrived = new Promise<Record<string, unknown>>((resolve) => {
      taken = resolve
    })
    const answers: number[] = []
    const handle: RequestHandler = async ({ method, path, headers, body }) => {
      if (method !== 'POST' || path !== '/hooks/abc' || headers['content-type'] !== 'application/json') return plain(404, 'no')
      const read = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
      const response = chats[chat]?.(read) ?? plain(404, 'no')
      answers.push(response.status)
      taken(read)
      return response
    }
    const server: Listener = await listen(handle)
    const net = nodeNet({})
    closers.push(
      () => server.close(),
      () => net.close(),
    )
    const { hook, warnings } = hookWorld({ url: `${server.url}/hooks/abc` }, { net })
    hook.tell({ ...question, message: `${question.message} ${'long '.repeat(1000)}` })
    const shown = await arrived
    expect(shown).toMatchObject({ level: 'warn', event: 'question', id: 'hero.walk', hash: 'ab', code: 'SW_QUESTION' })
    expect(shown.time).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(shown.text).toMatch(/^spritewright, question: "hero\.walk" asks: which side\? ‹!channel> ＠everyone long/)
    await hook.close()
    expect(answers.map((status) => Math.floor(status / 100))).toEqual([2])
    expect(warnings).toEqual([])
  })
})

test('only events that need a person are sent, and an equal one once an hour', async () => {
  const net = scriptedNet(() => ({ status: 200 }))
  const { hook, clock } = hookWorld({ url }, { net })
  const kinds = ['question', 'decision', 'limit', 'refused', 'stalled', 'bought', 'ordered', 'failed', 'active', 'warning'] as const
  for (const kind of kinds) hook.tell({ kind, message: 'x' })
  for (const kind of kinds) hook.tell({ kind, message: 'x' })
  await settle(clock)
  expect(bodiesOf(net).map(({ event }) => event)).toEqual(['question', 'decision', 'limit', 'refused', 'stalled'])
  await clock.advance(3_600_000)
  hook.tell(question)
  hook.tell({ kind: 'decision', message: 'x' })
  await settle(clock)
  expect(net.requests).toHaveLength(7)
})

test.each([
  ['refuses', (): Reply => ({ status: 500 })],
  ['is away', (): Reply => new Error(`no route to ${url}`)],
])('a hook that %s gets each event twice, is named once without its address, and counts again later', async (_, reply) => {
  let isAway = true
  const net = scriptedNet(() => (isAway ? reply() : { status: 200 }))
  const { hook, clock, warnings } = hookWorld({ url }, { net })
  hook.tell(question)
  hook.tell({ ...question, message: 'another' })
  await settle(clock)
  expect(net.requests).toHaveLength(4)
  expect(warnings).toEqual([expect.stringContaining('worker.onEvent')])
  expect(warnings.join()).not.toMatch(/chat\.example|hooks/)
  isAway = false
  hook.tell({ ...question, message: 'a third' })
  await settle(clock)
  isAway = true
  hook.tell({ ...question, message: 'a fourth' })
  await settle(clock)
  expect(net.requests).toHaveLength(7)
  expect(warnings).toHaveLength(2)
})

test.each([300, 302, 404])(
  'the status %i is a failure: the event is sent again after five seconds, and then not any more',
  async (status) => {
    const times: number[] = []
    const net = scriptedNet(() => {
      times.push(clock.mono())
      return { status }
    })
    const { hook, clock, warnings } = hookWorld({ url }, { net })
    const begun = clock.mono()
    hook.tell(question)
    await settle(clock)
    expect([times.map((at) => at - begun), warnings.length]).toEqual([[0, 5000], 1])
    expect(net.requests[0]).toMatchObject({ method: 'POST', url, headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000 })
  },
)

test('events that differ in one field are different ones, and the words name the project', async () => {
  const net = scriptedNet(() => ({ status: 200 }))
  const { hook, clock } = hookWorld({ url }, { net })
  for (const project of ['castle', 'space', 'castle']) hook.tell({ kind: 'limit', message: 'too dear', fields: { project } })
  await settle(clock)
  const texts = ['spritewright (castle), limit: too dear', 'spritewright (space), limit: too dear']
  expect(bodiesOf(net).map(({ text, content }) => [text, content])).toEqual(texts.map((text) => [text, text]))
})

test('of events that come while a call is under way, a hundred are kept; later ones are taken again when there is room', async () => {
  const taken: unknown[] = []
  let begin: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const runCommand: Host['runCommand'] = async (_argv, input) => {
    await begun
    taken.push((JSON.parse(input) as { readonly message: unknown }).message)
  }
  const { hook } = hookWorld({ command: ['tell'] }, { runCommand })
  for (let number = 0; number < 150; number++) hook.tell({ ...question, message: `${number}` })
  begin()
  while (taken.length < 100) await new Promise((resolve) => setImmediate(resolve))
  hook.tell({ ...question, message: 'last' })
  while (!taken.includes('last')) await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toEqual([...Array.from({ length: 100 }, (_, number) => `${number}`), 'last'])
})

test('a hook that never answers holds at most 100 events, and its worker can end', async () => {
  const net = scriptedNet(() => 'silence')
  const { hook } = hookWorld({ url }, { net })
  for (let number = 0; number < 1000; number++) hook.tell({ ...question, message: `${number}` })
  await hook.close()
  expect(net.requests.length).toBeLessThanOrEqual(1)
})

test('a body with the API key is not sent, in any form of the key', async () => {
  const net = scriptedNet(() => ({ status: 200 }))
  const { hook, clock, warnings } = hookWorld({ url }, { net })
  for (const form of [key, Buffer.from(key).toString('base64'), encodeURIComponent(key)])
    hook.tell({ ...question, message: `found ${form}` })
  await settle(clock)
  expect(net.requests).toEqual([])
  expect(warnings).toEqual([expect.stringContaining('SW_KEY_EXPOSED')])
})

test('without a hook in the settings nothing is called', async () => {
  const net = scriptedNet(() => ({ status: 200 }))
  const { hook, clock, warnings } = hookWorld(undefined, { net })
  hook.tell(question)
  await settle(clock)
  expect([net.requests, warnings]).toEqual([[], []])
})

test('a command gets the event on stdin and its arguments without a shell, and none of our variables', async () => {
  process.env.SPRITEWRIGHT_API_KEY = key
  closers.push(async () => void delete process.env.SPRITEWRIGHT_API_KEY)
  const argument = '$(exit 3); "quoted" * '
  const program = `let text = ''
    process.stdin.on('data', (part) => (text += part)).on('end', () => {
      const { event, id } = JSON.parse(text)
      const isRight = event === 'question' && id === 'hero.walk' && process.argv[1] === ${JSON.stringify(argument)}
      process.exit(isRight && process.env.SPRITEWRIGHT_API_KEY === undefined ? 0 : 1)
    })`
  const runs: Promise<void>[] = []
  const run = nodeRunCommand()
  const { hook } = hookWorld(
    { command: [process.execPath, '-e', program, argument] },
    {
      runCommand: (argv, input, signal) => {
        const ended = run(argv, input, signal)
        runs.push(ended)
        return ended
      },
    },
  )
  hook.tell(question)
  while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await expect(runs[0]).resolves.toBeUndefined()
})

test.each([[['no-such-program-of-ours']], [[process.execPath, '-e', 'process.exit(3)']]])(
  'a command that fails rejects: %j',
  async (argv) => {
    await expect(nodeRunCommand()(argv, '{}', new AbortController().signal)).rejects.toThrow()
  },
)

test('a command is killed when its worker ends', async () => {
  const over = new AbortController()
  const ended = nodeRunCommand()([process.execPath, '-e', 'setInterval(() => {}, 1000)'], '{}', over.signal)
  over.abort()
  await expect(ended).rejects.toThrow()
})

test.each([
  [{ url: 'http://chat.example.com/secret-part' }],
  [{ url: 'ftp://127.0.0.1/' }],
  [{ command: 'curl https://chat.example.com/secret-part' }],
  [{ command: [] }],
  [{ url, command: ['true'] }],
])('the settings refuse the hook %j, without its text', async (onEvent) => {
  const reading = readSettings({ disk: settingsDisk(onEvent), stateFolder: '/state' })
  await expect(reading).rejects.toMatchObject({
    code: 'SW_CONFIG',
    message: expect.stringContaining(`${join('/state', 'settings.json')} `),
  })
  await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('at worker.onEvent') })
  await expect(reading).rejects.not.toMatchObject({ message: expect.stringContaining('secret-part') })
})
