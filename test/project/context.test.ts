import { expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { Secret } from '../../src/options/credentials.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { type Context, openContext } from '../../src/project/context.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { entryOf } from './memory-project.ts'

const key = 'sw_test_0123456789'
const place = 'c09f865ae3cd2873'
const hash = 'a'.repeat(64)
const bytes = new Uint8Array([1, 2, 3])

function open(options: Parameters<typeof resolveOptions>[0] = {}, project: { readonly name: string | undefined } = { name: 'game' }) {
  const disk = new MemoryDisk()
  const ports = { disk, clock: new ManualClock(), random: countingRandom(), env: keyEnv(1), stateFolder: '/state', tempFolder: '/tmp' }
  const resolved = resolveOptions(options, { root: '/work/game', isCi: false, dependencies: [] })
  const context = openContext(
    ports as unknown as Host,
    resolved,
    { key: new Secret(key), keySource: 'environment' },
    { ...project, configSource: 'c.ts' },
  )
  return { disk, context }
}

const own = '/work/game/.spritewright'
const copy = `/state/journals/${place}`

test.each<[string, (context: Context) => Promise<unknown>, readonly string[]]>([
  ['the lock file', ({ lock }) => lock.change('hero.walk', hash, () => entryOf()), ['/work/game/sprites.lock.json']],
  [
    'the journal',
    async ({ journal }) => journal.append(hash, await journal.read(hash), 'sent', { attempt: 1, send: 1, keyTag: 'k' }),
    [`${own}/submissions/${hash}/0001.json`, `${copy}/submissions/${hash}/0001.json`],
  ],
  ['a result', ({ vault }) => vault.put(bytes), [`${own}/results/${sha256(bytes)}.bin`]],
  [
    'a movement',
    ({ ledger }) => ledger.ensure({ type: 'held', hash, id: 'hero.walk', attempt: 1, at: 1, credits: 1n, executionId: 'e' }),
    [`${own}/ledger.jsonl`],
  ],
  ['pages', ({ cache }) => cache.write(hash, bytes), [`/work/game/node_modules/.cache/spritewright/${hash}.bin`]],
  ['the name of the checkout', ({ checkout }) => checkout.readOrMake(), [`${own}/checkout.json`, `${copy}/checkout.json`]],
  [
    'the memory',
    async ({ memory, lock }) => memory.keep(await lock.read(), { total: 5n }),
    [`/state/projects/${place}-${testKey(1).fingerprint.slice(0, 16)}.json`],
  ],
  [
    'ceilings',
    ({ standing }) => standing.accept({ perSprite: 1n, total: 7n }, { host: 'h', keyMode: 'live' }),
    [`/state/standing/${place}.json`],
  ],
  ['an address', ({ hosts }) => hosts.add({ origin: 'https://a.test', key: 'k' }), ['/state/trusted-hosts.json']],
  [
    'a request',
    ({ requests }) => requests.add({ verb: 'approve', names: [], why: 'so', from: 'mcp' }),
    [`/state/requests/${place}/00000000-0000-4000-8000-000000000001.json`],
  ],
])('%s is written where the next run looks for it', async (_what, write, paths) => {
  const { disk, context } = open()
  await write(context)
  expect([...disk.files.keys()]).toEqual(paths)
})

test('a result that the project does not take is kept in the state folder, and else in the folder for temporary files', async () => {
  const { disk, context } = open()
  const stuck = disk.writeTemp.bind(disk)
  const closed = ['/work/']
  disk.writeTemp = (path, content) => {
    if (closed.some((folder) => path.startsWith(folder))) throw Object.assign(new Error(path), { code: 'EROFS' })
    return stuck(path, content)
  }
  await context.vault.put(bytes)
  closed.push('/state/')
  await context.vault.put(new Uint8Array([4]))
  expect([...disk.files.keys()]).toEqual([
    `/state/journals/${place}/results/${sha256(bytes)}.bin`,
    `/tmp/spritewright-${place}/${sha256(new Uint8Array([4]))}.bin`,
  ])
  expect(context.vault.rescued).toHaveLength(2)
})

test('the key is written neither to the lock file nor to the journal', async () => {
  const { disk, context } = open()
  const exposed = { code: 'SW_KEY_EXPOSED' }
  await expect(context.lock.change('hero.walk', hash, () => entryOf({ asked: { prompt: key } }))).rejects.toMatchObject(exposed)
  const view = await context.journal.read(hash)
  await expect(context.journal.append(hash, view, 'sent', { attempt: 1, send: 1, keyTag: key })).rejects.toMatchObject(exposed)
  expect([...disk.files.keys()]).toEqual([])
  expect([context.keySearch.isIn(key), open({}).context.keySearch.mask(key)]).toEqual([true, '[API key]'])
})

test('the limits are those of the configuration, of what was accepted and of the owner, by the name of the project', async () => {
  const { disk, context } = open({ approval: { total: '9' } })
  expect([await context.total.read(), await context.limits()]).toEqual([90_000n, { project: 'game', budgets: [] }])
  await context.standing.accept({ perSprite: 1n, total: 70_000n }, { host: 'h', keyMode: 'live' })
  await context.memory.keep(await context.lock.read(), { total: 60_000n })
  expect([await context.total.read(), await context.total.accepted()]).toEqual([60_000n, 60_000n])
  const worker = { projects: [{ dir: '/work/game', name: 'mine' }], budgets: [{ credits: '3', per: 'month', project: 'mine' }] }
  disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify({ worker })))
  expect(await context.limits()).toEqual({ project: 'mine', budgets: [{ credits: 30_000n, per: 'month', project: 'mine' }] })
  // The owner's budget is less than the total.
  const reserve = (credits: bigint) => context.reservations.reserve({ hash, id: 'hero.walk', attempt: 1, credits, round: 0 })
  await expect(reserve(31_000n)).rejects.toMatchObject({ code: 'SW_CEILING' })
  await reserve(29_000n)
  expect((await context.reservations.shares()).map(({ project, credits }) => [project, credits])).toEqual([['mine', 29_000n]])
  expect([...disk.files.keys()].filter((path) => path.includes('budget'))).toHaveLength(2)
})

test('a project is named by its package, or else by its folder, and has no shared store unless it is configured', () => {
  const { context } = open()
  expect([context.name, context.configSource, context.sharedJournal, context.checkout.isShared]).toEqual(['game', 'c.ts', undefined, false])
  expect(context.vault.places.map(({ name }) => name)).toEqual(['project', 'rescue', 'rescue'])
  const shared = open({ store: { shared: '/share', journal: 's3://bucket/records' } }, { name: undefined }).context
  expect([shared.name, shared.sharedJournal?.address, shared.checkout.isShared]).toEqual(['game', 's3://bucket/records', true])
  expect(shared.vault.places.map(({ name }) => name)).toEqual(['project', 'shared', 'rescue', 'rescue'])
})
