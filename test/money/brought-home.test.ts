import { describe, expect, test } from 'vitest'
import { minutes, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** Longer than the service remembers a key: whoever sends again pays again. */
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
})
