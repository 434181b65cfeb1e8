import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { nodeHost } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { Context } from '../../src/project/context.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import { createVault } from '../../src/vault/layers.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { type Inventory, takeInventory, withShared } from '../../src/workshop/store/inventory.ts'
import { narrow, selectByNames } from '../../src/workshop/store/names.ts'
import { verify } from '../../src/workshop/store/verify.ts'
import { createWorkshop, type DoctorFinding, type StoredResult } from '../../src/workshop.ts'
import { executionOf } from '../job/bench.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { createProject, figurePng } from '../kit/project.ts'
import { type S3Rules, startS3Double } from '../kit/s3-double.ts'

/** What doctor says of the journal and the results that are in one bucket. */
async function findings(rules: S3Rules): Promise<{ journal: DoctorFinding; results: DoctorFinding; keys: readonly string[] }> {
  const double = await startS3Double(rules)
  onTestFinished(() => double.close())
  const project = await createProject()
  onTestFinished(() => project.remove())
  const { root } = project
  const store = { shared: 's3://studio/game', journal: 's3://studio/game' }
  const host = { ...nodeHost(), env: double.env, stateFolder: join(root, '.state') }
  const workshop = await createWorkshop({ root, options: { service: 'embedded', store }, host })
  onTestFinished(() => workshop.close())
  const all = await workshop.doctor()
  const of = (name: string): DoctorFinding => all.find(({ check }) => check === name) as DoctorFinding
  return { journal: of('shared journal'), results: of('shared results'), keys: [...double.files.keys()] }
}

test('doctor probes the bucket as a purchase will (kind: a check that does not look)', async () => {
  const { journal, results } = await findings({})
  expect([journal.verdict, results.verdict]).toEqual(['good', 'good'])
})

test.each(['ignored', 'refused'] as const)(
  'a bucket with the condition %s is bad for the journal, and doctor says that it serves results all the same',
  async (condition) => {
    const { journal, results } = await findings({ condition })
    expect(journal).toMatchObject({ verdict: 'bad', found: 'SW_STORE_UNSAFE', advice: expect.stringContaining('still serves results') })
    expect(results.verdict).toBe('good')
  },
)

test('a machine that may only read is told what it can do, and what not', async () => {
  const { journal, results, keys } = await findings({ fault: ({ method }) => (method === 'PUT' ? { answer: 403 } : undefined) })
  expect(journal).toMatchObject({ verdict: 'warning', advice: expect.stringMatching(/can build what is bought.*right to write/s) })
  expect(results.verdict).toBe('warning')
  expect(keys).toEqual([])
})

test('a bucket that answers nothing but errors is bad', async () => {
  const { journal } = await findings({ fault: () => ({ answer: 503 }) })
  expect(journal).toMatchObject({ verdict: 'bad', found: 'SW_STORE' })
})

describe('a name of a result', () => {
  const result = (sha256: string, ...ids: readonly string[]): StoredResult => ({
    sha256,
    state: ids.length > 0 ? 'used' : 'unknown',
    uses: ids.map((id) => ({ id, request: 'r', state: 'used' })),
    places: ['project'],
  })
  const full = (start: string): string => start.padEnd(64, '0')
  const copy = (sha256: string, mark: string) => ({ name: `${sha256}.${mark}`, sha256, path: '/x', place: 'project' as const, bytes: 1 })
  const inventory: Inventory = {
    results: [
      result(full('a1'), 'hero.walk'),
      result(full('b2'), 'hero.run', 'owl.fly', 'hero.run'),
      result(full('c3'), 'hero#1'),
      result(full('d4'), 'heroine.walk'),
      result(full('123456781')),
      result(full('123456782')),
    ],
    quarantined: [copy(full('e5'), '0badc0de'), copy(full('e5'), '1badc0de'), copy(full('a1'), '0badc0de')],
    othersInShared: 0,
    errors: [],
  }
  const chosen = (name: string): unknown =>
    selectByNames(inventory, [name]).map(({ isHash, results, quarantined }) => [
      isHash,
      [...results.map(({ sha256 }) => sha256.replace(/0+$/, '')), ...quarantined.map((one) => one.name.replace(/0{9,}/, ''))],
    ])

  test.each<[name: string, isHash: boolean, found: readonly string[]]>([
    ['hero', false, ['a1', 'b2', 'c3']],
    ['hero.walk', false, ['a1']],
    ['hero#1', false, ['c3']],
    ['owl', false, ['b2']],
    ['heroine', false, ['d4']],
    ['a1000000', true, ['a1']],
    [full('a1'), true, ['a1']],
    ['123456782', true, ['123456782']],
    ['e5000000.0badc0de', true, ['e5.0badc0de']],
    [`${full('e5')}.1badc0de`, true, ['e5.1badc0de']],
  ])('%s means what has it whole, up to a dot or a number sign, or one hash', (name, isHash, found) => {
    expect(chosen(name)).toEqual([[isHash, found]])
  })

  test.each([
    ['12345678', 2],
    ['a100000', undefined],
    [full('a1').toUpperCase(), undefined],
    [`${full('a1')}0`, undefined],
    ['a1000000.2badc0de', undefined],
    ['e5000000.0badc0d', undefined],
    ['e5000000.', undefined],
    ['her', undefined],
    ['hero.', undefined],
    ['', undefined],
  ])('%j is refused: it means nothing, or more than one hash', (name, found) => {
    const refused = expect.objectContaining({ code: 'SW_USAGE', facts: found === undefined ? { name } : { name, found } })
    expect(() => selectByNames(inventory, ['hero', name])).toThrow(refused)
  })

  test('that nothing has is refused with the names that there are, each once, forty at most', () => {
    const many = Array.from({ length: 41 }, (_, index) => result(full('f'), `s${index}.a`))
    const refuse = (results: readonly StoredResult[]) => () => selectByNames({ ...inventory, results }, ['nobody'])
    expect(refuse(inventory.results)).toThrow('There are: hero.walk, hero.run, owl.fly, hero#1, heroine.walk. All')
    expect(refuse(many)).toThrow('s39.a. All')
    expect(refuse([])).toThrow('There are no results yet.')
  })

  test('given twice, or with another one, means each result once, in the order of the list; none means all', () => {
    const [walk, run, step, other, ...unnamed] = inventory.results
    expect(narrow(inventory, ['b2000000', 'hero', 'hero#1'])).toEqual([walk, run, step])
    expect(narrow(inventory, ['heroine', 'e5000000.0badc0de'])).toEqual([other])
    expect(narrow(inventory, [])).toEqual([walk, run, step, other, ...unnamed])
  })
})

describe('the results of a project without a spec', () => {
  const service = { host: 'https://api.example.com', keyMode: 'test', apiVersion: '1' } as const
  const [walk, step, sheet] = [figurePng(1), figurePng(2), new TextEncoder().encode('PK no archive')]
  const [hashWalk, hashStep, hashSheet] = [walk, step, sheet].map((bytes) => sha256(bytes)) as [string, string, string]
  const of = (bytes: Uint8Array, take: number, operation?: 'upscale') => ({
    ...{ service, asked: { prompt: 'p', take, ...(operation ? { operation } : {}) } },
    ...{ execution: { id: `e${take}`, conversation: null }, result: { sha256: sha256(bytes), bytes: 9 } },
  })
  const lock = {
    version: 1,
    animations: { 'hero.walk': { ['1'.repeat(64)]: of(walk, 2, 'upscale') }, 'ant.run': { ['3'.repeat(64)]: of(sheet, 3) } },
    steps: { ['2'.repeat(64)]: of(step, 1, 'upscale') },
  } as unknown as LockFile
  const use = (id: string, digit: string, take: number, isPicture: boolean) => ({
    ...{ id, request: digit.repeat(64), state: 'superseded', service: { host: service.host, keyMode: 'test' } },
    ...{ take, isPicture, executionId: `e${take}` },
  })

  /** A project whose places have these bytes. A copy with `damaged` has other bytes than its name says. */
  async function project(project: readonly Uint8Array[], shared: readonly Uint8Array[], rescue: readonly Uint8Array[] = [], known = lock) {
    const disk = new MemoryDisk()
    const ports = { disk, random: countingRandom(), clock: new ManualClock() }
    const vault = createVault(ports as never, { local: '/p/.s', root: '/p', shared: '/shared', rescue: ['/rescue'] }, () => {})
    for (const [name, all] of Object.entries({ project, shared, rescue }))
      for (const bytes of all) await vault.places.find((place) => place.name === name)?.store.put(bytes)
    const host = { ...ports, glob: async () => [] }
    const context = {
      ...{ vault, host, storeFolder: '/p/.s', warnings: ['one'], options: { root: '/p', specs: [] } },
      lock: { read: async () => known },
      ledger: { read: async () => [{ hash: '2'.repeat(64), id: 'hero#1' }] },
      journal: { requests: async () => [] },
    } as unknown as Context
    const damage = (folder: string, hash: string): void =>
      void disk.files.set([...disk.files.keys()].find((path) => path.startsWith(`${folder}/${hash}`)) as string, new Uint8Array([1]))
    const read = (name: string, hash: string) => vault.places.find((place) => place.name === name)?.store.read(hash)
    return { context, damage, read, vault }
  }
  const lost = { host: service.host, open: async () => Promise.reject(new SpritewrightError('SW_NO_KEY', { message: 'No key.' })) }
  const run = (context: Context, connection: object = lost, names: readonly string[] = []) => {
    const [fetched, progress]: [unknown[], unknown[]] = [[], []]
    const { signal } = new AbortController()
    const told = { onFetch: (ids: unknown) => void fetched.push(ids), onProgress: (...two: unknown[]) => void progress.push(two) }
    const request = { names, signal, ...told }
    return verify(context, connection as ServiceConnection, request).then((report) => ({ ...report, fetched, progress }))
  }

  test('are listed by name and take with all that the records say; other objects come last, those of others are counted', async () => {
    const { context, damage, read } = await project([walk, figurePng(3)], [walk, step, figurePng(4)])
    damage('/p/.s/results', hashWalk)
    expect(await read('project', hashWalk)).toBe(undefined)
    const inventory = await takeInventory(context, undefined)
    expect(inventory).toEqual({
      results: [
        { sha256: hashSheet, bytes: 9, state: 'superseded', uses: [use('ant.run', '3', 3, false)], places: [] },
        { sha256: hashStep, bytes: 9, state: 'superseded', uses: [use('hero#1', '2', 1, true)], places: ['shared'] },
        { sha256: hashWalk, bytes: 9, state: 'superseded', uses: [use('hero.walk', '1', 2, true)], places: ['shared'] },
        { sha256: sha256(figurePng(3)), bytes: figurePng(3).length, state: 'unknown', uses: [], places: ['project'] },
      ],
      quarantined: [
        {
          name: expect.stringMatching(new RegExp(`^${hashWalk}\\.[0-9a-f]{8}$`)),
          ...{ sha256: hashWalk, path: expect.stringContaining('/p/.s/quarantine/'), place: 'project', bytes: 1 },
        },
      ],
      othersInShared: 1,
      errors: [],
    })
    const [first] = inventory.results
    expect(first && (await withShared(context, first))).toBe(first)
  })

  test('are whole, or mended by a good copy; what nobody has is absent, and what cannot be opened is told', async () => {
    const { context, damage, read } = await project([walk, sheet], [walk, sheet], [step])
    damage('/shared', hashWalk)
    const { swept, fetched, progress, findings, ...report } = await run(context)
    expect(report).toEqual({ checked: 3, good: 0, bytes: walk.length + 2 * sheet.length + step.length, warnings: ['one'] })
    expect(findings.map(({ words, ...finding }) => [finding, words.replace(/: .*/, '')])).toEqual([
      [{ sha256: hashSheet, ids: ['ant.run'], outcome: 'unreadable', damaged: [] }, 'it cannot be read'],
      [{ sha256: hashStep, ids: ['hero#1'], outcome: 'mended', damaged: [] }, 'copied from the good one (rescue)'],
      [{ sha256: hashWalk, ids: ['hero.walk'], outcome: 'mended', damaged: ['shared'] }, 'copied from the good one (project)'],
    ])
    expect([swept, fetched, progress.length, progress.at(-1)]).toEqual([[], [], 3, [3, 3]])
    expect([await read('shared', hashWalk), await read('project', hashStep)]).toEqual([walk, step])
    // What was mended is whole. The shared store does not get what it never had.
    expect((await run(context)).findings).toMatchObject([{ sha256: hashSheet }])
    expect(await read('shared', hashStep)).toBe(undefined)
    const absent = await project([walk], [])
    expect((await run(absent.context)).findings).toMatchObject([
      { outcome: 'absent' },
      { sha256: hashStep, outcome: 'absent', damaged: [] },
    ])
  })

  test('are fetched again if they are named or were damaged, by the execution of their service', async () => {
    const asked: unknown[] = []
    const asset = { assetId: 'a', downloadUrl: 'https://files.test/a', contentType: null, width: null, height: null }
    const client = {
      execution: async (id: string) => {
        asked.push(id)
        return executionOf('completed', { executionId: id, assets: [asset] })
      },
      download: async (url: string) => ({ bytes: asked.push(url) > 0 ? step : walk }),
    }
    const at = (identity: object) => ({ host: service.host, open: async () => ({ identity, client }) })
    const named = await project([], [])
    const [found] = (await run(named.context, at(service), ['hero#1'])).findings
    expect(found).toEqual({
      ...{ sha256: hashStep, ids: ['hero#1'], outcome: 'mended', damaged: [] },
      words: 'fetched again from the service, free of charge',
    })
    expect([asked, await named.read('project', hashStep)]).toEqual([['e1', asset.downloadUrl], step])
    // Another result under the same execution is kept, and is not this one.
    const other = await run(named.context, at(service), [hashWalk])
    expect(other.findings).toMatchObject([{ outcome: 'unmended', words: expect.stringContaining('other bytes for execution e2 now') }])
    expect([other.checked, other.fetched]).toEqual([1, [['hero.walk']]])
    const elsewhere = await run(named.context, at({ ...service, keyMode: 'live' }), [hashWalk])
    expect(elsewhere.findings).toMatchObject([{ outcome: 'unmended', words: expect.stringContaining('with a test key') }])
    const damaged = await project([walk], [])
    damaged.damage('/p/.s/results', hashWalk)
    const { findings, fetched } = await run(damaged.context, lost, ['hero'])
    expect(findings).toMatchObject([
      { sha256: hashStep, words: 'No key.' },
      { sha256: hashWalk, outcome: 'unmended', damaged: ['project'], words: 'No key.' },
    ])
    expect(fetched).toHaveLength(2)
  })

  test('of several names are one line, under the first name; others come by their hash', async () => {
    const entry = of(walk, 2, 'upscale')
    const names = {
      'zed.walk': { ['1'.repeat(64)]: entry },
      'ant.walk': { ['4'.repeat(64)]: entry },
      'hero.walk': { ['5'.repeat(64)]: of(step, 1) },
    }
    const others = [figurePng(5), figurePng(6), figurePng(7), figurePng(8)]
    const { context } = await project(others, [], [], { version: 1, animations: names } as unknown as LockFile)
    const { results } = await takeInventory(context, undefined)
    expect(results.map(({ sha256 }) => sha256)).toEqual([hashWalk, hashStep, ...others.map((bytes) => sha256(bytes)).sort()])
    expect(results[0]?.uses.map(({ id }) => id)).toEqual(['zed.walk', 'ant.walk'])
    const [found] = (await run(context, lost, [hashWalk])).findings
    expect(found).toMatchObject({ ids: ['ant.walk', 'zed.walk'], outcome: 'unmended' })
  })

  test('in a store that is no folder are asked for one by one', async () => {
    const [here] = (await takeInventory((await project([walk], [])).context, undefined)).results.filter(({ places }) => places.length > 0)
    const at = (isListed: boolean, has: boolean, name = 'shared') =>
      withShared({ vault: { places: [{ name, store: { isListed, has: async () => has } }] } } as never, here as StoredResult)
    expect(await at(false, true)).toEqual({ ...here, places: ['project', 'shared'] })
    for (const same of [at(true, true), at(false, false), at(false, true, 'rescue')]) expect(await same).toBe(here)
  })

  test('that were set aside before are owed, and a place that cannot be read or written is told', async () => {
    const aside = await project([walk], [])
    aside.damage('/p/.s/results', hashWalk)
    await aside.read('project', hashWalk)
    const { findings } = await run(aside.context)
    expect(findings.map(({ sha256, outcome }) => [sha256, outcome])).toEqual([
      [hashSheet, 'absent'],
      [hashStep, 'absent'],
      [hashWalk, 'unmended'],
    ])
    const away = async (put: () => Promise<string>, bytes = [walk]) => {
      const { context, vault } = await project(bytes, [])
      const broken = { has: async () => Promise.reject(new Error('It is away.')), put }
      const places = vault.places.map((place) => (place.name === 'shared' ? { ...place, store: { ...place.store, ...broken } } : place))
      return (await run({ ...context, vault: { ...vault, places } } as Context)).findings.find(({ sha256 }) => sha256 === hashWalk)
    }
    expect(await away(async () => hashWalk)).toMatchObject({
      outcome: 'mended',
      words: expect.stringMatching(/\(project\); shared: It is away\.$/),
    })
    expect(await away(async () => Promise.reject(new Error('No room.')))).toMatchObject({
      ...{ outcome: 'unmended', damaged: [] },
      words: 'a good copy is here, and /shared did not take it: No room.; shared: It is away.',
    })
    expect(await away(async () => hashWalk, [])).toMatchObject({
      outcome: 'unmended',
      words: expect.stringContaining('shared: It is away.'),
    })
  })
})
