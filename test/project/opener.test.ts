import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { formatCredits } from '../../src/credit/credits.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import { signSubmission } from '../../src/job/body.ts'
import { askedFields } from '../../src/job/order.ts'
import { faultOfResult } from '../../src/project/opener.ts'
import { type ApprovedOrder, approvalOf, toApprovalChange, toOrder, withSteps } from '../../src/project/orders.ts'
import {
  isFetchable,
  isNamed,
  listOrphans,
  listStrays,
  listUnasked,
  ofPresentServices,
  strayWords,
  toOrphanOrder,
  warnOfOrphan,
} from '../../src/project/recovery/unasked.ts'
import { createConnection, queueAddress, readRoute, type Session, uploadsFolder } from '../../src/project/session.ts'
import type { WantedAnimation } from '../../src/project/wanted.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import type { PaidRequest } from '../../src/sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { order } from '../job/bench.ts'
import { ownKey } from '../sim/exhaustive/project.ts'

const picture = encodePng(createBitmap(4, 4, new Uint8Array(64).fill(99)))
const frames = Array.from({ length: 7 }, (_, index) => createBitmap(4, 4, new Uint8Array(64).fill(index + 1)))
const { zip: sheet } = await packDelivery(frames, defaultShapes.names)
const context = { options: { service: undefined } } as unknown as Parameters<typeof faultOfResult>[0]

test('a sheet is read as an archive of frames, and a picture as a picture', () => {
  expect(faultOfResult(context, { operation: 'sprite_sheet', frames: 7 }, sheet)).toBeUndefined()
  expect(faultOfResult(context, { operation: 'edit_image' } as never, picture)).toBeUndefined()
  for (const [operation, bytes] of [
    ['sprite_sheet', picture],
    ['sprite_sheet', sheet.subarray(0, -1)],
    ['edit_image', sheet],
    ['edit_image', picture.subarray(0, -1)],
  ] as const)
    expect(faultOfResult(context, { operation } as never, bytes), operation).toMatch(/\w/)
})

describe('the order of an animation', () => {
  const approved = order as ApprovedOrder
  const { approval, identity, request, hash } = approved
  const session = { identity } as Session
  const written = { ...approval, ceiling: formatCredits(approval.ceiling) }
  const lockOf = (id: string, key: string, entry: Partial<LockEntry>) =>
    ({ version: 1, animations: { [id]: { [key]: { service: identity, asked: { prompt: 'p' }, ...entry } } } }) as unknown as LockFile
  const empty: LockFile = { version: 1, animations: {} }
  const approvers = { own: ownKey.fingerprint, others: new Set<string>() }
  const picture = { sha256: 'a'.repeat(64), bytes: new Uint8Array([7]), contentType: 'image/png' as const }
  const stepOf = (number: number, reference?: PaidRequest['reference']): PaidRequest =>
    ({ operation: 'upscale', id: `hero#${number}`, prompt: 'p', take: 1, ...(reference ? { reference } : {}) }) as PaidRequest
  const target = (steps: readonly PaidRequest[], last: PaidRequest, more: object = { picture }) =>
    ({ spec: { name: 'hero' }, requests: () => ({ steps, request: last }), ...more }) as unknown as WantedAnimation

  test('has the approval of the lock file for this request alone', () => {
    const lock = lockOf(request.id, hash, { approval: written })
    expect(approvalOf(lock, request.id, hash)).toEqual(approval)
    expect([approvalOf(lock, request.id, 'f'.repeat(64)), approvalOf(empty, request.id, hash)]).toEqual([undefined, undefined])
    expect(toOrder(session, target([], request), { lock, approvers })).toEqual({
      ...{ hash, request, identity, approval, lockedAttempt: undefined },
      reference: { kind: 'file', sha256: picture.sha256, file: { bytes: picture.bytes, contentType: 'image/png' } },
    })
  })

  test('goes on from the attempt of the lock file, if a key that counts has signed its bytes', () => {
    const signed = signSubmission(ownKey, hash, { attempt: 3, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2' })
    const attempt = (submission: object, others = approvers) =>
      toOrder(session, target([], request), { lock: lockOf(request.id, hash, { submission } as never), approvers: others }).lockedAttempt
    expect([attempt(signed), attempt({ ...signed, attempt: 9 }), attempt(signed, { ...approvers, own: 'x' })]).toEqual([
      3,
      undefined,
      undefined,
    ])
    expect(attempt(signed, { own: 'x', others: new Set([ownKey.fingerprint]) })).toBe(3)
  })

  test('leads over all its steps to its picture', () => {
    const first = stepOf(1, { kind: 'file', sha256: picture.sha256 })
    const second = stepOf(2, { kind: 'request', hash: requestHash(first, identity) })
    const last = { ...request, reference: { kind: 'request', hash: requestHash(second, identity) } } as PaidRequest
    const made = toOrder(session, target([first, second], last), { lock: empty, approvers })
    const chain = withSteps(made)
    expect(chain.map((one) => [one.request, one.hash, one.reference?.kind])).toEqual([
      [first, requestHash(first, identity), 'file'],
      [second, requestHash(second, identity), 'order'],
      [last, requestHash(last, identity), 'order'],
    ])
    expect(chain.slice(1).map(({ reference }) => reference?.kind === 'order' && reference.order)).toEqual(chain.slice(0, 2))
    expect(Object.hasOwn(toOrder(session, target([], stepOf(1)), { lock: empty, approvers }), 'reference')).toBe(false)
  })

  test.each([
    ['a picture', request, {}],
    ['a step', { ...request, reference: { kind: 'request', hash: 'h' } } as PaidRequest, { picture }],
  ])('is none without the source of its reference, %s', (_what, last, more) => {
    expect(() => toOrder(session, target([], last, more), { lock: empty, approvers })).toThrow(
      expect.objectContaining({ code: 'SW_INTERNAL' }),
    )
  })

  test('keeps a later approval and its own frozen bytes when it is approved', () => {
    const entry = { service: identity, asked: { prompt: 'before' }, execution: { id: 'e', conversation: null } } as LockEntry
    const frozen = { attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '2' }
    const { id, hash: of, change } = toApprovalChange(session, approved)
    expect([id, of]).toEqual([request.id, hash])
    expect(change(undefined)).toEqual({ service: identity, asked: askedFields(request), approval: written })
    expect(change({ ...entry, submission: frozen })).toEqual({ ...entry, submission: frozen, approval: written })
    expect(toApprovalChange(session, approved, frozen).change(entry)).toEqual({ ...entry, submission: frozen, approval: written })
    const at = (time: string): LockEntry => ({ ...entry, approval: { ...written, at: time } })
    expect(change(at('2100-01-01T00:00:00.000Z'))).toEqual(at('2100-01-01T00:00:00.000Z'))
    for (const time of ['2000-01-01T00:00:00.000Z', approval.at]) expect(change(at(time))?.approval).toEqual(written)
  })
})

describe('the connection to a service', () => {
  type Context = Parameters<typeof createConnection>[0]
  const given = { key: { reveal: () => 'sw_test_x' }, keySource: 'the environment' }
  const contextOf = (service: unknown, credentials: object = {}, more: object = {}) =>
    ({
      options: { service, limits: {}, store: {} },
      credentials,
      storeFolder: '/game/.s',
      configSource: 'c.ts',
      host: {},
      hosts: {},
      ...more,
    }) as unknown as Context

  test.each([
    ['embedded', {}, 'embedded', false, true],
    [{ baseUrl: 'https://a.test:8443/x//' }, given, 'a.test:8443/x', false, true],
    [{ baseUrl: 'https://a.test' }, {}, 'a.test', false, false],
    [undefined, { ...given, baseUrl: 'https://b.test/' }, 'b.test', false, true],
    [{ baseUrl: 'https://a.test' }, { ...given, baseUrl: 'https://b.test' }, 'a.test', false, true],
    [{ baseUrl: 'nowhere' }, given, undefined, false, false],
    [undefined, given, undefined, false, false],
    [{ queue: 'q' }, {}, undefined, true, true],
    [{ queue: 'q', baseUrl: 'https://a.test' }, given, 'a.test', false, true],
  ])('for the service %j and the credentials %j has the host %s', (service, credentials, host, isRemote, canAsk) => {
    const connection = createConnection(contextOf(service, credentials))
    expect([connection.host, connection.isRemote, connection.canAsk]).toEqual([host, isRemote, canAsk])
  })

  test.each([
    [undefined, given, 'SW_NO_SERVICE'],
    [{ baseUrl: 'https://a.test' }, {}, 'SW_NO_KEY'],
  ])('for the service %j and the credentials %j is not reached: %s', async (service, credentials, code) => {
    await expect(createConnection(contextOf(service, credentials)).reach()).rejects.toMatchObject({ code })
  })

  test.each([
    ['embedded', { ...given, baseUrl: 'https://b.test' }],
    [{ baseUrl: 'https://a.test' }, {}],
    [undefined, given],
  ])('for the service %j and the credentials %j sends its key nowhere', async (service, credentials) => {
    expect(await readRoute(contextOf(service, credentials))).toBeUndefined()
  })

  test('to a worker names every part that is missing', () => {
    const whole = { service: { queue: 'q' }, store: { shared: 's', journal: 'j' } }
    const address = (over: object) => queueAddress({ options: { ...whole, ...over } } as unknown as Context)
    expect(address({})).toBe('q')
    for (const [over, missing] of [
      [{ service: 'embedded' }, ['service.queue']],
      [{ store: { shared: 's' } }, ['store.journal']],
      [{ store: { journal: 'j' } }, ['store.shared']],
      [{ service: {}, store: {} }, ['service.queue', 'store.journal', 'store.shared']],
    ] as const)
      expect(() => address(over)).toThrow(expect.objectContaining({ code: 'SW_CONFIG', facts: { missing } }))
  })

  test('keeps the names of uploads beside the pictures of an embedded service', () => {
    expect(uploadsFolder(contextOf('embedded'))).toBe('/game/.s/embedded/uploads')
    expect(uploadsFolder(contextOf({ baseUrl: 'https://a.test' }))).toBe('/game/.s/uploads')
  })
})

describe('a request that no spec asks for any more', () => {
  const { identity } = order
  const file = { kind: 'file', sha256: 'a'.repeat(64) } as const
  const step = { kind: 'request', hash: 'b'.repeat(64) } as const
  const sheet = { ...order.request, reference: file } as PaidRequest
  const requests: readonly PaidRequest[] = [
    ...[sheet, { ...sheet, reference: step, take: 3, background: 'keep', options: { style: 'ink' } } as PaidRequest],
    { operation: 'text_to_image', id: 'hero#1', prompt: 'p', take: 1 },
    { operation: 'upscale', id: 'hero#2', prompt: 'p', reference: step, take: 2 },
    { operation: 'image_to_image', id: 'icons.sword', prompt: 'p', reference: file, take: 1 },
  ]

  test.each(requests)('is made again from the lock file as it was: %j', (request) => {
    const hash = requestHash(request, identity)
    const entry = { service: identity, asked: askedFields(request) } as LockEntry
    expect(toOrphanOrder({ id: request.id, hash, entry })).toEqual({ hash, identity, request, approval: undefined })
  })

  const entryOf = (over: Partial<LockEntry> = {}) => ({ service: identity, asked: { prompt: 'p' }, ...over }) as LockEntry
  const accepted = { attempt: 1, executionId: 'e', conversationId: null }
  const send = (kind: string) => ({ send: 1, at: 1, mono: 1, keyTag: 'k', answer: { kind } })

  /** A project with these submissions and entries, by hash. A missing submission has a broken chain. */
  function contextOf(submissions: Record<string, object | undefined>, entries: Record<string, Record<string, LockEntry>>) {
    const warned: string[] = []
    const read = async (hash: string) => {
      const submission = submissions[hash]
      if (!submission) throw Object.assign(new Error('broken'), { code: 'SW_JOURNAL', name: 'SpritewrightError' })
      return { submission: { attempt: 1, failures: 0, sends: [], ...submission } }
    }
    const lock = { version: 1, animations: entries, steps: {} } as LockFile
    const journal = { requests: async () => Object.keys(submissions), read }
    return {
      warned,
      context: { journal, lock: { read: async () => lock }, warn: (one: string) => warned.push(one) } as unknown as Parameters<
        typeof listOrphans
      >[0],
    }
  }

  test('is an orphan if it may have been paid and has no end', async () => {
    const submissions = {
      ...{ running: { accepted }, sent: { sends: [send('refused'), send('none')] }, unknown: { sends: [send('unknown')] } },
      ...{ refused: { sends: [send('refused')] }, unsent: {}, broken: undefined, asked: { accepted }, stored: { accepted, stored: {} } },
      ...{
        failed: { accepted, failed: {} },
        givenUp: { accepted, abandoned: {} },
        bought: { accepted },
        nowhere: { accepted },
        other: { accepted },
      },
    }
    const names = Object.keys(submissions).filter((name) => name !== 'nowhere' && name !== 'other')
    const hero = Object.fromEntries(names.map((name) => [name, entryOf(name === 'bought' ? { result: { sha256: 's', bytes: 1 } } : {})]))
    const { context, warned } = contextOf(submissions, { 'hero.walk': hero, 'coin.spin': { other: entryOf() } })
    const found = async (...of: string[]) => (await listOrphans(context, of, new Set(['asked']))).map(({ id, hash }) => `${id} ${hash}`)
    const open = ['hero.walk running', 'hero.walk sent', 'hero.walk unknown']
    expect(await found()).toEqual([...open, 'coin.spin other'])
    expect([await found('hero'), await found('hero.walk'), await found('coin'), await found('her')]).toEqual([
      open,
      open,
      ['coin.spin other'],
      [],
    ])
    const orphans = await listOrphans(context, ['hero'], new Set())
    const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
    const asking = { ...orphans[0], submission: { accepted, question } } as unknown as (typeof orphans)[0]
    expect([...orphans, asking].map(isFetchable)).toEqual([true, false, false, true, false])
    for (const one of [...orphans.slice(0, 2), asking]) warnOfOrphan(context, one)
    expect(warned.map((words) => /in flight|never answered|Which hand\?/.exec(words)?.[0])).toEqual([
      'in flight',
      'never answered',
      'Which hand?',
    ])
  })

  test('is of a present service if host and kind of key are those of a sprite, and of any if no sprite was bought', () => {
    const orphan = (host: string, keyMode: 'test' | 'live') => ({
      id: 'hero.walk',
      hash: 'h',
      entry: entryOf({ service: { host, keyMode, apiVersion: '1' } }),
    })
    const orphans = [orphan('a', 'live'), orphan('a', 'test'), orphan('b', 'live')]
    const found = (entries: Record<string, LockEntry>) =>
      ({
        items: [{ id: 'hero.run', hash: 'x' }, { id: 'hero.fall' }],
        steps: [],
        lock: { version: 1, animations: { 'hero.run': entries } },
      }) as unknown as Parameters<typeof ofPresentServices>[1]
    expect(ofPresentServices(orphans, found({ x: orphan('a', 'live').entry }))).toEqual(orphans.slice(0, 1))
    const both = { x: orphan('a', 'live').entry, y: orphan('b', 'live').entry }
    const steps = { ...found(both), steps: [{ id: 'hero#1', hash: 'y' }] } as unknown as Parameters<typeof ofPresentServices>[1]
    expect(ofPresentServices(orphans, steps)).toEqual([orphans[0], orphans[2]])
    expect(ofPresentServices(orphans, found({}))).toEqual(orphans)
  })

  test('has strays only after a second attempt, and each open one is listed once with its attempt', async () => {
    const strays = [
      { attempt: 1, executionId: 'e1' },
      { attempt: 2, executionId: 'e2', end: 'stored' },
      { attempt: 2, executionId: 'e3' },
    ]
    const second = entryOf({ submission: { attempt: 2 } as never })
    const { context } = contextOf(
      { h: { strays }, first: { strays: [{ attempt: 1, executionId: 'e9' }] } },
      { 'hero.walk': { h: second, first: entryOf(), broken: second }, 'coin.spin': {} },
    )
    const listed = await listStrays(context, [], undefined)
    expect(listed.map(({ id, hash, stray }) => [id, hash, stray.executionId])).toEqual([
      ['hero.walk', 'h', 'e1'],
      ['hero.walk', 'h', 'e3'],
    ])
    expect(await listStrays(context, ['coin'], undefined)).toEqual([])
    expect(listed.map(strayWords)).toEqual([
      expect.stringMatching(/"hero\.walk", attempt 1: .*execution e1/),
      expect.stringMatching(/attempt 2: .*execution e3/),
    ])
    const steps = [{ id: 'hero#1' }, { id: 'hero.walk', hash: 'first' }]
    const submissionOf = (hash: string) => ({ strays: [{ attempt: 1, executionId: `of ${hash}` }] })
    const found = {
      items: [
        { id: 'hero.walk', hash: 'h' },
        { id: 'hero.run', hash: 'gone' },
      ],
      steps,
      lock: await context.lock.read(),
      submissionOf,
    }
    expect(await listUnasked(context, [], found as never)).toEqual({
      orphans: [],
      strays: [
        { id: 'hero.walk', hash: 'h', entry: second, stray: { attempt: 1, executionId: 'of h' } },
        { id: 'hero.walk', hash: 'first', entry: entryOf(), stray: { attempt: 1, executionId: 'of first' } },
      ],
    })
    const { orphans } = await listUnasked(
      contextOf({ h: { accepted }, x: { accepted } }, { 'hero.walk': { h: second, x: second } }).context,
      [],
      found as never,
    )
    expect(orphans.map(({ hash }) => hash)).toEqual(['x'])
    expect([isNamed([], 'a.b'), isNamed(['a'], 'a#1'), isNamed(['a.b'], 'a.b'), isNamed(['b'], 'a.b')]).toEqual([true, true, true, false])
  })
})
