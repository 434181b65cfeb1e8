import { describe, expect, test } from 'vitest'
import { type Approval, signApproval } from '../../src/credit/approval.ts'
import { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { signSubmission } from '../../src/job/body.ts'
import { checkUpscale, purchaseOnce, readReferencePicture, type UploadPicture } from '../../src/job/chain.ts'
import { bytesToTakeOver, checkPurchase, freeze, readPrice } from '../../src/job/freeze.ts'
import { idempotencyKey, type Order, type Purchase } from '../../src/job/order.ts'
import type { ImageRequest } from '../../src/sprite-spec/request.ts'
import { findEntry, type LockEntry } from '../../src/vault/lockfile.ts'
import { figurePng } from '../kit/project.ts'
import { capabilities, ownKey } from '../sim/exhaustive/project.ts'
import { bench, executionOf, order, price } from './bench.ts'

const png = figurePng(7)
const step: ImageRequest = { operation: 'upscale', id: 'hero#2', prompt: 'p', reference: { kind: 'request', hash: 'h' }, take: 1 }
const hash = 'e'.repeat(64)
const priceVersion = 'live_charge_credits_per_image'
const terms = { ceiling: 7n, priceVersion, at: '2026-09-21T14:13:20.000Z', given: 'typed' as const, checkout: 'desk' }
const approval: Approval = signApproval(ownKey, hash, order.identity, terms)
const stepOrder: Order = { ...order, hash, request: step, approval }
const after: Order = { ...order, reference: { kind: 'order', order: stepOrder } }
const gone = (status: number) => new SpritewrightError('SW_WIRE', { message: 'x', facts: { status } })

describe('the picture of a request', () => {
  test('is the file of the project as it is, and a request without one buys nothing', async () => {
    const buy = async () => Promise.reject(new Error('bought'))
    expect(await readReferencePicture(bench(), order, buy)).toBe(order.reference)
    const { reference: _reference, ...text } = order
    expect(await readReferencePicture(bench(), text, buy)).toBeUndefined()
  })

  test('is the result of its step, which one purchase makes for all that need it', async () => {
    const made = bench()
    const result = await made.vault.put(png)
    const calls: unknown[] = []
    const buy = async (ports: unknown, of: Order): Promise<Purchase> => {
      calls.push([ports === made, of])
      return { id: 'hero#2', hash, sha256: result, credits: '1', isFresh: true }
    }
    const picture = { sha256: sha256(png), file: { bytes: png, contentType: 'image/png' } }
    expect(await readReferencePicture(made, after, buy)).toEqual(picture)
    expect(await readReferencePicture(made, after, buy)).toEqual(picture)
    expect(calls).toEqual([[true, stepOrder]])
    expect(purchaseOnce(made, stepOrder, buy)).toBe(made.underWay.get(hash))
    await purchaseOnce(made, order, buy)
    expect(calls.slice(1)).toEqual([[true, order]])
  })

  const urls = ['https://files.test/a', 'https://files.test/b']
  const assets = urls.map((downloadUrl) => ({ assetId: 'a', downloadUrl, contentType: null, width: null, height: null }))
  const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0, 0xff, 0xd9])

  /** Reads the picture of a step whose records somebody else wrote. */
  async function foreign(answers: { readonly execution?: Error; readonly download?: Error }, bytes = png) {
    const calls: unknown[] = []
    const made = bench({
      execution: async (id, signal) => {
        calls.push([id, signal === made.signal])
        if (answers.execution) throw answers.execution
        return executionOf('completed', { assets })
      },
      download: async (url, signal) => {
        calls.push([url, signal === made.signal])
        if (answers.download) throw answers.download
        return { bytes } as never
      },
    })
    const result = await made.vault.put(bytes)
    const journal = {
      ...made.journal,
      read: async (of: string) => {
        calls.push(of)
        const accepted = { attempt: 1, executionId: 'e7', conversationId: null }
        return { ...(await made.journal.read(of)), submission: { attempt: 1, failures: 0, sends: [], isForeign: true as const, accepted } }
      },
    }
    const buy = async (): Promise<Purchase> => ({ id: 'hero#2', hash, sha256: result, credits: '1', isFresh: true })
    return { calls, result, read: () => readReferencePicture({ ...made, journal }, after, buy) }
  }

  test('from records of somebody else is compared with the first file of its execution', async () => {
    const { calls, read } = await foreign({})
    expect((await read())?.sha256).toBe(sha256(png))
    expect(calls).toEqual([hash, ['e7', true], [urls[0], true]])
  })

  test.each([
    [{ execution: gone(404) }, 'SW_JOURNAL'],
    [{ execution: gone(410) }, 'SW_JOURNAL'],
    [{ download: gone(404) }, 'SW_JOURNAL'],
    [{ execution: gone(500) }, 'SW_WIRE'],
    [{ download: gone(403) }, 'SW_WIRE'],
  ])('from records of somebody else does not count if the service says %j', async (answers, code) => {
    await expect((await foreign(answers)).read()).rejects.toMatchObject({ code })
  })

  test('that is no PNG is named by its kind and kept', async () => {
    const { read, result } = await foreign({}, jpeg)
    await expect(read()).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      message: expect.stringContaining('image/jpeg'),
      facts: { id: 'hero#2', result },
    })
  })

  test('is measured for an upscale only if it can be', () => {
    expect(() => checkUpscale(stepOrder, new Uint8Array([1]))).not.toThrow()
  })
})

describe('before a purchase', () => {
  const can = { ...capabilities, operations: ['sprite_sheet', 'upscale'] }

  /** A service that notes what it is asked. */
  function asking(over: object = {}, imageCredits = 7n, credits = price) {
    const calls: unknown[] = []
    const made = bench(
      {
        capabilities: async (signal) => {
          calls.push(['capabilities', signal === made.signal])
          return { ...can, imageCredits }
        },
        estimate: async (...[frames, background, signal]) => {
          calls.push(['estimate', frames, background, signal === made.signal])
          return { priceVersion: order.approval?.priceVersion, credits, referenceUsd: '0.6', referenceCreditCents: 25 } as never
        },
        balance: async (signal) => {
          calls.push(['balance', signal === made.signal])
          return 7n
        },
      },
      { capabilities: { ...can, ...over } },
    )
    return { calls, made }
  }

  test('a picture has the price and the balance of this moment', async () => {
    const { calls, made } = asking()
    expect(await checkPurchase(made, stepOrder, undefined)).toEqual({ credits: 7n, priceVersion, approval, balance: 7n })
    expect(calls).toEqual([
      ['capabilities', true],
      ['balance', true],
    ])
    expect(await readPrice(made, order.request)).toEqual({
      ...{ priceVersion: order.approval?.priceVersion, credits: price, referenceUsd: '0.6', referenceCreditCents: 25 },
    })
  })

  test('a step above its ceiling is approved with all steps of its sprite', async () => {
    const { calls, made } = asking({}, 8n)
    await expect(checkPurchase(made, stepOrder, undefined)).rejects.toMatchObject({
      code: 'SW_CEILING',
      message: expect.stringContaining('approve hero --max 0.0008'),
      facts: { id: 'hero#2', quoted: '0.0008', ceiling: '0.0007', priceVersion, approvedVersion: priceVersion },
    })
    expect(calls).toEqual([['capabilities', true]])
  })

  test('what the account cannot do, and what nobody approved, is not even priced', async () => {
    const none = asking({ operations: [] })
    await expect(checkPurchase(none.made, stepOrder, undefined)).rejects.toMatchObject({
      code: 'SW_CAPABILITY',
      facts: { id: 'hero#2', operation: 'upscale', operations: [] },
    })
    const never = asking()
    await expect(checkPurchase({ ...never.made, mayBuy: false }, stepOrder, undefined)).rejects.toMatchObject({ code: 'SW_MISSING' })
    await expect(checkPurchase(never.made, { ...stepOrder, approval: undefined }, undefined)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect([...none.calls, ...never.calls]).toEqual([])
  })
})

describe('the bytes of an attempt', () => {
  const id = 'a0000000-0000-4000-8000-000000000001'
  const reference = order.reference as UploadPicture
  const approved = { credits: price, priceVersion: order.approval?.priceVersion ?? '', approval: order.approval as Approval }
  const uploading = (over: Parameters<typeof bench>[0] = {}) => {
    const calls: unknown[] = []
    const note = async (...of: unknown[]) => {
      calls.push(of)
      return id
    }
    return { calls, made: bench(over, { uploads: { forget: note as never, referenceId: note } }) }
  }

  test('are not made for a picture that is too large, nor by a profile that cannot make them, and nothing is uploaded', async () => {
    const large = new Uint8Array(png)
    new DataView(large.buffer).setUint32(16, 2049)
    const { calls, made } = uploading()
    const picture: UploadPicture = { sha256: sha256(large), file: { bytes: large, contentType: 'image/png' } }
    const price7 = { credits: 7n, priceVersion, approval }
    await expect(freeze(made, stepOrder, 2, price7, picture)).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { id: 'hero#2', found: 2049, limit: 2048 },
    })
    const submissionBody = () => {
      throw new Error('no such field')
    }
    const broken = uploading({ submissionBody })
    await expect(freeze(broken.made, order, 2, approved, reference)).rejects.toThrow('no such field')
    expect([...calls, ...broken.calls, await made.lock.read()]).toEqual([await bench().lock.read()])
  })

  test('have no balance if none was read, and a person can take over those of a later attempt or of a text', async () => {
    const { made } = uploading()
    const entryOf = async (of: Order) => findEntry(await made.lock.read(), of.request.id, of.hash) as LockEntry
    const frozen = await freeze(made, order, 3, approved, reference)
    expect([Object.hasOwn(frozen, 'balance'), frozen.key]).toEqual([false, idempotencyKey(order.identity, order.hash, 3)])
    const third = await entryOf(order)
    expect(bytesToTakeOver(made, order, third, price)).toEqual(third.submission)
    const text = { operation: 'text_to_image', id: 'hero#1', prompt: 'p', take: 1 } as const
    const drawn: Order = { ...order, request: text, hash: 'f'.repeat(64) }
    await freeze(made, drawn, 1, approved, undefined)
    const drawnEntry = await entryOf(drawn)
    expect(bytesToTakeOver(made, drawn, drawnEntry, price)).toEqual(drawnEntry.submission)
    expect(bytesToTakeOver(made, drawn, third, price)).toBe('others')
  })

  test.each([
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['a:b.c-d_9', true],
    ['', false],
    ['a\n', false],
    ['a b', false],
    [' a', false],
  ])('with the picture %j can be taken over: %s', async (referenceId, may) => {
    const { made } = uploading()
    const frozen = await freeze(made, order, 1, approved, reference)
    const body = frozen.body.replace(id, JSON.stringify(referenceId).slice(1, -1))
    const { attempt, key, maxCredits } = frozen
    const submission = signSubmission(ownKey, order.hash, {
      attempt,
      key,
      body,
      bodySha256: sha256(Buffer.from(body)),
      maxCredits,
      referenceId,
    })
    const taken = bytesToTakeOver(made, order, { submission } as LockEntry, price)
    expect(taken).toEqual(may ? submission : 'others')
  })
})
