import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { expectCount } from '../kit/expect-count.ts'
import { figurePng, heroSpec } from '../kit/project.ts'
import { approveAll, world } from './world.ts'

/** A service whose answers to some requests have other members. */
function telling(
  path: RegExp,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
  isOn: () => boolean = () => true,
): EmbeddedOptions {
  return {
    after: async (request: HookedRequest, response: ServedResponse) => {
      if (request.origin !== 'api' || request.method !== 'GET' || !path.test(request.path) || response.status !== 200 || !isOn())
        return response
      if (!(response.body instanceof Uint8Array)) return response
      const body = new TextEncoder().encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(response.body)))))
      return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
    },
  }
}

const capabilities = /^\/v1\/capabilities/
const execution = /^\/v1\/executions\/[^/]+$/

describe('prices', () => {
  test('C19: another price version after the approval stops before anything is submitted and asks for an approval anew', async () => {
    let isNew = false
    const w = await world(
      telling(
        /^\/v1\/sprite-pricing/,
        (body) => ({ ...body, price_version: 'sprite-base-frame-20270101-v2' }),
        () => isNew,
      ),
    )
    const workshop = await w.workshop()
    await approveAll(workshop)
    isNew = true
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_PRICE_VERSION', exitCode: 3 })
    expect(w.posts()).toBe(0)
    await approveAll(workshop)
    expect((await workshop.build()).bought).toHaveLength(1)
  })

  test('C18: the estimate is kept in no file of the project', async () => {
    const w = await world(
      telling(/^\/v1\/sprite-pricing/, (body) => ({ ...body, reference_usd: '7654.32', reference_credit_cents: 98_761 })),
    )
    const workshop = await w.workshop()
    await workshop.plan()
    await approveAll(workshop)
    await workshop.build()
    const files = (await readdir(w.project.root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    const holding: string[] = []
    for (const { name, parentPath } of files) {
      const bytes = await readFile(`${parentPath}/${name}`)
      if (bytes.includes('7654.32') || bytes.includes('98761')) holding.push(name)
    }
    expect(files.length).toBeGreaterThan(5)
    expect(holding).toEqual([])
  })
})

describe('capabilities', () => {
  const uploads = (w: Awaited<ReturnType<typeof world>>): number => w.service.requests().filter(({ method }) => method === 'POST').length

  test('C16: a reference of more bytes than the service takes is refused before it is uploaded', async () => {
    const w = await world({ maximumInputBytes: 100 })
    await expect(approveAll(await w.workshop())).rejects.toMatchObject({ code: 'SW_REFERENCE', exitCode: 2 })
    expect(uploads(w)).toBe(0)
  })

  test('C16: a reference of more bytes than the service takes as a source is refused before it is uploaded', async () => {
    const w = await world(telling(capabilities, (body) => ({ ...body, maximum_source_input_bytes: 100 })))
    await expect(approveAll(await w.workshop())).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      message: expect.stringMatching(/at most 100 bytes, found \d+ bytes\. Make it smaller\.$/),
    })
    expect(uploads(w)).toBe(0)
  })

  test.each([
    [
      'maximum_input_bytes',
      100,
      /^x\.png: expected a picture of at most 100 bytes, found \d+ bytes\. Make it smaller\. No answer was sent\.$/,
    ],
    ['maximum_source_input_bytes', 100, /at most 100 bytes/],
    ['maximum_input_dimension', 32, /at most 32 pixels a side, found 64 × 64 pixels\. Scale it down\./],
    ['supported_input_extensions', ['webp'], /expected a picture that the service takes \(webp\), found image\/png\. Convert it\./],
  ])('C16: a picture of an answer above %s is refused before anything is sent', async (field, limit, message) => {
    let isLow = false
    const lowered = telling(
      capabilities,
      (body) => ({ ...body, [field]: limit }),
      () => isLow,
    )
    const w = await world(lowered, heroSpec().replace('a small figure', 'a small figure [ask asset]'))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    isLow = true
    const before = uploads(w)
    const asset = { path: 'x.png', bytes: figurePng(30) }
    const answer = (await w.workshop()).answer({ name: 'hero', text: 'this', asset })
    await expect(answer).rejects.toMatchObject({ code: 'SW_REFERENCE', exitCode: 2, message: expect.stringMatching(message) })
    expect(uploads(w)).toBe(before)
  })

  test('C16: a reference with longer sides than the service takes is refused before it is uploaded', async () => {
    const w = await world({ maximumInputDimension: 32 })
    await expect(approveAll(await w.workshop())).rejects.toMatchObject({ code: 'SW_REFERENCE' })
    expect(uploads(w)).toBe(0)
  })

  test('C16: more frames than the account may have are refused before anything is uploaded', async () => {
    const spec = heroSpec().replace('"frames":7', '"frames":30')
    const w = await world({ pricing: { maximum_frames: 20 } }, spec)
    await expect(approveAll(await w.workshop())).rejects.toMatchObject({ exitCode: expect.toSatisfy((code: number) => code >= 2) })
    expect(uploads(w)).toBe(0)
  })

  test('C38: another API version is a warning, and the work goes on', async () => {
    const w = await world(telling(capabilities, (body) => ({ ...body, api_version: '2' })))
    const workshop = await w.workshop()
    expect((await workshop.plan()).warnings.join(' ')).toContain('speaks API version 2')
    await approveAll(workshop)
    expect((await workshop.build()).bought).toHaveLength(1)
  })

  test('C38: what was bought with a test key is none of what a live key buys; both are kept apart', async () => {
    const accounts = [
      {
        name: 'studio',
        keys: [
          { key: 'test-key-of-the-studio', mode: 'test' as const },
          { key: 'live-key-of-the-studio', mode: 'live' as const },
        ],
      },
    ]
    const w = await world({ accounts })
    const testing = await w.workshop()
    await approveAll(testing)
    expect((await testing.build()).bought).toHaveLength(1)
    const live = await w.workshop({}, { SPRITEWRIGHT_API_KEY: 'live-key-of-the-studio' })
    expect(await approveAll(live)).toMatchObject({ approved: [{ id: 'hero.walk' }] })
    expect((await live.build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 2)
    // Both entries stay, each under its own hash. Neither purchase replaced the other.
    const lock = JSON.parse(await readFile(`${w.project.root}/sprites.lock.json`, 'utf8')) as { animations: Record<string, object> }
    const entries = Object.values(lock.animations['hero.walk'] ?? {}) as { service: { keyMode: string }; result: { sha256: string } }[]
    expect(entries.map(({ service }) => service.keyMode).sort()).toEqual(['live', 'test'])
    expect(entries.every(({ result }) => result.sha256.length === 64)).toBe(true)
  })
})

describe('what an execution tells', () => {
  test('C35: the review is kept with the result, over checkouts, and shown by status', async () => {
    const review = {
      frame_count: 7,
      background: 'remove',
      kept_background_frames: [1],
      inspection_frames: [2, 3],
      source_shifted_frames: [4],
    }
    const w = await world(telling(execution, (body) => withJob(body, (job) => (job.frame_review ? { ...job, frame_review: review } : job))))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    const kept = { keptBackgroundFrames: [1], inspectionFrames: [2, 3], sourceShiftedFrames: [4] }
    expect((await (await w.workshop()).status()).items[0]?.review).toMatchObject(kept)
    expect(await readFile(`${w.project.root}/sprites.lock.json`, 'utf8')).toContain('"inspectionFrames"')
  })

  test('C37: a file of another type than its asset says is told, and is paid, kept and built all the same', async () => {
    const change = (job: Record<string, unknown>): Record<string, unknown> => ({
      ...job,
      finished_assets: (job.finished_assets as object[]).map((asset) => ({ ...asset, content_type: 'image/gif' })),
    })
    const w = await world(telling(execution, (body) => withJob(body, change)))
    const workshop = await w.workshop()
    await approveAll(workshop)
    const report = await workshop.build()
    expect(report.warnings.join(' ')).toContain("hero.walk: the service says that the file's type is image/gif, it is application/zip.")
    expect(report.bought).toHaveLength(1)
  })

  test('C36: a job that fails is told with the reason and message of its sanitized error', async () => {
    const w = await world({
      verdict: ({ stage }) =>
        stage === 'job' ? { reason: 'insufficient_frames', message: 'only five poses', retryable: false } : undefined,
    })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({
      code: 'SW_FAILED',
      message: expect.stringContaining('only five poses'),
      facts: { reason: 'insufficient_frames' },
    })
    expect((await workshop.ledger()).restored).toBe(parseCredits('1.6'))
  })
})

function withJob(
  body: Record<string, unknown>,
  change: (job: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  return { ...body, image_job: change(body.image_job as Record<string, unknown>) }
}
