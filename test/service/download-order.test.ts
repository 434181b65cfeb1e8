import { describe, expect, test } from 'vitest'
import { createDownload } from '../../src/service/http/download.ts'
import { type Reply, refused } from '../kit/scripted-net.ts'
import { canary } from './fixtures.ts'
import { refusalOf, world } from './noted-calls.ts'

const asset = 'https://api.example.com/v1/image-jobs/j/asset'
const signed = 'https://cdn.example.net/file?signature=s3cr3t'
const to = (location: string, status = 302): Reply => ({ status, headers: { location } })

describe('a download', () => {
  test('takes a slot until the headers are there, reads unused bodies up to 64 KiB, and begins anew after a pause', async () => {
    const { calls, clock, signals, pauses, ports } = world(
      { status: 302, headers: { location: signed }, parts: [65_536, 1, 1] },
      { status: 429, headers: { 'retry-after': '7' }, parts: [2, 3] },
      { status: 307, headers: { location: signed }, parts: [] },
      { status: 200, headers: { 'content-type': 'a/b', 'content-length': '9' }, parts: [4, 5] },
    )
    const { signal } = new AbortController()
    const file = await clock.run(createDownload(ports)(asset, signal))
    expect(file).toEqual({ bytes: new Uint8Array(9), contentType: 'a/b' })
    const begin = ['take download', 'GET /v1/image-jobs/j/asset', 'release']
    expect(calls).toEqual([
      ...[...begin, 'part 65536', 'part 1', 'closed', `GET ${signed}`, 'part 2', 'part 3', 'closed', 'release', 'token'],
      ...[...begin, 'closed', `GET ${signed}`, 'part 4', 'part 5', 'closed', 'release', 'token back'],
    ])
    expect(signals).toEqual([signal, signal])
    expect(pauses).toEqual([[7_250, { kind: 'transport', retryAfterMs: 7_000 }]])
    expect([clock.mono(), clock.sleepers]).toEqual([8_250, 0])
  })

  const lostAt = (found: string, more: object = {}) => ({
    ...{ code: 'SW_UNREACHABLE', found, facts: { what: 'the download', host: 'api.example.com', status: null, ...more } },
  })
  const odd = (found: string) => ({ code: 'SW_WIRE', found, facts: { what: 'the download', found } })
  const hour = { 'retry-after': '3600' }
  const retryAt = '2025-10-09T09:53:21.000Z'
  const refusal = (status: number, facts: object) => ({ status, retryable: false, requestId: null, details: null, ...facts })
  const requestId = '6f1c9c1e-7d0a-4d3e-9f0e-1c9a7b2d3e4f'
  const twice = refusal(403, { what: 'the download', reason: null, retryable: true })

  test.each<[string, readonly Reply[], [number, number], { code: string; found: string; facts: object }]>([
    ['404 there', [to(signed), { status: 404 }], [2, 2], lostAt('status 404 at the signed address')],
    ['204 there', [to(signed), { status: 204 }], [2, 2], lostAt('status 204 at the signed address')],
    ['301 there', [to(signed), to(signed, 301)], [2, 2], lostAt('status 301 at the signed address')],
    ['503 for an hour', [to(signed), { status: 503, headers: hour }], [2, 2], lostAt(`before ${retryAt.slice(0, 19)}Z`, { retryAt })],
    ['403 twice', [to(signed), { status: 403 }, to(signed), { status: 403 }], [4, 4], { code: 'SW_REFUSED', found: '403', facts: twice }],
    ['301', [to(signed, 301)], [1, 1], { code: 'SW_WIRE', found: 'status 301', facts: { what: 'the download', status: 301 } }],
    ['no Location', [{ status: 302 }], [1, 0], odd('a redirect without a readable Location')],
    ['a password', [to('https://:p@cdn.example.net/')], [1, 0], odd('a redirect with a user name or password in it')],
    ['http', [to('http://cdn.example.net/')], [1, 0], odd('a redirect that leaves https')],
    ['a private network', [to('https://10.0.0.1/')], [1, 0], odd('a redirect into a private network')],
    ['a loop', Array.from({ length: 5 }, () => to(signed)), [5, 5], odd('more than 3 redirects after the first')],
    [
      ...(['a refusal', [refused(404, 'x', {}, hour)], [1, 1]] as const),
      { code: 'SW_REFUSED', found: 'about x', facts: refusal(404, { reason: 'x', message: 'about x', requestId, retryAt }) },
    ],
  ] as never)('that meets %s ends after so many requests and bodies, with all that was found', async (_, script, counts, end) => {
    const { calls, clock, ports } = world(...script)
    const error = await refusalOf(clock.run(createDownload(ports)(asset)))
    expect([error.code, error.facts]).toEqual([end.code, end.facts])
    expect(error.message).toContain(end.found)
    expect([calls.filter((call) => call.startsWith('GET')).length, calls.filter((call) => call === 'closed').length]).toEqual(counts)
  })

  test('that breaks or lasts longer than a quarter of an hour is tried five times, and the error names no other host', async () => {
    const whole = { status: 200, body: new Uint8Array(9) }
    const ends: unknown[] = []
    for (const [script, found] of [
      [[to(signed), { ...whole, cutAfter: 2 }], 'ECONNRESET'],
      [[to(signed), { ...whole, headers: { 'content-length': '10' } }], 'the body was cut: 9 of 10 bytes'],
      [[to(signed), new Error(`no ${signed}`)], 'a lost connection'],
      [[to(signed), 'silence'], 'a lost connection'],
      [['silence'], 'a lost connection'],
    ] as [Reply[], string][]) {
      const { clock, ports, pauses } = world(...Array.from({ length: 5 }, () => script).flat())
      const begun = clock.mono()
      const error = await refusalOf(clock.run(createDownload(ports)(asset)))
      expect(error.message).toContain(`found ${found}.`)
      ends.push([error.code, pauses.map(([ms, fault]) => [ms, fault.kind]), (clock.mono() - begun - 3_750) / 5])
    }
    const pauses = [250, 500, 1000, 2000].map((ms) => [ms, 'transport'])
    expect(ends).toEqual([0, 0, 0, 900_000, 900_000].map((ms) => ['SW_UNREACHABLE', pauses, ms]))
  })

  test('sends the key to the service alone, and may be a whole answer of it, or of a place that it names from there', async () => {
    const direct = world({ status: 299, parts: [3] })
    expect(await direct.clock.run(createDownload(direct.ports)(asset.replace('https://api.example.com', '')))).toEqual({
      ...{ bytes: new Uint8Array(3), contentType: null },
    })
    const { clock, ports, requests } = world(to('/b/c'), to('d?e', 303), { status: 200 })
    await clock.run(createDownload(ports)(`${asset}?v=2`))
    const signal = expect.any(AbortSignal)
    const headers = { accept: '*/*', authorization: `Bearer ${canary}` }
    const rest = { body: undefined, bodyTimeoutMs: undefined, signal }
    expect(requests).toEqual([
      { method: 'GET', url: `${asset}?v=2`, headers, ...rest },
      { method: 'GET', url: 'https://api.example.com/b/c', headers: { accept: '*/*' }, signal },
      { method: 'GET', url: 'https://api.example.com/b/d?e', headers: { accept: '*/*' }, signal },
    ])
  })

  test.each([
    ['https://api.example.com:1/v1/image-jobs/j/asset', false],
    ['https://u@api.example.com/v1/image-jobs/j/asset', false],
    ['https://:p@api.example.com/v1/image-jobs/j/asset', false],
    ['https://', false],
    ['https://api.example.com/v1/balance', true],
    [`https://api.example.com/v1/image-jobs/${'j'.repeat(201)}/asset`, true],
  ])('that should begin at %s is refused, and says whether it is of the service: %s', async (url, isOwned) => {
    const { calls, ports } = world({ status: 200 })
    const error = await refusalOf(createDownload(ports)(url))
    expect([error.code, error.facts, calls]).toEqual(['SW_WIRE', { what: 'the download', expectedOrigin: 'https://api.example.com' }, []])
    expect(error.message.includes('another path of that origin')).toBe(isOwned)
  })

  test('that is interrupted in a pause, or in its second try at a signed address, ends with the reason', async () => {
    const interrupted = async (...script: Reply[]) => {
      const stop = new AbortController()
      const { calls, clock, ports, pauses } = world(...script)
      const ended = createDownload(ports)(asset, stop.signal).catch((error) => error.message)
      await clock.advance(1)
      stop.abort(new Error('interrupted'))
      return [await ended, pauses.length, clock.sleepers, calls.filter((call) => call.startsWith('GET')).length]
    }
    expect(await interrupted(new Error('lost'))).toEqual(['interrupted', 1, 0, 1])
    expect(await interrupted(to(signed), { status: 403 }, 'silence')).toEqual(['interrupted', 0, 0, 3])
    expect(await interrupted(to('https://u@cdn.example.net/'))).toEqual([expect.stringContaining('user name'), 0, 0, 1])
  })

  test('that is interrupted at the signed address ends with the reason, and asks for nothing more', async () => {
    const stop = new AbortController()
    const { calls, ports } = world(to(signed), 'silence')
    const ended = createDownload(ports)(asset, stop.signal).catch((error) => error.message)
    for (let turn = 0; turn < 50 && !calls.includes(`GET ${signed}`); turn++) await Promise.resolve()
    stop.abort(new Error('interrupted'))
    expect([await ended, calls.at(-1)]).toEqual(['interrupted', 'release'])
  })
})
