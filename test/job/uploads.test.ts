import { describe, expect, test } from 'vitest'
import type { Approval } from '../../src/credit/approval.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { type LockedSubmission, signSubmission } from '../../src/job/body.ts'
import type { UploadPicture } from '../../src/job/chain.ts'
import { bytesToTakeOver, checkPurchase, freeze } from '../../src/job/freeze.ts'

import { askedFields, commandName, idempotencyKey, type Order } from '../../src/job/order.ts'
import { createUploads } from '../../src/job/uploads.ts'
import type { ServiceIdentity } from '../../src/sprite-spec/request.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { ownKey } from '../sim/exhaustive/project.ts'
import { bench, order, price } from './bench.ts'

const identity: ServiceIdentity = { host: 'a.test', keyMode: 'test', apiVersion: '1' }
const picture = 'c'.repeat(64)
const file = { bytes: new Uint8Array([1]), contentType: 'image/png' as const }

function desk() {
  const disk = new MemoryDisk()
  let count = 0
  const client = { ...bench().client, uploadReference: async () => `id${++count}` }
  const open = (over: Partial<ServiceIdentity> = {}, key = 1) =>
    createUploads({ disk, random: countingRandom(), client, keys: ringOf(testKey(key)) }, '/u', { ...identity, ...over })
  return { disk, open, count: () => count }
}

describe('an uploaded picture', () => {
  test('is uploaded once for all runs, until it is forgotten', async () => {
    const { open, disk } = desk()
    const uploads = open()
    expect(await Promise.all([uploads.referenceId(picture, file), uploads.referenceId(picture, file)])).toEqual(['id1', 'id1'])
    expect(await open().referenceId(picture, file)).toBe('id1')
    expect(disk.files.size).toBe(1)
    await uploads.forget(picture)
    expect(await uploads.referenceId(picture, file)).toBe('id2')
  })

  test('a shared upload that an interruption ends is made again by the run that was not interrupted', async () => {
    const { disk } = desk()
    let tries = 0
    const first = new AbortController()
    const uploadReference = async (_file: unknown, signal?: AbortSignal): Promise<string> => {
      if (++tries > 1) return 'id2'
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }
    const client = { ...bench().client, uploadReference }
    const uploads = createUploads({ disk, random: countingRandom(), client, keys: ringOf(testKey(1)) }, '/u', identity)
    const both = Promise.allSettled([uploads.referenceId(picture, file, first.signal), uploads.referenceId(picture, file)])
    while (tries === 0) await new Promise((resolve) => setImmediate(resolve))
    first.abort()
    expect(await both).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'id2' }])
  })

  test.each([{ host: 'b.test' }, { keyMode: 'live' as const }])(
    'has an id of its own at %j, and no file in its place is used',
    async (other) => {
      const { open, disk } = desk()
      expect(await open().referenceId(picture, file)).toBe('id1')
      const [[path, bytes] = ['', new Uint8Array()]] = disk.files
      expect(await open(other).referenceId(picture, file)).toBe('id2')
      const place = [...disk.files.keys()].find((one) => one !== path) as string
      disk.files.set(place, bytes)
      expect(await open(other).referenceId(picture, file)).toBe('id3')
    },
  )

  test.each([
    ['of another picture', (text: string) => text, 'd'.repeat(64)],
    ['with another id', (text: string) => text.replace('id1', 'id7'), picture],
    ['without a seal', (text: string) => text.replace(/,"seal":"[^"]*"/, ''), picture],
    ['that is torn', (text: string) => text.slice(0, 9), picture],
  ])('is uploaded anew for a file %s', async (_which, change, of) => {
    const { open, disk } = desk()
    await open().referenceId(picture, file)
    const [[path, bytes] = ['', new Uint8Array()]] = disk.files
    disk.files.set(path.replace(picture, of), new TextEncoder().encode(change(new TextDecoder().decode(bytes))))
    expect(await open().referenceId(of, file)).toBe('id2')
  })

  test('of another user is uploaded anew, and a failed upload is tried again', async () => {
    const { open, disk } = desk()
    await open().referenceId(picture, file)
    expect(await open({}, 2).referenceId(picture, file)).toBe('id2')
    let isDown = true
    const uploadReference = async () => {
      if (isDown) throw new Error('down')
      return 'id9'
    }
    const client = { ...bench().client, uploadReference }
    const uploads = createUploads({ disk, random: countingRandom(), client, keys: ringOf(testKey(3)) }, '/v', identity)
    await expect(uploads.referenceId(picture, file)).rejects.toThrow('down')
    isDown = false
    expect(await uploads.referenceId(picture, file)).toBe('id9')
  })
})

test('the lock file names every paid field of a request', () => {
  const sheet = order.request
  const base = {
    prompt: 'a small figure\nwalks',
    reference: expect.stringMatching(/^[0-9a-f]{64}$/),
    frames: 7,
    background: 'remove',
    take: 1,
  }
  expect(askedFields(sheet)).toEqual(base)
  expect(askedFields({ ...sheet, options: { style: 'a' } } as typeof sheet)).toEqual({ ...base, options: { style: 'a' } })
  const step = { operation: 'upscale', id: 'hero#2', prompt: 'p', take: 1 } as const
  expect(askedFields({ ...step, reference: { kind: 'request', hash: 'h' } })).toEqual({ prompt: 'p', reference: 'h', operation: 'upscale' })
  expect(askedFields({ ...step, operation: 'text_to_image', take: 2 })).toEqual({ prompt: 'p', operation: 'text_to_image', take: 2 })
  expect([commandName('hero.walk'), commandName('hero#2')]).toEqual(['hero.walk', 'hero'])
})

test('the key of an attempt stays as it was, because another key would buy again', () => {
  const live = { host: 'api.example.com', keyMode: 'live', apiVersion: '1' } as const
  const hash = 'a'.repeat(64)
  expect([1, 2].map((attempt) => idempotencyKey(live, hash, attempt))).toEqual([
    'sw1-yvpgauke2ptqbjhhfudeshzuvsepj2qfrwmy4ju4eeaffz524hwq',
    'sw1-eueysptqexdxitqjwhwaytqainklay4g5r4mok7xallvpvrdsekq',
  ])
  const others = [
    idempotencyKey({ ...live, host: 'other.example.com' }, hash, 1),
    idempotencyKey({ ...live, keyMode: 'test' }, hash, 1),
    idempotencyKey(live, 'b'.repeat(64), 1),
  ]
  expect(new Set([...others, idempotencyKey(live, hash, 1)]).size).toBe(4)
  expect(idempotencyKey({ ...live, apiVersion: '2' }, hash, 1)).toBe(idempotencyKey(live, hash, 1))
})

describe('the bytes of an attempt', () => {
  const { approval, hash, identity, reference, request } = order as Order & {
    readonly approval: Approval
    readonly reference: UploadPicture
  }
  const approved = { credits: price, priceVersion: approval.priceVersion, approval, balance: 3n * price }
  const id = 'a0000000-0000-4000-8000-000000000001'
  function uploading() {
    const calls: unknown[] = []
    const forget = async (...of: unknown[]) => {
      await Promise.resolve()
      calls.push(['forget', ...of])
    }
    const referenceId = async (...of: unknown[]) => {
      calls.push(of)
      return id
    }
    return { calls, made: bench({}, { uploads: { forget, referenceId } }) }
  }

  test('have their price, approval and picture in the record and in the lock file', async () => {
    const { calls, made } = uploading()
    const { ceiling: _ceiling, priceVersion, at, ...approvedBy } = approval
    const frozen = await freeze(made, order, 2, approved, reference)
    expect(frozen).toEqual({
      ...{
        attempt: 2,
        key: expect.any(String),
        body: expect.stringContaining(id),
        bodySha256: sha256(Buffer.from(frozen.body)),
        maxCredits: '2.4',
      },
      ...{ ceiling: '2.4', priceVersion, approvedAt: at, approvedBy, balance: '7.2', referenceId: id },
    })
    expect(calls).toEqual([
      ['forget', reference.sha256],
      [reference.sha256, reference.file, made.signal],
    ])
    const { attempt, key, body, bodySha256, maxCredits, referenceId } = frozen
    expect(findEntry(await made.lock.read(), request.id, hash)).toEqual({
      ...{ service: identity, asked: expect.anything() },
      submission: {
        ...{ attempt, key, body, bodySha256, maxCredits, referenceId },
        publicKey: ownKey.publicKey,
        signature: expect.any(String),
      },
    })
    await expect(freeze(made, order, 2, { ...approved, credits: price + 1n }, reference)).rejects.toMatchObject({ code: 'SW_INTERNAL' })
  })

  test.each<[string, object]>([
    ['price', { maxCredits: '2.3' }],
    ['hash', { bodySha256: '0'.repeat(64) }],
    ['key', { key: 'sw1-x' }],
    ['attempt', { attempt: 2 }],
    ['body', { body: '{}' }],
    ['body and its hash', { body: '{}', bodySha256: sha256(Buffer.from('{}')) }],
  ])('are made anew if those of the lock file have another %s, and a person cannot take them over', async (_what, over) => {
    const { calls, made } = uploading()
    const first = await freeze(made, order, 1, approved, reference)
    const { submission: frozen } = findEntry(await made.lock.read(), request.id, hash) as LockEntry
    const { publicKey: _key, signature: _signature, ...submission } = frozen as LockedSubmission
    const changed = signSubmission(ownKey, hash, { ...submission, ...over })
    await made.lock.change(request.id, hash, (entry) => ({ ...(entry as LockEntry), submission: changed }))
    expect(bytesToTakeOver(made, order, findEntry(await made.lock.read(), request.id, hash), price)).toBe('others')
    expect([await freeze(made, order, 1, approved, reference), calls.length]).toEqual([first, 2])
  })

  test('of a text have no picture, and those of an earlier attempt leave no execution beside them', async () => {
    const { calls, made } = uploading()
    const text = { operation: 'text_to_image', id: 'hero#1', prompt: 'p', take: 1 } as const
    const drawn: Order = { ...order, request: text, hash: 'e'.repeat(64) }
    const read = async () => findEntry(await made.lock.read(), text.id, drawn.hash)
    expect(Object.keys(await freeze(made, drawn, 2, approved, undefined))).not.toContain('referenceId')
    expect(calls).toEqual([])
    const execution = { id: 'e', conversation: null }
    await made.lock.change(text.id, drawn.hash, (entry) => ({ ...(entry as LockEntry), asked: { prompt: 'before' }, execution }))
    await freeze(made, drawn, 2, { ...approved, credits: price - 1n }, undefined)
    expect(await read()).toMatchObject({ asked: { prompt: 'before' }, execution, submission: { attempt: 2, maxCredits: '2.3999' } })
    await freeze(made, drawn, 3, approved, undefined)
    expect([(await read())?.execution, (await read())?.submission?.attempt]).toEqual([undefined, 3])
  })

  test('can be taken over from the author of the approval or a trusted key, for this price and a plain name of the picture', async () => {
    const { made } = uploading()
    await freeze(made, order, 1, approved, reference)
    const entry = findEntry(await made.lock.read(), request.id, hash) as LockEntry
    const { publicKey: _key, signature: _signature, ...bare } = entry.submission as NonNullable<LockEntry['submission']>
    const by = (number: number): LockEntry => ({ ...entry, submission: signSubmission(testKey(number), hash, bare as never) })
    const take = (one: LockEntry | undefined, credits = price) => bytesToTakeOver(made, order, one, credits)
    expect([take(undefined), take({ ...entry, submission: undefined } as never)]).toEqual([undefined, undefined])
    expect(take(entry)).toEqual(entry.submission)
    const theirs = by(9)
    expect(take({ ...theirs, approval: { publicKey: testKey(9).publicKey } } as LockEntry)).toEqual(theirs.submission)
    const others = [
      theirs,
      { ...theirs, approval: { publicKey: testKey(8).publicKey } } as LockEntry,
      { ...entry, submission: bare } as LockEntry,
    ]
    expect(others.map((one) => take(one))).toEqual(['others', 'others', 'others'])
    expect(take(entry, price - 1n)).toBe('others')
    const escaped = { ...bare, referenceId: '\u001b[2J', body: (bare.body as string).replace(id, '\\u001b[2J') }
    const strange = signSubmission(ownKey, hash, { ...escaped, bodySha256: sha256(Buffer.from(escaped.body)) } as never)
    expect(take({ ...entry, submission: strange })).toBe('others')
  })

  test('are not even prepared under an approval that was taken back, and the price is asked for the frames of the request', async () => {
    const asked: unknown[] = []
    const estimate = async (...of: readonly unknown[]) => {
      asked.push(of)
      return { credits: price, priceVersion: approval.priceVersion } as never
    }
    const made = bench({ estimate, balance: async () => price })
    await expect(checkPurchase(made, order, { at: '2030-01-01T00:00:00.000Z', isRevoked: true })).rejects.toMatchObject({
      code: 'SW_APPROVAL',
    })
    expect(asked).toEqual([])
    await checkPurchase(made, order, undefined)
    expect(asked).toEqual([[7, 'remove', made.signal]])
  })
})
