import { afterAll, expect, test } from 'vitest'
import { probedRecords } from '../../src/stores/probe.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { openS3Blobs, openS3Records } from '../../src/stores/s3.ts'
import { parseS3Address } from '../../src/stores/s3-client.ts'
import { type S3Double, type S3Rules, startS3Double } from '../kit/s3-double.ts'
import { quickPorts } from './quick-ports.ts'

const where = parseS3Address('s3://studio/games')
const bytes = new TextEncoder().encode('own')
const doubles: S3Double[] = []
afterAll(async () => void (await Promise.all(doubles.map((double) => double.close()))))

async function start(rules: S3Rules = {}): Promise<{ double: S3Double; store: RecordStore }> {
  const double = await startS3Double(rules)
  doubles.push(double)
  return { double, store: probedRecords(openS3Records(quickPorts(), double.env, where), quickPorts()) }
}

test('a store that keeps the condition is probed once, before its first write, and a reader writes nothing', async () => {
  const { double, store } = await start()
  expect(await store.get('a/1')).toBeUndefined()
  expect(double.files.size).toBe(0)
  expect(await Promise.all([store.putIfAbsent('a/1', bytes), store.putIfAbsent('a/2', bytes)])).toEqual(['mine', 'mine'])
  expect(await store.putIfAbsent('a/1', new Uint8Array())).toBe('taken')
  const keys = [...double.files.keys()].map((key) => key.replace(/[0-9a-f-]{36}/, '*')).toSorted()
  expect(keys).toEqual(['games/a/1', 'games/a/2', 'games/probe/*'])
})

test.each([
  ['ignored', { answers: ['mine', 'mine'] }],
  ['refused', { status: 501 }],
] as const)(
  'a store with the condition %s is SW_STORE_UNSAFE for records, gets no record, and still serves results',
  async (condition, facts) => {
    const { double, store } = await start({ condition })
    for (const _ of [1, 2])
      await expect(store.putIfAbsent('a/1', bytes)).rejects.toMatchObject({
        code: 'SW_STORE_UNSAFE',
        message: expect.stringMatching(/Nothing was sent.*still serves results/),
        facts: { store: 's3://studio/games', ...facts },
      })
    expect(double.files.has('games/a/1')).toBe(false)
    const blobs = openS3Blobs(quickPorts(), double.env, where)
    await blobs.put('c'.repeat(64), bytes)
    expect(await blobs.get('c'.repeat(64))).toEqual(bytes)
  },
)

test('a store that loses what it has taken is SW_STORE_UNSAFE', async () => {
  const lost: RecordStore = {
    address: 'a folder',
    putIfAbsent: async (_, body) => (new TextDecoder().decode(body).startsWith('first') ? 'mine' : 'taken'),
    get: async () => undefined,
    close: async () => {},
  }
  await expect(probedRecords(lost, quickPorts()).putIfAbsent('a/1', bytes)).rejects.toMatchObject({ code: 'SW_STORE_UNSAFE' })
})

test.each([
  ['nothing', undefined],
  ['other bytes', 'second'],
])('the refusal of a store that then has %s names the file and what was found', async (words, body) => {
  const names: string[] = []
  const odd: RecordStore = {
    address: 's3://odd',
    putIfAbsent: async (name) => (names.push(name) % 2 ? 'mine' : 'taken'),
    get: async () => (body === undefined ? undefined : { bytes: new TextEncoder().encode(body), ageMs: 1 }),
    close: async () => {},
  }
  const error = await probedRecords(odd, quickPorts())
    .putIfAbsent('a/1', bytes)
    .catch((cause) => cause)
  expect([error.code, error.facts]).toEqual(['SW_STORE_UNSAFE', { store: 's3://odd', name: names[0] }])
  expect(error.message).toContain(`${words} under the name ${names[0]}`)
  expect(names).toEqual([names[0], names[0]])
})

test('a store that is away at its probe is probed again at the next write', async () => {
  let isAway = true
  const { store } = await start({ fault: () => (isAway ? { answer: 500 } : undefined) })
  await expect(store.putIfAbsent('a/1', bytes)).rejects.toMatchObject({ code: 'SW_STORE' })
  isAway = false
  expect(await store.putIfAbsent('a/1', bytes)).toBe('mine')
})
