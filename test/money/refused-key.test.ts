import { describe, expect, test } from 'vitest'
import { answering, refusal, type Team, team } from '../sim/two-machines.ts'

/** The request is approved, but the service refused the API key, so it has nothing. */
async function turnedAway(): Promise<Team> {
  const made = await team(answering([refusal(401, 'authentication_failed')]))
  await made.first.approve()
  await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
  expect(await made.first.states()).toEqual(['approved'])
  return made
}

describe('refused for its key, and approved anew', () => {
  test('at a price that has risen since: a build asks for the approval, and the next attempt pays the new price once', async () => {
    const { first, world, posts } = await turnedAway()
    world.service.setPricing({ first_tier_cents: 320 })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_CEILING' })
    const [line] = (await first.approve()).approved
    expect(line?.quote).toBeGreaterThan(16_000n)
    await first.build()
    expect(posts()).toBe(2)
    expect(world.service.charges().map(({ credits }) => credits)).toEqual([line?.quote])
    expect(first.records().flatMap((record) => (record.type === 'frozen' ? [record.body.attempt] : []))).toEqual([1, 2])
  })

  test('with another ceiling: the next attempt has a key of its own and is charged once', async () => {
    const { first, posts, charged } = await turnedAway()
    expect((await first.approve({ max: 50_000n })).approved).toMatchObject([{ ceiling: 50_000n }])
    await first.build()
    const keys = first.records().flatMap((record) => (record.type === 'frozen' ? [record.body.key] : []))
    expect(new Set(keys).size).toBe(2)
    expect([posts(), charged()]).toEqual([2, ['a knight walk']])
  })

  test('after its approval was taken out of the lock file: nothing is sent without one', async () => {
    const { first, posts, charged } = await turnedAway()
    first.edit((lock) => {
      for (const entry of Object.values(lock.animations['hero.walk'] ?? {})) delete entry.approval
    })
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    expect([posts(), charged()]).toEqual([1, []])
    await first.approve()
    await first.build()
    expect([posts(), charged()]).toEqual([2, ['a knight walk']])
  })
})
