import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedFields } from '../../src/job/order.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import type { Context } from '../../src/project/context.ts'
import { listOrphans, listStrays, toOrphanOrder } from '../../src/project/recovery/unasked.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import type { Survey } from '../../src/project/survey.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import type { PaidRequest, RequestReference } from '../../src/sprite-spec/request.ts'
import type { LockChange } from '../../src/vault/lock-store.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { fetchUnasked } from '../../src/workshop/recovery/fetch.ts'
import { bringHome, reconcileLock } from '../../src/workshop/recovery/reconcile.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const hash = 'a'.repeat(64)
const clock = { wall: () => 1000, mono: () => 10, sleep: async () => {} }

/** A disk whose files may exist but be unreadable. */
class FailingDisk extends MemoryDisk {
  code: string | undefined

  override async read(path: string): Promise<Uint8Array> {
    if (this.code !== undefined) throw Object.assign(new Error(`${this.code}: ${path}`), { code: this.code })
    return super.read(path)
  }
}

/** A project whose lock file has one request that no spec asks for. Three of its POSTs have left. */
async function project(): Promise<{ disk: FailingDisk; context: Context }> {
  const disk = new FailingDisk()
  const journal = createJournal({ disk, random: countingRandom(), clock }, '/j')
  let view = await journal.read(hash)
  for (let send = 1; send <= 3; send++) view = (await journal.append(hash, view, 'sent', { attempt: 1, send, keyTag: 'k' })) ?? view
  const entry = { service: { host: 'x', keyMode: 'test', apiVersion: '1' }, asked: {}, submission: { attempt: 2 } }
  const lock = { version: 1, animations: { 'hero.walk': { [hash]: entry } } } as unknown as LockFile
  return { disk, context: { journal, lock: { read: async () => lock } } as unknown as Context }
}

test('a request that no spec asks for is found by its records', async () => {
  const { context } = await project()
  expect(await listOrphans(context, [], new Set())).toMatchObject([{ id: 'hero.walk', hash }])
  expect(await listOrphans(context, [], new Set([hash]))).toEqual([])
})

test('one whose chain is broken stops nobody', async () => {
  const { disk, context } = await project()
  disk.files.delete(`/j/${hash}/0002.json`)
  expect(await listOrphans(context, [], new Set())).toEqual([])
  expect(await listStrays(context, [], undefined)).toEqual([])
})

test('records that cannot be read just now are not taken for none: paid work might be passed over', async () => {
  const { disk, context } = await project()
  disk.code = 'EIO'
  await expect(listOrphans(context, [], new Set())).rejects.toMatchObject({ code: 'EIO' })
  await expect(listStrays(context, [], undefined)).rejects.toMatchObject({ code: 'EIO' })
})

test('law: the order of an orphan asks for what was asked for, from a file as from another request', () => {
  const identity = { host: 'x', keyMode: 'test', apiVersion: '1' } as const
  const digest = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 }).map((digits) => digits.join(''))
  const reference: fc.Arbitrary<RequestReference> = fc.oneof(
    digest.map((sha256) => ({ kind: 'file', sha256 }) as const),
    digest.map((hash) => ({ kind: 'request', hash }) as const),
  )
  const sheet = fc.record({ prompt: fc.string(), reference, frames: fc.integer({ min: 4, max: 36 }), take: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(sheet, fc.constantFrom('remove', 'keep'), (some, background) => {
      const request: PaidRequest = { operation: 'sprite_sheet', id: 'hero.walk', background, ...some }
      const hash = requestHash(request, identity)
      const entry = { service: identity, asked: askedFields(request) } as LockEntry
      expect(toOrphanOrder({ id: 'hero.walk', hash, entry })).toEqual({ hash, identity, request, approval: undefined })
    }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom('step#1', 'icons.sword'),
      fc.string(),
      fc.option(reference, { nil: undefined }),
      fc.nat(3),
      (id, prompt, from, more) => {
        const take = more + 1
        const request: PaidRequest = from
          ? { operation: 'image_to_image', id, prompt, reference: from, take }
          : { operation: 'text_to_image', id, prompt, take }
        const hash = requestHash(request, identity)
        const entry = { service: identity, asked: askedFields(request) } as LockEntry
        expect(toOrphanOrder({ id, hash, entry }).request).toEqual(request)
      },
    ),
  )
})

describe('a build fetches what no spec asks for', () => {
  /** The warnings of a run, and how often it asked the service, which gives no answer. */
  const run = async (accepted: boolean, over: object = {}, signal?: AbortSignal): Promise<unknown> => {
    const { context } = await project()
    const { journal } = context
    if (accepted) {
      const said = {
        attempt: 1,
        executionId: 'e',
        conversationId: null,
        holdId: null,
        holdExpiresAt: null,
        requestId: null,
        replayed: false,
      }
      await journal.append(hash, await journal.read(hash), 'accepted', said)
    }
    let opened = 0
    const warned: string[] = []
    const open = async (): Promise<never> => {
      opened += 1
      throw new Error('no way there')
    }
    const connection = { host: 'x', isRemote: false, canAsk: true, open, ...over } as unknown as ServiceConnection
    const found = { items: [], steps: [], lock: await context.lock.read() } as unknown as Survey
    await fetchUnasked({ ...context, warn: (words: string) => warned.push(words) } as unknown as Context, connection, { signal }, found)
    return [opened, warned]
  }

  test('but tells of what was never answered, without asking the service', async () => {
    expect(await run(false)).toEqual([0, [expect.stringContaining('recover hero.walk --replay')]])
  })

  test('but goes on with a warning where the service gives no answer, and silently where the run was ended', async () => {
    expect(await run(true)).toEqual([
      1,
      ['hero.walk: requests that no spec waits for are still at the service, which could not be asked: no way there'],
    ])
    expect(await run(true, {}, AbortSignal.abort())).toEqual([1, []])
  })

  test('but not without a key, nor from a worker', async () => {
    expect(await run(true, { canAsk: false })).toEqual([0, []])
    expect(await run(true, { isRemote: true })).toEqual([0, []])
  })
})

describe('results that only another place has', () => {
  /** Brings home what is `read` by name; the home takes those in `taken`. */
  const bring = async (read: string, taken: string, signal?: AbortSignal) => {
    const home = new Set(['a'])
    const asked: string[] = []
    const told: unknown[] = []
    const vault = {
      places: [
        { name: 'shared', store: { folder: '/share', has: async () => true } },
        { name: 'project', store: { folder: '/home', has: async (name: string) => home.has(name) } },
        { name: 'rescue', store: { folder: '/rescue', has: async (name: string) => name !== 'd' } },
      ],
      read: async (name: string) => {
        asked.push(name)
        if (taken.includes(name)) home.add(name)
        return read.includes(name) ? new Uint8Array(1) : undefined
      },
    }
    const context = { vault, warnings: [] as string[] }
    const item = (result: string | undefined, state = 'bought'): object => ({ id: `hero.${result}`, state, result })
    const found = { items: [item('a'), item('b'), item('x', 'lost'), item(undefined), item('c')], steps: [item('d')] }
    const isWhole = await bringHome(context as unknown as Context, found as unknown as Survey, {
      onProgress: ({ id, phase, message }) => told.push([id, phase, message]),
      signal,
    })
    return { isWhole, asked, told, warnings: context.warnings }
  }
  const comes = (id: string): unknown[] => [id, 'downloading', 'bought before']

  test('come home, each with its progress; where the home takes no more, a warning names the other place', async () => {
    const { told, ...rest } = await bring('bcd', 'b')
    const warning = 'The result of "hero.c" is not in /home, which takes no more files. Make room and build again. It is kept in /rescue'
    expect(rest).toEqual({ isWhole: true, asked: ['b', 'c', 'd'], warnings: [warning] })
    const ids = ['hero.b', 'hero.c', 'hero.d']
    expect(told.toSorted()).toEqual([...ids.map(comes), ...ids.map((id) => [id, 'bought', undefined])].toSorted())
  })

  test('make no whole project if one of them cannot be read, which is told as no purchase', async () => {
    const { isWhole, told } = await bring('bd', 'bd')
    expect(isWhole).toBe(false)
    expect(told).not.toContainEqual(['hero.c', 'bought', undefined])
  })

  test('stay there when the run is ended', async () => {
    await expect(bring('bcd', 'bcd', AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
  })
})

describe('the lock file learns of a result', () => {
  const service = { host: 'x', keyMode: 'test', apiVersion: '1' } as const
  const result = { sha256: 'r', bytes: 3 }
  const request = { operation: 'text_to_image', id: 'hero.walk', prompt: 'x', take: 1 } as const
  const old: LockEntry = { service, asked: { prompt: 'x' }, execution: { id: 'e', conversation: null }, result }
  /** The changes that a run makes of a lock file, given what the journal says of `hash`. */
  const reconcile = async (animations: object, identity?: typeof service, state = 'bought') => {
    const changes: LockChange[] = []
    const change = async (id: string, of: string, how: LockChange['change']) => void changes.push({ id, hash: of, change: how })
    const stored = { accepted: { executionId: 'e', conversationId: 'c' }, stored: result, attempt: 1 }
    const context = {
      lock: { change, changeAll: async (all: readonly LockChange[]) => void changes.push(...all) },
      journal: { read: async (of: string) => ({ submission: of === hash ? stored : {} }) },
      host: { clock },
    }
    const item = { id: 'hero.walk', hash, state, request, result: 'r' }
    const found = { items: [item, { ...item, hash: undefined }], steps: [], lock: { version: 1, animations } }
    await reconcileLock(context as unknown as Context, found as unknown as Survey, identity)
    return changes
  }

  test('that stands under another name, and keeps what the entry says meanwhile', async () => {
    const [change, ...others] = await reconcile({ 'old.walk': { [hash]: old } })
    expect([change?.id, change?.hash, others]).toEqual(['hero.walk', hash, []])
    expect(change?.change(undefined)).toEqual(old)
    const approval = { ceiling: '2', priceVersion: 'v', buyer: 'b', at: 't' }
    expect(change?.change({ ...old, result: undefined, execution: undefined, approval })).toEqual({ ...old, approval })
    const newer = { ...old, result: { sha256: 'n', bytes: 1 } }
    expect(change?.change(newer)).toBe(newer)
  })

  test('that only the journal has, from the service of this run, and from none if that is unknown', async () => {
    const [change, ...others] = await reconcile({}, service)
    expect([change?.id, change?.hash, others]).toEqual(['hero.walk', hash, []])
    const asked = { prompt: 'x', operation: 'text_to_image' }
    expect(change?.change(undefined)).toEqual({ service, asked, execution: { id: 'e', conversation: 'c' }, result })
    expect(await reconcile({})).toEqual([])
    const other = await reconcile({ 'hero.walk': { [hash]: { ...old, result: undefined } } })
    expect(other.map(({ change: how }) => how(undefined)?.result)).toEqual([result])
  })

  test('and of nothing that it has, nor of what is not bought', async () => {
    expect(await reconcile({ 'hero.walk': { [hash]: old } }, service)).toEqual([])
    expect(await reconcile({ 'old.walk': { [hash]: old } }, service, 'lost')).toEqual([])
  })
})
