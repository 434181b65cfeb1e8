import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { idempotencyKey } from '../../src/job/order.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { figurePng } from '../kit/project.ts'
import { listening, type MutableLock, minutes, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** A project of two sprites, both approved. `rogue` exists to be confused with the hero. */
async function approved(): Promise<Team> {
  const made = await team()
  made.first.write('sprites/rogue.png', figurePng(2))
  made.first.write('sprites/rogue.sprite.json', specOf('a rogue', 'rogue'))
  await made.first.approve()
  return made
}

type Edit = (entry: LockEntry, rogue: LockEntry, hash: string) => LockEntry
type Frozen = NonNullable<LockEntry['submission']>

/** Edits the frozen bytes of the hero. */
function frozen(change: (submission: Frozen, rogue: Frozen, hash: string) => Partial<Frozen>): Edit {
  return (entry, rogue, hash) => {
    const [own, other] = [entry.submission as Frozen, rogue.submission as Frozen]
    return { ...entry, submission: { ...own, ...change(own, other, hash) } }
  }
}

function editHero(lock: MutableLock, edit: Edit): void {
  const [hash, entry] = Object.entries(lock.animations['hero.walk'] ?? {})[0] ?? []
  const rogue = Object.values(lock.animations['rogue.walk'] ?? {})[0]
  if (hash && entry && rogue) lock.animations['hero.walk'] = { [hash]: edit(entry, rogue, hash) }
}

/** Other bytes, with the hash that fits them. */
function bytes(body: string): Pick<Frozen, 'body' | 'bodySha256'> {
  return { body, bodySha256: createHash('sha256').update(body).digest('hex') }
}
const greedy = (body: string): string => {
  const asked = JSON.parse(body) as { animation: object }
  return JSON.stringify({ ...asked, animation: { ...asked.animation, frame_count: 100 }, max_credits: '90' })
}
const identity = { host: '127.0.0.1:1', keyMode: 'test' as const, apiVersion: '1' }

const editsBefore: readonly (readonly [string, Edit])[] = [
  ['bytes that ask for more frames and more credits, with their hash', frozen(({ body }) => bytes(greedy(body)))],
  ['the same, and maxCredits with them', frozen(({ body }) => ({ ...bytes(greedy(body)), maxCredits: '90' }))],
  ['bytes without their hash', frozen(({ body }) => ({ body: greedy(body) }))],
  ['bytes with white space in them', frozen(({ body }) => bytes(body.replace(':', ': ')))],
  ['bytes that are no JSON', frozen(() => bytes('{'))],
  ['the hash of the bytes', frozen(() => ({ bodySha256: 'f'.repeat(64) }))],
  ['maxCredits raised', frozen(() => ({ maxCredits: '90' }))],
  ['maxCredits lowered', frozen(() => ({ maxCredits: '0.1' }))],
  ['another key', frozen(() => ({ key: 'sw1-of-my-own-making' }))],
  ['the key of another request', frozen((_own, rogue) => ({ key: rogue.key }))],
  ['the picture of another request', frozen((_own, rogue) => ({ referenceId: rogue.referenceId ?? '' }))],
  [
    'the picture of another request, and bytes that fit it',
    frozen(({ body, referenceId = '' }, { referenceId: other = '' }) => ({
      ...bytes(body.replace(referenceId, other)),
      referenceId: other,
    })),
  ],
  ['no picture', frozen(() => ({ referenceId: undefined }))],
  ['the submission of another request', frozen((_own, rogue) => rogue)],
  ['a later attempt', frozen(() => ({ attempt: 7 }))],
  ['a later attempt with its key', frozen((_own, _rogue, hash) => ({ attempt: 7, key: idempotencyKey(identity, hash, 7) }))],
  ['what was asked', (entry, rogue) => ({ ...entry, asked: rogue.asked })],
]

/** The frozen request of `approve`, without the picture's id, which another machine may have to make anew. */
function askedOf(entry: LockEntry): Readonly<Record<string, unknown>> {
  const { reference_asset_id: _id, ...rest } = JSON.parse(entry.submission?.body ?? '{}') as Record<string, unknown>
  return rest
}

describe('a lock file that was edited before anything was sent', () => {
  test.each(editsBefore)('%s: the request’s own bytes go out under its own key, for the price that was approved', async (_what, edit) => {
    const made = await approved()
    const { first } = made
    const honest = first.entry('hero.walk')
    first.edit((lock) => editHero(lock, edit))
    const { net, sent } = listening(made)
    await first.build({ names: ['hero'] }, { net })
    expect(sent).toEqual([{ key: honest.submission?.key, body: JSON.parse(honest.submission?.body ?? '') }])
    expect(made.world.service.charges().map(({ credits }) => credits)).toEqual([16_000n])
    expect(first.results()).toEqual([sheetOf('a knight walk')])
  })

  test.each(editsBefore)('%s: also on a machine that takes the purchase over', async (_what, edit) => {
    const made = await approved()
    const honest = made.first.entry('hero.walk')
    const others = made.first.entry('rogue.walk').submission?.referenceId
    made.first.edit((lock) => editHero(lock, edit))
    const second = made.clone(made.first)
    const { net, sent } = listening(made)
    await second.approve({ names: ['hero'], adopt: true, given: 'typed' })
    await second.build({ names: ['hero'] }, { net })
    const [one] = sent
    expect([sent.length, one?.key, one?.body.max_credits]).toEqual([1, honest.submission?.key, '1.6'])
    expect(one?.body).toMatchObject(askedOf(honest))
    expect(one?.body.reference_asset_id).not.toBe(others)
    expect(second.results()).toEqual([sheetOf('a knight walk')])
  })

  type Approval = NonNullable<LockEntry['approval']>
  test.each<readonly [string, Partial<Approval>]>([
    ['a higher ceiling', { ceiling: '90' }],
    ['a ceiling under the price', { ceiling: '0.1' }],
    ['another price version', { priceVersion: 'mine' }],
    ['another buyer', { buyer: '0'.repeat(40) }],
    ['another time', { at: '2030-01-01T00:00:00.000Z' }],
    ['another way of giving', { given: 'typed' }],
    ['another checkout', { checkout: 'mine' }],
    ['no signature', { signature: undefined }],
  ])('%s in an approval: nothing is sent', async (_what, change) => {
    const { first, posts } = await approved()
    first.edit((lock) => editHero(lock, (entry) => ({ ...entry, approval: { ...(entry.approval as Approval), ...change } })))
    await expect(first.build({ names: ['hero'] })).rejects.toMatchObject({ code: 'SW_BUYER' })
    expect(posts()).toBe(0)
  })

  test('an execution that nobody knows: nothing is sent', async () => {
    const { first, posts } = await approved()
    const execution = { id: '00000000-0000-4000-8000-00000000dead', conversation: null }
    first.edit((lock) => editHero(lock, (entry) => ({ ...entry, execution })))
    await expect(first.build({ names: ['hero'] })).rejects.toMatchObject({ code: 'SW_UNCERTAIN' })
    expect(posts()).toBe(0)
  })

  test.each([
    [
      'a ceiling that is no number',
      (lock: MutableLock) => editHero(lock, (entry) => ({ ...entry, approval: { ceiling: 'lots' } as never })),
    ],
    ['a member that is not known', (lock: MutableLock) => editHero(lock, (entry) => ({ ...entry, bonus: true }) as never)],
    ['a result that is no hash', (lock: MutableLock) => editHero(lock, (entry) => ({ ...entry, result: { sha256: '../../x', bytes: 1 } }))],
  ])('%s: it is refused as a whole, and nothing is sent', async (_what, edit) => {
    const { first, posts } = await approved()
    first.edit(edit)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_LOCKFILE' })
    expect(posts()).toBe(0)
  })
})

/** Both sprites are bought. The service has forgotten the keys, so a second POST is charged again. */
async function bought(): Promise<Team> {
  const made = await approved()
  await made.first.build()
  await made.wait(25 * 60 * minutes)
  return made
}
const withoutResult: Edit = ({ result: _result, ...entry }) => entry

const editsAfter: readonly (readonly [string, Edit])[] = [
  ['no execution and no result', (entry) => ({ ...entry, execution: undefined, result: undefined })],
  ['no result', withoutResult],
  ['a result that is nowhere', (entry) => ({ ...entry, result: { sha256: 'f'.repeat(64), bytes: 1 } })],
  ['the result of another request', (entry, rogue) => ({ ...entry, result: rogue.result })],
  ['a later attempt', frozen(() => ({ attempt: 7 }))],
  ['no approval', (entry) => ({ ...entry, approval: undefined })],
  ['nothing but what was asked', ({ service, asked }) => ({ service, asked })],
]

/** Edits after which one sprite would get the other's purchase, without a way to find out which. */
const contradictions: readonly (readonly [string, Edit])[] = [
  ['the execution of another request', (entry, rogue) => ({ ...entry, execution: rogue.execution })],
  ['the execution of another request and no result', (entry, rogue) => withoutResult({ ...entry, execution: rogue.execution }, rogue, '')],
  ['execution and result of another request', (entry, rogue) => ({ ...entry, execution: rogue.execution, result: rogue.result })],
]

describe('a lock file that was edited after the purchase', () => {
  test.each(editsAfter)('%s: who bought it has it still, and mends the file', async (_what, edit) => {
    const made = await bought()
    const { first, posts } = made
    const before = first.entry('hero.walk')
    first.edit((lock) => editHero(lock, edit))
    expect((await first.states())[0]).toBe('bought')
    const { items } = await made.run((await first.open()).status())
    expect(items[0]?.result).toBe(before.result?.sha256)
    await first.build()
    expect(first.entry('hero.walk')).toMatchObject({ execution: before.execution, result: before.result })
    expect([posts(), made.charged().length]).toEqual([2, 2])
  })

  test.each(editsAfter)(
    '%s: another machine fetches the request’s own bytes, or says who is to buy it; it sends nothing',
    async (_what, edit) => {
      const made = await bought()
      made.first.edit((lock) => editHero(lock, edit))
      const second = made.clone(made.first)
      const isKnown = Object.values(made.first.lock().animations['hero.walk'] ?? {}).some(({ execution }) => execution !== undefined)
      const building = second.build({ names: ['hero'] })
      if (isKnown) await building
      else await expect(building).rejects.toMatchObject({ code: expect.stringMatching(/^SW_(BUYER|APPROVAL)$/) })
      expect(second.results()).toEqual(isKnown ? [sheetOf('a knight walk')] : [])
      expect([made.posts(), made.charged().length]).toEqual([2, 2])
    },
  )

  test.each(contradictions)('%s: it is refused as a whole, on every machine, and nothing is sent', async (_what, edit) => {
    const made = await bought()
    made.first.edit((lock) => editHero(lock, edit))
    const words = 'hero.walk and rogue.walk name the same execution'
    for (const machine of [made.first, made.clone(made.first)])
      await expect(machine.build()).rejects.toMatchObject({ code: 'SW_LOCKFILE', message: expect.stringContaining(words) })
    expect([made.posts(), made.charged().length]).toEqual([2, 2])
  })
})
