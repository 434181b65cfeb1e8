import assert from 'node:assert/strict'
import { type Approval, type Approvers, approvalText, judgeApproval, signApproval } from '../../src/credit/approval.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import { createSigningKey, isSignatureOf } from '../../src/credit/signing-key.ts'
import { areSignedBy, isAccepted, lowerTotal, signCeilings } from '../../src/credit/standing.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { checkFrozen, makeBody, signSubmission, trustedSubmission } from '../../src/job/body.ts'
import { decide } from '../../src/job/decision.ts'
import { bytesToTakeOver } from '../../src/job/freeze.ts'
import { idempotencyKey, type Order } from '../../src/job/order.ts'
import { createJournal, type Journal, type JournalView } from '../../src/job/records/journal.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { createReservations } from '../../src/job/records/reservations.ts'
import { createUploads } from '../../src/job/uploads.ts'
import { Secret } from '../../src/options/credentials.ts'
import { readApprovers } from '../../src/project/trust/approvers.ts'
import { openCheckoutName } from '../../src/project/trust/checkout.ts'
import { checkRoute, openTrustedHosts, routeOf } from '../../src/project/trust/hosts.ts'
import { createClient } from '../../src/service/client.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import type { SheetRequest } from '../../src/sprite-spec/request.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { mayBuy } from '../../src/workshop/may-buy.ts'
import { testAuthenticator } from '../kit/authenticator.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

// Small scenes of invariant I11, each without a service. The same code plays them for the tests and for wrong
// versions of the checks.

const own = testKey(1)
const friend = testKey(2)
const stranger = testKey(66)
const identity = { host: 'service.test', keyMode: 'test', apiVersion: '1' } as const
const at = '2026-09-21T14:13:20.000Z'
const clock = { wall: () => Date.parse(at) + 60_000, mono: () => 60_000, sleep: async () => {} }
const request: SheetRequest = {
  ...{ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a figure\nwalks', frames: 7, background: 'remove', take: 1 },
  reference: { kind: 'file', sha256: 'a'.repeat(64) },
}
const hash = requestHash(request, identity)
const other = 'b'.repeat(64)
const terms = { ceiling: parseCredits('2.05'), priceVersion: 'v1', at, given: 'typed', checkout: 'desk' } as const
const approvers: Approvers = { own: own.fingerprint, others: new Set([friend.fingerprint]), checkout: 'desk' }

async function refused(work: () => unknown, what: string, code?: string): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    if (code !== undefined) assert.equal((error as { code?: string }).code, code, what)
    return
  }
  assert.fail(`${what}: expected a refusal`)
}

/** An approval counts only for exactly the signed terms, and only if the user trusts its signer. */
async function approvals(): Promise<void> {
  const verdict = (approval: Approval, of = hash, service: typeof identity = identity, by: Approvers = approvers): string =>
    judgeApproval(approval, of, service, by, { now: Date.parse(at), newest: undefined })
  const mine = signApproval(own, hash, identity, terms)
  assert.equal(verdict(mine), 'valid')
  assert.equal(verdict(signApproval(friend, hash, identity, terms)), 'valid')
  assert.equal(verdict(mine, other), 'forged', 'another request')
  for (const change of [{ host: 'other.test' }, { keyMode: 'live' }, { apiVersion: '2' }])
    assert.equal(verdict(mine, hash, { ...identity, ...change } as typeof identity), 'forged', JSON.stringify(change))
  const changes: readonly Partial<Approval>[] = [
    ...[{ ceiling: parseCredits('90') }, { priceVersion: 'v2' }, { at: '2030-01-01T00:00:00.000Z' }, { given: 'clicked' as const }],
    ...[{ checkout: 'laptop' }, { buyer: friend.fingerprint }, { publicKey: friend.publicKey }, { signature: friend.sign('x') }],
  ]
  for (const change of changes) assert.equal(verdict({ ...mine, ...change }), 'forged', JSON.stringify(Object.keys(change)))
  // On a machine that accepts approvals from any checkout.
  const anywhere = { ...approvers, checkout: undefined }
  assert.equal(verdict({ ...mine, checkout: 'laptop' }, hash, identity, anywhere), 'forged', 'checkout, anywhere')
  for (const name of ['publicKey', 'signature', 'given'] as const) assert.equal(verdict({ ...mine, [name]: undefined }), 'unsigned', name)
  const theirs = signApproval(stranger, hash, identity, terms)
  assert.equal(verdict(theirs), 'other')
  assert.equal(verdict({ ...theirs, buyer: own.fingerprint }), 'forged')
  // A trusted user can approve only in their own name.
  assert.equal(verdict(signApproval({ ...friend, fingerprint: own.fingerprint }, hash, identity, terms)), 'forged')
  assert.equal(verdict(signApproval(own, hash, identity, { ...terms, checkout: 'laptop' })), 'elsewhere')
  assert.equal(verdict(mine, hash, identity, { ...approvers, given: new Set(['clicked']) }), 'given')
  assert.equal(verdict(mine, hash, identity, { ...approvers, given: new Set(['typed']) }), 'valid')
  assert.equal(isSignatureOf({ publicKey: own.publicKey, signature: `${own.sign('x')}=` }, 'y'), false)
}

/** An approval ends, and counts for one project. */
async function lives(): Promise<void> {
  const day = 24 * 3_600_000
  const expires = new Date(Date.parse(at) + 30 * day).toISOString()
  const judge = (approval: Approval, by: Approvers, now: number, newest: string | undefined, isRevoked = false): string =>
    judgeApproval(approval, hash, identity, by, { now, newest: newest === undefined ? undefined : { at: newest, isRevoked } })
  const now = Date.parse(at)
  const later = new Date(now + 1).toISOString()
  const mine = signApproval(own, hash, identity, { ...terms, project: 'game', expires })
  assert.equal(judge(mine, approvers, now, at), 'valid')
  for (const change of [{ project: 'other' }, { expires: '2099-01-01T00:00:00.000Z' }, { project: undefined, expires: undefined }])
    assert.equal(judge({ ...mine, ...change }, approvers, now, at), 'forged', JSON.stringify(change))
  assert.equal(judge(mine, approvers, now, later), 'replaced')
  assert.equal(judge(mine, approvers, now, later, true), 'revoked')
  assert.equal(judge(mine, approvers, now, undefined), 'elsewhere', 'its journal has forgotten it')
  assert.equal(judge(mine, approvers, now + 30 * day, at), 'expired')
  assert.equal(judge(mine, { ...approvers, latest: now + 30 * day }, now, at), 'expired', 'the clock went back')
  const old = signApproval(own, hash, identity, terms)
  assert.equal(judge(old, { ...approvers, oldUntil: now }, now, undefined), 'expired')
  const theirs = signApproval(friend, hash, identity, { ...terms, checkout: 'laptop', project: 'game', expires })
  assert.equal(judge(theirs, approvers, now, undefined), 'project')
  assert.equal(judge(theirs, { ...approvers, project: 'other' }, now, undefined), 'project')
  assert.equal(judge(theirs, { ...approvers, project: 'game' }, now, undefined), 'valid')
  const carried = { ...approvers, isKeyFromEnvironment: true, project: 'other' }
  const elsewhere = signApproval(own, hash, identity, { ...terms, checkout: 'laptop', project: 'game', expires })
  assert.equal(judge(elsewhere, carried, now, undefined), 'project')
  assert.equal(judge(elsewhere, { ...carried, project: 'game' }, now, undefined), 'valid')
}

interface Papers {
  readonly disk: MemoryDisk
  readonly mine: Journal
  readonly theirs: Journal
}

function papers(): Papers {
  const disk = new MemoryDisk()
  const ports = { disk, random: countingRandom(), clock }
  return {
    disk,
    mine: createJournal({ ...ports, keys: ringOf(own) }, '/j'),
    theirs: createJournal({ ...ports, keys: ringOf(stranger) }, '/j'),
  }
}

async function write(journal: Journal, of: string, type: RecordType, body: object): Promise<JournalView> {
  const view = await journal.append(of, await journal.read(of), type, body as JournalRecord['body'])
  assert.ok(view)
  return view
}

const error = { reason: 'x', message: '', category: null, retryable: true } as never
const frozen = {
  ...{ attempt: 1, key: 'k', body: '{}', bodySha256: 'b', maxCredits: '1.6', ceiling: '2.05' },
  priceVersion: 'v1',
  approvedAt: at,
}
const facts = { wall: clock.wall(), mono: clock.mono(), windowMs: 600_000, keyTag: 'x', approvedAt: at }
const later = { ...facts, approvedAt: '2030-01-01T00:00:00.000Z' }

/** Another user's records stop every step that the user's own records would lead to. */
async function records(): Promise<void> {
  const histories: readonly (readonly (readonly [RecordType, object])[])[] = [
    [['frozen', frozen]],
    [
      ['frozen', frozen],
      ['sent', { attempt: 1, send: 1, keyTag: 'x' }],
    ],
    [
      ['frozen', frozen],
      ['sent', { attempt: 1, send: 1, keyTag: 'x' }],
      ['refused', { attempt: 1, send: 1, status: 429, error }],
    ],
    [
      ['frozen', frozen],
      ['accepted', { attempt: 1, executionId: 'e', conversationId: 'c' }],
      ['failed', { attempt: 1, status: 'failed', error }],
    ],
  ]
  for (const history of histories) {
    const { mine, theirs } = papers()
    for (const [type, body] of history) await write(mine, hash, type, body)
    const step = decide((await mine.read(hash)).submission, facts).do
    assert.ok(step === 'prepare' || step === 'replay', `one's own ${history.map(([type]) => type)} lead to ${step}`)
    for (const [type, body] of history) await write(theirs, other, type, body)
    const stopped = decide((await mine.read(other)).submission, later)
    assert.deepEqual([stopped.do, stopped.do === 'stop' && stopped.why.kind === 'uncertain' && stopped.why.because], ['stop', 'records'])
    // A later record of the user's own does not make them trusted.
    await write(mine, other, 'sent', { attempt: 1, send: 9, keyTag: 'x' })
    assert.equal((await mine.read(other)).submission.isForeign, true)
    await write(mine, other, 'frozen', { ...frozen, attempt: 2 })
    assert.equal((await mine.read(other)).submission.isForeign, true, 'another attempt')
    await write(theirs, other, 'decided', { attempt: 2, about: 'submission', decision: 'abandon', approvedAt: null })
    assert.equal((await mine.read(other)).submission.isForeign, true, 'given up by a stranger')
    await write(mine, other, 'decided', { attempt: 2, about: 'submission', decision: 'replay', approvedAt: null })
    assert.equal((await mine.read(other)).submission.isForeign, true, 'a replay')
    await write(mine, other, 'decided', { attempt: 2, about: 'submission', decision: 'abandon', approvedAt: null })
    assert.equal((await mine.read(other)).submission.isForeign, undefined, 'given up by the user')
  }
  // The user's own records are foreign if they are copied to another request.
  const { disk, mine } = papers()
  await write(mine, hash, 'frozen', frozen)
  disk.files.set(`/j/${other}/0001.json`, disk.files.get(`/j/${hash}/0001.json`) as Uint8Array)
  assert.equal((await mine.read(other)).submission.isForeign, true)
  // Another user's record with a seal of the user's own is foreign too.
  const { disk: mixed, ...both } = papers()
  await write(both.mine, hash, 'frozen', frozen)
  await write(both.theirs, hash, 'sent', { attempt: 1, send: 1, keyTag: 'x' })
  const read = (n: number): object => JSON.parse(new TextDecoder().decode(mixed.files.get(`/j/${hash}/000${n}.json`))) as object
  mixed.files.set(
    `/j/${hash}/0002.json`,
    new TextEncoder().encode(JSON.stringify({ ...read(2), seal: (read(1) as { seal: string }).seal })),
  )
  assert.equal(
    (await createJournal({ disk: mixed, random: countingRandom(), clock, keys: ringOf(own) }, '/j').read(hash)).submission.isForeign,
    true,
  )
  // A planted answer is not sent. A planted failure of an execution from the lock file proves nothing.
  const answers = papers()
  await write(answers.mine, hash, 'accepted', { attempt: 1, executionId: 'e', conversationId: 'c' })
  await write(answers.theirs, hash, 'answerFrozen', {
    attempt: 1,
    executionId: 'e',
    conversationId: 'c',
    questionId: 'q',
    key: 'k',
    text: 't',
    assetId: null,
  })
  await write(answers.theirs, hash, 'answerSent', { attempt: 1, send: 1, keyTag: 'x' })
  assert.equal(decide((await answers.mine.read(hash)).submission, facts).do, 'stop')
  const taken = papers()
  await write(taken.mine, hash, 'accepted', { attempt: 1, executionId: 'e', conversationId: 'c', approvedAt: at })
  await write(taken.mine, hash, 'failed', { attempt: 1, status: 'failed', error })
  assert.equal(decide((await taken.mine.read(hash)).submission, facts).do, 'stop')
}

const key = idempotencyKey(identity, hash, 1)
const client = createClient(
  { net: { request: async () => Promise.reject(new Error('no network')), close: async () => {} }, clock, random: countingRandom() },
  { baseUrl: 'https://service.test', key: 'sw_test_scenes' },
)

function order(more: Partial<Order> = {}): Order {
  return { hash, request, identity, approval: signApproval(own, hash, identity, terms), ...more }
}

function freeze(more: Partial<RecordBodies['frozen']> = {}, credits = '1.6'): RecordBodies['frozen'] {
  const body = makeBody(client, request, 'ref-1', parseCredits(credits))
  const { buyer, given, checkout, publicKey, signature } = signApproval(own, hash, identity, terms)
  return {
    ...{
      attempt: 1,
      key,
      body: new TextDecoder().decode(body),
      bodySha256: sha256(body),
      maxCredits: credits,
      ceiling: '2.05',
      referenceId: 'ref-1',
    },
    ...{ priceVersion: 'v1', approvedAt: at, approvedBy: { buyer, given, checkout, publicKey, signature } },
    ...more,
  }
}

/** Only bytes that match the request and the approval are sent. */
async function bodies(): Promise<void> {
  const ports = { client, clock, mayBuy: true, mayReplay: true, approvers }
  checkFrozen(ports, order(), freeze(), false, undefined)
  checkFrozen(ports, order(), freeze(), true, undefined)
  const bytes = (body: string): Partial<RecordBodies['frozen']> => ({ body, bodySha256: sha256(new TextEncoder().encode(body)) })
  const honest = freeze().body
  await refused(() => checkFrozen(ports, order(), freeze({ key: 'sw1-mine' }), true, undefined), 'another key', 'SW_JOURNAL')
  await refused(() => checkFrozen(ports, order(), freeze({ attempt: 2 }), true, undefined), 'another attempt', 'SW_JOURNAL')
  await refused(
    () => checkFrozen(ports, order(), freeze(bytes(honest.replace('"1.6"', '"20"'))), true, undefined),
    'more credits in the body',
    'SW_JOURNAL',
  )
  await refused(
    () => checkFrozen(ports, order(), freeze(bytes(honest.replace(':7', ':100'))), true, undefined),
    'more frames',
    'SW_JOURNAL',
  )
  await refused(
    () => checkFrozen(ports, order(), freeze(bytes(honest.replace('ref-1', 'ref-2'))), true, undefined),
    'another picture',
    'SW_JOURNAL',
  )
  await refused(
    () => checkFrozen(ports, order(), freeze({ referenceId: 'ref-2' }), true, undefined),
    'another picture beside the bytes',
    'SW_JOURNAL',
  )
  await refused(() => checkFrozen(ports, order(), freeze({ bodySha256: 'f'.repeat(64) }), true, undefined), 'another hash', 'SW_JOURNAL')
  await refused(() => checkFrozen(ports, order({ hash: other }), freeze(), true, undefined), 'another request')
  const changed = { ...request, prompt: 'a logo' }
  const logo = new TextDecoder().decode(makeBody(client, changed, 'ref-1', parseCredits('1.6')))
  await refused(
    () => checkFrozen(ports, order({ request: changed }), freeze(bytes(logo)), true, undefined),
    'a request that is not that of the hash',
    'SW_JOURNAL',
  )
  await refused(() => checkFrozen(ports, order(), freeze({}, '2.1'), true, undefined), 'above the ceiling', 'SW_CEILING')
  // A profile that puts its own amount into the body.
  const greedy = { ...client, submissionBody: () => new TextEncoder().encode('{"max_credits":"20"}') }
  await refused(
    () => checkFrozen({ ...ports, client: greedy }, order(), freeze(bytes('{"max_credits":"20"}')), true, undefined),
    'a greedy body',
    'SW_CEILING',
  )
  await refused(
    () => checkFrozen({ ...ports, mayBuy: false, mayReplay: false }, order(), freeze(), true, undefined),
    'a run that may not',
    'SW_MISSING',
  )
  await refused(
    () => checkFrozen({ ...ports, mayBuy: false }, order(), freeze(), false, undefined),
    'a first POST of a run that may only replay',
    'SW_MISSING',
  )
  const theirs = signApproval(stranger, hash, identity, terms)
  await refused(() => checkFrozen(ports, order({ approval: theirs }), freeze(), false, undefined), 'a stranger’s approval', 'SW_BUYER')
  await refused(() => checkFrozen(ports, order({ approval: undefined }), freeze(), false, undefined), 'no approval', 'SW_APPROVAL')
  // A replay may rely on the approval of its own record, if that is signed.
  checkFrozen(ports, order({ approval: undefined }), freeze(), true, undefined)
  const { approvedBy: _none, ...unsigned } = freeze()
  await refused(
    () => checkFrozen(ports, order({ approval: undefined }), unsigned, true, undefined),
    'a replay without an approval',
    'SW_APPROVAL',
  )
  const { buyer, given, checkout, publicKey, signature } = theirs
  const forged = freeze({ approvedBy: { buyer, given, checkout, publicKey, signature } })
  await refused(
    () => checkFrozen(ports, order({ approval: undefined }), forged, true, undefined),
    'a replay under a stranger’s approval',
    'SW_APPROVAL',
  )

  const locked = {
    ...{ attempt: 1, key, body: honest, bodySha256: sha256(new TextEncoder().encode(honest)), maxCredits: '1.6' },
    referenceId: 'ref-1',
  }
  const signed = signSubmission(own, hash, locked)
  const isTrusted = (name: string): boolean => name === own.publicKey
  const entry = (submission: object) => ({ service: identity, asked: { prompt: '' }, submission: submission as typeof signed })
  assert.ok(trustedSubmission(entry(signed), hash, isTrusted))
  assert.equal(trustedSubmission(entry(signed), other, isTrusted), undefined, 'bytes of another request')
  for (const change of [
    { attempt: 2 },
    { key: 'mine' },
    { body: '{}' },
    { signature: undefined },
    { publicKey: undefined },
    { publicKey: stranger.publicKey },
  ])
    assert.equal(trustedSubmission(entry({ ...signed, ...change }), hash, isTrusted), undefined, JSON.stringify(change))
  assert.equal(trustedSubmission(entry(signSubmission(stranger, hash, locked)), hash, isTrusted), undefined, 'bytes of a stranger')
}

/** A person takes over only bytes that the approval's author froze and that the request makes. */
async function takeOvers(): Promise<void> {
  const lockedAs = (change: { readonly prompt?: string; readonly picture?: string; readonly credits?: string; readonly key?: string }) => {
    const { prompt = request.prompt, picture = 'ref-1', credits = '1.6', key: sent = key } = change
    const bytes = makeBody(client, { ...request, prompt }, picture, parseCredits(credits))
    const bodySha256 = sha256(bytes)
    return { attempt: 1, key: sent, body: new TextDecoder().decode(bytes), bodySha256, maxCredits: credits, referenceId: picture }
  }
  const approval = { ...signApproval(stranger, hash, identity, terms), ceiling: '2.05' }
  const take = (by: typeof own, change: Parameters<typeof lockedAs>[0] = {}) =>
    bytesToTakeOver(
      { client, approvers },
      order({ approval: undefined }),
      { service: identity, asked: { prompt: '' }, approval, submission: signSubmission(by, hash, lockedAs(change)) },
      parseCredits('1.6'),
    )
  assert.equal(typeof take(stranger), 'object')
  assert.equal(typeof take(friend), 'object')
  assert.equal(take(testKey(67)), 'others', 'bytes of a third')
  assert.equal(take(stranger, { prompt: 'a logo' }), 'others', 'another prompt')
  assert.equal(take(stranger, { credits: '1.7' }), 'others', 'another price')
  assert.equal(take(stranger, { key: 'sw1-mine' }), 'others', 'another key')
  assert.equal(take(stranger, { picture: 'ref-1\u001b[2J' }), 'others', 'an id that hides what is shown')
}

/** Seals are the user's own, and each seal is for one thing. */
async function seals(): Promise<void> {
  const disk = new MemoryDisk()
  let uploads = 0
  const uploading = { ...client, uploadReference: async () => `fresh-${++uploads}` }
  const file = { bytes: new Uint8Array(1), contentType: 'image/png' }
  const open = (keys = ringOf(own), host = 'service.test') =>
    createUploads({ disk, random: countingRandom(), client: uploading, keys }, '/u', { ...identity, host })
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)]
  assert.equal(await open().referenceId(one, file), 'fresh-1')
  assert.equal(await open().referenceId(one, file), 'fresh-1')
  const [path = ''] = [...disk.files.keys()]
  disk.files.set(path.replace(one, two), disk.files.get(path) as Uint8Array)
  assert.equal(await open().referenceId(two, file), 'fresh-2', 'an upload of another picture')
  assert.equal(await open(ringOf(stranger)).referenceId(one, file), 'fresh-3', 'an upload of somebody else')
  assert.equal(await open().referenceId(one, file), 'fresh-4')
  // The same picture at another service has another id there.
  const there = new MemoryDisk()
  const remote = () =>
    createUploads({ disk: there, random: countingRandom(), client: uploading, keys: ringOf(own) }, '/u', {
      ...identity,
      host: 'other.test',
    })
  assert.equal(await remote().referenceId(one, file), 'fresh-5')
  const [place = ''] = [...there.files.keys()]
  there.files.set(place, disk.files.get(path) as Uint8Array)
  assert.equal(await remote().referenceId(one, file), 'fresh-6', 'an upload at another service')

  const names = new MemoryDisk()
  const checkout = (keys = ringOf(own)) =>
    openCheckoutName({ clock: leapingClock(), disk: names, random: countingRandom() }, keys, { own: '/s', copy: '/c' })
  const name = await checkout().readOrMake()
  assert.equal(await checkout().read(), name)
  assert.equal(await checkout(ringOf(stranger)).read(), undefined, 'a planted name')
  names.files.delete('/s/checkout.json')
  assert.equal(await checkout().read(), name, 'the second place')
  names.files.set('/s/checkout.json', new TextEncoder().encode(JSON.stringify({ name: 'mine', seal: stranger.seal('x') })))
  assert.equal(await checkout().read(), name, 'a planted name before one’s own')
  assert.equal(own.isSealOf('', 'x') || own.isSealOf(undefined, 'x') || own.isSealOf(stranger.seal('x'), 'x'), false)
  assert.equal(own.isSealOf(own.seal('x'), 'x'), true)
  assert.notEqual(createSigningKey(new Uint8Array(32)).fingerprint, own.fingerprint)
}

const howToRaise = async (): Promise<string> => 'Raise it'

/** Only the user's own records release shares of the reservation chain. */
async function reservationChain(): Promise<void> {
  const make = (journalOf: (papers: Papers) => Journal) => {
    const all = papers()
    const { disk } = all
    const ports = { disk, random: countingRandom(), clock }
    const lock = createLockStore(ports, '/sprites.lock.json')
    const open = (keys = ringOf(own)) =>
      createReservations({ ...ports, keys }, { folder: '/j' }, { journal: journalOf(all), lock }, async () => parseCredits('2'), howToRaise)
    return { all, open }
  }
  const share = { id: 'hero.walk', hash, attempt: 1, credits: parseCredits('1.6'), round: 0 }
  const next = { ...share, hash: other, id: 'rogue.walk' }
  const failed = [
    ['frozen', frozen],
    ['sent', { attempt: 1, send: 1, keyTag: 'x' }],
    ['refused', { attempt: 1, send: 1, status: 422, error }],
  ] as const
  // The user's own refusal releases the share, a planted one does not.
  const honest = make(({ mine }) => mine)
  await honest.open().reserve(share)
  for (const [type, body] of failed) await write(honest.all.mine, hash, type, body)
  await honest.open().reserve(next)
  const planted = make(({ mine }) => mine)
  await planted.open().reserve(share)
  for (const [type, body] of failed) await write(planted.all.theirs, hash, type, body)
  await refused(() => planted.open().reserve(next), 'a planted refusal', 'SW_CEILING')
  // A stranger's reservations would release the share, but the stranger's record does not count.
  const released = make(({ mine }) => mine)
  await released.open().reserve(share)
  for (const [type, body] of failed) await write(released.all.theirs, hash, type, body)
  const strange = createReservations(
    { disk: released.all.disk, random: countingRandom(), clock, keys: ringOf(stranger) },
    { folder: '/j' },
    { journal: released.all.theirs, lock: createLockStore({ disk: released.all.disk, random: countingRandom() }, '/sprites.lock.json') },
    async () => parseCredits('2'),
    howToRaise,
  )
  await strange.committed()
  await refused(() => released.open().reserve(next), 'a planted release', 'SW_CEILING')
}

/** Only standing ceilings that the user accepted count. */
async function standing(): Promise<void> {
  const ceilings = { perSprite: parseCredits('2'), perRun: parseCredits('10'), total: parseCredits('20') }
  const accepted = signCeilings(own, 'place', { ceilings, service: identity, at })
  assert.equal(areSignedBy(own, 'place', accepted), true)
  assert.equal(areSignedBy(own, 'elsewhere', accepted), false, 'another project')
  assert.equal(areSignedBy(friend, 'place', accepted), false, 'another user')
  assert.equal(areSignedBy(own, 'place', signCeilings(stranger, 'place', accepted)), false, 'a stranger')
  for (const change of [
    { ceilings: { ...ceilings, perSprite: parseCredits('60') } },
    { service: { ...identity, host: 'x' } },
    { at: '2030-01-01T00:00:00.000Z' },
  ])
    assert.equal(areSignedBy(own, 'place', { ...accepted, ...change }), false, JSON.stringify(Object.keys(change)))
  assert.equal(isAccepted(accepted, ceilings, identity), true)
  for (const name of ['perSprite', 'perRun', 'total'] as const) {
    assert.equal(isAccepted(accepted, { ...ceilings, [name]: parseCredits('99') }, identity), false, name)
    assert.equal(isAccepted(accepted, { ...ceilings, [name]: undefined }, identity), false, `no ${name}`)
  }
  assert.equal(isAccepted(accepted, ceilings, { ...identity, host: 'other.test' }), false)
  assert.equal(isAccepted(accepted, ceilings, { ...identity, keyMode: 'live' }), false)
  assert.deepEqual([lowerTotal(1n, 2n), lowerTotal(2n, 1n), lowerTotal(undefined, 1n), lowerTotal(1n, undefined)], [1n, 1n, 1n, 1n])
}

/** The key is sent only to hosts that its owner named. */
async function hosts(): Promise<void> {
  const disk = new MemoryDisk()
  const book = openTrustedHosts({ disk, random: countingRandom(), clock, stateFolder: '/state' })
  const from = (baseUrl: string, source: string) => ({ baseUrl, source })
  const credentials = (secret = 'sw_test_key', keySource = '.env.local') => ({ key: new Secret(secret), keySource })
  const route = async (address: { baseUrl: string; source: string }, of = credentials(), env = {}): Promise<string> => {
    const found = await routeOf({ env }, book, address, of)
    if (found.trust === 'none') {
      await refused(() => checkRoute(found, false), 'no trust', 'SW_UNTRUSTED_HOST')
      await refused(() => checkRoute(found, true), 'no trust in CI', 'SW_UNTRUSTED_HOST')
    } else checkRoute(found, false)
    return found.trust
  }
  const url = 'https://api.example.com/v'
  assert.equal(await route(from(url, 'environment')), 'bound')
  assert.equal(await route(from(url, '.env.local')), 'bound')
  for (const source of ['.env', '.env.development', '.env.development.local', 'spritewright.config.json'])
    assert.equal(await route(from(url, source)), 'none', source)
  assert.equal(await route(from(url, '.env.local'), credentials('sw_test_key', 'environment')), 'none', '.env.local beside the environment')
  const trusting = { SPRITEWRIGHT_TRUSTED_HOSTS: 'https://other.example https://api.example.com' }
  assert.equal(await route(from(url, '.env'), credentials(), trusting), 'environment')
  assert.equal(await route(from('https://api.example.com:8443', '.env'), credentials(), trusting), 'none', 'another port')
  const { key: fingerprint } = await routeOf({ env: {} }, book, from(url, '.env'), credentials())
  assert.ok(!fingerprint.includes('sw_test'))
  await book.add({ origin: 'https://api.example.com', key: fingerprint })
  assert.equal(await route(from(url, '.env')), 'confirmed')
  assert.equal(await route(from(url, '.env'), credentials('sw_test_another')), 'none', 'another key')
  assert.equal(await route(from('https://api.example.org', '.env')), 'none', 'another host')
  assert.equal(await book.remove('https://api.example.com'), 1)
  assert.equal(await route(from(url, '.env')), 'none', 'taken back')
}

/** A touch counts for what was shown, by an authenticator that is known, after it has verified its user. */
async function touched(): Promise<void> {
  const bare = signApproval(own, hash, identity, { ...terms, given: 'touched' })
  const text = approvalText(hash, identity, bare)
  const [mine, theirs] = [testAuthenticator('ES256'), testAuthenticator('ES256', 'theirs')]
  const seen = { counter: 5, at: '2026-01-01T00:00:00.000Z' }
  const verdict = (touch: Approval['touch'], by: Partial<Approvers> = {}): string =>
    judgeApproval({ ...bare, touch }, hash, identity, { ...approvers, touchKeys: [{ ...mine.key, seen }], ...by }, 'used')
  assert.equal(verdict(mine.touch(text, { counter: 6 })), 'valid')
  assert.equal(verdict(undefined), 'forged', 'no touch')
  assert.equal(verdict(mine.touch(`${text} `, { counter: 6 })), 'forged', 'a touch for other terms')
  assert.equal(verdict(theirs.touch(text, { counter: 6 })), 'unenrolled')
  assert.equal(verdict({ ...theirs.touch(text, { counter: 6 }), credential: mine.key.credential }), 'forged', 'the signature of another')
  assert.equal(verdict(mine.touch(text, { counter: 6, flags: 1 })), 'forged', 'nobody verified')
  assert.equal(verdict(mine.touch(text, { counter: 6, flags: 4 })), 'forged', 'nobody present')
  assert.equal(verdict(mine.touch(text, { counter: 6, rpId: 'game.test' })), 'forged', 'another relying party')
  assert.equal(verdict(mine.touch(text, { counter: 6, origin: 'https://game.test' })), 'forged', 'another origin')
  assert.equal(verdict(mine.touch(text, { counter: 6, client: { type: 'webauthn.create' } })), 'forged', 'a registration')
  assert.equal(verdict(mine.touch(text, { counter: 5 })), 'forged', 'a counter that was set back')
}

/** Who may buy at all, and in whose name. */
async function appointed(): Promise<void> {
  const options = (isCi: boolean) => ({ build: { generate: 'approved' }, isCi }) as never
  const may = (isCi: boolean, env: object): boolean => mayBuy({ options: options(isCi), host: { env } as never }, {})
  assert.equal(may(false, {}), true)
  assert.equal(may(true, {}), false, 'CI')
  assert.equal(may(true, { SPRITEWRIGHT_BUYER: 'ci' }), false, 'a name alone')
  assert.equal(may(true, { SPRITEWRIGHT_SIGNING_KEY: 'x' }), true)
  assert.equal(may(true, { SPRITEWRIGHT_APPROVERS: 'x' }), true)
  const disk = new MemoryDisk()
  const checkout = { isShared: false, read: async () => 'desk', readOrMake: async () => 'desk' }
  const read = (env: object, keys = ringOf(own)) =>
    readApprovers({
      host: { disk, env: env as never, stateFolder: '/state' },
      keys,
      checkout,
      memory: { read: async () => undefined },
      touchKeys: { list: async () => [] },
      options: {},
    })
  const mine = { own: own.fingerprint, checkout: 'desk', isKeyFromEnvironment: false, project: undefined, isShared: false, touchKeys: [] }
  assert.deepEqual(await read({}), { ...mine, others: new Set() })
  const told = await read({
    SPRITEWRIGHT_APPROVERS: ` ${friend.fingerprint},`,
    SPRITEWRIGHT_SIGNING_KEY: 'x',
    SPRITEWRIGHT_APPROVALS: 'typed',
  })
  assert.deepEqual(told, { ...mine, isKeyFromEnvironment: true, others: new Set([friend.fingerprint]), given: new Set(['typed']) })
  await refused(() => read({ SPRITEWRIGHT_APPROVERS: 'everybody' }), 'no fingerprint', 'SW_CONFIG')
  await refused(() => read({ SPRITEWRIGHT_APPROVALS: 'whispered' }), 'no way of giving', 'SW_CONFIG')
  disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify({ approvers: [friend.fingerprint] })))
  assert.deepEqual((await read({})).others, new Set([friend.fingerprint]))
}

/** Scenes by name. Each throws if a promise is broken. */
export const scenes: Readonly<Record<string, () => Promise<void>>> = {
  approvals,
  lives,
  records,
  bodies,
  takeOvers,
  seals,
  reservationChain,
  standing,
  hosts,
  appointed,
  touched,
}
