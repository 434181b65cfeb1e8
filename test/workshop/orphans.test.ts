import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askedFields } from '../../src/job/order.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import type { Context } from '../../src/project/context.ts'
import { listOrphans, listStrays, toOrphanOrder } from '../../src/project/recovery/unasked.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import type { PaidRequest, RequestReference } from '../../src/sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
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
