import { describe, expect, test } from 'vitest'
import { formatTouchKey, wordOf } from '../../src/credit/touch.ts'
import { openTouchKeys } from '../../src/project/trust/touch-keys.ts'
import { testAuthenticator } from '../kit/authenticator.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const [one, other] = [testAuthenticator('ES256').key, testAuthenticator('RS256').key]

/** The list of a user on a machine. */
function listOn(disk: MemoryDisk, keys = '', user = 1) {
  const host = { disk, random: countingRandom(), clock: new ManualClock(), env: { SPRITEWRIGHT_TOUCH_KEYS: keys }, stateFolder: '/state' }
  return openTouchKeys(host, ringOf(testKey(user)))
}

describe('the authenticators of a machine', () => {
  test('are those of the environment, and those that this user has enrolled, with their source and date', async () => {
    const disk = new MemoryDisk()
    const list = listOn(disk, `${formatTouchKey(one)}, ${formatTouchKey(other)}`)
    expect((await list.list()).map(({ spki, source }) => [spki, source])).toEqual([
      [one.spki, 'environment'],
      [other.spki, 'environment'],
    ])
    await list.add(formatTouchKey(other))
    await listOn(disk).add(formatTouchKey(other))
    const at = new Date(new ManualClock().wall()).toISOString()
    expect(await listOn(disk).list()).toEqual([
      { ...other, key: formatTouchKey(other), word: wordOf(other), source: 'terminal', enrolledAt: at, seen: undefined },
    ])
    expect(await listOn(disk, '', 2).list()).toEqual([])
    expect([
      await listOn(disk).remove(formatTouchKey(one)),
      await listOn(disk).remove(formatTouchKey(other)),
      await listOn(disk).list(),
    ]).toEqual([false, true, []])
  })

  test('remember the counter of their last touch, also those of the environment', async () => {
    const disk = new MemoryDisk()
    const list = listOn(disk, formatTouchKey(one))
    await list.see(one.credential, 6, '2026-01-01T00:00:00.000Z')
    await list.see(one.credential, 7, '2026-01-02T00:00:00.000Z')
    expect((await listOn(disk, formatTouchKey(one)).list())[0]?.seen).toMatchObject({ counter: 7, at: '2026-01-02T00:00:00.000Z' })
    expect((await listOn(disk).list()).length).toBe(0)
  })

  test('are each added and removed beside the others, and have each its own counter and the latest time', async () => {
    const disk = new MemoryDisk()
    const other = testAuthenticator('ES256', 'second').key
    const words = async () => (await listOn(disk).list()).map(({ word, seen }) => [word, seen?.counter, seen?.at])
    for (const key of [one, other, one]) await listOn(disk).add(formatTouchKey(key))
    await listOn(disk).see(one.credential, 5, '2026-01-02T00:00:00.000Z')
    await listOn(disk).see(other.credential, 9, '2026-01-01T00:00:00.000Z')
    // The clock has gone back between two touches.
    await listOn(disk).see(one.credential, 6, '2026-01-01T00:00:00.000Z')
    // A key that is enrolled again comes last.
    expect((await listOn(disk).list()).map(({ key }) => key)).toEqual([other, one].map(formatTouchKey))
    expect(await words()).toEqual([
      [wordOf(other), 9, '2026-01-01T00:00:00.000Z'],
      [wordOf(one), 6, '2026-01-02T00:00:00.000Z'],
    ])
    expect(await listOn(disk).remove(formatTouchKey(other))).toBe(true)
    expect(await words()).toEqual([[wordOf(one), 6, '2026-01-02T00:00:00.000Z']])
    const calls = disk.calls.length
    expect([await listOn(disk).remove(formatTouchKey(other)), disk.calls.length]).toEqual([false, calls])
  })

  test('that another program has written into the file count nothing, and the file is refused', async () => {
    const disk = new MemoryDisk()
    await listOn(disk).add(formatTouchKey(one))
    const [path = ''] = [...disk.files.keys()]
    const text = new TextDecoder().decode(disk.files.get(path))
    const { seal } = JSON.parse(text) as { seal: string }
    const theirs = JSON.stringify({ keys: [{ key: formatTouchKey(other), at: '2026-01-01T00:00:00.000Z' }], seen: [], seal })
    for (const changed of [text.replaceAll(formatTouchKey(one), formatTouchKey(other)), text.replace(seal, ''), theirs, '{', '']) {
      disk.files.set(path, new TextEncoder().encode(changed))
      await expect(listOn(disk).list()).rejects.toMatchObject({ code: 'SW_CONFIG', message: expect.stringContaining(path) })
      await expect(listOn(disk).add(formatTouchKey(one))).rejects.toMatchObject({ code: 'SW_CONFIG' })
    }
  })

  test('in the environment must be keys', async () => {
    await expect(listOn(new MemoryDisk(), 'ES256.x').list()).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining('SPRITEWRIGHT_TOUCH_KEYS'),
    })
  })
})
