import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { asking, isSubmission, type Machine, minutes, refusal, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** Longer than the service remembers a key, so a second POST is charged again. */
const aDay = 25 * 60 * minutes

/** Two names for the very same request. */
async function twins(): Promise<Team> {
  const made = await team()
  made.first.write('sprites/twin.sprite.json', specOf('a knight', 'hero'))
  return made
}

describe('one request under several names', () => {
  test('is planned, approved and bought once, and stands under each name in the lock file', async () => {
    const { first, run, posts, charged } = await twins()
    expect((await run((await first.open()).plan())).total).toBe(16_000n)
    expect((await first.approve()).approved).toHaveLength(1)
    await first.build()
    expect(first.entry('hero.walk').result).toBeDefined()
    expect(first.entry('twin.walk').result).toEqual(first.entry('hero.walk').result)
    expect((await first.approve()).approved).toEqual([])
    await first.build()
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('is bought once where each name has an approval of its own', async () => {
    const { first, wait, posts, charged } = await twins()
    await first.approve({ names: ['twin'] })
    await wait(1_000)
    await first.approve({ names: ['hero'], max: 50_000n })
    await first.build({ names: ['hero'] })
    await wait(aDay)
    await first.build({ names: ['twin'] })
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('is not bought again by another machine under the name whose entry says nothing of the purchase', async () => {
    const { first, clone, wait, posts, charged } = await twins()
    await first.approve({ names: ['twin'] })
    await wait(1_000)
    await first.approve({ names: ['hero'], max: 50_000n })
    await first.build({ names: ['hero'] })
    const second = clone(first)
    await wait(aDay)
    await second.approve({ adopt: true })
    await second.build({ names: ['twin'] })
    expect(second.results()).toEqual([sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('is not bought again by another machine while it is in flight under the other name', async () => {
    const { first, clone, wait, posts, charged } = await twins()
    await first.approve({ names: ['twin'] })
    await wait(1_000)
    await first.approve({ names: ['hero'], max: 50_000n })
    await first.dieBuilding(() => first.entry('hero.walk').execution !== undefined)
    const second = clone(first)
    await wait(aDay)
    await second.approve({ adopt: true })
    await second.build({ names: ['twin'] })
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('is not bought again after a rename, here or on another machine, with the results or without', async () => {
    const { first, clone, wait, posts, charged } = await team()
    await first.approve()
    await first.build()
    first.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
    await first.build()
    expect(Object.keys(first.lock().animations)).toEqual(['hero.walk', 'knight.walk'])
    await wait(aDay)
    for (const other of [clone(first, 'results'), clone(first)]) {
      expect((await other.approve()).approved).toEqual([])
      await other.build({ frozen: true })
      expect(other.results()).toEqual([sheetOf('a knight walk')])
    }
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('is followed under its new name where it was renamed while it was in flight', async () => {
    const { first, clone, posts, charged } = await team()
    await first.approve()
    await first.dieBuilding(() => isAccepted(first))
    first.rename('sprites/hero.sprite.json', 'sprites/knight.sprite.json')
    await first.build()
    expect(first.entry('knight.walk').result).toBeDefined()
    await clone(first).build({ frozen: true })
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })
})

const isAccepted = (machine: Machine): boolean => machine.records().some(({ type }) => type === 'accepted')

/** Longer than a job takes. */
const aJob = 10_000

/** The hero is in flight, and its spec has changed since. */
async function orphaned(change: (machine: Machine) => void, service: EmbeddedOptions = {}): Promise<Team> {
  const made = await team(service)
  await made.first.approve()
  await made.first.dieBuilding(() => isAccepted(made.first))
  change(made.first)
  return made
}
const edited = (machine: Machine): void => machine.write('sprites/hero.sprite.json', specOf('a knight in armour', 'hero'))

describe('a request in flight that no spec asks for any more', () => {
  test('after an edit of its prompt: status tells of it, the next build fetches it, and the new one is paid for alone', async () => {
    const { first, run, posts, charged, wait } = await orphaned(edited)
    expect((await run((await first.open()).status())).warnings.join()).toContain(
      '"hero.walk", as an earlier version of its spec asked for it',
    )
    await first.approve()
    await wait(aJob)
    expect((await first.build()).bought.map(({ id }) => id)).toEqual(['hero.walk'])
    expect(first.results().toSorted()).toEqual([sheetOf('a knight in armour walk'), sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([2, ['a knight walk', 'a knight in armour walk']])
    const { lines, held } = await run((await first.open()).ledger())
    expect([held, ...lines.map(({ state }) => state)]).toEqual([0n, 'settled', 'settled'])
    expect((await run((await first.open()).status())).warnings).toEqual([])
  })

  test('after an edit that nobody has approved: a build with placeholders fetches it, any other one asks for the approval first', async () => {
    const { first, run, posts, charged, wait } = await orphaned(edited)
    await wait(aJob)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await first.build({}, { options: { build: { unbought: 'placeholder' } } })
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
    expect((await run((await first.open()).ledger())).lines.map(({ state }) => state)).toEqual(['settled'])
  })

  test('after its sprite was deleted: builds leave it while it runs, fetch it once it is finished, and --frozen asks nobody', async () => {
    const { first, posts, charged, wait } = await orphaned((machine) => machine.disk.files.delete('/game/sprites/hero.sprite.json'))
    const never = { options: { build: { generate: 'never' as const } } }
    await first.build({}, never)
    expect(first.results()).toEqual([])
    await wait(aJob)
    await first.build({ frozen: true })
    expect(first.results()).toEqual([])
    await first.build({}, never)
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('when it fails it is not tried again: nobody asks for it', async () => {
    let hasFailed = false
    const failsLate: EmbeddedOptions = {
      verdict: ({ stage, attempt }) => {
        if (hasFailed || (stage === 'admission' && attempt > 3)) return undefined
        hasFailed = stage === 'job'
        return { reason: 'generation_failed', message: 'it did not come out', retryable: true }
      },
    }
    const { first, run, posts, wait } = await orphaned((machine) => machine.disk.files.delete('/game/sprites/hero.sprite.json'), failsLate)
    await wait(2 * aJob)
    await first.build()
    expect(posts()).toBe(1)
    expect((await run((await first.open()).ledger())).lines.map(({ state }) => state)).toEqual(['restored'])
  })

  test('comes back to where it was with the spec of before', async () => {
    const { first, posts, charged } = await orphaned(edited)
    first.write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
    await first.build()
    expect([posts(), charged()]).toEqual([1, ['a knight walk']])
  })

  test('and asks a question is told with it, and keeps nobody from building', async () => {
    const { first, posts } = await orphaned(() => {}, asking)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    first.disk.files.delete('/game/sprites/hero.sprite.json')
    const { warnings } = await first.build()
    expect(warnings.join()).toContain('Which hand?')
    expect(posts()).toBe(1)
  })
})

describe('money that came back', () => {
  test('a picture that was cancelled holds nothing any more, here as at the service, and the chain goes on under another approval', async () => {
    const { first, run, world, charged } = await team()
    first.write(
      'sprites/hero.sprite.json',
      JSON.stringify({
        reference: { steps: [{ text: 'a knight' }, { edit: 'a plume' }] },
        prompt: 'x',
        animations: { walk: { frames: 7 } },
      }),
    )
    await first.approve()
    await first.dieBuilding(() => isAccepted(first))
    expect(await run((await first.open()).cancel('hero'))).toEqual([{ id: 'hero#1', status: 'cancelled' }])
    expect((await run((await first.open()).ledger())).held).toBe(0n)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_FAILED', message: expect.stringContaining('was cancelled') })
    await first.approve()
    await first.build()
    expect([world.service.holds(), charged().length]).toEqual([[], 3])
  })

  test('a ledger that was moved away, as its error advises, counts against the total as before', async () => {
    const init = { options: { approval: { perSprite: '5', total: '2' } } }
    const { first, charged } = await team()
    await first.accept(init)
    await first.build({}, init)
    first.disk.files.delete('/game/.spritewright/ledger.jsonl')
    first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
    await expect(first.build({}, init)).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect(charged()).toEqual(['a knight walk'])
  })

  test('an upload that the service does not know any more is made anew for the next attempt', async () => {
    const ids: unknown[] = []
    const expiring: EmbeddedOptions = {
      before: async (request) => {
        if (!isSubmission(request)) return undefined
        ids.push((JSON.parse(new TextDecoder().decode(request.body)) as Record<string, unknown>).reference_asset_id)
        return ids.at(-1) === ids[0] ? refusal(422, 'invalid_request') : undefined
      },
    }
    const { first, wait, charged } = await team(expiring)
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_REFUSED' })
    await wait(1_000)
    await first.approve()
    await first.build()
    expect(new Set(ids).size).toBe(2)
    expect(charged()).toEqual(['a knight walk'])
  })
})
