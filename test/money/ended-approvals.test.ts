import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { writeConflict } from '../../src/vault/lock-merge.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { keyEnv } from '../kit/keys.ts'
import { answering, type Machine, minutes, places, refusal, team } from '../sim/two-machines.ts'

const days = 24 * 60 * minutes
const textOf = (machine: Machine): string => new TextDecoder().decode(machine.disk.files.get('/game/sprites.lock.json'))
const putBack = (machine: Machine, entry: LockEntry): void =>
  machine.edit((lock) => {
    for (const [hash] of Object.entries(lock.animations['hero.walk'] ?? {})) lock.animations['hero.walk'] = { [hash]: entry }
  })

describe('an approval that has ended starts nothing, whatever the lock file says (T1)', () => {
  test('the first ceiling, after the person has lowered it', async () => {
    const { first, posts } = await team()
    await first.approve({ max: parseCredits('50') })
    const high = first.entry('hero.walk')
    await first.approve({ max: parseCredits('1.7') })
    putBack(first, high)
    expect(await first.states()).toEqual(['missing'])
    await expect(first.build()).rejects.toMatchObject({
      code: 'SW_APPROVAL',
      message: expect.stringContaining('a newer approval has replaced'),
    })
    expect(posts()).toBe(0)
  })

  test('the first ceiling, between the markers of a conflict', async () => {
    const { first, posts } = await team()
    await first.approve({ max: parseCredits('50') })
    const high = textOf(first)
    await first.approve({ max: parseCredits('1.7') })
    first.write('sprites.lock.json', writeConflict({ ours: high, theirs: '{\n  "animations": {},\n  "version": 1\n}\n' }))
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(posts()).toBe(0)
  })

  test('one that was taken back, also under standing ceilings; another approval buys', async () => {
    const { first, posts } = await team()
    const init = { options: { approval: { perSprite: '5' } } }
    await first.accept(init)
    await first.approve()
    const entry = first.entry('hero.walk')
    expect(await (await first.open()).revoke(['hero'])).toEqual({ revoked: ['hero.walk'], inFlight: [] })
    expect(first.entry('hero.walk').approval).toBeUndefined()
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    putBack(first, entry)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL', message: expect.stringContaining('taken back') })
    expect(posts()).toBe(0)
    await first.approve()
    await first.build()
    expect(posts()).toBe(1)
  })

  test('taking back names what was sent, and leaves it: the same bytes are repeated, and one is charged', async () => {
    const { first, posts, charged } = await team()
    await first.approve()
    await first.dieBuilding((call) => call.startsWith('link') && call.includes('/0004.json'))
    expect(posts()).toBe(1)
    expect(await (await first.open()).revoke()).toEqual({ revoked: [], inFlight: ['hero.walk'] })
    await first.build()
    expect([charged().length, first.results().length]).toEqual([1, 1])
  })

  test('a submission that the service refused was not sent: after the approval is taken back, it is not repeated', async () => {
    const { first, posts } = await team(answering([refusal(403, 'forbidden')]))
    await first.approve()
    await expect(first.build()).rejects.toThrow()
    const sent = posts()
    expect(await (await first.open()).revoke()).toEqual({ revoked: ['hero.walk'], inFlight: [] })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(posts()).toBe(sent)
  })

  test.each([
    ['30 days', {}, {}, 30 * days],
    ['a shorter time of the configuration', { options: { approval: { validFor: '2d' } } }, {}, 2 * days],
    ['never a longer one', { options: { approval: { validFor: '90d' } } }, {}, 30 * days],
    ['a longer time of the environment', {}, { SPRITEWRIGHT_VALID_FOR: '90d' }, 90 * days],
  ])('it ends after %s', async (_what, init, env, lifeMs) => {
    const { first, wait, posts } = await team()
    await first.approve({}, { ...init, env })
    await wait(lifeMs - minutes)
    expect(await first.states()).toEqual(['approved'])
    await wait(minutes)
    expect(await first.states()).toEqual(['missing'])
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL', message: expect.stringContaining('expired') })
    await first.approve()
    await first.build()
    expect(posts()).toBe(1)
  })

  test('a journal that has forgotten an approval is no memory: nothing is sent', async () => {
    const { first, posts } = await team()
    await first.approve()
    for (const path of [...first.disk.files.keys()]) if (path.includes('/submissions/')) first.disk.files.delete(path)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
  })

  test('a memory of the project that somebody has changed stops every purchase', async () => {
    const { first, posts } = await team()
    await first.approve()
    const path = [...first.disk.files.keys()].find((name) => name.startsWith(`${places.state}/projects/`)) ?? ''
    const facts = JSON.parse(new TextDecoder().decode(first.disk.files.get(path))) as object
    first.disk.files.set(path, new TextEncoder().encode(JSON.stringify({ ...facts, latest: 1 })))
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await expect(first.approve()).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(path),
      facts: { file: path },
    })
    expect(posts()).toBe(0)
    first.disk.files.delete(path)
    await first.build()
    expect(posts()).toBe(1)
  })
})

describe('an approval counts for one project (T3)', () => {
  const trusting = (machine: Machine, project?: string): { readonly env: Record<string, string> } => ({
    env: {
      ...keyEnv(5),
      SPRITEWRIGHT_APPROVERS: `${machine.entry('hero.walk').approval?.buyer}`,
      ...(project ? { SPRITEWRIGHT_PROJECT: project } : {}),
    },
  })

  test('another project buys nothing on a copied entry, and the project itself buys on it elsewhere', async () => {
    const { first, clone, posts } = await team()
    await first.approve()
    const other = clone(first)
    const { project = '' } = first.entry('hero.walk').approval ?? {}
    await expect(other.build({}, trusting(first))).rejects.toMatchObject({ code: 'SW_BUYER', facts: { project } })
    await expect(other.build({}, trusting(first, 'f'.repeat(32)))).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
    await other.build({}, trusting(first, project))
    expect(posts()).toBe(1)
  })
})
