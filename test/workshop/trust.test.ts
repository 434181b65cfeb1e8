import { expect, test } from 'vitest'
import { nodeRandom } from '../../src/host/random.ts'
import type { Context } from '../../src/project/context.ts'
import { openPersonRequests } from '../../src/project/requests.ts'
import { openTrustedHosts } from '../../src/project/trust/hosts.ts'
import { openTrust } from '../../src/workshop/trust/trust.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

function desk(key?: string) {
  const disk = new MemoryDisk()
  const hosts = openTrustedHosts({ disk, random: countingRandom(), clock: new ManualClock(), stateFolder: '/state' })
  const credentials = key === undefined ? {} : { key: { reveal: () => key } }
  const ports = { disk, random: nodeRandom(), clock: new ManualClock(), stateFolder: '/state' }
  const requests = openPersonRequests(ports, 'place')
  return { disk, requests, trust: openTrust({ hosts, credentials, requests } as unknown as Context) }
}

test('an address is confirmed for the present key, by its origin alone', async () => {
  const { trust } = desk('sw_test_key')
  expect(await trust.confirm('api.example.com')).toBe('https://api.example.com')
  expect(await trust.list()).toMatchObject([{ origin: 'https://api.example.com', key: expect.not.stringContaining('sw_test_key') }])
  expect([await trust.remove('https://api.example.com'), await trust.list()]).toEqual([1, []])
})

test('a confirmation ends the requests for that address, and no others', async () => {
  const { trust, requests } = desk('sw_test_key')
  const ask = { verb: 'trust', why: 'The build stopped.', from: 'shell' } as const
  await requests.add({ ...ask, names: ['api.example.com'] })
  const other = await requests.add({ ...ask, names: ['other.example.com'] })
  await requests.add({ ...ask, names: ['https://api.example.com'] })
  await trust.confirm('api.example.com')
  expect(await requests.list()).toEqual([other])
})

test('a confirmation that cannot be written is an error, and none without a key is written', async () => {
  const { disk, trust } = desk('sw_test_key')
  disk.fault = { call: 'write ', code: 'ENOSPC' }
  await expect(trust.confirm('api.example.com')).rejects.toMatchObject({ code: 'ENOSPC' })
  await expect(desk().trust.confirm('api.example.com')).rejects.toMatchObject({ code: 'SW_NO_KEY' })
  await expect(desk('sw_test_key').trust.confirm('ftp://api.example.com')).rejects.toMatchObject({ code: 'SW_USAGE' })
})
