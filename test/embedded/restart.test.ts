import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { joinEmbeddedService } from '../../src/embedded/service.ts'
import { type Disk, nodeDisk } from '../../src/host/disk.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { callerOf, closeAll, eventsOf, inProcess, jsonOf, knight, served, start } from './fixtures.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'embedded-'))
})
afterEach(async () => {
  await closeAll()
  await rm(dir, { recursive: true, force: true })
})

const accounts = [{ name: 'studio', keys: [{ key: 'key-of-the-studio' }] }]

/** A disk that dies with its process. Nothing is written after that. */
function mortalDisk(): { disk: Disk; kill(): void } {
  let isDead = false
  const real = nodeDisk()
  const disk = new Proxy(real, {
    get:
      (target, name) =>
      (...args: unknown[]) =>
        isDead ? Promise.reject(new Error('killed')) : (target[name as keyof Disk] as (...args: unknown[]) => unknown)(...args),
  })
  return {
    disk,
    kill: () => {
      isDead = true
    },
  }
}

test('C3, C14: after a kill in the middle of a job the next start completes it, charges once and knows its key', async () => {
  const { disk, kill } = mortalDisk()
  const clock = new ManualClock()
  const first = await start({ dir, accounts, jobMs: 1200 }, { disk, clock })
  const reference = await first.me.upload()
  const accepted = await first.me.submit(reference)
  const id = accepted.json.execution_id
  const reader = (await first.me.stream(id)).body!.getReader()
  let seen = ''
  while (eventsOf(seen).length < 5) {
    const [part] = await Promise.all([reader.read(), clock.advance(100)])
    seen += new TextDecoder().decode(part.value)
  }
  kill()
  await first.close()
  const second = await start({ dir, accounts }, { clock })
  const rest = eventsOf(await (await second.me.stream(id, eventsOf(seen).at(-1)!.id)).text())
  expect(rest.at(-1)).toMatchObject({ kind: 'done', data: { status: 'completed' } })
  const ids = [...eventsOf(seen), ...rest].map((event) => event.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect((await second.me.submit(reference)).text).toBe(accepted.text)
  expect(second.charges()).toHaveLength(1)
  expect((await second.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
})

test('a job that was interrupted delivers the bytes that it would have delivered', async () => {
  const whole = await start({ accounts })
  const wholeJob = (await whole.me.buy()).image_job.public_job_id
  const clock = new ManualClock()
  const first = await start({ dir, accounts, jobMs: 1200 }, { clock })
  const accepted = await first.me.submit(await first.me.upload())
  while (first.holds().length === 0) await clock.advance(0)
  await first.close()
  const second = await start({ dir, accounts })
  await (await second.me.stream(accepted.json.execution_id)).text()
  const { json } = await second.me.call(`/v1/executions/${accepted.json.execution_id}`)
  const bytes = async (service: typeof second, job: string): Promise<Buffer> => {
    const link = (await service.me.call(`/v1/image-jobs/${job}/asset`)).headers.get('location')!
    return Buffer.from(await (await fetch(link)).arrayBuffer())
  }
  expect((await bytes(second, json.image_job.public_job_id)).equals(await bytes(whole, wholeJob))).toBe(true)
})

test('a torn last line of the log is dropped, damage before it stops the start', async () => {
  const first = await start({ dir, accounts })
  const bought = await first.me.buy()
  await first.close()
  const log = join(dir, 'log.jsonl')
  await appendFile(log, '[["execution","half')
  const second = await start({ dir, accounts })
  expect((await second.me.call(`/v1/executions/${bought.execution_id}`)).json.status).toBe('completed')
  await second.close()
  await appendFile(log, 'not json\n')
  await expect(start({ dir, accounts })).rejects.toMatchObject({ code: 'SW_DISK', facts: { file: log } })
})

test('C40: no key is in any file of the state, and without accounts each start hands out a key of its own', async () => {
  const first = await start({ dir })
  await first.me.buy()
  await first.close()
  const second = await start({ dir })
  expect(second.key).not.toBe(first.key)
  expect((await second.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
  expect((await callerOf(second, first.key).call('/v1/balance')).status).toBe(200)
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = (await readFile(join(entry.parentPath, entry.name))).toString('latin1')
    expect(text).not.toContain(first.key)
    expect(text).not.toContain(second.key)
  }
})

test('a disk that fails makes every answer a 503 until the next start, and no money is lost or spent', async () => {
  let isFull = false
  const real = nodeDisk()
  const append: Disk['append'] = async (path, bytes) => {
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    await real.append(path, bytes)
  }
  const first = await start({ dir, accounts }, { disk: { ...real, append } })
  const reference = await first.me.upload()
  isFull = true
  const reply = await first.me.submit(reference)
  expect(reply.json.error).toMatchObject({ reason: 'temporarily_unavailable', retryable: true })
  expect((await first.me.call('/v1/balance')).status).toBe(503)
  expect(first.mistakes()).not.toEqual([])
  await first.close()
  const second = await start({ dir, accounts })
  expect((await second.me.call('/v1/balance')).json).toEqual({ credits: '100' })
  expect((await second.me.submit(reference)).status).toBe(202)
})

test('a second process does not start over the same folder; it can join the first', async () => {
  expect(await joinEmbeddedService(dir)).toBeUndefined()
  const first = await start({ dir })
  await first.me.buy()
  await expect(start({ dir })).rejects.toMatchObject({ code: 'SW_DISK', facts: { folder: dir } })
  const joined = (await joinEmbeddedService(dir))!
  expect([joined.url, joined.assetsUrl]).toEqual([first.url, first.assetsUrl])
  expect(joined.key).not.toBe(first.key)
  expect((await callerOf(joined, joined.key).call('/v1/balance')).json).toEqual({ credits: '97.6' })
  await first.close()
  expect(await joinEmbeddedService(dir)).toBeUndefined()
})

test('of several that start at once over one folder exactly one runs, also after an owner was killed', async () => {
  for (const round of ['a new folder', 'a left one']) {
    const tries = await Promise.allSettled([start({ dir }), start({ dir }), start({ dir })])
    expect([round, tries.filter(({ status }) => status === 'fulfilled').length]).toEqual([round, 1])
    await closeAll()
  }
})

test('a port that a stranger has taken since does not keep the folder shut', async () => {
  const stranger = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  await writeFile(join(dir, 'door.json'), JSON.stringify({ port: (stranger.address() as AddressInfo).port, token: 'of-long-ago' }))
  const service = await start({ dir })
  expect((await service.me.call('/v1/balance')).status).toBe(200)
  stranger.close()
})

test('a link outlives a restart, and leads to no file whose bytes have changed since', async () => {
  const disk = new MemoryDisk()
  const options = {
    dir: '/state',
    accounts,
    makers: {
      image: async () => ({ bytes: knight, contentType: 'image/png', width: 32, height: 32, review: null }),
      sheet: async () => ({ reason: 'generation_failed' as const, message: '', retryable: false }),
    },
  }
  const first = await inProcess(options, disk)
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'first' }
  const order = JSON.stringify({ operation: 'text_to_image', prompt: 'a wizard' })
  const { execution_id: id } = jsonOf(await first.send('POST', '/v1/execute', headers, order))
  for await (const _ of (await first.send('GET', `/v1/executions/${id}/events`)).body as AsyncIterable<Uint8Array>);
  const { image_job: job } = jsonOf(await first.send('GET', `/v1/executions/${id}`))
  const { location } = (await first.send('GET', `/v1/image-jobs/${job.public_job_id}/asset`)).headers
  await first.stop()
  const second = await inProcess(options, disk)
  const path = location!.slice(new URL(location!).origin.length)
  expect(await second.handleAsset(served('GET', path))).toMatchObject({ status: 200, body: knight })
  for (const [file, bytes] of disk.files) if (file.includes('/objects/')) disk.files.set(file, bytes.slice(1))
  await expect(second.handleAsset(served('GET', path))).rejects.toMatchObject({ code: 'SW_DISK' })
  await second.stop()
})
