import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { deliver, downloadResult, watch } from '../../src/job/delivery/deliver.ts'
import { fetchStray } from '../../src/job/delivery/fetch-stray.ts'
import { openOrFetchAgain } from '../../src/job/delivery/open-again.ts'
import { idempotencyKey } from '../../src/job/order.ts'
import type { Execution, FinishedAsset } from '../../src/service/wire.ts'
import { findEntry } from '../../src/vault/lockfile.ts'
import { type Bench, bench, errorOf, executionOf, frozenOf, order } from './bench.ts'

const sheet = new TextEncoder().encode('PK\u0003\u0004 a sheet')
const asset: FinishedAsset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: 'application/zip', width: 4, height: 5 }
const review = { frameCount: 7, background: 'remove', keptBackgroundFrames: [1], inspectionFrames: [], sourceShiftedFrames: [] }
const question = { questionId: 'q', text: 'Which hand?', requiresAsset: false }
const gone = (status: number) => new SpritewrightError('SW_REFUSED', { message: 'Not found.', facts: { status } })
const download = async () => ({ bytes: sheet }) as never

describe('a stray', () => {
  const stray = { attempt: 1, executionId: 'e1' }
  async function strayed(execution: Execution): Promise<Bench> {
    const made = bench({ execution: async () => execution, download })
    await made.record('frozen', frozenOf(1))
    await made.record('sent', { attempt: 1, send: 1, keyTag: 'k' })
    await made.record('frozen', frozenOf(2, { maxCredits: '2' }))
    await made.record('accepted', { ...stray, conversationId: null })
    return made
  }

  test.each<[Execution, object]>([
    [executionOf('running'), { is: 'open' }],
    [executionOf('completed'), { is: 'open' }],
    [executionOf('running', { assets: [asset] }), { is: 'open' }],
    [executionOf('needs_input', { question }), { is: 'asking', question: 'Which hand?' }],
    [executionOf('needs_input'), { is: 'left' }],
  ])('of which the service says %j is not at its end, and nothing is recorded', async (execution, found) => {
    const made = await strayed(execution)
    expect(await fetchStray(made, order, stray)).toEqual(found)
    expect([(await made.types()).length, await made.moves()]).toEqual([4, []])
  })

  test.each(['failed', 'cancelled'])('that %s is recorded once, and its hold is given back', async (status) => {
    const made = await strayed(executionOf(status, { error: errorOf('generation_failed') }))
    for (let turn = 0; turn < 2; turn++) expect(await fetchStray(made, order, stray)).toEqual({ is: 'failed' })
    const { records, submission } = await made.view()
    expect(records.slice(4)).toMatchObject([{ type: 'failed', body: { ...stray, status, error: { reason: 'generation_failed' } } }])
    expect(submission.strays).toEqual([{ ...stray, end: 'failed' }])
    expect(await made.moves()).toEqual(['held 1 e1', 'restored 1 e1'])
  })

  test('that is finished is stored and recorded once, with what the service says of it', async () => {
    const made = await strayed(executionOf('completed', { assets: [{ ...asset, contentType: 'image/png' }], review }))
    for (let turn = 0; turn < 2; turn++) expect(await fetchStray(made, order, stray)).toEqual({ is: 'stored', sha256: sha256(sheet) })
    const { downloadUrl, width, height } = asset
    expect((await made.view()).records.slice(4).map(({ type, body }) => [type, body])).toEqual([
      ['completed', { ...stray, downloadUrl, contentType: 'image/png', width, height, review }],
      ['stored', { ...stray, sha256: sha256(sheet), bytes: sheet.length }],
    ])
    expect(await made.vault.read(sha256(sheet))).toEqual(sheet)
    expect(await made.ledger.read()).toMatchObject([
      { type: 'held', id: 'hero.walk', hash: order.hash, attempt: 1, executionId: 'e1', credits: 24_000n, at: made.clock.wall() },
      { type: 'settled', attempt: 1, credits: 24_000n },
    ])
    expect(made.warnings[0]).toContain("the file's type is image/png, it is application/zip")
  })
})

describe('a result that cannot be read', () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(`PK ${text}`)
  const faultOf = (_request: unknown, bytes: Uint8Array) => (new TextDecoder().decode(bytes).includes('torn') ? 'It is torn.' : undefined)
  const first = bytesOf('torn')
  const recorded = sha256(first)
  async function opened(copies: readonly (Uint8Array | Error)[], isCompleted = true, bytes = first) {
    const left = [...copies]
    const next = async () => {
      const one = left.shift()
      if (one instanceof Error) throw one
      return { bytes: one } as never
    }
    const made = bench({ download: next }, { faultOf })
    await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
    if (isCompleted) await made.record('completed', { attempt: 1, executionId: 'e1', ...asset, review: null })
    await made.vault.put(bytes)
    return { ...made, left, end: openOrFetchAgain(made, order, recorded, bytes) }
  }
  const unread = (again: string) => ({ sha256: recorded, fault: { why: 'It is torn.', again: expect.stringContaining(again) } })

  test('is fetched again, and the readable copy is the result', async () => {
    const whole = bytesOf('whole')
    const { end, types, warnings, view, progress } = await opened([bytesOf('torn too'), whole])
    expect(await end).toEqual({ sha256: sha256(whole) })
    expect(await types()).toEqual(['accepted', 'completed', 'stored'])
    expect((await view()).submission.stored).toMatchObject({ sha256: sha256(whole), bytes: whole.length })
    expect(warnings).toEqual([expect.stringContaining(`The damaged copy is kept as ${recorded}.`)])
    expect(progress).toMatchObject([{ phase: 'downloading' }, { phase: 'downloading' }])
  })

  test('is fetched no more if it can be read, or if no record says from where', async () => {
    const readable = await opened([], true, bytesOf('whole'))
    expect(await readable.end).toEqual({ sha256: recorded })
    expect(await (await opened([], false)).end).toEqual(unread('No record says where'))
  })

  test('stays the result if no copy can be read, and all copies are kept', async () => {
    const [one, two] = [bytesOf('torn 1'), bytesOf('torn 2')]
    const { end, vault, left, types } = await opened([one, two, bytesOf('whole')])
    expect(await end).toEqual(
      unread(`It was fetched 2 times more, and no copy can be read; all are kept (${sha256(one)}, ${sha256(two)}).`),
    )
    expect([await vault.has(sha256(one)), await vault.has(sha256(two)), left.length]).toEqual([true, true, 1])
    expect(await types()).toEqual(['accepted', 'completed'])
  })

  test('stays the result if the service gives the same bytes, or refuses; any other error is thrown', async () => {
    expect(await (await opened([first])).end).toEqual(unread('the service gives the same bytes'))
    expect(await (await opened([gone(404)])).end).toEqual(unread('It could not be fetched again: Not found.'))
    await expect((await opened([new TypeError('a fault of ours')])).end).rejects.toThrow('a fault of ours')
  })
})

describe('a finished result', () => {
  async function completed(client: Parameters<typeof bench>[0], over: Parameters<typeof bench>[1] = {}, fault?: Bench['disk']['fault']) {
    const made = bench(client, over)
    await made.record('frozen', frozenOf(1))
    await made.record('accepted', { attempt: 1, executionId: 'e1', conversationId: null })
    const view = await made.record('completed', { attempt: 1, executionId: 'e1', ...asset, contentType: 'image/png', review })
    made.disk.fault = fault
    return { ...made, end: deliver(made, order, view, asset.downloadUrl) }
  }

  test('is stored, recorded and in the lock file, with what differs from the words of the service', async () => {
    const { end, view, lock, vault, progress, warnings } = await completed({ download })
    await end
    const result = { sha256: sha256(sheet), bytes: sheet.length }
    expect((await view()).submission.stored).toEqual({ attempt: 1, executionId: 'e1', ...result })
    expect(findEntry(await lock.read(), order.request.id, order.hash)?.result).toEqual({ ...result, review })
    expect([await vault.has(result.sha256), progress]).toEqual([true, [{ id: 'hero.walk', phase: 'downloading' }]])
    expect(warnings).toEqual([expect.stringContaining("the file's type is image/png")])
  })

  test('that cannot be recorded is told of all the same, if it differs from the words of the service', async () => {
    const full = await completed({ download }, {}, { call: 'write /game/.spritewright/submissions', code: 'ENOSPC' })
    await expect(full.end).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(full.warnings).toEqual([expect.stringContaining("the file's type is image/png")])
  })

  test('is asked for again while the service does not know it yet, and is lost after half a minute', async () => {
    let refusals = 3
    const late = await completed({
      download: async () => {
        if (refusals-- > 0) throw gone(404)
        return { bytes: sheet } as never
      },
    })
    await late.end
    expect([late.slept.length, (await late.types()).at(-1)]).toEqual([3, 'stored'])
    const lost = await completed({ download: async () => Promise.reject(gone(404)) })
    await expect(lost.end).rejects.toMatchObject({
      code: 'SW_UNCERTAIN',
      message:
        'The service does not know the execution of "hero.walk" (e1), or its file, any more, though it had accepted it. Nothing is sent again. Make sure that this is the service and the account it was bought with; where the service has forgotten it, give it up: npx spritewright recover hero.walk --abandon',
      facts: { id: 'hero.walk', executionId: 'e1', status: 404 },
    })
    expect(lost.slept.reduce((sum, ms) => sum + ms, 0)).toBe(30_000)
  })

  test('that the shared store does not take is recorded, and stops further purchases only if it is new', async () => {
    const unshared = new Map([[sha256(sheet), 'The store is full.']])
    const made = bench()
    const first = await completed({ download }, { vault: { ...made.vault, unshared } })
    await expect(first.end).rejects.toMatchObject({
      code: 'SW_STORE',
      message: '"hero.walk" is bought. The store is full.',
      facts: { id: 'hero.walk', sha256: sha256(sheet) },
    })
    expect((await first.types()).at(-1)).toBe('stored')
    await deliver(first, order, await first.view(), asset.downloadUrl)
  })
})

describe('the address of a result', () => {
  const elsewhere = new SpritewrightError('SW_WIRE', { message: 'Elsewhere.', facts: { expectedOrigin: 'https://files.test' } })
  const client = (today: string | undefined, error: Error = elsewhere) => ({
    download: async (url: string) => {
      if (url === asset.downloadUrl) throw error
      return { bytes: new TextEncoder().encode(url) } as never
    },
    execution: async () => executionOf('completed', { assets: today === undefined ? [] : [{ ...asset, downloadUrl: today }] }),
  })

  test('is read anew if the recorded one is not that of the service', async () => {
    const { bytes } = await downloadResult(client('https://files.test/b'), 'e1', asset.downloadUrl)
    expect(new TextDecoder().decode(bytes)).toBe('https://files.test/b')
  })

  test.each([
    ['of no execution', undefined, client('https://files.test/b')],
    ['that is the same today', 'e1', client(asset.downloadUrl)],
    ['that is missing today', 'e1', client(undefined)],
  ])('%s stays refused', async (_which, executionId, calls) => {
    await expect(downloadResult(calls, executionId, asset.downloadUrl)).rejects.toBe(elsewhere)
  })

  test.each([
    gone(404),
    new SpritewrightError('SW_WIRE', { message: 'No file.' }),
    new SpritewrightError('SW_REFUSED', { message: 'No.', facts: { expectedOrigin: 'https://files.test' } }),
    Object.assign(new Error('no error of ours'), { code: 'SW_WIRE', facts: { expectedOrigin: 'https://files.test' } }),
  ])('is not read anew after %o', async (error) => {
    await expect(downloadResult(client('https://files.test/b', error), 'e1', asset.downloadUrl)).rejects.toBe(error)
  })

  test('is asked for with the signal of the run, each time', async () => {
    const { signal } = new AbortController()
    const { download: get, execution } = client('https://files.test/b')
    const seen: unknown[] = []
    const calls = {
      download: async (url: string, given?: AbortSignal) => {
        seen.push(url, given === signal)
        return get(url)
      },
      execution: async (id: string, given?: AbortSignal) => {
        seen.push(id, given === signal)
        return execution()
      },
    }
    await downloadResult(calls, 'e1', asset.downloadUrl, signal)
    expect(seen).toEqual([asset.downloadUrl, true, 'e1', true, 'https://files.test/b', true])
  })
})

describe('watching an execution', () => {
  const accepted = { attempt: 1, executionId: 'e1', conversationId: 'c1' }
  const place = { key: idempotencyKey(order.identity, order.hash, 1), id: 'hero.walk' }
  const left = `left ${place.key}`
  async function watched(execution: () => Execution, events: readonly object[] = [], over: Partial<Bench> = {}) {
    const kept: unknown[] = []
    const places = {
      ...{ take: async () => 'had' as const, holds: async () => true, taken: async () => [] },
      keep: async (place: object, job: object) => turns().then(() => void kept.push({ ...place, ...job })),
      leave: async (key: string) => turns().then(() => void kept.push(`left ${key}`)),
      refused: async (place: object, isRetried: boolean, signal: AbortSignal) =>
        turns().then(() => void kept.push([place, isRetried, signal === made.signal])),
    }
    const turns = async () => {
      for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    }
    async function* stream() {
      for (const event of events) yield { kind: 'progress', id: null, status: null, progress: null, message: null, ...event } as never
    }
    const made = bench({ execution: async () => execution(), events: stream as never }, { places, ...over })
    await made.record('frozen', frozenOf(1))
    const view = await made.record('accepted', accepted)
    return { ...made, kept, end: watch(made, order, view, 'e1') }
  }

  test('shows its state and the words of its stream, with the credits that it holds', async () => {
    const reads = [executionOf('queued'), executionOf('running')]
    const events = [{ progress: 0.5 }, { message: 'drawing' }, {}, { kind: 'done' }]
    const { end, progress, types, moves, kept } = await watched(
      () => reads.shift() ?? executionOf('completed', { assets: [asset], review }),
      events,
    )
    await end
    const shown = progress.map(({ phase, message, progress: share, held }) => [phase, message, share, held])
    expect(shown.filter(([, message, share]) => share !== undefined || message === 'drawing')).toEqual([
      ['running', undefined, 0.5, 24_000n],
      ['running', 'drawing', undefined, 24_000n],
    ])
    expect(shown.filter(([, message]) => message === 'queued' || message === 'running' || message === 'completed')).toEqual([
      ['queued', 'queued', undefined, 24_000n],
      ['running', 'running', undefined, 24_000n],
      ['running', 'completed', undefined, 24_000n],
    ])
    expect([await types(), await moves(), kept]).toEqual([
      ['frozen', 'accepted', 'completed'],
      ['held 1 e1', 'settled 1 e1'],
      [{ ...place, executionId: 'e1' }, left],
    ])
    expect(progress.map(({ id }) => id)).toEqual(Array(5).fill('hero.walk'))
  })

  test('records the finished file as the service describes it', async () => {
    const assets = [asset, { ...asset, downloadUrl: 'https://files.test/b' }]
    const { end, view } = await watched(() => executionOf('completed', { assets, review }))
    await end
    const { downloadUrl, contentType, width, height } = asset
    expect((await view()).submission.completed).toEqual({ attempt: 1, executionId: 'e1', downloadUrl, contentType, width, height, review })
  })

  test('records a failure, gives its hold back, and notes why the account took no more', async () => {
    const error = errorOf('too_many_active_jobs', { retryable: true })
    const { end, view, moves, kept } = await watched(() => executionOf('failed', { error }))
    await end
    expect((await view()).submission.failed).toEqual({ attempt: 1, executionId: 'e1', status: 'failed', error })
    expect([await moves(), kept]).toEqual([
      ['held 1 e1', 'restored 1 e1'],
      [{ ...place, executionId: 'e1' }, [place, true, true], left],
    ])
  })

  test.each([
    [false, /waits for an answer: Which hand\? Answer it with: npx spritewright answer hero\.walk "…"$/],
    [true, /answer hero\.walk "…" --asset FILE$/],
  ])('stops at a question, that asks for a picture: %s', async (requiresAsset, message) => {
    const asked = { ...question, requiresAsset }
    const { end, view } = await watched(() => executionOf('needs_input', { question: asked }))
    await expect(end).rejects.toMatchObject({
      code: 'SW_QUESTION',
      message: expect.stringMatching(message),
      facts: { id: 'hero.walk', executionId: 'e1', question: 'Which hand?', requiresAsset },
    })
    expect((await view()).records.at(-1)).toMatchObject({ type: 'asked', body: { attempt: 1, executionId: 'e1', question: asked } })
  })

  test('stops if the service knows nothing of it any more, or names no file', async () => {
    const lost = await watched(() => {
      throw gone(410)
    })
    await expect(lost.end).rejects.toMatchObject({
      code: 'SW_UNCERTAIN',
      facts: { id: 'hero.walk', executionId: 'e1', status: 404 },
      cause: gone(410),
    })
    const { end } = await watched(() => executionOf('completed'))
    await expect(end).rejects.toMatchObject({ code: 'SW_WIRE', facts: { id: 'hero.walk', executionId: 'e1' } })
  })

  test('stops if its question was answered elsewhere', async () => {
    const { end, types } = await watched(() => executionOf('needs_input'))
    await expect(end).rejects.toMatchObject({ code: 'SW_QUESTION', facts: { id: 'hero.walk', executionId: 'e1' } })
    expect(await types()).toEqual(['frozen', 'accepted'])
  })

  test('ends with the signal of the run, and with every other error as it is', async () => {
    const reason = new Error('the run ends')
    await expect((await watched(() => executionOf('running'), [], { signal: AbortSignal.abort(reason) })).end).rejects.toBe(reason)
    for (const error of [gone(403), Object.assign(new Error('no error of ours'), { facts: { status: 410 } })]) {
      const failing = await watched(() => {
        throw error
      })
      await expect(failing.end).rejects.toBe(error)
    }
  })
})
