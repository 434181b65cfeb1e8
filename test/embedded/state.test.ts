import { describe, expect, test } from 'vitest'
import { createAssets } from '../../src/embedded/api/assets.ts'
import { createExecutions } from '../../src/embedded/executions/executions.ts'
import type { Ground } from '../../src/embedded/executions/ground.ts'
import { joinFolder } from '../../src/embedded/http/door.ts'
import type { ExecutionRecord, Put } from '../../src/embedded/store/records.ts'
import { createMemoryStore, openStore } from '../../src/embedded/store/service-store.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { inProcess, knight, served } from './fixtures.ts'

test('a signed link opens its file alone, for its time, without credentials', async () => {
  const clock = new ManualClock()
  const store = createMemoryStore()
  const random = { ...nodeRandom(), bytes: (count: number) => new Uint8Array(count).fill(7) }
  const assets = createAssets({ store, clock, random, options: { linkMs: 1000 } } as unknown as Ground, 'http://assets.test')
  const sha256 = await store.keep(knight)
  const execution = { id: 'one', isDeleted: false, delivery: { sha256, contentType: 'image/png' } } as unknown as ExecutionRecord
  store.commit([['execution', 'one', execution]])
  const link = assets.link(execution)
  expect(link).toMatch(/^http:\/\/assets\.test\/deliveries\/one\?expires=1760000002000&signature=[0-9a-f]{64}$/)
  const path = link.slice('http://assets.test'.length)
  const serve = async (changed: string, method = 'GET', headers = {}): Promise<number> =>
    (await assets.serve(served(method, changed, headers))).status
  expect(await assets.serve(served('GET', path))).toEqual({
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-length': `${knight.length}`,
      'cache-control': 'private, no-store',
      etag: `"${sha256}"`,
    },
    body: knight,
  })
  expect([await serve(path, 'HEAD'), await serve(path, 'POST'), await serve(path, 'GET', { authorization: '' })]).toEqual([403, 403, 400])
  const changed = [
    path.replace('deliveries', 'files'),
    path.replace('/one', '/two'),
    path.replace('=176', '=276'),
    path.slice(0, -1),
    `${path}0`,
    '/',
  ]
  for (const each of changed) expect([each, await serve(each)]).toEqual([each, 403])
  const refused = await assets.serve(served('GET', '/'))
  expect(refused.headers).toEqual({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': `${(refused.body as Uint8Array).length}`,
  })
  expect(createAssets({ store, clock, random: nodeRandom(), options: { linkMs: 1000 } } as unknown as Ground, '').link(execution)).toBe(
    path,
  )
  expect(() => assets.link({ ...execution, delivery: null })).toThrow(expect.objectContaining({ reason: 'resource_not_found' }))
  await clock.advance(999)
  expect(await serve(path)).toBe(200)
  await clock.advance(1)
  expect(await serve(path)).toBe(403)
  const fresh = assets.link(execution).slice('http://assets.test'.length)
  for (const gone of [{ isDeleted: true }, { delivery: null }]) {
    store.commit([['execution', 'one', { ...execution, ...gone }]])
    expect(await serve(fresh)).toBe(404)
  }
})

describe('the state in a folder', () => {
  const read = (disk: MemoryDisk, file: string): string => new TextDecoder().decode(disk.files.get(file))
  const secret = (value: string): Put => ['secret', 'signing', { value }]
  const event: Put = ['event', 'one/1', { kind: 'started', status: 'queued', progress: null, message: null, failure: null }]
  const open = (disk: MemoryDisk) => openStore(disk, nodeRandom(), '/state')

  test('is a line for each commit, and after a start one for each record that counts', async () => {
    const disk = new MemoryDisk()
    const store = await open(disk)
    store.commit([secret('a'), event])
    store.commit([secret('b')])
    expect(store.table('secret').get('signing')).toEqual({ value: 'b' })
    await store.flushed()
    const lines = (): unknown =>
      read(disk, '/state/log.jsonl')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    expect(lines()).toEqual([[secret('a'), event], [secret('b')]])
    const sha256 = await store.keep(knight)
    expect([...disk.files.keys()].sort()).toEqual(['/state/log.jsonl', `/state/objects/${sha256}`])
    const again = await open(disk)
    expect(lines()).toEqual([[secret('b')], [event]])
    expect([again.table('secret'), again.table('event')]).toEqual([store.table('secret'), store.table('event')])
    expect(await again.bytes(sha256)).toEqual(knight)
    await expect(again.bytes('00')).rejects.toMatchObject({ code: 'SW_DISK', facts: { sha256: '00' } })
    disk.files.set(`/state/objects/${sha256}`, knight.slice(1))
    await expect(again.bytes(sha256)).rejects.toMatchObject({ code: 'SW_DISK', facts: { sha256 } })
  })

  test('of an older version gets the fields that it lacks', async () => {
    const disk = new MemoryDisk()
    disk.files.set(
      '/state/log.jsonl',
      new TextEncoder().encode('[["execution","one",{"id":"one"}]]\n[["execution","two",{"id":"two","isDeleted":true}]]\n'),
    )
    const later = { answers: [], question: null, followedBy: null, isDeleted: false }
    expect([...(await open(disk)).table('execution').values()]).toEqual([
      { id: 'one', ...later },
      { id: 'two', ...later, isDeleted: true },
    ])
  })

  test('with a damaged line is refused by its number; a last line without its end is dropped', async () => {
    const disk = new MemoryDisk()
    const line = JSON.stringify([event])
    disk.files.set('/state/log.jsonl', new TextEncoder().encode(`${line}\nhalf\n${line}\n`))
    await expect(open(disk)).rejects.toMatchObject({
      code: 'SW_DISK',
      facts: { file: '/state/log.jsonl', line: 2 },
      cause: expect.any(SyntaxError),
    })
    disk.files.set('/state/log.jsonl', new TextEncoder().encode(`${line}\n${JSON.stringify([secret('a')])}`))
    const store = await open(disk)
    expect([store.table('event').size, store.table('secret').size]).toEqual([1, 0])
  })

  test('a failed write is told to everyone who waits, and to those who come later', async () => {
    const disk = new MemoryDisk()
    const store = await open(disk)
    disk.fault = { call: 'append', code: 'ENOSPC' }
    store.commit([event])
    await expect(store.flushed()).rejects.toMatchObject({ code: 'ENOSPC' })
    disk.fault = undefined
    store.commit([secret('a')])
    await expect(store.flushed()).rejects.toMatchObject({ code: 'ENOSPC' })
  })

  test.each<[string, Parameters<typeof scriptedNet>[0], boolean]>([
    ['the owner', () => json(200, { url: 'http://a', assetsUrl: 'http://b', key: 'k' }), true],
    ['a stranger', () => json(200, { hello: 1 }), false],
    ['one with another token', () => json(200, { token: 'else' }), false],
    ['a stranger without JSON', () => ({ status: 200, body: 'hello' }), false],
    ['a refusal', () => json(403, { key: 'k' }), false],
    ['nobody', () => new Error('ECONNREFUSED'), false],
    ['one who talks too much', () => json(200, { key: 'k'.repeat(20_000) }), false],
  ])('is joined if the owner answers: %s', async (_, script, isJoined) => {
    const disk = new MemoryDisk()
    const net = scriptedNet(script)
    expect([await joinFolder({ disk, net }, '/state'), net.requests]).toEqual([undefined, []])
    disk.files.set('/state/door.json', new TextEncoder().encode('{"port":8123,"token":"secret"}'))
    expect(await joinFolder({ disk, net }, '/state')).toEqual(isJoined ? { url: 'http://a', assetsUrl: 'http://b', key: 'k' } : undefined)
    const headers = { 'x-door-token': 'secret' }
    expect(net.requests).toEqual([{ method: 'POST', url: 'http://127.0.0.1:8123/', headers, headersTimeoutMs: 5000, bodyTimeoutMs: 5000 }])
  })

  test('with a damaged door is refused by the name of that file', async () => {
    const disk = new MemoryDisk()
    disk.files.set('/state/door.json', new TextEncoder().encode('{"port":'))
    const joining = joinFolder({ disk, net: scriptedNet(() => new Error('nobody')) }, '/state')
    await expect(joining).rejects.toMatchObject({ code: 'SW_DISK', facts: { file: '/state/door.json' }, cause: expect.any(SyntaxError) })
  })
})

test('the states of an execution change only as the table says, and each change wakes those who wait for it, once', () => {
  const store = createMemoryStore()
  const executions = createExecutions(store)
  const woken: string[] = []
  const all = ['queued', 'running', 'needs_input', 'completed', 'failed', 'cancelled'] as const
  const allowed = all.map((from) =>
    all.filter((to) => {
      store.commit([['execution', 'one', { id: 'one', status: from, events: 0 } as ExecutionRecord]])
      try {
        return executions.advance('one', { status: to }, []).status === to
      } catch (error) {
        expect(error).toMatchObject({ code: 'SW_INTERNAL', facts: { from, to } })
        return false
      }
    }),
  )
  expect(allowed).toEqual([
    ['queued', 'running', 'failed', 'cancelled'],
    ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
    ['needs_input', 'cancelled'],
    ['completed'],
    ['failed'],
    ['cancelled'],
  ])
  executions.onEvent('one', () => woken.push('a'))
  const takeBack = executions.onEvent('one', () => woken.push('b'))
  executions.onEvent('two', () => woken.push('c'))
  takeBack()
  executions.advance('one', {}, [
    { kind: 'progress', progress: 0.5 },
    { kind: 'done', message: 'Over.' },
  ])
  executions.advance('one', {}, [])
  expect(woken).toEqual(['a'])
  const none = { progress: null, message: null, failure: null, status: 'cancelled' }
  expect([executions.event('one', 1), executions.event('one', 2), executions.get('one').events]).toEqual([
    { ...none, kind: 'progress', progress: 0.5 },
    { ...none, kind: 'done', message: 'Over.' },
    2,
  ])
  expect(() => executions.get('three')).toThrow(expect.objectContaining({ reason: 'resource_not_found' }))
})

test('the last ten thousand requests are kept', async () => {
  const { handleAsset, requests } = await inProcess()
  const request = served('GET', '/', { authorization: '' })
  for (let number = 1; number <= 10_002; number++) await handleAsset(request)
  expect([requests().length, requests()[0]?.number, requests().at(-1)?.number]).toEqual([10_000, 3, 10_002])
})
