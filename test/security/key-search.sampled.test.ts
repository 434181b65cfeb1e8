import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCaller } from '../../src/contract/caller.ts'
import type { SpritewrightError } from '../../src/errors.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { refuseKey, searchFor } from '../../src/key-search.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { json, refused, scriptedNet } from '../kit/scripted-net.ts'
import { level } from '../level.ts'
import { executionId, testClient } from '../service/fixtures.ts'
import { addSprite, simulatedWorld } from '../sim/world.ts'
import { forms, key, reveals } from './key-forms.ts'

const search = searchFor(key)
const written = Object.entries(forms)
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 16,
  maxLength: 64,
})

const clientOf = (net: ReturnType<typeof scriptedNet>) => testClient(net, { key }).client
const failureOf = (promise: Promise<unknown>): Promise<SpritewrightError> =>
  promise.then(
    (value) => Promise.reject(new Error(`Expected a rejection, found ${inspect(value)}`)),
    (error: SpritewrightError) => error,
  )
const shown = (value: unknown): string => `${inspect(value, { depth: 12, showHidden: true })}${JSON.stringify(value)}`

describe('a service that repeats the key', () => {
  test.each(written)('L5: %s in an error envelope is in no error', async (_, form) => {
    const echo = form(key)
    const net = scriptedNet(() =>
      refused(422, 'invalid_request', { message: `sent: ${echo}`, details: { [echo]: [echo] }, request_id: echo }),
    )
    const error = await failureOf(clientOf(net).balance())
    expect(error.code).toBe('SW_REFUSED')
    expect(error.message).toContain('sent: ')
    expect(reveals(shown(error), key)).toBe(false)
  })

  test.each(written)('L5: %s in a redirect goes to no other origin', async (_, form) => {
    const location = `https://files.example.com/file?k=${form(key)}`
    const net = scriptedNet((request) => (request.url.includes('/v1/') ? { status: 302, headers: { location } } : { status: 404 }))
    await failureOf(clientOf(net).download('https://api.example.com/v1/image-jobs/j/asset'))
    expect(net.requests).toHaveLength(2)
    expect(reveals(net.requests[1]?.url ?? '', key)).toBe(false)
  })

  test('L5: a content type that repeats the key is in no error', async () => {
    const net = scriptedNet(() => ({ status: 200, headers: { 'content-type': `x/${key}` } }))
    const events = clientOf(net).events(executionId, null, new AbortController().signal)
    const error = await failureOf(events[Symbol.asyncIterator]().next())
    expect(error.message).toContain('x/[api key]')
    expect(reveals(shown(error), key)).toBe(false)
  })

  test.each(written)('L5: %s in an event is in no progress', async (_, form) => {
    const echo = form(key).replaceAll('\n', '')
    const body = `event: ${echo}\nid: ${echo}\ndata: ${JSON.stringify({ status: echo, message: `sent: ${echo}` })}\n\n`
    const net = scriptedNet(() => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }))
    const events = []
    for await (const event of clientOf(net).events(executionId, null, new AbortController().signal)) events.push(event)
    expect(events).toHaveLength(1)
    expect(events[0]?.message).toContain('sent: ')
    expect(reveals(shown(events), key)).toBe(false)
  })

  test.each(written)('L5: %s as what an acceptance names is in no outcome', async (_, form) => {
    const net = scriptedNet(() => json(202, { execution_id: form(key), conversation_id: form(key) }))
    const outcome = await clientOf(net).submit({ key: 'k', body: new Uint8Array([1]) }, async () => {})
    expect(outcome.kind).toBe('unknown')
    expect(reveals(shown(outcome), key)).toBe(false)
  })

  test.each(written)('L5: %s in an answer is a leak for the contract suite, and in none of its words', async (_, form) => {
    const net = scriptedNet(() => json(200, { said: form(key) }))
    const caller = createCaller({ net, clock: new ManualClock() }, 'https://api.example.com', key)
    await caller.call({ path: '/v1/balance' })
    expect(caller.leaks).toEqual(['GET /v1/balance'])
    expect(reveals(caller.hide(`found ${form(key)}`), key)).toBe(false)
  })
})

describe('the search for the key', () => {
  test('L5: every form of every key is found in a text and in bytes, and cannot be read out of the masked text', () => {
    const cases = fc.tuple(visible, fc.constantFrom(...written), fc.string(), fc.string())
    fc.assert(
      fc.property(cases, ([own, [, form], before, after]) => {
        const { isIn, mask } = searchFor(own)
        const text = `${before} ${form(own)} ${after}`
        expect([isIn(text), isIn(Buffer.from(text)), isIn(mask(text))]).toEqual([true, true, false])
        expect(reveals(mask(` ${form(own)} `), own)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('L5: a text without the key stays as it is, and a key of under eight characters is no secret', () => {
    fc.assert(fc.property(fc.string(), (text) => search.mask(text) === text && !search.isIn(text)))
    expect(searchFor('walking').mask('walking')).toBe('walking')
    expect(searchFor(undefined).isIn('undefined')).toBe(false)
  })

  test('L5: a run of a quarter of a million backslashes or percent signs is read once, not once from each of them', () => {
    const runs = ['\\'.repeat(2 ** 18), '%25'.repeat(2 ** 17), `%${'25'.repeat(2 ** 17)}`, `${'\\'.repeat(7)}u`.repeat(2 ** 15)]
    for (const run of [...runs, ...runs.map((run) => `"${run}`), ...runs.map((run) => `"${run}`.slice(0, 2 ** 10).repeat(2 ** 10))])
      expect(searchFor(`"${key}`).mask(run)).toBe(run)
  })

  if (level !== 'quick')
    test('L5: the longest key that a header takes can be searched for', () => {
      const long = 'k"'.repeat(2048)
      expect([searchFor(long).isIn(encodeURIComponent(long)), searchFor(long).isIn(long.slice(1))]).toEqual([true, false])
    })
})

describe('what is written', () => {
  const check = (bytes: Uint8Array, path: string): void => refuseKey(search, bytes, path)

  test.each(written)('L1: a lock file that would hold the key in the form "%s" is refused, and nothing is written', async (_, form) => {
    const disk = new MemoryDisk()
    const lock = createLockStore({ disk, random: countingRandom() }, '/p/sprites.lock.json', undefined, check)
    const service = { host: `h/x/${form(key)}`, keyMode: 'test', apiVersion: '1' } as const
    const asked = { operation: 'sprite_sheet', prompt: 'a', frames: 7, background: 'remove', take: 1 } as never
    const error = await failureOf(lock.change('hero.walk', 'a'.repeat(64), () => ({ service, asked })))
    expect([error.code, error.facts]).toEqual(['SW_KEY_EXPOSED', { file: '/p/sprites.lock.json' }])
    expect(reveals(shown(error), key)).toBe(false)
    expect(disk.calls).toEqual([])
  })

  test.each(written)('L1: a record that would hold the key in the form "%s" is refused, and nothing is written', async (_, form) => {
    const disk = new MemoryDisk()
    const clock = new ManualClock()
    const journal = createJournal({ disk, random: countingRandom(), clock }, { folder: '/j', copy: '/copy', check })
    const hash = 'a'.repeat(64)
    const error = await failureOf(journal.append(hash, await journal.read(hash), 'refused', { reason: form(key) } as never))
    expect([error.code, error.facts]).toEqual(['SW_KEY_EXPOSED', { file: `/j/${hash}/0001.json` }])
    expect(disk.calls).toEqual([])
  })

  test('L1: a spec that quotes the key is neither approved nor written down, and nothing is sent for it', async () => {
    const world = await simulatedWorld(0)
    const own = world.env.SPRITEWRIGHT_API_KEY ?? ''
    addSprite(world, `hero`, 1)
    const workshop = await world.workshop()
    world.write(
      'sprites/hero.sprite.json',
      JSON.stringify({
        reference: './hero.png',
        prompt: `a figure ${Buffer.from(own).toString('hex')}`,
        animations: { walk: { frames: 7 } },
      }),
    )
    const before = new Set(world.disk.files.keys())
    const error = await failureOf(workshop.approve({ names: [], confirm: async () => true }))
    expect(error.code).toBe('SW_KEY_EXPOSED')
    const texts = [...world.disk.files]
      .filter(([path]) => !before.has(path))
      .map(([path, bytes]) => path + Buffer.from(bytes).toString('latin1'))
    expect(texts.filter((text) => reveals(text, own))).toEqual([])
    expect(world.disk.files.has('/game/sprites.lock.json')).toBe(false)
    await workshop.close()
  })

  test('L5: a file that would be shipped with the key in hexadecimal is found', async () => {
    const world = await simulatedWorld(0)
    const workshop = await world.workshop()
    const own = Buffer.from(world.env.SPRITEWRIGHT_API_KEY ?? '')
    expect(workshop.containsKey(Buffer.from(`const a = "${own.toString('hex')}"`))).toBe(true)
    expect(workshop.containsKey(Buffer.from('const a = "no key"'))).toBe(false)
    await workshop.close()
  })
})
