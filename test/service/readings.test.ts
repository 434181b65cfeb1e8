import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { isSegment, parseServiceAddress, toSegment } from '../../src/service/address.ts'
import { createEventReader, maximumEventLength, toServiceEvent } from '../../src/service/events.ts'
import { maximumJsonBytes, parseJson, parseJsonText, rawMember } from '../../src/service/json.ts'
import { defaultProfile, guarded, notFromProfile, type Profile, resolveProfile } from '../../src/service/profile.ts'
import { adviceFor, clauseOf, reasonAdvice, toRefusal } from '../../src/service/reasons.ts'
import { readAcceptedBody, readCancellation, readCapabilities, readExecution, readUploadBody } from '../../src/service/replies.ts'
import type { PublicError } from '../../src/service/wire.ts'
import { capabilitiesBody, executionId } from './fixtures.ts'

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What a call refuses with. */
function refusalOf(call: () => unknown): Pick<SpritewrightError, 'code' | 'facts' | 'message' | 'cause'> {
  try {
    call()
  } catch (error) {
    if (error instanceof SpritewrightError) return error
    throw error
  }
  return expect.unreachable()
}

describe('JSON', () => {
  test.each([
    ['strings with brackets', '["[[[", "]]]", {"a": "{{\\"[["}]', ['[[[', ']]]', { a: '{{"[[' }]],
    ['a backslash at the end of a string', '["\\\\", ["x"]]', ['\\', ['x']]],
  ])('%s counts for its depth as it is', (_, text, value) => {
    expect(parseJsonText(text, 'it')).toEqual(value)
  })

  const open = (count: number, [left, right]: readonly [string, string] = ['[', ']']): string => left.repeat(count) + right.repeat(count)
  test.each([
    ['many lists beside each other', `[${Array.from({ length: 99 }, () => '[]').join()}]`],
    ['many objects beside each other', `[${Array.from({ length: 99 }, () => '{}').join()}]`],
    ['64 lists with a string of brackets', `${'['.repeat(64)}"${'['.repeat(9)}"${']'.repeat(64)}`],
    ['64 objects', `${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`],
  ])('%s is not too deep', (_, text) => {
    expect(() => parseJsonText(text, 'it')).not.toThrow()
  })
  test.each([
    ['65 lists', open(65)],
    ['65 lists behind strings that end', `["a", "b\\"", "\\\\", ${open(64)}]`],
    ['65 objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ])('%s is too deep', (_, text) => {
    expect(refusalOf(() => parseJsonText(text, 'it'))).toMatchObject({
      code: 'SW_WIRE',
      facts: { what: 'it', found: expect.stringContaining('64') },
    })
  })

  test('a refusal says what was read and what was found, and quotes nothing', () => {
    const found = (bytes: Uint8Array) => {
      const { code, facts, message } = refusalOf(() => parseJson(bytes, 'the balance'))
      expect([code, facts.what, message.includes(`the balance, found ${String(facts.found)}`)]).toEqual(['SW_WIRE', 'the balance', true])
      return facts.found
    }
    expect([' \n', '{secret', '\uFEFF{}'].map((text) => found(toBytes(text)))).toEqual([
      'an empty body',
      'a body that is no JSON document',
      'a body that is no JSON document',
    ])
    expect(found(new Uint8Array(maximumJsonBytes + 1))).toBe(`${maximumJsonBytes + 1} bytes`)
    expect(found(Uint8Array.of(0xff))).toContain('UTF-8')
    const longest = new Uint8Array(maximumJsonBytes).fill(0x20)
    longest[0] = 0x31
    expect(parseJson(longest, 'it').value).toBe(1)
  })

  test('a secret is hidden in every text, and a member that is named by one is left out', () => {
    const hide = (text: string): string => text.replaceAll('key', '*')
    const { text, value } = parseJson(toBytes('{"a": "my key", "b": ["k\\u0065y"], "the k\\u0065y": 1, "__proto__": 2}'), 'it', hide)
    expect(value).toEqual({ a: 'my *', b: ['*'] })
    expect(text).toContain('my *')
  })

  test.each([
    ['{"a": 2.40, "b": 1}', '2.40'],
    ['{"b": {"a": 1}, "a": "x"}', '"x"'],
    ['{"b": ["a", 7], "a":2}', '2'],
    ['{"a": 1, "a": 3}', '3'],
    ['{"a": {"a": 1}}', null],
    ['{"a": [1]}', null],
    ['{"a": 1, "a": []}', null],
    ['["a", 1]', null],
    ['{"b": "a", "c": 1}', null],
    ['{"x\\"a": 1, "\\u0061": true}', 'true'],
    ['{}', null],
  ])('in %s the raw text of "a" is %s', (text, raw) => {
    expect(rawMember(text, 'a')).toBe(raw)
  })
})

describe('a refusal of the service', () => {
  const error: PublicError = {
    ...{ code: 'X', reason: 'rate_limited', message: 'Too many. ', category: 'C', retryable: true, requestId: 'r', details: { a: 1 } },
  }

  test.each([
    [401, 'x', 'SW_KEY_REFUSED'],
    [403, 'authentication_failed', 'SW_KEY_REFUSED'],
    [403, 'feature_unavailable', 'SW_CAPABILITY'],
    [401, 'feature_unavailable', 'SW_KEY_REFUSED'],
    [429, 'rate_limited', 'SW_REFUSED'],
  ])('%i %s is %s with all that the service said', (status, reason, code) => {
    const refusal = toRefusal(status, { ...error, reason }, 'the purchase')
    expect([refusal.code, refusal.facts]).toEqual([code, { status, ...error, reason }])
    expect(refusal.message).toContain(`refused the purchase (${reason}: Too many). ${adviceFor(reason)}`)
  })

  test('without words is told by its reason, and a long one is cut', () => {
    expect(toRefusal(400, { ...error, message: '' }, 'it').message).toContain('refused it (rate_limited). ')
    const { message } = toRefusal(400, { ...error, message: `b${'x'.repeat(900)}` }, 'it')
    expect(message).toContain(`rate_limited: b${'x'.repeat(499)}). `)
  })

  test('has advice for each known reason, and says an unknown one', () => {
    for (const [reason, advice] of Object.entries(reasonAdvice)) expect(adviceFor(reason)).toBe(advice)
    for (const reason of ['toString', 'constructor', 'new_reason']) expect(adviceFor(reason)).toContain(`"${reason}"`)
    expect(adviceFor(`a${'b'.repeat(90)}`)).toContain(`"a${'b'.repeat(59)}"`)
    expect(['End.', 'End. \n', 'e.g. this', 'End'].map((message) => clauseOf({ message }))).toEqual(['End', 'End', 'e.g. this', 'End'])
  })
})

describe('the address of a service', () => {
  test.each([
    ['https://api.test', { origin: 'https://api.test', path: '', host: 'api.test', isLoopback: false }],
    ['https://api.test:8443/v1//', { origin: 'https://api.test:8443', path: '/v1', host: 'api.test:8443/v1', isLoopback: false }],
    ['http://127.0.0.1:9/a', { origin: 'http://127.0.0.1:9', path: '/a', host: '127.0.0.1:9/a', isLoopback: true }],
    ['https://localhost', { origin: 'https://localhost', path: '', host: 'localhost', isLoopback: true }],
  ])('%s is taken apart', (text, address) => {
    expect(parseServiceAddress(text)).toEqual(address)
  })

  test.each([
    ['no-url', 'a text that is no URL'],
    ['http://api.test/v1', 'http://api.test/v1.'],
    ['ftp://localhost', 'ftp://localhost'],
    ['https://secret@api.test', 'https://api.test/ with more than host and path'],
    ['https://:secret@api.test', 'https://api.test/ with more than host and path'],
    ['https://api.test/?secret', 'https://api.test/ with more than host and path'],
    ['https://api.test/#secret', 'https://api.test/ with more than host and path'],
  ])('%s is refused, and is told as %s', (text, found) => {
    const { code, facts, message } = refusalOf(() => parseServiceAddress(text))
    expect([code, facts]).toEqual(['SW_CONFIG', { option: 'service.baseUrl' }])
    expect(message).toContain(`found ${found}`)
    expect(message).not.toContain('secret')
  })

  test('an id that is no part of a path is told, cut to the longest one', () => {
    const id = `..${'/x'.repeat(150)}`
    const { code, facts, message } = refusalOf(() => toSegment('the execution', id))
    expect([code, facts]).toEqual(['SW_WIRE', { what: 'the execution', found: id.slice(0, 200) }])
    expect(message).toContain(`the execution`)
    expect(message).toContain(JSON.stringify(id.slice(0, 60)))
    expect(['a'.repeat(200), 'a.b', '...', 'a/b', 'ä'].filter(isSegment)).toEqual(['a'.repeat(200), 'a.b', '...', 'a/b', 'ä'])
    expect(['a'.repeat(201), '', '.', 'a/..', '..\\a', '%2e', '%252E%252e', '%u002e', 'a\n', '%0a', '\ud800'].filter(isSegment)).toEqual([])
  })
})

describe('a profile', () => {
  test.each(['SpritewrightError', 'AbortError'])('that fails by our own %s fails by exactly that, at once or later', async (name) => {
    const ours = Object.assign(new Error('ours'), { name })
    const part = guarded('readBalance', () => {
      throw ours
    })
    expect(part).toThrow(ours)
    await expect(guarded('answer', () => Promise.reject(ours))()).rejects.toBe(ours)
  })

  test.each([new TypeError('no'), { name: 'AbortError' }, 'text'])('that throws %o is named with its part and cause', async (cause) => {
    const refused = { code: 'SW_CONFIG', facts: { option: 'service.profile', part: 'answer' }, cause }
    const thrown = refusalOf(() =>
      guarded('answer', () => {
        throw cause
      })(),
    )
    expect(thrown).toMatchObject({ ...refused, message: expect.stringContaining(String(cause)) })
    await expect(guarded('answer', () => Promise.reject(cause))()).rejects.toMatchObject(refused)
    expect([guarded('a', (one: number) => one)(1), await guarded('a', async (one: number) => one)(2)]).toEqual([1, 2])
  })

  test('keeps the default of what it does not set, and has no unknown part', () => {
    const profile = resolveProfile({ readBalance: undefined, cancellable: () => true })
    expect({ ...profile, cancellable: undefined }).toEqual({ ...defaultProfile, cancellable: undefined })
    expect(profile.cancellable({} as never)).toBe(true)
    for (const parts of [{ readBalanc: () => '' }, { readBalance: 7 }] as unknown as Partial<Profile>[])
      expect(refusalOf(() => resolveProfile(parts))).toMatchObject({ code: 'SW_CONFIG', facts: { part: Object.keys(parts)[0] } })
    expect(notFromProfile('answer', 'one').message).toContain('found something else')
  })

  test('reads a balance exactly, and only from a number or a text', () => {
    const balance = (text: string): string => defaultProfile.readBalance({ text, value: JSON.parse(text) }) as string
    expect(['{"credits": 2.10}', '{"credits": "12.5000"}', '{"credits": ""}'].map(balance)).toEqual(['2.10', '12.5000', ''])
    for (const text of ['{"credits": null}', '{"credits": -1}', '{"credits": {}}', '{"credit": 1}', '[1]']) {
      const { code, facts, message } = refusalOf(() => balance(text))
      expect([code, facts, message.includes('readBalance')]).toEqual(['SW_WIRE', { what: 'the balance', field: 'credits' }, true])
    }
  })

  test.each([
    ['{"status": "running", "progress": 0, "message": "hi"}', { status: 'running', progress: 0, message: 'hi' }],
    ['{"progress": 1, "error": {"message": "no"}}', { status: null, progress: 1, message: 'no' }],
    ['{"status": 7, "progress": 1.01, "message": 1, "error": null}', { status: null, progress: null, message: null }],
    ['{"progress": -0.01, "error": "text"}', { status: null, progress: null, message: null }],
    ['{"progress": "0.5", "message": "own", "error": {"message": "no"}}', { status: null, progress: null, message: 'own' }],
    ['[1]', null],
    ['null', null],
    ['text', null],
  ])('reads the event %s as a hint', (data, hint) => {
    expect(defaultProfile.readEvent({ event: 'message', data, lastEventId: '' })).toEqual(hint)
  })
})

describe('an event', () => {
  const event = { event: 'progress', data: '{"status": "running", "progress": 0.5, "message": "a\\nb"}', lastEventId: 'id-7' }

  test('is a hint with all its parts, on one line', () => {
    expect(toServiceEvent(event, defaultProfile, 900)).toEqual({
      ...{ kind: 'progress', id: 'id-7', status: 'running', progress: 0.5, message: 'a b', retryMs: 900 },
    })
    expect(toServiceEvent({ ...event, data: 'x', lastEventId: 'a\nb' }, defaultProfile)).toEqual({
      ...{ kind: 'progress', id: null, status: null, progress: null, message: null },
    })
  })

  test.each([
    ['id: 1\n\n', true],
    ['retry: 900\n', true],
    [': hi\n', true],
    ['data: x\n', true],
    ['event: x\n', false],
    ['<html>', false],
    [' \n', true],
    ['', true],
  ])('or what belongs to a stream of events is in %j: %s', (text, isStream) => {
    const reader = createEventReader('old')
    reader.push(toBytes(text))
    if (isStream) return expect(() => reader.end()).not.toThrow()
    const { code, facts, message } = refusalOf(() => reader.end())
    expect([code, facts]).toEqual(['SW_WIRE', { what: 'the event stream', found: 'text without any event' }])
    expect(message).toContain('found text without any event')
  })

  test('of more than the longest length is refused as soon as it is read', () => {
    const reader = createEventReader()
    expect(refusalOf(() => reader.push(toBytes(`data: ${'x'.repeat(maximumEventLength + 1)}`))).facts).toEqual({
      what: 'the event stream',
      found: expect.stringContaining(`${maximumEventLength}`),
    })
  })

  test.each([
    [1, 500],
    [500, 500],
    [60_000, 60_000],
    [60_001, 60_000],
  ])('that asks for a wait of %i ms gets one of %i ms', (asked, ms) => {
    const reader = createEventReader()
    expect(reader.retryMs).toBeNull()
    reader.push(toBytes(`retry: ${asked}\n`))
    expect(reader.retryMs).toBe(ms)
  })
})

describe('a reply', () => {
  const capabilitiesOf = (value: object) => readCapabilities({ text: JSON.stringify(value), value })

  test('with capabilities is read whole', () => {
    expect(capabilitiesOf(capabilitiesBody)).toEqual({
      apiVersion: '1',
      keyMode: 'test',
      operations: ['sprite_sheet'],
      assumed: [],
      imageCredits: 10_000n,
      maximumInputBytes: 1000,
      maximumInputDimension: 2048,
      maximumSourceInputBytes: 2000,
      supportedInputExtensions: ['png'],
      serverSentEvents: true,
      managedExecute: true,
      interactiveQuestions: true,
      stagedInputUploads: false,
      testModeUsesCredits: false,
      minimumFrames: 7,
      maximumFrames: 100,
    })
    expect(capabilitiesOf({ key_mode: 'live' })).toEqual({
      apiVersion: '1',
      keyMode: 'live',
      operations: expect.arrayContaining(['sprite_sheet', 'text_to_image', 'image_to_image']),
      assumed: ['api_version', 'operations'],
      ...Object.fromEntries(
        [
          ...['imageCredits', 'maximumInputBytes', 'maximumInputDimension', 'maximumSourceInputBytes', 'supportedInputExtensions'],
          ...['serverSentEvents', 'managedExecute', 'interactiveQuestions', 'stagedInputUploads', 'testModeUsesCredits'],
          ...['minimumFrames', 'maximumFrames'],
        ].map((name) => [name, null]),
      ),
    })
    expect(refusalOf(() => capabilitiesOf({}))).toMatchObject({ code: 'SW_WIRE', facts: { what: 'the capabilities', field: 'key_mode' } })
  })

  test.each([
    ['2.40', 24_000n],
    ['"0.5"', 5000n],
  ])('with the price %s of a picture has exactly that', (raw, credits) => {
    const text = `{"key_mode": "live", "live_charge_credits_per_image": ${raw}}`
    expect(readCapabilities({ text, value: JSON.parse(text) }).imageCredits).toBe(credits)
  })

  test('with a question has all of it', () => {
    const question = { question_id: 'q', text: 'Which hand?', requires_asset: true }
    const read = readExecution({ execution_id: executionId, conversation_id: 'c', status: 'needs_input', question })
    expect(read).toMatchObject({ executionId, conversationId: 'c', status: 'needs_input', review: null, error: null, assets: [] })
    expect(read.question).toEqual({ questionId: 'q', text: 'Which hand?', requiresAsset: true })
  })

  test('that lacks something says which field of what', () => {
    const refusals = [() => readAcceptedBody({}), () => readUploadBody(7), () => readCancellation({ execution_id: 7 })].map((read) =>
      refusalOf(read),
    )
    expect(refusals.map(({ code, facts }) => [code, facts])).toEqual([
      ['SW_WIRE', { what: 'the acceptance', field: 'execution_id' }],
      ['SW_WIRE', { what: 'the upload', field: 'the whole body' }],
      ['SW_WIRE', { what: 'the cancellation', field: 'execution_id' }],
    ])
    for (const { message, facts } of refusals) expect(message).toContain(`found ${String(facts.field)}: `)
    expect(readCancellation({})).toEqual({ executionId: null, conversationId: null, status: null })
    expect(readAcceptedBody({ execution_id: 'e', conversation_id: 'c', more: 1 })).toEqual({ executionId: 'e', conversationId: 'c' })
  })
})
