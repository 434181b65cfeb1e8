import { describe, expect, test } from 'vitest'
import { createFaultPlay } from '../../src/embedded/faults/play.ts'
import { type FaultDeed, parseFaultPlan } from '../../src/embedded/options/fault-plan.ts'
import type { SpritewrightError } from '../../src/errors.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { eventsOf, jsonOf, served } from './fixtures.ts'

test.each<[string, number, number, object]>([
  ['when.number', 1, 1_000_000_000, {}],
  ['when.nth', 1, 1_000_000_000, {}],
  ['when.times', 1, 1_000_000_000, {}],
  ['do.delayMs', 0, 86_400_000, {}],
  ['do.status', 400, 599, {}],
  ['do.retryAfter', 0, 86_400, { status: 503 }],
  ['do.cutBodyAt', 0, 1_000_000_000, {}],
  ['do.afterEvents', 0, 1_000_000, { stream: 'cut' }],
])('%s of a rule is a whole number from %i to %i', (place, least, most, beside) => {
  const [part, member] = place.split('.') as ['when' | 'do', string]
  const text = (value: unknown): string => JSON.stringify({ rules: [{ do: {}, [part]: { ...beside, [member]: value } }] })
  for (const value of [least, most])
    expect(parseFaultPlan(text(value), 'plan.json').rules[0]?.[part]).toEqual({ ...beside, [member]: value })
  for (const value of [least - 1, most + 1, least + 0.5, `${least}`, null])
    expect(() => parseFaultPlan(text(value), 'plan.json')).toThrow(
      expect.objectContaining({
        code: 'SW_CONFIG',
        facts: { file: 'plan.json', path: `rules[0].${place}` },
        message: expect.stringMatching(new RegExp(`plan.json.*${least} to ${most}.*${member}`)),
      }),
    )
})

test.each<[string, unknown, readonly string[]]>([
  ['do.stream', 'torn', ['cut', 'silent', 'duplicated', 'reordered']],
  ['do.file', 'torn', ['damaged', 'half', 'damaged-frame', 'odd-frame']],
  ['do.drop', 'never', ['before', 'after']],
  ['when.origin', 'web', ['api', 'assets']],
  ['do.garbage', 1, ['true', 'false']],
  ['when.method', 7, ['POST']],
  ['when.path', 7, ['/v1/']],
  ['do.unknownStatus', 7, ['status']],
  ['when', 7, ['number', 'origin', 'method', 'path', 'nth', 'times']],
])('a wrong %s is refused with what it may be', (place, value, words) => {
  const [part, member] = place.split('.') as ['when' | 'do', string | undefined]
  const text = JSON.stringify({ rules: [{ do: {}, [part]: member === undefined ? value : { [member]: value } }] })
  try {
    parseFaultPlan(text, 'plan.json')
    expect.unreachable()
  } catch (error) {
    const { facts, message } = error as SpritewrightError
    expect(facts).toEqual({ file: 'plan.json', path: `rules[0].${place}` })
    expect(words.filter((word) => !message.split('A plan of faults is')[0]!.includes(word))).toEqual([])
  }
})

describe('what a deed does to an answer', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const request = { ...served('GET', '/v1/balance'), origin: 'api', number: 1 } as const
  const answer: ServedResponse = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', etag: '1' },
    body: bytes('{"a":1}'),
  }
  const playOf = (...rules: readonly FaultDeed[]) =>
    createFaultPlay({ rules: rules.map((deed) => ({ do: deed })) }, new ManualClock(), { ...nodeRandom(), uuid: () => 'request-1' })
  const after = (deed: FaultDeed, response: ServedResponse = answer): Promise<ServedResponse> => playOf().after(deed, request, response)

  test('of two rules the earlier one wins where both set a member', () => {
    expect(playOf({ status: 500, delayMs: 1 }, { status: 400, garbage: true }).deedFor(request)).toEqual({
      status: 500,
      delayMs: 1,
      garbage: true,
    })
  })

  test('before the service acts: nothing, a cut connection, or a refusal', async () => {
    const before = (deed: FaultDeed): Promise<ServedResponse | undefined> => playOf().before(deed, request)
    for (const deed of [{}, { drop: 'after' }, { status: 500, moment: 'after' }, { garbage: true }] as const)
      expect(await before(deed)).toBeUndefined()
    expect(await before({ drop: 'before', status: 500 })).toEqual({ status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 })
    for (const [status, reason] of [
      [400, 'invalid_request'],
      [422, 'invalid_request'],
      [401, 'authentication_failed'],
      [403, 'access_denied'],
      [429, 'rate_limited'],
      [500, 'temporarily_unavailable'],
    ] as const) {
      const refused = (await before({ status, retryAfter: 0 }))!
      expect([refused.status, jsonOf(refused).error.reason, jsonOf(refused).error.request_id]).toEqual([status, reason, 'request-1'])
      expect(refused.headers).toMatchObject({ 'retry-after': '0', 'x-request-id': 'request-1' })
    }
    expect((await before({ status: 500 }))!.headers).not.toHaveProperty('retry-after')
  })

  test('after it: a cut connection, a refusal, a cut body, garbage, or the answer itself', async () => {
    expect(await after({})).toBe(answer)
    expect(await after({ status: 500 })).toBe(answer)
    expect(await after({ drop: 'after', garbage: true })).toEqual({ ...answer, cutAfter: 0 })
    expect((await after({ status: 503, moment: 'after', garbage: true })).status).toBe(503)
    expect(await after({ cutBodyAt: 3 })).toEqual({ ...answer, cutAfter: 3 })
    const garbage = await after({ garbage: true, cutBodyAt: 9 })
    expect(garbage).toEqual({
      status: 200,
      headers: { ...answer.headers, 'content-length': '64' },
      body: expect.any(Uint8Array),
      cutAfter: 9,
    })
    expect(garbage.body).toHaveLength(64)
    expect(() => jsonOf(garbage)).toThrow()
  })

  test('of JSON: other members, fewer members and another status, in every object', async () => {
    const told = { execution_id: 'a', status: 'queued', list: [{ text: 'b', c: null }], d: 1 }
    const json = async (deed: FaultDeed, value: unknown): Promise<unknown> => {
      const changed = await after(deed, { ...answer, body: bytes(JSON.stringify(value)) })
      if (changed.headers['content-length'] !== undefined)
        expect(changed.headers['content-length']).toBe(`${(changed.body as Uint8Array).length}`)
      return jsonOf(changed)
    }
    const unknown = { x_unknown: { nested: [1, 'two', null] } }
    expect(await json({ addUnknownFields: true }, told)).toEqual({
      ...{ ...unknown, ...told, list: [{ ...unknown, text: 'b', c: null, x_later: null }], x_later: null },
    })
    expect(await json({ dropOptionalFields: true }, { ...told, question: { text: 'b', c: 1 } })).toEqual({
      execution_id: 'a',
      status: 'queued',
      question: { text: 'b' },
    })
    expect(await json({ dropOptionalFields: true, addUnknownFields: true }, { c: 1 })).toEqual({ ...unknown, x_later: null })
    expect(await json({ unknownStatus: 'away' }, told)).toEqual({ ...told, status: 'away' })
    for (const value of [{ status: 'queued' }, { execution_id: 'a' }, [told], 'status', null])
      expect(await json({ unknownStatus: 'away' }, value)).toEqual(value)
    expect(await json({ addUnknownFields: true }, [{ a: 1 }, 2])).toEqual([{ ...unknown, a: 1, x_later: null }, 2])
    expect(await json({ addUnknownFields: true, dropOptionalFields: true }, { price_version: 1 })).toEqual({ price_version: 1 })
    const refused = { ...answer, status: 400 }
    expect(await after({ addUnknownFields: true }, refused)).toBe(refused)
    const text = { ...answer, headers: { 'content-type': 'text/plain' } }
    expect(await after({ addUnknownFields: true }, text)).toBe(text)
  })

  test('of a file: flipped bytes in even places, or half of it; not of JSON, a refusal or a picture without frames', async () => {
    const file: ServedResponse = { status: 200, headers: { 'content-type': 'image/png' }, body: new Uint8Array(40) }
    const spoilt = await after({ file: 'damaged' }, file)
    expect({ ...spoilt, body: [] }).toEqual({ status: 200, headers: { 'content-type': 'image/png', 'content-length': '40' }, body: [] })
    expect([...(spoilt.body as Uint8Array)]).toEqual(Array.from({ length: 40 }, (_, at) => (at > 0 && at % 2 === 0 ? 255 : 0)))
    expect([...((await after({ file: 'damaged' }, { ...file, body: new Uint8Array(3) })).body as Uint8Array)]).toEqual([0, 255, 255])
    expect((await after({ file: 'half' }, { ...file, body: new Uint8Array(41) })).body).toHaveLength(20)
    expect(await after({ file: 'half' })).toBe(answer)
    expect(await after({ file: 'half' }, { ...file, status: 206 })).toEqual({ ...file, status: 206 })
    for (const body of [bytes('P'), bytes('QK'), bytes('PL')])
      expect((await after({ file: 'odd-frame' }, { ...file, body })).body).toEqual(body)
  })

  test('of a stream: an end with an error, silence until the client leaves, twice each, or in pairs', async () => {
    const stream = (count: number): ServedResponse => ({
      ...{ status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
      body: (async function* () {
        for (let id = 1; id <= count; id++) yield bytes(`event: e\nid: ${id}\ndata: {"execution_id":"a","status":"b"}\n\n`)
      })(),
    })
    const read = async (deed: FaultDeed, count: number, signal = new AbortController().signal): Promise<string> => {
      let text = ''
      try {
        for await (const part of (await playOf().after(deed, { ...request, signal }, stream(count))).body as AsyncIterable<Uint8Array>)
          text += eventsOf(new TextDecoder().decode(part))
            .map(({ id, data }) => id + (data.status === 'b' ? '' : data.status))
            .join('')
      } catch {
        return `${text}!`
      }
      return text
    }
    expect(await read({}, 3)).toBe('123')
    expect(await read({ unknownStatus: '?' }, 2)).toBe('1?2?')
    expect([await read({ stream: 'cut' }, 3), await read({ stream: 'cut', afterEvents: 0 }, 3)]).toEqual(['1!', '!'])
    expect([await read({ stream: 'cut', afterEvents: 2 }, 3), await read({ stream: 'cut', afterEvents: 5 }, 3)]).toEqual(['12!', '123!'])
    expect([
      await read({ stream: 'duplicated' }, 2),
      await read({ stream: 'reordered' }, 3),
      await read({ stream: 'reordered' }, 4),
    ]).toEqual(['1122', '213', '2143'])
    expect(await read({ stream: 'silent', afterEvents: 2 }, 3, AbortSignal.abort())).toBe('12')
    const leaving = new AbortController()
    const reading = read({ stream: 'silent' }, 3, leaving.signal)
    leaving.abort()
    expect(await reading).toBe('1')
  })
})
