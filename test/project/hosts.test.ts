import { expect, test } from 'vitest'
import { openTrustedHosts } from '../../src/project/trust/hosts.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const open = (disk = new MemoryDisk()) =>
  openTrustedHosts({ disk, random: countingRandom(), clock: new ManualClock(), stateFolder: '/state' })
const [one, other] = ['https://one.example.com', 'https://other.example.com']

test('an address is confirmed for one key; another key or address takes nothing from it', async () => {
  const hosts = open()
  for (const [origin, key] of [
    [one, 'a'],
    [one, 'b'],
    [other, 'a'],
    [one, 'a'],
  ] as const)
    await hosts.add({ origin, key })
  expect((await hosts.list()).map(({ origin, key }) => `${origin} ${key}`)).toEqual([`${one} b`, `${other} a`, `${one} a`])
})

test('an address is removed with one key or with all, and the number is told', async () => {
  const hosts = open()
  for (const key of ['a', 'b', 'c']) await hosts.add({ origin: one, key })
  await hosts.add({ origin: other, key: 'a' })
  expect([await hosts.remove(one, 'a'), await hosts.remove(one, 'a'), await hosts.remove(one), await hosts.remove(one)]).toEqual([
    1, 0, 2, 0,
  ])
  expect(await hosts.list()).toMatchObject([{ origin: other, key: 'a' }])
})

test('a list that is not as it was written is no list: nothing is confirmed, and nothing is replaced', async () => {
  const disk = new MemoryDisk()
  disk.files.set('/state/trusted-hosts.json', Buffer.from('{'))
  await expect(open(disk).list()).rejects.toMatchObject({ code: 'SW_CONFIG', facts: { file: '/state/trusted-hosts.json' } })
  await expect(open(disk).add({ origin: one, key: 'a' })).rejects.toMatchObject({ code: 'SW_CONFIG' })
  expect(disk.calls).toEqual([])
})
