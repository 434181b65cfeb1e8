import { describe, expect, test } from 'vitest'
import { type Approval, signApproval } from '../../src/credit/approval.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { checkFrozen, makeBody, signSubmission, trustedSubmission } from '../../src/job/body.ts'
import { checkUpscale, purchaseOnce, readReferencePicture } from '../../src/job/chain.ts'
import { checkPurchase, freeze, readPrice } from '../../src/job/freeze.ts'
import type { Order, Purchase } from '../../src/job/order.ts'
import { authorise } from '../../src/job/stop.ts'
import type { Estimate } from '../../src/service/wire.ts'
import type { ImageRequest } from '../../src/sprite-spec/request.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { testKey } from '../kit/keys.ts'
import { figurePng } from '../kit/project.ts'
import { capabilities, ownKey } from '../sim/exhaustive/project.ts'
import { type Bench, bench, executionOf, order, price } from './bench.ts'

const approval = order.approval as Approval
const quote = (over: Partial<Estimate> = {}): Estimate => ({
  ...{ priceVersion: approval.priceVersion, frameCount: 7, background: 'remove', credits: price },
  ...{ referenceUsd: '0', referenceCreditCents: 0 },
  ...over,
})
const step: ImageRequest = { operation: 'upscale', id: 'hero#2', prompt: 'p', reference: { kind: 'request', hash: 'h' }, take: 1 }
const stepOrder: Order = { ...order, hash: 'e'.repeat(64), request: step, approval: undefined }

describe('before the first POST', () => {
  const calls = (balance: bigint, over: Partial<Estimate> = {}) => ({ balance: async () => balance, estimate: async () => quote(over) })
  const check = (made: Bench, one = order) => checkPurchase(made, one, undefined)

  test('the price, its version and the balance are those of this moment', async () => {
    const found = { credits: price, priceVersion: approval.priceVersion, approval, balance: price }
    expect(await check(bench(calls(price)))).toEqual(found)
    const cheaper = { ...found, credits: price - 1n }
    expect(await check(bench(calls(price, { credits: price - 1n })))).toEqual(cheaper)
  })

  test.each([
    ['SW_BALANCE', calls(price - 1n), { id: 'hero.walk', price: '2.4', balance: '2.3999' }],
    [
      'SW_CEILING',
      calls(99n * price, { credits: price + 1n }),
      { id: 'hero.walk', quoted: '2.4001', ceiling: '2.4', priceVersion: approval.priceVersion, approvedVersion: approval.priceVersion },
    ],
    [
      'SW_PRICE_VERSION',
      calls(99n * price, { priceVersion: 'v9' }),
      { id: 'hero.walk', quoted: '2.4', ceiling: '2.4', priceVersion: 'v9', approvedVersion: approval.priceVersion },
    ],
  ])('%s stops it', async (code, client, facts) => {
    await expect(check(bench(client))).rejects.toMatchObject({ code, facts })
  })

  test.each([
    [{ operations: ['upscale'] }, { id: 'hero.walk', operation: 'sprite_sheet', operations: ['upscale'] }],
    [{ minimumFrames: 8 }, { id: 'hero.walk', frames: 7, minimumFrames: 8, maximumFrames: 100 }],
    [
      { minimumFrames: null, maximumFrames: 6 },
      { id: 'hero.walk', frames: 7, minimumFrames: null, maximumFrames: 6 },
    ],
  ])('an account that can do only %j stops it', async (over, facts) => {
    await expect(check(bench(calls(price), { capabilities: { ...capabilities, ...over } }))).rejects.toMatchObject({
      code: 'SW_CAPABILITY',
      facts,
    })
  })

  test.each([
    { minimumFrames: 7, maximumFrames: 7 },
    { minimumFrames: null, maximumFrames: null },
  ])('%j does not', async (over) => {
    await check(bench(calls(price), { capabilities: { ...capabilities, ...over } }))
  })

  test('the price of a picture is that of the capabilities, read anew', async () => {
    const made = (imageCredits: bigint | null) => bench({ capabilities: async () => ({ ...capabilities, imageCredits }) })
    expect(await readPrice(made(7n), step)).toEqual({ credits: 7n, priceVersion: 'live_charge_credits_per_image' })
    await expect(readPrice(made(null), step)).rejects.toMatchObject({ code: 'SW_CAPABILITY', facts: { id: 'hero#2' } })
  })
})

describe('the right to buy', () => {
  const run =
    (over: object, one: Order = order, sent?: Approval) =>
    () =>
      authorise(bench({}, over), one, undefined, sent)
  const without: Order = { ...order, approval: undefined }
  const thrown = (code: string, facts: object) => expect.objectContaining({ code, facts: expect.objectContaining(facts) })
  const foreign: Approval = signApproval(testKey(9), order.hash, order.identity, {
    ...{ ceiling: price, priceVersion: approval.priceVersion, at: approval.at },
    ...{ given: 'typed', checkout: 'desk' },
  })

  test('comes from a valid approval of today', () => {
    expect(run({})()).toBe(approval)
    expect(run({}, order, { ...approval })()).toBe(approval)
    expect(run({}, without)).toThrow(thrown('SW_APPROVAL', { id: 'hero.walk' }))
    expect(run({}, { ...order, approval: foreign })).toThrow(
      thrown('SW_BUYER', { ids: ['hero.walk'], verdict: 'other', buyer: testKey(9).fingerprint }),
    )
  })

  test('to repeat the same bytes comes from the approval under which they were sent, if it is valid', () => {
    expect(run({}, without, approval)()).toBe(approval)
    expect(run({}, { ...order, approval: foreign }, approval)()).toBe(approval)
    expect(run({}, without, foreign)).toThrow(thrown('SW_APPROVAL', { id: 'hero.walk' }))
    expect(run({}, { ...order, approval: foreign }, foreign)).toThrow(thrown('SW_BUYER', { verdict: 'other' }))
  })

  test('ends with a newer approval, or when it was taken back', () => {
    const newest = (isRevoked: boolean) => () => authorise(bench(), order, { at: '2030-01-01T00:00:00.000Z', isRevoked })
    expect(newest(false)).toThrow(thrown('SW_APPROVAL', { id: 'hero.walk', verdict: 'replaced' }))
    expect(newest(true)).toThrow(thrown('SW_APPROVAL', { id: 'hero.walk', verdict: 'revoked' }))
  })

  test('needs a run that may buy, or that may repeat what was sent', () => {
    const never = { mayBuy: false, mayReplay: false }
    expect(run(never)).toThrow(thrown('SW_MISSING', {}))
    expect(run(never, order, approval)).toThrow(thrown('SW_MISSING', {}))
    expect(run({ mayBuy: false, mayReplay: true })).toThrow(thrown('SW_MISSING', {}))
    expect(run({ mayBuy: false, mayReplay: true }, order, approval)()).toBe(approval)
  })
})

describe('frozen bytes', () => {
  const uploads = { referenceId: async () => 'a0000000-0000-4000-8000-000000000001', forget: async () => {} }
  const priced = { credits: price, priceVersion: approval.priceVersion, approval }
  const picture = order.reference?.kind === 'file' ? order.reference : undefined
  const frozenBy = async (made: Bench, one = order) => freeze(made, one, 1, priced, picture)

  test('are sent only if they are those of the request, its key and its approval', async () => {
    const made = bench({}, { uploads })
    const frozen = await frozenBy(made)
    const check =
      (over: object, one: Order = order, ports: object = {}) =>
      () =>
        checkFrozen({ ...made, ...ports }, one, { ...frozen, ...over }, false, undefined)
    expect(check({})).not.toThrow()
    const differing = (...differs: string[]) =>
      expect.objectContaining({ code: 'SW_JOURNAL', facts: { id: 'hero.walk', hash: order.hash, differs } })
    expect(check({ key: 'sw1-x' })).toThrow(differing('its key'))
    expect(check({ attempt: 2 })).toThrow(differing('its key'))
    expect(check({ body: `${frozen.body} ` })).toThrow(differing('its bytes'))
    expect(check({ bodySha256: 'x' })).toThrow(differing('its bytes'))
    expect(check({}, { ...order, request: { ...order.request, prompt: 'p' } as Order['request'] })).toThrow(
      differing('its request', 'its bytes'),
    )
    // The approval under which the same bytes were sent is enough to send them again.
    const again =
      (over: object, isReplay = true) =>
      () =>
        checkFrozen(made, { ...order, approval: undefined }, { ...frozen, ...over }, isReplay, undefined)
    expect(again({})).not.toThrow()
    for (const one of [again({}, false), again({ approvedBy: undefined }), again({ ceiling: '3' })])
      expect(one).toThrow(expect.objectContaining({ code: 'SW_APPROVAL' }))
    const above = (of: object) =>
      expect.objectContaining({ code: 'SW_CEILING', facts: expect.objectContaining({ id: 'hero.walk', ...of }) })
    const client = (inBody: bigint | undefined) => ({ client: { ...made.client, maxCreditsOf: () => inBody } })
    expect(check({}, order, client(price + 1n))).toThrow(above({ quoted: '2.4001', ceiling: '2.4' }))
    expect(check({}, order, client(undefined))).not.toThrow()
    const low = signApproval(ownKey, order.hash, order.identity, {
      ...{ ceiling: price - 1n, priceVersion: approval.priceVersion, at: approval.at, given: 'typed', checkout: 'desk' },
    })
    expect(check({}, { ...order, approval: low }, client(0n))).toThrow(above({ ceiling: '2.3999' }))
  })

  test('have every paid field of the request in them', () => {
    const { client } = bench()
    const request = { ...order.request, options: { style: 'ink' } } as Order['request']
    const text = (...of: Parameters<typeof makeBody>) => new TextDecoder().decode(makeBody(...of))
    const id = 'a0000000-0000-4000-8000-000000000001'
    const sheet = text(client, request, id, price)
    for (const part of ['a small figure\\nwalks', id, 'style', 'ink', '2.4', 'remove']) expect(sheet).toContain(part)
    expect(text(client, order.request, id, price)).not.toContain('style')
    expect(text(client, step, id, price)).toContain(id)
    expect(() => makeBody(client, request, undefined, price)).toThrow(
      expect.objectContaining({ code: 'SW_JOURNAL', facts: { id: 'hero.walk' } }),
    )
  })

  test('of the lock file are taken up if a trusted key signed them for this attempt and this price', async () => {
    let count = 0
    const counting = { ...uploads, referenceId: async () => `a0000000-0000-4000-8000-00000000000${++count}` }
    const made = bench({}, { uploads: counting })
    const first = await frozenBy(made)
    expect([await frozenBy(made), count]).toEqual([first, 1])
    const dearer = { ...priced, credits: price - 1n }
    expect([(await freeze(made, order, 1, dearer, picture)).maxCredits, count]).toEqual(['2.3999', 2])
    // Signed bytes that name no uploaded picture are those of no request with one.
    const { referenceId: _id, ...bare } = first
    const { attempt, key, body, bodySha256, maxCredits } = bare
    const submission = signSubmission(ownKey, order.hash, { attempt, key, body, bodySha256, maxCredits })
    await made.lock.change(order.request.id, order.hash, (entry) => ({ ...(entry as LockEntry), submission }))
    expect((await frozenBy(made)).referenceId).toBe('a0000000-0000-4000-8000-000000000003')
    const trusted = new Set<string>()
    await frozenBy({ ...made, approvers: { own: testKey(5).fingerprint, others: trusted } })
    expect(count).toBe(4)
  })

  test('are signed with their attempt, key and body', () => {
    const submission = { attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2.4' }
    const signed = signSubmission(ownKey, order.hash, submission)
    const trusted = (over: object, hash = order.hash, isTrusted = true) =>
      trustedSubmission({ submission: { ...signed, ...over } } as LockEntry, hash, () => isTrusted)
    expect(trusted({})).toEqual(signed)
    for (const over of [{ attempt: 2 }, { key: 'l' }, { body: '{ }' }, { publicKey: undefined }, { signature: undefined }])
      expect(trusted(over)).toBeUndefined()
    expect([trusted({}, 'f'.repeat(64)), trusted({}, order.hash, false), trustedSubmission(undefined, order.hash, () => true)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the picture of an earlier step', () => {
  const png = figurePng(7)
  const asset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: null, width: null, height: null }
  const after: Order = { ...order, reference: { kind: 'order', order: stepOrder } }

  /** The step is bought. Its records are of another user, unless said otherwise. */
  async function bought(
    bytes: Uint8Array,
    atService: Uint8Array | undefined,
    isForeign = true,
    fault?: Purchase['fault'],
    hasExecution = true,
  ) {
    const made = bench({
      execution: async () => executionOf('completed', { assets: atService ? [asset] : [] }),
      download: async () => ({ bytes: atService }) as never,
    })
    const result = await made.vault.put(bytes)
    const accepted = { attempt: 1, executionId: 'e1', conversationId: null }
    if (hasExecution) await made.journal.append(stepOrder.hash, await made.journal.read(stepOrder.hash), 'accepted', accepted)
    const others = {
      ...made.journal,
      read: async (hash: string) => {
        const read = await made.journal.read(hash)
        return isForeign ? { ...read, submission: { ...read.submission, isForeign: true as const } } : read
      },
    }
    const purchase = async (): Promise<Purchase> => ({
      ...{ id: step.id, hash: stepOrder.hash, sha256: result },
      credits: '1',
      isFresh: true,
      ...(fault ? { fault } : {}),
    })
    return { result, read: readReferencePicture({ ...made, journal: others }, after, purchase) }
  }

  test('is uploaded as it was delivered', async () => {
    const { read } = await bought(png, undefined, false)
    expect(await read).toEqual({ sha256: sha256(png), file: { bytes: png, contentType: 'image/png' } })
  })

  test('from records of somebody else counts only if the service gives the same picture', async () => {
    expect(await (await bought(png, png)).read).toMatchObject({ sha256: sha256(png) })
    for (const atService of [figurePng(8), undefined]) {
      const { read, result } = await bought(png, atService)
      await expect(read).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { id: 'hero#2', result } })
    }
  })

  test('from records of somebody else without an execution does not count', async () => {
    const { read } = await bought(png, png, true, undefined, false)
    await expect(read).rejects.toMatchObject({ code: 'SW_JOURNAL' })
  })

  test('that is none, or cannot be read, stops what builds on it', async () => {
    const none = await bought(new TextEncoder().encode('PK'), undefined, false)
    await expect(none.read).rejects.toMatchObject({ code: 'SW_DELIVERY', facts: { id: 'hero#2', result: none.result } })
    const torn = await bought(png, undefined, false, { why: 'It is torn.', again: 'It was fetched again.' })
    await expect(torn.read).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      message: expect.stringContaining('found It is torn. It was fetched again. It is kept as'),
    })
  })

  test('that was damaged in the vault stops what builds on it, and is fetched by the next run', async () => {
    const gone = async (): Promise<Purchase> => ({ ...{ id: step.id, hash: 'h', sha256: '0'.repeat(64) }, credits: '1', isFresh: true })
    await expect(readReferencePicture(bench(), after, gone)).rejects.toMatchObject({ code: 'SW_VAULT', facts: { id: 'hero#2' } })
  })

  test('is bought once for all that need it', async () => {
    const made = bench()
    let count = 0
    const purchase = async (): Promise<Purchase> => ({ ...{ id: step.id, hash: 'h', sha256: 's' }, credits: '1', isFresh: ++count > 0 })
    await Promise.all([purchaseOnce(made, stepOrder, purchase), purchaseOnce(made, stepOrder, purchase)])
    expect(count).toBe(1)
  })

  test.each([
    ['upscale', 2048, 8, true],
    ['upscale', 2049, 8, false],
    ['upscale', 8, 2049, false],
    ['background_remove', 2049, 8, true],
  ] as const)('for %s may have %d × %d pixels: %s', (operation, width, height, may) => {
    const bytes = new Uint8Array(png)
    const view = new DataView(bytes.buffer)
    view.setUint32(16, width)
    view.setUint32(20, height)
    const check = () => checkUpscale({ ...stepOrder, request: { ...step, operation } }, bytes)
    if (may) expect(check).not.toThrow()
    else expect(check).toThrow(expect.objectContaining({ code: 'SW_REFERENCE', facts: { id: 'hero#2', found: 2049, limit: 2048 } }))
  })
})
