import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { storeError } from '../../src/stores/failures.ts'
import { openBlobStore, openRecordStore, parseStoreAddress } from '../../src/stores/open.ts'
import { createPatience } from '../../src/stores/patience.ts'
import { toObjectFolder } from '../../src/vault/shared-layer.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { type S3Asked, type S3Fault, startS3Double } from '../kit/s3-double.ts'
import { quickPorts } from './quick-ports.ts'

const longestMs = 600_000
const away = (mayPass = true) => storeError({ address: 's3://team', work: 'read a', found: 'ECONNREFUSED', mayPass })

/** A run with ten minutes' patience. */
function run() {
  const clock = leapingClock()
  const told: string[] = []
  const interrupt = new AbortController()
  const patience = createPatience({
    clock,
    random: countingRandom(),
    longestMs,
    signal: interrupt.signal,
    onWait: (sentence) => told.push(sentence),
  })
  return { clock, told, interrupt, patience, patiently: patience.of('s3://team') }
}

test('a run waits for a store as long as it is away, at most ten minutes, and tells both the wait and its end once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1_200_000 }), fc.integer({ min: 1, max: 8 }), async (outMs, calls) => {
      const { clock, told, patiently } = run()
      const begun = clock.mono()
      const call = async (): Promise<string> => {
        if (clock.mono() - begun < outMs) throw away()
        return 'read'
      }
      const ends = await Promise.all(Array.from({ length: calls }, () => patiently(call).catch((error: { code: string }) => error.code)))
      // Of calls at the same time, some may come back just after the store does.
      if (outMs < longestMs) expect(ends).toEqual(ends.map(() => 'read'))
      if (outMs > longestMs + 10_000) expect(ends).toEqual(ends.map(() => 'SW_STORE'))
      expect(clock.mono() - begun).toBeLessThan(Math.min(outMs, longestMs) + 10_000 * calls)
      const words = outMs === 0 ? [] : outMs < longestMs ? ['ECONNREFUSED', 'answers again'] : ['ECONNREFUSED']
      if (outMs < longestMs || outMs > longestMs + 10_000) expect(told).toEqual(words.map((word) => expect.stringContaining(word)))
    }),
    { numRuns: 50 },
  )
})

test('what does not pass fails at once, and so does everything after an interruption', async () => {
  const { told, interrupt, patiently } = run()
  const failing = (mayPass: boolean) =>
    patiently(async () => {
      throw away(mayPass)
    })
  await expect(failing(false)).rejects.toMatchObject({ code: 'SW_STORE' })
  interrupt.abort()
  await expect(failing(true)).rejects.toMatchObject({ code: 'SW_STORE' })
  expect(told).toEqual([])
})

test('the waits double from half a second to five, a half of each by chance, and an interruption ends them', async () => {
  const waits: [number, AbortSignal | undefined][] = []
  const signal = new AbortController().signal
  let now = 0
  const told: string[] = []
  const patience = createPatience({
    clock: {
      ...leapingClock(),
      mono: () => now,
      sleep: async (ms, until) => {
        waits.push([ms, until])
        now += ms
      },
    },
    random: { ...countingRandom(), unit: () => 0.5 },
    longestMs: 90_000,
    signal,
    onWait: (sentence) => told.push(sentence),
  })
  let tries = 0
  const call = async (): Promise<number> => {
    if (++tries <= 6) throw away()
    return tries
  }
  expect([patience.longestMs, await patience.of('s3://team')(call)]).toEqual([90_000, 7])
  expect(waits).toEqual([375, 750, 1500, 3000, 3750, 3750].map((ms) => [ms, signal]))
  expect(told).toEqual([expect.stringMatching(/s3:\/\/team .*ECONNREFUSED.* 2 min/), expect.stringMatching(/s3:\/\/team .*again/)])
})

test.each([89_999, 90_000])('a call whose patience of 90 seconds is used up after %i ms has one more try or none', async (ms) => {
  let now = 0
  const clock = { ...leapingClock(), mono: () => now, sleep: async () => {} }
  const ports = { clock, random: countingRandom(), signal: new AbortController().signal, onWait: () => {} }
  const patiently = createPatience({ ...ports, longestMs: 90_000 }).of('s3://team')
  let tries = 0
  const call = async (): Promise<string> => {
    now = ms
    if (++tries === 1) throw away()
    return 'read'
  }
  expect(await patiently(call).catch((error) => error.code)).toBe(ms < 90_000 ? 'read' : 'SW_STORE')
  now += 90_000
  tries = 0
  const [first] = await Promise.allSettled([patiently(async () => Promise.reject(tries++ ? new Error('else') : away()))])
  expect([tries, first.status]).toEqual([2, 'rejected'])
})

test('after a store has used up the patience, a thousand further reads cost no further wait', async () => {
  const { clock, patiently } = run()
  const begun = clock.mono()
  for (let read = 0; read < 1000; read++)
    await patiently(async () => {
      throw away()
    }).catch(() => {})
  expect(clock.mono() - begun).toBeLessThan(longestMs + 10_000)
})

test('a run says why it waits while it does, and waits again when as long has passed as it has waited', async () => {
  const { clock, patience, patiently } = run()
  const reasons: string[][] = []
  const waitOf = async (): Promise<number> => {
    const begun = clock.mono()
    const call = patiently(async () => {
      reasons.push([...patience.reasons.values()])
      throw away()
    })
    await expect(call).rejects.toMatchObject({ code: 'SW_STORE' })
    return clock.mono() - begun
  }
  expect(await waitOf()).toBeGreaterThanOrEqual(longestMs)
  expect([reasons[0], reasons[1], [...patience.reasons]]).toEqual([[], [expect.stringContaining('s3://team')], []])
  await clock.sleep(longestMs - 1000)
  expect(await waitOf()).toBe(0)
  await clock.sleep(2000)
  expect(await waitOf()).toBeGreaterThanOrEqual(longestMs)
})

/** A bucket, and the first answer to each request that a test chooses. */
async function bucket(first: (asked: S3Asked) => S3Fault['answer'] | undefined) {
  const met = new Set<string>()
  const fault = (asked: S3Asked): S3Fault | undefined => {
    const answer = first(asked)
    const name = `${asked.method} ${asked.key}`
    if (answer === undefined || met.has(name)) return undefined
    met.add(name)
    return { answer }
  }
  const double = await startS3Double({ fault })
  onTestFinished(() => double.close())
  const ports = quickPorts(double.env)
  const where = parseStoreAddress('s3://studio/game')
  const damaged: string[] = []
  return {
    double,
    damaged,
    results: toObjectFolder(openBlobStore(ports, where), (hash) => void damaged.push(hash)),
    records: openRecordStore(ports, where, '/'),
  }
}

test.each([404, 'short'] as const)(
  'a bucket that answers the first read of each object with %s has lost and damaged nothing',
  async (answer) => {
    const { damaged, results, records } = await bucket(({ method }) => (method === 'GET' ? answer : undefined))
    const bytes = new TextEncoder().encode(`PK a paid result ${randomUUID()}`)
    const hash = await results.put(bytes)
    await results.probe()
    expect([await results.has(hash), await results.read(hash), damaged]).toEqual([true, bytes, []])
    // Its first write is preceded by a probe.
    expect(await records.putIfAbsent('a/1', bytes)).toBe('mine')
  },
)

test('a result of another machine that is read in half first is read again before it counts as damaged', async () => {
  const { damaged, double, results } = await bucket(({ method }) => (method === 'GET' ? 'short' : undefined))
  const bytes = new TextEncoder().encode(`PK a paid result ${randomUUID()}`)
  const hash = createHash('sha256').update(bytes).digest('hex')
  double.files.set(`game/cas/${hash}`, { bytes, atMs: 0 })
  expect([await results.read(hash), damaged]).toEqual([bytes, []])
})
