import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { nodeDatabase } from '../../src/host/net/database.ts'
import { nodeNet, readBody } from '../../src/host/net.ts'

const net = nodeNet()
let answerNow: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => answerNow(request, response))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterEach(async () => {
  server.closeAllConnections()
  await net.close()
})
afterAll(() => void server.close())

/** Lets the server of this machine give every request the same answer. */
function serve(answer: typeof answerNow): string {
  answerNow = answer
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const bytes = Buffer.from(JSON.stringify({ credits: '1.5', words: 'walk '.repeat(2000) }))

describe('codings of bodies', () => {
  test.each([
    ['gzip', gzipSync(bytes)],
    ['x-gzip', gzipSync(bytes)],
    ['GZIP', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['gzip, br', brotliCompressSync(gzipSync(bytes))],
    ['identity', bytes],
    ['identity, gzip', gzipSync(bytes)],
    ['', bytes],
  ])('none is asked for, and "%s" is undone, with and without a length', async (coding, body) => {
    const asked: unknown[] = []
    for (const length of [{ 'content-length': body.length }, {}]) {
      const url = serve(({ headers }, response) => {
        asked.push(headers['accept-encoding'])
        response.writeHead(200, { ...length, ...(coding === '' ? {} : { 'content-encoding': coding }) }).end(body)
      })
      const response = await net.request({ method: 'GET', url, headers: {} })
      expect(Buffer.compare(await readBody(response, bytes.length), bytes)).toBe(0)
    }
    expect(asked).toEqual(['identity', 'identity'])
  })

  test('a coded body may not unpack to more than its reader takes, and is not unpacked beyond that', async () => {
    const url = serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 21))))
    const response = await net.request({ method: 'GET', url, headers: {} })
    await expect(readBody(response, 100_000)).rejects.toBeInstanceOf(RangeError)
  })

  test.each([
    ['cut', gzipSync(bytes).subarray(0, 60), 'gzip'],
    ['not coded at all', bytes, 'gzip'],
    ['damaged', Buffer.concat([brotliCompressSync(bytes).subarray(0, 20), Buffer.alloc(40, 7)]), 'br'],
  ])('a body that is %s is an error, never half a body', async (_, body, coding) => {
    const url = serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(body))
    await expect(net.request({ method: 'GET', url, headers: {} }).then((response) => readBody(response, 10 ** 6))).rejects.toThrow()
  })

  test.each(['zstd', 'constructor', '__proto__', 'compress', 'aes128gcm', 'gzip, foo', 'gzip, gzip, gzip, gzip'])(
    'the coding "%s" is an error that names it',
    async (coding) => {
      const url = serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(bytes))
      await expect(net.request({ method: 'GET', url, headers: {} })).rejects.toThrow(`the body has the coding ${coding}`)
    },
  )

  test('an event of a coded stream arrives before the stream ends', async () => {
    const { createGzip, constants } = await import('node:zlib')
    const url = serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' })
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      gzip.pipe(response)
      gzip.write('data: one\n\n')
    })
    const { body } = await net.request({ method: 'GET', url, headers: {}, bodyTimeoutMs: 0 })
    for await (const part of body) {
      expect(Buffer.from(part).toString()).toBe('data: one\n\n')
      break
    }
  })

  test('an answer without a body has nothing to undo, and headers that come twice are one', async () => {
    const url = serve(({ method }, response) =>
      response.writeHead(method === 'GET' ? 204 : 200, { 'content-encoding': 'gzip', 'X-Twice': ['1', '2'] }).end(),
    )
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await net.request({ method, url, headers: {} })
      expect(await readBody(response, 10)).toHaveLength(0)
      expect(response.headers['x-twice']).toBe('1, 2')
    }
  })
})

describe('a database', () => {
  /** The module of a `pg` whose client notes what is asked of it. It breaks when it is idle, and never ends well. */
  const madeOf = (name: string, connect: string): string => {
    const code = `export const seen = []
      class Client {
        constructor(options) { seen.push(options) }
        on(event, then) { seen.push(event); then(new Error('idle')) }
        async connect() { ${connect} }
        async query(text, values) { seen.push([text, values]); return { rows: [{ n: 1 }], rowCount: 1 } }
        async end() { seen.push('end'); throw new Error('gone') }
      }
      export default { Client }`
    return `data:text/javascript,${encodeURIComponent(code)}#${name}`
  }
  const seenBy = async (entry: string): Promise<unknown> => ((await import(/* @vite-ignore */ entry)) as { seen: unknown }).seen
  const target = { host: 'db.example', port: 5433, database: 'game', user: 'ann', password: 'secret' }

  test.each([
    ['off', false],
    ['checked', { rejectUnauthorized: true }],
    ['unchecked', { rejectUnauthorized: false }],
  ] as const)('is asked with TLS %s, within the time for each answer, and ends without an error', async (tls, ssl) => {
    const entry = madeOf(tls, '')
    const connection = await nodeDatabase()(entry, { ...target, tls }, 1234)
    expect(await connection.query('select 1')).toEqual([{ n: 1 }])
    expect(await connection.query('select $1', ['a'])).toEqual([{ n: 1 }])
    expect(await connection.close()).toBeUndefined()
    const options = {
      ...target,
      ssl,
      connectionTimeoutMillis: 1234,
      query_timeout: 1234,
      keepAlive: true,
      application_name: 'spritewright',
    }
    expect(await seenBy(entry)).toEqual([options, 'error', ['select 1', []], ['select $1', ['a']], 'end'])
  })

  test('that refuses a connection says so, and the connection is ended', async () => {
    const entry = madeOf('refused', "throw Object.assign(new Error('no'), { code: '28P01' })")
    await expect(nodeDatabase()(entry, { ...target, tls: 'off' }, 1)).rejects.toMatchObject({ code: '28P01' })
    expect(await seenBy(entry)).toEqual([expect.anything(), 'error', 'end'])
  })
})
