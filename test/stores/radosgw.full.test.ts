import { afterAll, beforeAll, expect, test } from 'vitest'
import { findServers } from '../../scripts/find-servers.mjs'
import { type Net, readBody } from '../../src/host/net.ts'
import { openRecordStore } from '../../src/stores/open.ts'
import { openS3Blobs, openS3Records } from '../../src/stores/s3.ts'
import { parseS3Address } from '../../src/stores/s3-client.ts'
import { describeWith } from '../kit/needs.ts'
import { type Radosgw, startRadosgw } from '../kit/servers/radosgw.ts'
import { level } from '../level.ts'
import { describeBlobStore, describeRecordStore } from './contract.ts'
import { quickPorts } from './quick-ports.ts'

const where = parseS3Address('s3://studio/games/knights')
const away = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }

/** It takes a quarter of a minute to start. */
const isThere = level === 'long' && findServers().radosgw !== undefined

describeWith(isThere, 'the long level and radosgw')('radosgw, the S3 service of Ceph', () => {
  let server: Radosgw
  beforeAll(async () => {
    server = await startRadosgw()
  }, 120_000)
  afterAll(() => server?.close())

  describeRecordStore('records', () => ({
    precisionMs: 2000,
    open: () => openS3Records(quickPorts(), server.env, where),
    openAway: () => openS3Records(quickPorts(), { ...server.env, ...away }, where),
    openLossy: (doesLand) => {
      const ports = quickPorts()
      let isLost = false
      const net: Net = {
        ...ports.net,
        request: async (request) => {
          if (isLost || request.method !== 'PUT') return ports.net.request(request)
          isLost = true
          if (doesLand) await readBody(await ports.net.request(request), 65_536)
          throw new Error('other side closed')
        },
      }
      return openS3Records({ ...ports, net }, server.env, where)
    },
  }))

  describeBlobStore('results', () => ({
    open: () => openS3Blobs(quickPorts(), server.env, where),
    openAway: () => openS3Blobs(quickPorts(), { ...server.env, ...away }, where),
  }))

  test('passes the probe', async () => {
    const store = openRecordStore(quickPorts(server.env), where, process.cwd())
    expect(await store.putIfAbsent('probed/1', new Uint8Array([1]))).toBe('mine')
  })

  test('refuses a wrong signature, and a bucket that is not there is no free name', async () => {
    const wrong = openS3Records(quickPorts(), { ...server.env, AWS_SECRET_ACCESS_KEY: 'another' }, where)
    await expect(wrong.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { reason: 'SignatureDoesNotMatch' } })
    const lost = openS3Records(quickPorts(), server.env, parseS3Address('s3://another'))
    await expect(lost.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { reason: 'NoSuchBucket' } })
  })
})
