import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BlobStore } from '../../src/stores/blob-store.ts'
import { openHttpCache, parseHttpCacheAddress } from '../../src/stores/http-cache.ts'
import { describeWith } from '../kit/needs.ts'
import { type Reply, scriptedNet } from '../kit/scripted-net.ts'
import { hasNginx, type Nginx, startNginx } from '../kit/servers/nginx.ts'
import { describeBlobStore } from './contract.ts'
import { quickPorts } from './quick-ports.ts'

const bytes = new TextEncoder().encode('result')
const hash = createHash('sha256').update(bytes).digest('hex')

describeWith(hasNginx, 'nginx')('nginx with WebDAV', () => {
  let nginx: Nginx
  beforeAll(async () => {
    nginx = await startNginx()
  })
  afterAll(() => nginx.close())
  const open = (): BlobStore => openHttpCache(quickPorts(), parseHttpCacheAddress(nginx.url))

  describeBlobStore('results', () => ({
    open,
    openAway: () => openHttpCache(quickPorts(), parseHttpCacheAddress('http://127.0.0.1:1/cache')),
  }))

  test('an object lies where Bazel looks for it', async () => {
    await open().put(hash, bytes)
    expect(readFileSync(join(nginx.folder, 'cas', hash))).toEqual(Buffer.from(bytes))
  })
})

describe('an HTTP cache', () => {
  const over = (...replies: Reply[]): { store: BlobStore; methods: () => string[] } => {
    const net = scriptedNet((_, number) => replies[number] ?? { status: 404 })
    const store = openHttpCache({ ...quickPorts(), net }, parseHttpCacheAddress('https://cache.test/x'))
    return { store, methods: () => net.requests.map(({ method, url }) => `${method} ${url.replace(hash, '*')}`) }
  }

  test('is read again after an answer that may pass', async () => {
    const { store, methods } = over(
      { status: 503 },
      new Error('reset'),
      { status: 200, body: bytes, cutAfter: 3 },
      { status: 200, body: bytes },
    )
    expect(await store.get(hash)).toEqual(bytes)
    expect(methods()).toEqual(Array.from({ length: 4 }, () => 'GET https://cache.test/x/cas/*'))
  })

  test.each([301, 401, 403, 405, 411, 413])('that answers %i to a write is SW_STORE at once, with the status', async (status) => {
    const { store, methods } = over({ status })
    await expect(store.put(hash, bytes)).rejects.toMatchObject({
      code: 'SW_STORE',
      message: expect.stringContaining(`the answer ${status}`),
      facts: { store: 'https://cache.test/x', status, mayPass: false },
    })
    expect(methods()).toHaveLength(1)
  })

  test('that answers 404 to a write has not written it', async () => {
    await expect(over({ status: 404 }).store.put(hash, bytes)).rejects.toMatchObject({ code: 'SW_STORE', facts: { status: 404 } })
  })

  test('gets no credentials, whatever the environment has', async () => {
    const net = scriptedNet(() => ({ status: 404 }))
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', SPRITEWRIGHT_API_KEY: 'c', PGPASSWORD: 'd' }
    await openHttpCache({ ...quickPorts(env), net }, parseHttpCacheAddress('https://cache.test')).get(hash)
    expect(net.requests.map(({ headers }) => headers)).toEqual([{}])
  })
})
