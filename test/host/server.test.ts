import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listener, listen, type RequestHandler, type ServedRequest, type ServedResponse } from '../../src/host/server.ts'

let handle: RequestHandler
let listener: Listener
beforeAll(async () => {
  listener = await listen((request) => handle(request))
})
afterAll(() => listener.close())

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Sends a request on a connection of its own. Returns its answer as soon as the headers are there. */
function ask(path = '/', method = 'GET', headers: Record<string, string | string[]> = {}, ...parts: readonly string[]) {
  const call = send(`${listener.url}${path}`, { method, headers, agent: false })
  for (const part of parts) call.write(part)
  call.end()
  const answer = once(call, 'response').then(([response]) => response as IncomingMessage)
  return { call, answer }
}

/** The whole body, and whether it was cut. */
async function read(response: IncomingMessage): Promise<readonly [text: string, isCut: boolean]> {
  let text = ''
  response.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  return once(response, 'end').then(
    () => [text, false] as const,
    () => [text, true] as const,
  )
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

test('a request is served with its method, path, headers and whole body, and its answer arrives as it is', async () => {
  const seen: ServedRequest[] = []
  handle = async (request) => {
    seen.push({ ...request })
    expect(request.signal.aborted).toBe(false)
    return { status: 207, headers: { 'x-answer': 'yes' }, body: bytes('done') }
  }
  const { answer } = ask('/v1/a?b=c', 'PUT', { 'X-Own': 'One', 'Set-Cookie': ['a=1', 'b=2'] }, 'first ', 'second')
  const response = await answer
  expect([response.statusCode, response.headers['x-answer'], await read(response)]).toEqual([207, 'yes', ['done', false]])
  const [{ method, path, headers, body }] = seen as [ServedRequest]
  expect([method, path, new TextDecoder().decode(body)]).toEqual(['PUT', '/v1/a?b=c', 'first second'])
  expect(headers).toMatchObject({ 'x-own': 'One', 'set-cookie': 'a=1, b=2', host: `127.0.0.1:${listener.port}` })
  expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`)
})

test.each<[string, Partial<ServedResponse>, readonly [string, boolean]]>([
  ['bytes cut after three', { body: bytes('abcdef'), cutAfter: 3 }, ['abc', true]],
  ['a stream', { body: pieces('ab', 'cd', 'ef') }, ['abcdef', false]],
  ['a stream cut in a piece', { body: pieces('ab', 'cd', 'ef'), cutAfter: 3 }, ['abc', true]],
  ['a stream cut between pieces', { body: pieces('ab', 'cd', 'ef'), cutAfter: 4 }, ['abcd', true]],
  ['an empty stream', { body: pieces() }, ['', false]],
])('an answer arrives as far as it goes: %s', async (_what, response, expected) => {
  handle = async () => ({ status: 200, headers: { 'x-own': 'One' }, body: bytes(''), ...response })
  const answer = await ask().answer
  expect([answer.headers['x-own'], await read(answer)]).toEqual(['One', expected])
})

test.each<[string, RequestHandler]>([
  ['cut before its status', async () => ({ status: 200, headers: {}, body: bytes('x'), cutAfter: 0 })],
  ['a failure', () => Promise.reject(new Error('failed'))],
])('an answer that is %s is none', async (_what, answers) => {
  handle = answers
  await expect(ask().answer).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('the headers of a stream arrive before its first piece, and a client that goes away aborts its signal', async () => {
  let gone: Promise<unknown> = Promise.resolve()
  handle = async ({ signal }) => {
    gone = once(signal, 'abort')
    const silent = (async function* () {
      await gone
      yield bytes('late')
    })()
    return { status: 200, headers: {}, body: silent }
  }
  const { call, answer } = ask()
  const response = await answer
  response.on('error', () => {})
  call.destroy()
  await gone
  expect(response.statusCode).toBe(200)
})

test('a server listens at a name of this machine too, and its place has that name', async () => {
  const other = await listen(async () => ({ status: 200, headers: {}, body: bytes('x') }), 0, 'localhost')
  expect(other.url).toBe(`http://localhost:${other.port}`)
  await other.close()
})

test('a port that is taken is refused, and closing ends open streams', async () => {
  handle = async ({ signal }) => ({
    ...{ status: 200, headers: {} },
    body: (async function* () {
      yield bytes('first')
      await once(signal, 'abort')
    })(),
  })
  await expect(listen(handle, listener.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const body = read(await ask().answer)
  await listener.close()
  expect((await body)[1]).toBe(true)
  await expect(ask().answer).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
