import { describe, expect, test } from 'vitest'
import type { Credits } from '../../src/credit/credits.ts'
import { challengeFor, formatTouchKey } from '../../src/credit/touch.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import type { ApproveRequest } from '../../src/workshop.ts'
import { type SaidByBrowser, type TestAuthenticator, testAuthenticator } from '../kit/authenticator.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { type Machine, type ProcessInit, specOf, team } from '../sim/two-machines.ts'

const origin = 'http://localhost:20000'
const mine = testAuthenticator('ES256')
const knowing = (...all: TestAuthenticator[]): ProcessInit => ({
  env: { SPRITEWRIGHT_TOUCH_KEYS: all.map(({ key }) => formatTouchKey(key)).join(' '), SPRITEWRIGHT_APPROVALS: 'touched' },
})
/** How a person approves by a touch of an authenticator. */
const touching = (by = mine, said: SaidByBrowser = {}, more: Partial<ApproveRequest> = {}): Partial<ApproveRequest> => ({
  given: 'touched',
  ...more,
  touch: async ({ challenge }) => ({ assertion: by.assert(challenge, said), origin }),
})
const isWritten = (machine: Machine): boolean => machine.disk.files.has('/game/sprites.lock.json')
const putEntry = (machine: Machine, entry: LockEntry): void =>
  machine.edit((lock) => {
    for (const hash of Object.keys(lock.animations['hero.walk'] ?? {})) lock.animations['hero.walk'] = { [hash]: entry }
  })
const changed = (entry: LockEntry, change: object, touch: object = {}): LockEntry =>
  ({
    ...entry,
    approval: { ...entry.approval, ...change, touch: { ...entry.approval?.touch, ...touch } },
  }) as LockEntry

describe('an approval that was touched', () => {
  test.each(['ES256', 'RS256'] as const)(
    'with %s buys where the authenticator is known, and one touch is for all its lines',
    async (alg) => {
      const { first, posts, run } = await team()
      const by = testAuthenticator(alg)
      for (const name of ['rogue', 'mage']) first.write(`sprites/${name}.sprite.json`, specOf(name, 'hero'))
      const { approved } = await first.approve(touching(by), knowing(by))
      expect(approved).toHaveLength(3)
      await expect(first.build({}, { env: { SPRITEWRIGHT_APPROVALS: 'touched' } })).rejects.toMatchObject({
        code: 'SW_BUYER',
        message: expect.stringContaining('does not know (npx spritewright trust --touch KEY enrols it'),
      })
      expect(posts()).toBe(0)
      await first.build({}, knowing(testAuthenticator(alg, 'other'), by))
      expect(posts()).toBe(3)
      expect((await run((await first.open()).ledger())).lines.map(({ given }) => given)).toEqual(['touched', 'touched', 'touched'])
    },
  )

  test.each<[string, SaidByBrowser]>([
    ['at another origin', { origin: 'http://localhost:20001' }],
    ['for another relying party', { rpId: 'example.com' }],
    ['by nobody whom the authenticator has verified', { flags: 1 }],
    ['by nobody', { flags: 4 }],
    ['for another challenge', { client: { challenge: challengeFor(['another']).challenge } }],
    ['in a frame of another site', { client: { crossOrigin: true } }],
    ['as a registration', { client: { type: 'webauthn.create' } }],
  ])('%s is refused before anything is recorded', async (_what, said) => {
    const { first, posts } = await team()
    await expect(first.approve(touching(mine, said), knowing(mine))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect([first.records(), isWritten(first), posts()]).toEqual([[], false, 0])
  })

  test('is refused without an enrolled authenticator, by another one, and by a mere yes', async () => {
    const { first } = await team()
    for (const [request, init] of [
      [touching(), {}],
      [touching(testAuthenticator('ES256', 'other')), knowing(mine)],
      [{ given: 'touched' } as const, knowing(mine)],
    ] as const)
      await expect(first.approve(request, init)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect([first.records(), isWritten(first)]).toEqual([[], false])
  })

  test('gives nothing if another process has approved meanwhile', async () => {
    const { first, posts } = await team()
    const request: Partial<ApproveRequest> = {
      given: 'touched',
      touch: async ({ challenge }) => {
        const other = await first.open()
        await other.approve({ names: [], given: 'typed', confirm: async () => true })
        return { assertion: mine.assert(challenge), origin }
      },
    }
    await expect(first.approve(request, knowing(mine))).rejects.toMatchObject({ code: 'SW_CHANGED' })
    expect(first.entry('hero.walk').approval?.given).toBe('typed')
    await expect(first.build({}, knowing(mine))).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
  })

  test('with a counter that was set back is refused, and so is an older answer of the authenticator', async () => {
    const { first, posts, wait } = await team()
    await first.approve(touching(mine, { counter: 7 }), knowing(mine))
    await wait(1000)
    for (const counter of [7, 6, 0]) {
      const again = touching(mine, { counter }, { max: 50_000n as Credits })
      await expect(first.approve(again, knowing(mine))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    }
    await first.approve(touching(mine, { counter: 8 }, { max: 50_000n as Credits }), knowing(mine))
    await first.build({}, knowing(mine))
    expect(posts()).toBe(1)
  })
})

describe('a program that has the signing key, and no authenticator, buys nothing', () => {
  const theirs = testAuthenticator('ES256', 'theirs')

  test.each<[string, (entry: LockEntry) => LockEntry]>([
    ['without the touch', (entry) => changed(entry, { touch: undefined }, { proof: undefined })],
    ['with another signature', (entry) => changed(entry, {}, { signature: mine.assert('x').signature })],
    ['of another authenticator', (entry) => changed(entry, {}, { ...theirs.assert('x'), proof: [] })],
    ['that names this authenticator', (entry) => changed(entry, {}, { ...theirs.assert('x'), credential: mine.key.credential })],
    ['with a proof that it does not have', (entry) => changed(entry, {}, { proof: [challengeFor(['x']).challenge] })],
  ])('a touch %s', async (_what, change) => {
    const { first, posts, charged } = await team()
    await first.approve(touching(), { ...knowing(mine), env: { ...knowing(mine).env, ...keyEnv(9) } })
    const entry = change(first.entry('hero.walk'))
    putEntry(first, JSON.parse(JSON.stringify(entry, (_key, value) => value ?? undefined)) as LockEntry)
    await expect(first.build({}, { env: { ...knowing(mine).env, ...keyEnv(9) } })).rejects.toThrow()
    expect([posts(), charged()]).toEqual([0, []])
  })

  test('a touch that was for another request, or for another ceiling of the same one', async () => {
    const { first, posts, wait } = await team()
    const init = { env: { ...knowing(mine).env, ...keyEnv(9) } }
    await first.approve(touching(), init)
    const low = first.entry('hero.walk')
    await wait(1000)
    await first.approve({ ...touching(theirs), max: 500_000n as Credits, adopt: true }, { env: { ...knowing(theirs).env, ...keyEnv(9) } })
    const high = first.entry('hero.walk')
    putEntry(first, changed(high, {}, low.approval?.touch))
    await expect(first.build({}, init)).rejects.toMatchObject({
      code: 'SW_BUYER',
      message: expect.stringContaining('a touch that does not fit'),
    })
    first.write('sprites/hero.sprite.json', specOf('another knight', 'hero'))
    await first.approve({ ...touching(theirs), adopt: true }, { env: { ...knowing(theirs).env, ...keyEnv(9) } })
    first.edit((lock) => {
      for (const [hash, entry] of Object.entries(lock.animations['hero.walk'] ?? {}))
        lock.animations['hero.walk'] = { ...lock.animations['hero.walk'], [hash]: changed(entry, {}, low.approval?.touch) }
    })
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
  })

  test('an approval that was touched elsewhere buys on the machine that names signer, project and authenticator', async () => {
    const { first, clone, posts } = await team()
    await first.approve(touching(), { env: { ...knowing(mine).env, ...keyEnv(1) } })
    const second = clone(first)
    const { project = '' } = first.entry('hero.walk').approval ?? {}
    const env = {
      ...keyEnv(2),
      SPRITEWRIGHT_APPROVERS: testKey(1).fingerprint,
      SPRITEWRIGHT_PROJECT: project,
      SPRITEWRIGHT_APPROVALS: 'touched',
    }
    await expect(second.build({}, { env })).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
    await second.build({}, { env: { ...env, ...knowing(mine).env } })
    expect(posts()).toBe(1)
  })
})

test('a check that buys is refused where only touches count, since no touch is for it', async () => {
  const { first, posts, run } = await team()
  const workshop = await first.open({ env: { SPRITEWRIGHT_APPROVALS: 'touched' } })
  await expect(run(workshop.contract({ spend: 20_000n as Credits }))).rejects.toMatchObject({ code: 'SW_APPROVAL' })
  expect(posts()).toBe(0)
})
