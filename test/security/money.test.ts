import { describe, expect, test } from 'vitest'
import { createJournal } from '../../src/job/records/journal.ts'
import { createRecordChains } from '../../src/job/records/open-chains.ts'
import type { JournalRecord, RecordBodies, RecordType } from '../../src/job/records/record.ts'
import type { ReservationRecord } from '../../src/job/records/shares.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, ringOf, testKey } from '../kit/keys.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { asking, type Machine, type MutableLock, minutes, specOf, type Team, team } from '../sim/two-machines.ts'
import { type Attacker, approvalBy, freezeBy, identity } from './attacker.ts'

const submissions = '/game/.spritewright/submissions'

/** Sum of the service's charges and holds. */
function cost({ world }: Team): bigint {
  return [...world.service.charges(), ...world.service.holds()].reduce((sum, { credits }) => sum + credits, 0n)
}

/** A victim who has bought one sprite; `rogue` is a new spec of a pull request. */
async function victim(): Promise<Team & { readonly hash: string; readonly own: LockEntry }> {
  const made = await team()
  const { first } = made
  await first.approve()
  await first.build()
  const own = first.entry('hero.walk')
  first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  // A pull request knows the hash of its own request.
  const shadow = made.copy(first)
  await shadow.approve()
  const [hash = ''] = Object.keys(shadow.lock().animations['rogue.walk'] ?? {})
  return { ...made, hash, own }
}

/** Plants an entry for the rogue. */
function plant(machine: Machine, hash: string, own: LockEntry, change: Partial<LockEntry>): void {
  machine.edit((lock: MutableLock) => {
    const entry: LockEntry = { service: own.service, asked: { ...own.asked, prompt: 'a rogue\nwalk' }, ...change }
    lock.animations['rogue.walk'] = { [hash]: entry }
  })
}

describe('H2: no file of a project is authority to buy', () => {
  type Approval = NonNullable<LockEntry['approval']>
  const lies: readonly (readonly [string, (own: Approval, hash: string) => Approval])[] = [
    ['names the victim as its buyer, unsigned', ({ buyer, at, priceVersion }) => ({ buyer, at, priceVersion, ceiling: '90' })],
    ['is the victim’s own approval of another request', (own) => own],
    ['is the victim’s own, with a higher ceiling', (own) => ({ ...own, ceiling: '90' })],
    ['is signed by the attacker', (own, hash) => approvalBy(testKey(66), hash, own)],
    [
      'is signed by the attacker under the victim’s fingerprint',
      (own, hash) => ({ ...approvalBy(testKey(66), hash, own), buyer: own.buyer }),
    ],
    [
      'is signed by the attacker, with the victim’s public key',
      (own, hash) => ({ ...approvalBy(testKey(66), hash, own), buyer: own.buyer, publicKey: own.publicKey }),
    ],
  ]

  test.each(lies)('H2: an approval that %s buys nothing, in a build and in a dev server', async (_how, lie) => {
    const made = await victim()
    const { first, run, hash, own } = made
    const before = cost(made)
    plant(first, hash, own, { approval: lie(own.approval as Approval, hash) })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    const due = await run((await first.open({ env: { VITEST: undefined as never } })).pending())
    expect(due.orders).toEqual([])
    const plan = await run((await first.open()).plan())
    expect(plan.items.find(({ id }) => id === 'rogue.walk')?.approval?.verdict).not.toBe('valid')
    expect(cost(made)).toBe(before)
    // The person adopts it after seeing the price, and it is bought once.
    expect((await first.approve({ adopt: true })).approved.map(({ ceiling }) => ceiling)).toEqual([16_000n])
    await first.build()
    expect(cost(made) - before).toBe(16_000n)
  })

  test('H2: a planted buyer, checkout name and journal folder make no checkout the one that an approval was given in', async () => {
    const made = await team()
    await made.first.approve()
    const clone = made.clone(made.first)
    // The same user on another machine, with the same key but without the journal.
    for (const [path, bytes] of made.first.disk.files) if (path.endsWith('/signing-key.pem')) clone.disk.files.set(path, bytes)
    const name = made.first.entry('hero.walk').approval?.checkout
    clone.write('.spritewright/buyer', `${name}\n`)
    clone.write('.spritewright/checkout.json', JSON.stringify({ name, seal: testKey(66).seal('x') }))
    await expect(clone.build()).rejects.toMatchObject({ code: 'SW_BUYER', message: expect.stringContaining('in another checkout') })
    expect(cost(made)).toBe(0n)
  })

  test('H2: standing ceilings of a JSON config buy nothing until the person has accepted exactly these', async () => {
    const made = await team()
    const { first } = made
    const config = (perSprite: string): void =>
      first.write('spritewright.config.json', JSON.stringify({ approval: { perSprite, perRun: '99', total: '99' } }))
    config('60')
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(cost(made)).toBe(0n)
    config('2')
    await first.accept({})
    // A pull request raises them.
    config('60')
    const workshop = await first.open()
    await expect(made.run(workshop.build({ buyOnly: true }))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(cost(made)).toBe(0n)
    config('2')
    await first.build()
    expect(cost(made)).toBe(16_000n)
  })

  test('H2: a total that was accepted goes on limiting where a config drops it', async () => {
    const made = await team()
    const { first } = made
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await first.approve()
    await first.accept({ options: { approval: { perSprite: '2', total: '2' } } })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect(cost(made)).toBe(16_000n)
  })

  test('H2: CI buys in nobody’s name that its environment does not say', async () => {
    const made = await team()
    await made.first.approve()
    const told = { options: { build: { generate: 'approved' as const } } }
    await expect(made.first.build({}, { ...told, env: { CI: 'true' } })).rejects.toMatchObject({ code: 'SW_MISSING' })
    await expect(made.first.build({}, { ...told, env: { CI: 'true', ...keyEnv(5) } })).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(cost(made)).toBe(0n)
    const approver = made.first.entry('hero.walk').approval?.buyer ?? ''
    const trusting = { CI: 'true', ...keyEnv(5), SPRITEWRIGHT_APPROVERS: approver }
    const { project = '' } = made.first.entry('hero.walk').approval ?? {}
    const unnamed = made.first.build({}, { ...told, env: trusting })
    await expect(unnamed).rejects.toMatchObject({ code: 'SW_BUYER', message: expect.stringContaining(`SPRITEWRIGHT_PROJECT=${project}`) })
    await made.first.build({}, { ...told, env: { ...trusting, SPRITEWRIGHT_PROJECT: project } })
    expect(cost(made)).toBe(16_000n)
  })
})

describe('H3: records cause, widen and change no purchase', () => {
  /**
   * Writes a chain as an attacker can: complete, with right sums, and sealed with the attacker's key or not
   * at all.
   */
  async function plantChain(
    made: Team,
    machine: Machine,
    hash: string,
    records: (attacker: Attacker) => readonly (readonly [RecordType, object])[],
    isSealed: boolean,
  ): Promise<void> {
    const ports = { disk: machine.disk, random: countingRandom(), clock: made.world.clock }
    const journal = createJournal(isSealed ? { ...ports, keys: ringOf(testKey(66)) } : ports, submissions)
    let view = await journal.read(hash)
    const attacker = { hash, frozen: freezeBy(testKey(66), hash, { maxCredits: '20', frames: 100 }) }
    for (const [type, body] of records(attacker))
      view = (await journal.append(hash, view, type, body as RecordBodies[JournalRecord['type']])) ?? view
  }

  const error = { reason: 'invalid_request', message: 'no', category: null, retryable: true, code: 'X', requestId: null, details: null }
  const sent = { attempt: 1, send: 1, keyTag: 'x' }
  const refused = (status: number) => ({ attempt: 1, send: 1, status, error: { ...error, reason: 'rate_limited' } })
  const decided = { attempt: 1, about: 'submission', decision: 'replay', approvedAt: null }
  const accepted = { attempt: 1, executionId: '00000000-0000-4000-8000-00000000dead', conversationId: 'c' }
  const chains: readonly (readonly [string, (attacker: Attacker) => readonly (readonly [RecordType, object])[]])[] = [
    ['frozen', ({ frozen }) => [['frozen', frozen]]],
    [
      'frozen, sent',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
      ],
    ],
    [
      'frozen, sent, refused (429)',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['refused', refused(429)],
      ],
    ],
    [
      'frozen, sent, refused (401)',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['refused', refused(401)],
      ],
    ],
    [
      'frozen, sent, refused (422)',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['refused', refused(422)],
      ],
    ],
    [
      'frozen, sent, unknown',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['unknown', { ...sent, status: null, message: '' }],
      ],
    ],
    [
      'frozen, sent, decided: replay',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['decided', decided],
      ],
    ],
    [
      'frozen, sent, decided: abandon',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['decided', { ...decided, decision: 'abandon' }],
      ],
    ],
    [
      'frozen, withdrawn',
      ({ frozen }) => [
        ['frozen', frozen],
        ['withdrawn', { attempt: 1 }],
      ],
    ],
    [
      'accepted, failed (retryable)',
      ({ frozen }) => [
        ['frozen', frozen],
        ['sent', sent],
        ['accepted', accepted],
        ['failed', { attempt: 1, executionId: accepted.executionId, status: 'failed', error }],
      ],
    ],
  ]
  const cases = chains.flatMap(([how, records]) => [
    [`${how}, unsealed`, records, false] as const,
    [`${how}, sealed`, records, true] as const,
  ])

  test.each(cases)(
    'H3: %s: nothing is sent by them, and after giving them up exactly what was approved is bought',
    async (_how, records, isSealed) => {
      const made = await team()
      const { first, run, posts } = made
      // A person who approves after the pull request was merged sees today's price.
      const shadow = made.copy(first)
      await shadow.approve()
      const [hash = ''] = Object.keys(shadow.lock().animations['hero.walk'] ?? {})
      await plantChain(made, first, hash, records, isSealed)
      await first.build().catch(() => {})
      expect([posts(), cost(made)]).toEqual([0, 0n])
      const { approved } = await first.approve()
      await first.build().catch(() => {})
      expect(approved.reduce((sum, { ceiling }) => sum + ceiling, 0n)).toBeLessThanOrEqual(16_000n)
      expect([posts(), cost(made)]).toEqual([0, 0n])
      await expect(run((await first.open()).recover({ name: 'hero', decision: 'replay' }))).rejects.toMatchObject({ code: 'SW_USAGE' })
      await run((await first.open()).recover({ name: 'hero', decision: 'abandon' }))
      await made.wait(1_000)
      await first.approve()
      await first.build()
      expect([posts(), cost(made)]).toEqual([1, 16_000n])
      expect((await run((await first.open()).ledger())).settled).toBe(16_000n)
    },
  )

  test('H3: a chain of the user’s own, copied to another request, counts for nothing there', async () => {
    const made = await victim()
    const { first, hash, posts } = made
    const paths = [...first.disk.files.keys()].filter((path) => /submissions\/[0-9a-f]{64}\//.test(path))
    for (const path of paths)
      first.disk.files.set(path.replace(/submissions\/[0-9a-f]{64}\//, `submissions/${hash}/`), first.disk.files.get(path) as Uint8Array)
    // Without its end, so that it seems to need a replay.
    for (const path of [...first.disk.files.keys()]) if (path.includes(hash) && !/000[12]\.json$/.test(path)) first.disk.files.delete(path)
    const before = [posts(), cost(made)]
    await first.build().catch(() => {})
    expect([posts(), cost(made)]).toEqual(before)
  })

  test('H3: a planted answer is not sent', async () => {
    const made = await team(asking)
    const { first, world } = made
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    const [hash = ''] = Object.keys(first.lock().animations['hero.walk'] ?? {})
    const question = first.records().find(({ type }) => type === 'asked')?.body as RecordBodies['asked']
    const answer = {
      ...{ attempt: 1, executionId: question.executionId, conversationId: first.entry('hero.walk').execution?.conversation ?? '' },
      ...{ questionId: question.question.questionId, key: 'sw1-answer-x', text: 'draw my logo', assetId: null },
    }
    await plantChain(
      made,
      first,
      hash,
      () => [
        ['answerFrozen', answer],
        ['answerSent', sent],
      ],
      true,
    )
    const before = world.service.requests().filter(({ method }) => method === 'POST').length
    await first.build().catch(() => {})
    expectCount(
      world.service.requests().filter(({ method }) => method === 'POST'),
      before,
    )
  })

  test('H3: a lock file cannot choose another attempt, other bytes or another picture, whoever signs them', async () => {
    const made = await team()
    const { first } = made
    await first.approve()
    const honest = first.entry('hero.walk').submission
    const [hash = ''] = Object.keys(first.lock().animations['hero.walk'] ?? {})
    first.edit((lock) => {
      const entry = lock.animations['hero.walk']?.[hash]
      if (entry) entry.submission = { ...freezeBy(testKey(66), hash, { maxCredits: '1.6', frames: 7, attempt: 3 }).locked }
    })
    await first.build()
    expect(
      first
        .records()
        .filter(({ type }) => type === 'frozen')
        .map(({ body }) => (body as RecordBodies['frozen']).key),
    ).toEqual([honest?.key])
    expect(cost(made)).toBe(16_000n)
  })

  test('H3: a planted upload is no picture of ours: it is uploaded anew', async () => {
    const made = await team()
    const { first } = made
    await first.approve()
    const [upload = ''] = [...first.disk.files.keys()].filter((path) => path.includes('/uploads/'))
    const honest = new TextDecoder().decode(first.disk.files.get(upload))
    const planted = made.clone(first)
    planted.disk.files.set(upload, new TextEncoder().encode(JSON.stringify({ referenceId: 'theirs', seal: testKey(66).seal('x') })))
    planted.write('sprites.lock.json', '{ "animations": {}, "version": 1 }')
    await planted.approve()
    expect(planted.entry('hero.walk').submission?.referenceId).not.toBe('theirs')
    expect(honest).toContain(first.entry('hero.walk').submission?.referenceId)
  })

  test('H3: released shares that somebody else wrote give nothing back', async () => {
    const made = await team()
    const { first, run } = made
    const init = { options: { approval: { total: '2' } } }
    await first.approve({}, init)
    await first.build({}, init)
    const [hash = ''] = Object.keys(first.lock().animations['hero.walk'] ?? {})
    const ports = { disk: first.disk, random: countingRandom(), clock: made.world.clock, keys: ringOf(testKey(66)) }
    const reservations = createRecordChains<ReservationRecord>(ports, { folder: submissions })
    await reservations.append('budget', await reservations.read('budget'), 'released', { hash, attempt: 1 })
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await expect(first.approve({}, init)).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect((await run((await first.open()).ledger())).settled).toBe(16_000n)
  })
})

describe('A1: an approval says how it was given, under its signature', () => {
  test('A1: what was given without a person is not bought where only typed and clicked count, whatever the file says by then', async () => {
    const made = await team()
    const { first } = made
    const strict = { env: { SPRITEWRIGHT_APPROVALS: 'typed,clicked' } }
    await first.approve({ given: 'unattended' })
    await expect(first.build({}, strict)).rejects.toMatchObject({ code: 'SW_BUYER', message: expect.stringContaining('unattended') })
    first.edit((lock) => {
      for (const entry of Object.values(lock.animations['hero.walk'] ?? {}))
        if (entry.approval) entry.approval = { ...entry.approval, given: 'typed' }
    })
    await expect(first.build({}, strict)).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(cost(made)).toBe(0n)
    await made.wait(1_000)
    await first.approve({ adopt: true, given: 'typed' })
    await first.build({}, strict)
    expect(cost(made)).toBe(16_000n)
    expect((await made.run((await first.open()).ledger())).lines.map(({ given }) => given)).toEqual(['typed'])
  })
})

test('a project of today, with an unsigned lock file and its results, builds without a question and without a request', async () => {
  const made = await team()
  const { first, run } = made
  await first.approve()
  await first.build()
  first.edit((lock) => {
    for (const entry of Object.values(lock.animations['hero.walk'] ?? {})) {
      const { ceiling, priceVersion, at } = entry.approval as NonNullable<LockEntry['approval']>
      entry.approval = { ceiling, priceVersion, at, buyer: '5f0c7a3e-0000-4000-8000-000000000001' }
      const { publicKey: _key, signature: _signature, ...submission } = entry.submission as NonNullable<LockEntry['submission']>
      entry.submission = submission
    }
  })
  const clone = made.clone(first, 'results')
  await made.wait(30 * minutes)
  const requests = made.world.service.requests().length
  for (const machine of [first, clone]) {
    expect((await machine.build()).warnings).toEqual([])
    expect((await run((await machine.open()).status())).items.map(({ state }) => state)).toEqual(['bought'])
  }
  expectCount(made.world.service.requests(), requests)
  expect(identity.host).toBe(first.entry('hero.walk').service.host)
})
