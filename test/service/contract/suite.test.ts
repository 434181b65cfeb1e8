import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCaller } from '../../../src/contract/caller.ts'
import type { ContractContext } from '../../../src/contract/check.ts'
import { lifeFrames } from '../../../src/contract/life/life.ts'
import { type ContractLine, type ContractOptions, contractChecks, runContract } from '../../../src/contract/suite.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import { type EmbeddedService, startEmbeddedService } from '../../../src/embedded/service.ts'
import { type Clock, nodeClock } from '../../../src/host/clock.ts'
import { nodeNet } from '../../../src/host/net.ts'
import { nodeRandom } from '../../../src/host/random.ts'
import type { Listener } from '../../../src/host/server.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { describeWith } from '../../kit/needs.ts'
import { json, scriptedNet } from '../../kit/scripted-net.ts'
import { secondProfile, secondShapes } from '../second-profile.ts'
import { heldJob, otherId } from './held-job.ts'
import { startProxy } from './proxy.ts'

/** Limits that make no test wait. The suite's own are those of the interface. */
const noLimits = { post: 1_000_000, get: 1_000_000, download: 1_000_000 }
const wide = { ...noLimits, activeJobs: 2, streams: 4 }
const net = nodeNet()
const ports = { net, clock: nodeClock(), random: nodeRandom() }
afterAll(() => net.close())

function look(
  options: Pick<ContractOptions, 'baseUrl' | 'key'> & Partial<ContractOptions>,
  clock = ports.clock,
): Promise<readonly ContractLine[]> {
  return runContract({ ...ports, clock }, { limits: noLimits, pollMs: 5, spend: parseCredits('10'), ...options })
}

/** One test for each check, over the lines of `run`. */
function showChecks(run: () => Promise<readonly ContractLine[]>): void {
  let lines: readonly ContractLine[] = []
  beforeAll(async () => {
    lines = await run()
  })
  test.each(contractChecks.map(({ clause, title }) => `${clause}: ${title}`))('%s', (name) => {
    const line = lines.find(({ clause, title }) => `${clause}: ${title}` === name)
    expect(line).toMatchObject({ verdict: 'kept' })
  })
}

describe('the embedded service', () => {
  let service: EmbeddedService
  let passedMs = 0
  const clock: Clock = { ...ports.clock, mono: () => ports.clock.mono() + passedMs }
  beforeAll(async () => {
    const held = heldJob()
    // The job takes twenty minutes. If nobody says otherwise, it may take thirty.
    const before: typeof held.before = async (request) => {
      if (request.path.endsWith('/cancel')) passedMs = 20 * 60_000
      return held.before(request)
    }
    service = await startEmbeddedService({ ...held, before, limits: wide })
  })
  afterAll(() => service.close())
  showChecks(() => look({ baseUrl: service.url, key: service.key }, clock))

  test('C14: was paid for one execution and for nothing else', () => {
    expect(service.charges()).toHaveLength(1)
    expect(service.holds()).toEqual([])
    expect(service.mistakes()).toEqual([])
  })
})

describe('the embedded service behind a proxy that delays and fragments all bytes', () => {
  let service: EmbeddedService
  let proxy: Listener
  beforeAll(async () => {
    service = await startEmbeddedService({ ...heldJob(), limits: wide })
    proxy = await startProxy(service.url, { pieces: { bytes: 7, delayMs: 1 } })
  })
  afterAll(async () => {
    await proxy.close()
    await service.close()
  })
  showChecks(() => look({ baseUrl: proxy.url, key: service.key }))
})

describe('the embedded service with another shape in everything that the interface does not show', () => {
  test('C39: every check is kept under the profile of that shape, and the profile is named where it is another', async () => {
    const service = await startEmbeddedService({ ...heldJob(), limits: wide, shapes: secondShapes })
    try {
      const told = await look({ baseUrl: service.url, key: service.key, profile: resolveProfile(secondProfile) })
      expect(told.filter(({ verdict }) => verdict !== 'kept')).toEqual([])
      const untold = await runContract(ports, { baseUrl: service.url, key: service.key, limits: noLimits })
      const parts = untold.filter(({ verdict }) => verdict === 'broken').map(({ clause, profilePart }) => [clause, profilePart])
      expect(parts).toEqual([
        ['C20', 'readBalance'],
        ['N1', 'uploadReference'],
      ])
    } finally {
      await service.close()
    }
  })
})

describe('money', () => {
  test('C15: above the ceiling nothing is submitted, and the words name both figures', async () => {
    const service = await startEmbeddedService({ limits: wide })
    try {
      const lines = await look({ baseUrl: service.url, key: service.key, spend: parseCredits('1') })
      const spent = lines.filter(({ words }) => words.includes('7 frames cost 1.6 credits, above the ceiling of 1'))
      expect(spent.map(({ verdict }) => verdict)).toEqual(spent.map(() => 'not checkable'))
      expect(spent.length).toBeGreaterThan(10)
      expect(
        service
          .requests()
          .filter(({ method, path }) => method === 'POST' && path === '/v1/execute')
          .map(({ status }) => status),
      ).toEqual([422, 401])
      expect(service.charges()).toEqual([])
    } finally {
      await service.close()
    }
  })

  test('C3: a ceiling for one only sends nothing that a service without keys would charge twice', async () => {
    const service = await startEmbeddedService({ jobMs: 0, limits: wide })
    try {
      const lines = await look({ baseUrl: service.url, key: service.key, spend: parseCredits('1.6') })
      expect(lines.find(({ title }) => title.startsWith('the same bytes'))).toMatchObject({
        verdict: 'not checkable',
        words: expect.stringContaining('--spend 3.2'),
      })
      expect(service.charges()).toHaveLength(1)
    } finally {
      await service.close()
    }
  })

  test('I6: where the intent cannot be written down, nothing is sent', async () => {
    const service = await startEmbeddedService({ limits: wide })
    try {
      const record = async (): Promise<void> => Promise.reject(new Error('disk full'))
      const lines = await look({ baseUrl: service.url, key: service.key, record })
      expect(lines.find(({ clause }) => clause === 'C4')).toMatchObject({ verdict: 'not checkable', words: 'disk full' })
      expect(service.holds()).toEqual([])
      expect(service.charges()).toEqual([])
    } finally {
      await service.close()
    }
  })

  test('C30: the suite stays inside of the limits by itself', async () => {
    const service = await startEmbeddedService({ ...heldJob(), limits: { windowMs: 300, streams: 4, activeJobs: 2 } })
    try {
      const limits = { windowMs: 300, post: 10, get: 120, download: 20 }
      const lines = await look({ baseUrl: service.url, key: service.key, limits })
      expect(lines.filter(({ verdict }) => verdict === 'broken')).toEqual([])
      // The only 429 is for the fifth stream, which is requested on purpose.
      expect(service.requests().filter(({ status }) => status === 429)).toHaveLength(1)
    } finally {
      await service.close()
    }
  })
})

describe('the review of the frames', () => {
  test.each([
    ['the last frame', lifeFrames - 1, 'kept'],
    ['a frame counted from 1', lifeFrames, { broken: 'Expected frames counted from 0, found one that is not there.' }],
  ])('C35: that names %s is judged as it is', async (_, frame, finding) => {
    for (const list of ['kept_background_frames', 'inspection_frames', 'source_shifted_frames']) {
      const review = { frame_count: lifeFrames, background: 'remove', [list]: [0, frame] }
      const read = { execution_id: otherId, status: 'completed', image_job: { frame_review: review } }
      const life = async () => ({ reads: [{ bytes: Buffer.from(JSON.stringify(read)) }] })
      const check = contractChecks.find(({ clause }) => clause === 'C35')
      expect(await check?.run({ life } as unknown as ContractContext)).toEqual(finding)
    }
  })
})

describe('a caller of the suite', () => {
  test('C29: waits after a 429 as long as it is asked to, and an abort ends the wait', async () => {
    const clock = new ManualClock()
    const interrupt = new AbortController()
    const scripted = scriptedNet(() => json(429, {}, { 'retry-after': '90' }))
    const reply = createCaller({ net: scripted, clock }, 'https://api.example.com', 'sw_test_x', {}, interrupt.signal).call({
      path: '/v1/balance',
    })
    reply.catch(() => {})
    await clock.advance(89_999)
    expect(scripted.requests).toHaveLength(1)
    await clock.advance(1)
    expect(scripted.requests).toHaveLength(2)
    interrupt.abort(new Error('Ctrl-C'))
    expect(clock.sleepers).toBe(0)
    await expect(reply).rejects.toThrow('Ctrl-C')
  })
})

const elsewhere = { baseUrl: process.env.SPRITEWRIGHT_CONTRACT_URL ?? '', key: process.env.SPRITEWRIGHT_CONTRACT_KEY ?? '' }
const isNamed = elsewhere.baseUrl !== '' && elsewhere.key !== ''
if (!isNamed)
  console.log(
    'No other service is looked at: set SPRITEWRIGHT_CONTRACT_URL and SPRITEWRIGHT_CONTRACT_KEY to have its free promises checked.',
  )

describeWith(isNamed, 'service in SPRITEWRIGHT_BASE_URL')('the service named by the environment, for free', () => {
  test('breaks none of the free promises', { timeout: 600_000 }, async () => {
    const lines = await runContract(ports, elsewhere)
    expect(lines.filter(({ verdict }) => verdict === 'broken')).toEqual([])
  })
})
