import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hasCode } from '../../src/errors.ts'
import { createEventReader, isResumable, maximumEventLength, toServiceEvent } from '../../src/service/events.ts'
import { defaultProfile, type StreamEvent } from '../../src/service/profile.ts'
import { describeWith } from '../kit/needs.ts'
import { corpus } from './fixtures.ts'

interface Entry {
  readonly file: string
  readonly expect: 'accept' | 'reject' | 'either'
  readonly http: { readonly status: number; readonly contentType: string }
  readonly events?: readonly StreamEvent[]
  readonly eventCount?: number
  readonly lastEventId: string
  readonly retry: number | null
}

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function readAll(bytes: Uint8Array, step: number): { events: StreamEvent[]; lastEventId: string; retryMs: number | null } {
  const reader = createEventReader()
  const events: StreamEvent[] = []
  for (let at = 0; at < bytes.length; at += step) events.push(...reader.push(bytes.subarray(at, at + step)))
  reader.end()
  return { events, lastEventId: reader.lastEventId, retryMs: reader.retryMs }
}

const folder = corpus('sse')
const index: Entry[] = folder === null ? [] : (JSON.parse(readFileSync(`${folder}/index.json`, 'utf8')) as { files: Entry[] }).files

describeWith(folder !== null, 'corpora')('C21: the corpus of event streams', () => {
  test.each(index.filter((entry) => entry.expect === 'accept').map((entry) => [entry.file, entry] as const))(
    '%s gives its events however it is cut',
    (_, entry) => {
      const bytes = new Uint8Array(readFileSync(`${folder}/${entry.file}`))
      for (const step of [bytes.length + 1, 1, 2, 7]) {
        const read = readAll(bytes, step)
        if (entry.events) expect(read.events).toEqual(entry.events)
        else expect(read.events).toHaveLength(entry.eventCount ?? -1)
        expect(read.lastEventId).toBe(entry.lastEventId)
        if (entry.retry !== null) expect(read.retryMs).toBe(Math.min(60_000, Math.max(500, entry.retry)))
      }
    },
  )

  test.each(
    index.filter((entry) => entry.expect === 'reject' && entry.http.contentType === 'text/event-stream').map((entry) => [entry.file]),
  )('%s is reported, not read as an empty stream', (file) => {
    const bytes = new Uint8Array(readFileSync(`${folder}/${file}`))
    for (const step of [bytes.length, 1]) {
      try {
        expect.unreachable(String(readAll(bytes, step)))
      } catch (error) {
        expect(hasCode(error, 'SW_WIRE')).toBe(true)
      }
    }
  })

  test('a stream whose payloads are strange is read without an error, and each payload is a hint or nothing', () => {
    for (const entry of index.filter((other) => other.expect === 'either')) {
      for (const event of readAll(new Uint8Array(readFileSync(`${folder}/${entry.file}`)), 5).events) {
        expect(toServiceEvent(event, defaultProfile).kind).toBe(event.event)
      }
    }
  })
})

describe('the event reader', () => {
  test('an event cut off before its blank line is dropped and its id is not resumed from', () => {
    const reader = createEventReader('old')
    expect(reader.push(toBytes('id: new\ndata: x\n'))).toEqual([])
    reader.end()
    expect(reader.lastEventId).toBe('old')
  })

  test('one byte order mark is dropped', () => {
    expect(readAll(toBytes('\uFEFFdata: 1\n\n'), 1).events).toHaveLength(1)
    expect(readAll(toBytes('\uFEFF\uFEFFdata: 1\n\ndata: 2\n\n'), 1).events.map((event) => event.data)).toEqual(['2'])
  })

  test('the last event of a stream whose lines end in CR is read at once', () => {
    expect(
      createEventReader()
        .push(toBytes('data: 1\r\r'))
        .map((event) => event.data),
    ).toEqual(['1'])
  })

  test('an event above 1 MiB is SW_WIRE, whether its bytes come in one line or many', () => {
    for (const [first, chunk] of [
      ['', toBytes('data: x\n'.repeat(1000))],
      ['data: ', toBytes('y'.repeat(9999))],
    ] as const) {
      const reader = createEventReader()
      reader.push(toBytes(first))
      const fill = (): void => {
        for (let length = 0; length <= maximumEventLength * 5; length += chunk.length) reader.push(chunk)
      }
      expect(fill).toThrowError(/1048576 characters/)
    }
  })

  test('the wait that a stream asks for is kept within half a second and a minute', () => {
    expect(readAll(toBytes('retry: 1\n\ndata: x\n\n'), 9).retryMs).toBe(500)
    expect(readAll(toBytes('retry: 99999999\n\ndata: x\n\n'), 9).retryMs).toBe(60_000)
  })

  test('a progress of nothing yet is a progress', () => {
    expect(toServiceEvent({ event: 'progress', data: '{"progress":0}', lastEventId: '7' }, defaultProfile).progress).toBe(0)
  })

  test('C22: an id that is not fit for a header, or is longer than 1 KiB, is not handed out to resume from', () => {
    for (const id of ['7', 'a b', 'x'.repeat(1024)]) expect(isResumable(id)).toBe(true)
    for (const id of ['', ' a', 'a\tb', 'a\r\nX: 1', '…', 'x'.repeat(1025)]) expect(isResumable(id)).toBe(false)
    expect(toServiceEvent({ event: 'done', data: '{}', lastEventId: 'é' }, defaultProfile)).toEqual({
      kind: 'done',
      id: null,
      status: null,
      progress: null,
      message: null,
    })
  })
})
