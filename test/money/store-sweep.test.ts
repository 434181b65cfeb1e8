import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { DiskStat } from '../../src/host/disk.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import type { Context } from '../../src/project/context.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import { createFetcher, faultOfStored } from '../../src/workshop/store/fetch.ts'
import type { ResultUse, StoredResult } from '../../src/workshop.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { addSprite, type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const dayMs = 24 * 60 * 60_000
const mark = '0123456789abcdef'

/** A disk whose files have times of change. */
class TimedDisk extends MemoryDisk {
  readonly changed: Map<string, number> = new Map()

  override async stat(path: string): Promise<DiskStat | undefined> {
    const found = await super.stat(path)
    return found && { ...found, changedMs: this.changed.get(path) ?? 0 }
  }
}

const limits = { post: 1000, get: 10_000, download: 1000 }

/** A project with one bought sprite, on a disk with times. */
async function bought(): Promise<{ world: SimulatedWorld; disk: TimedDisk; verify: () => Promise<readonly string[]>; put: typeof put }> {
  const world = await simulatedWorld(0, { limits })
  addSprite(world, 'hero', 0)
  const workshop = await world.workshop({ approval: { perSprite: '100' }, limits })
  await world.clock.run(acceptCeilings(workshop))
  await world.clock.run(workshop.build({ buyOnly: true }))
  const disk = new TimedDisk()
  for (const [path, bytes] of world.disk.files) disk.files.set(path, bytes)
  const put = (path: string, bytes: Uint8Array | string, ageMs = dayMs + 1): string => {
    disk.files.set(path, typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
    disk.changed.set(path, world.clock.wall() - ageMs)
    return path
  }
  const verify = async (): Promise<readonly string[]> => {
    const workshop = await world.workshop({ limits, store: { shared: '/shared' } }, { disk })
    return [...(await world.clock.run(workshop.store.verify())).swept].sort()
  }
  return { world, disk, verify, put }
}

const store = '/game/.spritewright'
const [whole, hash] = [new TextEncoder().encode('PK whole'), sha256(new TextEncoder().encode('PK whole'))]
const requestOf = (disk: MemoryDisk): string => [...disk.files.keys()].find((path) => path.includes('/submissions/'))?.split('/')[4] ?? ''

describe('what a crash left behind', () => {
  test('goes by the exact name that it was given, older than a day', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const old = [
      `/game/sprites.lock.json.${mark}.tmp`,
      `/game/.spritewright/orders/sprites.lock.json.${mark}.tmp`,
      `${store}/checkout.json.${mark}.tmp`,
      `${store}/uploads/${hash}.0123456789ab.json.${mark}.tmp`,
      `${store}/submissions/${request}/0009.json.${mark}.tmp`,
      `${store}/submissions/budget/0002.json.${mark}.tmp`,
      `${store}/results/probe.${mark}.tmp`,
    ]
    for (const path of old) put(path, 'torn')
    expect(await verify()).toEqual(old.sort())
    expect(await verify()).toEqual([])
  })

  test('goes from the second copy of the journal too, and from the marks of what the shared store is owed', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const copy = [...disk.files.keys()].find((path) => path.includes('/journals/') && path.endsWith('/checkout.json'))
    const folder = copy?.slice(0, -'/checkout.json'.length)
    const old = [
      `${copy}.${mark}.tmp`,
      `${folder}/submissions/${request}/0009.json.${mark}.tmp`,
      `${folder}/submissions/budget/0002.json.${mark}.tmp`,
      `${store}/submissions/unshared/${hash}.${mark}.tmp`,
    ]
    for (const path of old) put(path, 'torn')
    expect(await verify()).toEqual(old.sort())
  })

  test('stays where it is younger, or dated in the future, or named in any other way, or a folder, or in a folder that is not ours', async () => {
    const { disk, verify, put } = await bought()
    const request = requestOf(disk)
    const kept = [
      put(`/game/sprites.lock.json.${mark}.tmp`, 'young', dayMs - 1),
      put(`${store}/submissions/${request}/0009.json.${mark}.tmp`, 'of tomorrow', -dayMs),
      ...[
        `/game/notes.txt.${mark}.tmp`,
        `/game/sprites.lock.json.tmp`,
        `/game/sprites.lock.json.${mark.slice(1)}.tmp`,
        `/game/sprites.lock.json.${mark.toUpperCase()}.tmp`,
        `/game/sprites.lock.json.${mark}.tmp.bak`,
        `/game/spritesxlock.json.${mark}.tmp`,
        `/game/sub/sprites.lock.json.${mark}.tmp`,
        `/game/sprites.lock.json.${mark}0.tmp`,
        `${store}/results/notes.zip.${mark}.tmp`,
        `${store}/submissions/${request}/notes.json.${mark}.tmp`,
        `${store}/submissions/mine/0001.json.${mark}.tmp`,
        `${store}/submissions/unshared/${hash}0.${mark}.tmp`,
        `${store}/submissions/unshared/0${hash}.${mark}.tmp`,
        `${store}/submissions/unshared/mine.${mark}.tmp`,
        `${store}/submissions/0${request}/0001.json.${mark}.tmp`,
        `${store}/submissions/${request}0/0001.json.${mark}.tmp`,
        `${store}/uploads/0${hash}.0123456789ab.json.${mark}.tmp`,
        `${store}/uploads/${hash}.0123456789ab.json.bak.${mark}.tmp`,
        `${store}/results/0${hash}.zip.${mark}.tmp`,
        `${store}/results/${hash}.zip.bak.${mark}.tmp`,
        `${store}/submissions/budget/2.json.${mark}.tmp`,
        `${store}/ledger.jsonl.${mark}.tmp`,
        `${store}/checkout.json.${mark}.tmp/a-folder`,
        `/shared/${mark}.tmp`,
      ].map((path) => put(path, 'not ours')),
    ]
    const before = [...disk.files.keys()].sort()
    expect(await verify()).toEqual([])
    expect([...disk.files.keys()].sort()).toEqual(before)
    expect(kept.every((path) => disk.files.has(path))).toBe(true)
  })

  test('a whole result that never got its name gets it, in the project and in the shared store', async () => {
    const { disk, verify, put } = await bought()
    const paths = [put(`${store}/results/${hash}.zip.${mark}.tmp`, whole), put(`/shared/${hash}.zip.${mark}.tmp`, whole)]
    expect(await verify()).toEqual(paths.sort())
    expect([disk.files.get(`${store}/results/${hash}.zip`), disk.files.get(`/shared/${hash}.zip`)]).toEqual([whole, whole])
  })

  test('a torn result goes when the whole one is here, and stays when it is not', async () => {
    const { disk, verify, put } = await bought()
    const path = put(`${store}/results/${hash}.zip.${mark}.tmp`, 'PK wh')
    expect(await verify()).toEqual([])
    put(`${store}/results/${hash}.zip`, 'PK damaged')
    expect(await verify()).toEqual([])
    put(`${store}/results/${hash}.zip`, whole)
    expect(await verify()).toEqual([path])
    expect(disk.files.has(`${store}/results/${hash}.zip`)).toBe(true)
  })

  test('a record that was never published stays while its submission waits for an answer: it may hold the answer', async () => {
    const { world, disk, verify, put } = await bought()
    const request = 'e'.repeat(64)
    const journal = createJournal({ disk, random: countingRandom(), clock: world.clock }, `${store}/submissions`)
    const view = await journal.append(request, await journal.read(request), 'sent', { attempt: 1, send: 1, keyTag: 'k' })
    const path = put(`${store}/submissions/${request}/0002.json.${mark}.tmp`, '{"type":"accepted"}')
    expect(await verify()).toEqual([])
    if (view)
      await journal.append(request, view, 'accepted', { attempt: 1, executionId: 'x', conversationId: null, approvedAt: null } as never)
    expect(await verify()).toEqual([path])
  })
})

const use = (more: Partial<ResultUse> = {}): ResultUse => ({ id: 'hero.walk', request: 'r', state: 'used', ...more })

describe('the service, asked for a result', () => {
  const service = { host: 'api', keyMode: 'test' } as const
  const bought = use({ executionId: 'e', service })
  const refused = (facts: SpritewrightError['facts'], code: SpritewrightError['code'] = 'SW_REFUSED'): SpritewrightError =>
    new SpritewrightError(code, { message: `no: ${code}`, facts })
  interface Says {
    readonly uses?: readonly ResultUse[]
    readonly status?: string
    readonly assets?: readonly object[]
    readonly error?: Error
    readonly onOpen?: Error
    readonly host?: string | undefined
    readonly bytes?: Uint8Array
    readonly onDownload?: Error
    readonly onPut?: Error
    readonly signal?: AbortSignal
  }
  const fetcherOf = (says: Says) => {
    const { uses = [bought], status = 'completed', assets = [{ downloadUrl: '/first' }, { downloadUrl: '/second' }] } = says
    const calls: string[] = []
    const kept: Uint8Array[] = []
    const client = {
      execution: async (executionId: string, signal?: AbortSignal) => {
        calls.push(signal ? executionId : 'no signal')
        if (says.error && executionId === 'e') throw says.error
        return { executionId, status, assets }
      },
      download: async (url: string, signal?: AbortSignal) => {
        calls.push(signal ? url : 'no signal')
        if (says.onDownload) throw says.onDownload
        return { bytes: says.bytes ?? whole }
      },
    }
    const open = async () => {
      calls.push('open')
      if (says.onOpen) throw says.onOpen
      return { client, identity: { ...service, apiVersion: '1' } }
    }
    const put = async (bytes: Uint8Array): Promise<void> => {
      kept.push(bytes)
      if (says.onPut) throw says.onPut
    }
    const context = { vault: { put } } as unknown as Context
    const connection = { host: 'host' in says ? says.host : 'api', open } as unknown as ServiceConnection
    const fetcher = createFetcher(context, connection, says.signal ?? new AbortController().signal)
    return { fetcher, calls, kept, result: { sha256: hash, state: 'used', uses, places: [] } satisfies StoredResult }
  }
  const later = use({ executionId: 'f', service })
  const elsewhere = use({ executionId: 'e', service: { host: 'other', keyMode: 'test' } })
  const third = use({ executionId: 'e', service: { host: 'third', keyMode: 'live' } })
  const away = refused({}, 'SW_UNREACHABLE')

  test.each<[what: string, says: Says, kind: string, why: RegExp | undefined, calls: readonly string[]]>([
    ['has it', {}, 'kept', undefined, ['open', 'e']],
    ['has it, of which no record names the service', { uses: [use({ executionId: 'e' })] }, 'kept', undefined, ['open', 'e']],
    ['names no file', { assets: [] }, 'gone', /e is completed, and names no file/, ['open', 'e']],
    ['has not made it', { status: 'failed' }, 'gone', /e is failed/, ['open', 'e']],
    ['does not know it', { error: refused({ status: 404 }) }, 'gone', /not have execution e/, ['open', 'e']],
    ['has thrown it away', { error: refused({ status: 410 }) }, 'gone', /not have execution e/, ['open', 'e']],
    ['says so by a reason', { error: refused({ reason: 'resource_not_found' }) }, 'gone', /not have/, ['open', 'e']],
    ['refuses for now', { error: refused({ status: 429 }) }, 'unasked', /^no: SW_REFUSED$/, ['open', 'e']],
    ['is away', { onOpen: away }, 'unasked', /^no: SW_UNREACHABLE$/, ['open']],
    ['is not asked for what has no execution', { uses: [use({ service })] }, 'gone', /no execution id/, []],
    ['is not asked for what has no use', { uses: [] }, 'gone', /no record says/, []],
    ['is not asked for what another one made', { uses: [elsewhere] }, 'unasked', /bought at other with a test key/, []],
    ['whose host shows only then', { uses: [elsewhere], host: undefined }, 'unasked', /bought at other with a test key/, ['open']],
    [
      'has another kind of key',
      { uses: [use({ executionId: 'e', service: { host: 'api', keyMode: 'live' } })] },
      'unasked',
      /api with a live key/,
      ['open'],
    ],
    ['has it of the second use', { uses: [bought, later], error: refused({ status: 404 }) }, 'kept', undefined, ['open', 'e', 'open', 'f']],
    ['has it of the first use', { uses: [bought, later] }, 'kept', undefined, ['open', 'e']],
    ['could be asked for neither of two', { uses: [elsewhere, third] }, 'unasked', /bought at third with a live key/, []],
    ['could not be asked for one of two', { uses: [elsewhere, use()] }, 'unasked', /bought at other/, []],
    ['could not be asked for the second of two', { uses: [use(), elsewhere] }, 'unasked', /bought at other/, []],
  ])('%s', async (_what, says, kind, why, calls) => {
    const made = fetcherOf(says)
    const answer = await made.fetcher.ask(made.result)
    expect([answer.kind, 'why' in answer ? answer.why : undefined]).toEqual([kind, why && expect.stringMatching(why)])
    expect(made.calls).toEqual(calls)
    if (kind !== 'kept') expect([await made.fetcher.fetch(made.result), made.kept]).toEqual([expect.stringMatching(why ?? ''), []])
  })

  test.each<[says: Says, calls: readonly string[]]>([
    [{ error: away }, ['open', 'e']],
    [{ error: refused({}, 'SW_KEY_REFUSED') }, ['open', 'e']],
    [{ onOpen: refused({}, 'SW_NO_KEY') }, ['open']],
    [{ error: refused({ status: 429 }) }, ['open', 'e', 'open', 'e']],
  ])('with %j is asked again only where that may help', async (says, calls) => {
    const { fetcher, result, calls: made } = fetcherOf(says)
    expect(await fetcher.ask(result)).toEqual(await fetcher.ask(result))
    expect(made).toEqual(calls)
  })

  test('gives the first file, which is kept; other bytes are kept too, and told', async () => {
    const same = fetcherOf({})
    expect([await same.fetcher.fetch(same.result), same.calls, same.kept]).toEqual([undefined, ['open', 'e', '/first'], [whole]])
    const bytes = new TextEncoder().encode('other')
    const other = fetcherOf({ bytes })
    const words = (state: string) =>
      new RegExp(`other bytes for execution e now; they are kept as ${sha256(bytes).slice(0, 12)}, and ${state}`)
    expect(await other.fetcher.fetch(other.result)).toMatch(words('npx spritewright build'))
    expect(await other.fetcher.fetch({ ...other.result, state: 'take' })).toMatch(words('nothing asks for them'))
    expect(other.kept).toEqual([bytes, bytes])
  })

  test('and a download that fails is told, but neither a mistake nor an interruption is taken for an answer', async () => {
    const lost = fetcherOf({ onDownload: away })
    expect(await lost.fetcher.fetch(lost.result)).toBe('no: SW_UNREACHABLE')
    expect(await lost.fetcher.ask(lost.result)).toEqual({ kind: 'unasked', why: 'no: SW_UNREACHABLE' })
    const gone = fetcherOf({ onDownload: refused({ status: 410 }) })
    expect(await gone.fetcher.fetch(gone.result)).toContain('does not have execution e,')
    const mistake = new Error('a mistake')
    const signal = AbortSignal.abort(new Error('ended'))
    for (const [says, words] of [
      [{ error: mistake }, 'a mistake'],
      [{ onOpen: mistake }, 'a mistake'],
      [{ onDownload: mistake }, 'a mistake'],
      [{ onPut: mistake }, 'a mistake'],
      [{ error: away, signal }, 'ended'],
      [{ onDownload: away, signal }, 'ended'],
    ] as const) {
      const { fetcher, result } = fetcherOf(says)
      await expect(fetcher.fetch(result)).rejects.toThrow(words)
    }
  })
})

test('a stored result is opened as what its first use that says so was, else as what it begins like', () => {
  const faultOf = (bytes: string, ...uses: readonly ResultUse[]): string | undefined => {
    const result: StoredResult = { sha256: hash, state: 'used', uses, places: [] }
    return faultOfStored(
      { options: {} } as unknown as Context,
      result,
      Uint8Array.from(bytes, (char) => char.charCodeAt(0)),
    )
  }
  const [png, zip] = ['\x89PNG torn', 'PK torn']
  const [picture, sheet] = [use({ isPicture: true }), use({ isPicture: false })]
  const asPicture = /PNG|picture/i
  expect(faultOf(png)).toMatch(asPicture)
  expect(faultOf('\x89PN')).toBe(faultOf('\x89PN', sheet))
  expect(faultOf(zip)).not.toMatch(asPicture)
  expect(faultOf(zip)).toBe(faultOf(zip, sheet))
  expect(faultOf(zip, picture)).not.toBe(faultOf(zip))
  expect(faultOf(png, use(), sheet, picture)).toBe(faultOf(png, sheet))
  expect(faultOf(png, sheet)).not.toBe(faultOf(png))
  expect(faultOf(zip, use(), picture, sheet)).toBe(faultOf(zip, picture))
})
