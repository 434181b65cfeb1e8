import { describe, expect, test } from 'vitest'
import type { Credits } from '../../src/credit/credits.ts'
import { openProjectMemory } from '../../src/project/trust/project-memory.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

/** A machine of one user, and its project. */
function machine(user = 1, disk = new MemoryDisk()) {
  const clock = new ManualClock()
  const host = { disk, random: countingRandom(), clock, stateFolder: '/state' }
  const open = (place = 'game') => openProjectMemory(host, ringOf(testKey(user)), place)
  return { disk, clock, open }
}

const lock: LockFile = { version: 1, animations: {} }
const credits = (whole: number): Credits => BigInt(whole * 10_000) as Credits

describe('what a machine remembers of a project', () => {
  test('is made once, read again by the next run, and counts for no other user and no other place', async () => {
    const { disk, open } = machine()
    const made = await open().keep(lock, undefined)
    expect(await open().read()).toEqual(made)
    expect((await open('other').keep(lock, undefined))?.project).not.toBe(made?.project)
    expect(await machine(2, disk).open().read()).toBeUndefined()
  })

  test('takes a lower total at once, and a higher one only from a person', async () => {
    const { open } = machine()
    await open().keep(lock, credits(50))
    expect((await open().keep(lock, credits(20)))?.total).toBe(credits(20))
    expect(await open().read()).toMatchObject({ total: credits(20) })
    for (const total of [credits(90), undefined]) expect((await open().keep(lock, total))?.total).toBe(credits(20))
    await open().acceptTotal(lock, credits(90))
    expect(await open().read()).toMatchObject({ total: credits(90) })
  })

  test('has the latest time that a run has seen, to the hour, and never goes back', async () => {
    const { clock, open } = machine()
    await open().keep(lock, undefined)
    const begun = clock.wall()
    await clock.advance(3_600_000)
    expect((await open().keep(lock, undefined))?.latest).toBe(begun + 3_600_000)
    const behind = { wall: () => begun, mono: () => clock.mono(), sleep: clock.sleep.bind(clock) }
    const { disk } = machine()
    const past = openProjectMemory({ disk, random: countingRandom(), clock: behind, stateFolder: '/state' }, ringOf(testKey(1)), 'game')
    await openProjectMemory({ disk, random: countingRandom(), clock, stateFolder: '/state' }, ringOf(testKey(1)), 'game').keep(
      lock,
      undefined,
    )
    expect((await past.keep(lock, credits(1)))?.latest).toBe(clock.wall())
  })

  test('that somebody else has changed is damaged, and stops the run', async () => {
    const { disk, open } = machine()
    await open().keep(lock, credits(5))
    const [path] = [...disk.files.keys()].filter((one) => one.startsWith('/state/projects/'))
    const text = new TextDecoder().decode(disk.files.get(path as string))
    for (const changed of [text.replace('"5"', '"500"'), text.replace(/"latest":\d+/, '"latest":1'), '{', '']) {
      disk.files.set(path as string, new TextEncoder().encode(changed))
      expect(await open().read()).toBe('damaged')
      await expect(open().keep(lock, undefined)).rejects.toMatchObject({ code: 'SW_CONFIG' })
    }
  })
})
