import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signApproval } from '../../src/credit/approval.ts'
import { sumCredits } from '../../src/credit/credits.ts'
import type { Context } from '../../src/project/context.ts'
import { groupLines } from '../../src/workshop/ledger/account-report.ts'
import { readAccounts, sumsOf } from '../../src/workshop/ledger/accounts.ts'
import type { LedgerLine, LedgerReport, LedgerRequest } from '../../src/workshop.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { type Machine, minutes, type ProcessInit, places, specOf, type Team, team } from '../sim/two-machines.ts'

const person = (own: number, ...trusted: readonly number[]): ProcessInit => ({
  options: { store: { journal: '/share/journal' } },
  env: { ...keyEnv(own), SPRITEWRIGHT_APPROVERS: trusted.map((number) => testKey(number).fingerprint).join(',') },
})
const [anna, ben, cleo, office] = [person(1, 2, 3), person(2, 1, 3), person(3, 1, 2), person(4, 1, 2, 3)]
const settings = `${places.state}/settings.json`
const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** Three people buy for two games. A fourth machine, of the office, buys nothing. */
async function studio(): Promise<
  Team & { readonly desk: Machine; ledger(request?: LedgerRequest, who?: ProcessInit): Promise<LedgerReport> }
> {
  const all = await team()
  const { first, clone, neighbour, wait } = all
  first.write('package.json', JSON.stringify({ name: 'castle' }))
  const second = clone(first)
  second.write('sprites/tower.sprite.json', specOf('a tower', 'hero'))
  second.rename('sprites/hero.sprite.json', 'sprites/old.txt')
  const space = neighbour(clone(first), 'space')
  space.write('sprites/hero.sprite.json', specOf('a rocket', 'hero'))
  for (const [machine, who] of [
    [first, anna],
    [second, ben],
    [space, cleo],
  ] as const) {
    await machine.approve({}, who)
    await machine.build({}, who)
    await wait(minutes)
  }
  const desk = clone(first)
  desk.disk.files.delete('/game/sprites.lock.json')
  desk.disk.files.set(settings, bytesOf({ names: { [testKey(1).fingerprint]: 'Anna' } }))
  const ledger = async (request: LedgerRequest = {}, who = office): Promise<LedgerReport> =>
    all.run((await desk.open(who)).ledger({ isTeam: true, ...request }))
  return { ...all, desk, ledger }
}

const credits = (report: LedgerReport): readonly (readonly [string, bigint])[] =>
  (report.groups ?? []).map(({ name, settled }) => [name, settled])

describe('the ledger of a journal that a team shares', () => {
  test('a machine that bought nothing shows the same purchases as those that bought, and the sum of the service', async () => {
    const { first, run, world, ledger } = await studio()
    const charged = sumCredits(world.service.charges().map((charge) => charge.credits))
    const found = await ledger()
    expect([found.settled, found.lines.length, found.elsewhere, found.warnings]).toEqual([charged, 3, 0n, []])
    expect(found.lines.map(({ id, project, person: name, given }) => [id, project, name, given])).toEqual([
      ['hero.walk', 'castle', 'Anna', 'unattended'],
      ['tower.walk', 'castle', undefined, 'unattended'],
      ['hero.walk', 'space', undefined, 'unattended'],
    ])
    const buyers = await run((await first.open(anna)).ledger({ isTeam: true }))
    const plain = ({ lines }: LedgerReport) =>
      lines.map(({ id, at, credits, executionId, approvedBy }) => [id, at, credits, executionId, approvedBy])
    expect(plain(buyers)).toEqual(plain(found))
  })

  test('by person, project, month and sprite it adds up to the sum of the service', async () => {
    const { world, ledger } = await studio()
    const charged = sumCredits(world.service.charges().map((charge) => charge.credits))
    for (const by of ['person', 'project', 'month', 'sprite'] as const) {
      const report = await ledger({ by })
      expect(sumCredits(credits(report).map(([, settled]) => settled))).toBe(charged)
    }
    const third = charged / 3n
    expect(credits(await ledger({ by: 'project' }))).toEqual([
      ['castle', 2n * third],
      ['space', third],
    ])
    const people = [1, 2, 3].map((number) => testKey(number).fingerprint)
    expect(credits(await ledger({ by: 'person' }))).toEqual(
      people.toSorted().map((key) => [key === people[0] ? `Anna (${key.slice(0, 8)})` : key, third]),
    )
    expect(credits(await ledger({ by: 'sprite' })).map(([name]) => name)).toEqual(['castle: hero', 'castle: tower', 'space: hero'])
  })

  test('a time keeps the purchases that were charged in it, and the rest is in the other part', async () => {
    const { ledger } = await studio()
    const { lines } = await ledger()
    const cut = lines[1]?.at ?? 0
    expect((await ledger({ until: cut })).lines).toEqual(lines.slice(0, 1))
    expect((await ledger({ since: cut })).lines).toEqual(lines.slice(1))
  })

  test('records of unknown signers are in no sum, and are shown with their credits', async () => {
    const { ledger } = await studio()
    const found = await ledger({}, person(4, 1, 2))
    expect(found.lines.map(({ origin, approvedBy }) => [origin, approvedBy === undefined])).toEqual([
      ['here', false],
      ['here', false],
      ['unverified', true],
    ])
    expect([found.settled, found.unverified]).toEqual([32_000n, 16_000n])
    expect(found.warnings.join()).toContain(testKey(3).fingerprint)
  })

  test('without the store the copy is shown, and a warning says so', async () => {
    const { desk, share, ledger } = await studio()
    const before = await ledger()
    for (const path of [...share.files.keys()]) share.files.delete(path)
    const after = await ledger()
    expect(after.lines).toEqual(before.lines)
    expect(after.warnings.join()).toContain('copy on this machine')
    expect([...desk.disk.files.keys()].some((path) => path.endsWith('ledger.jsonl'))).toBe(false)
  })

  test('a budget of the machine holds for its own name of the project, whatever package.json says', async () => {
    const { first, clone, posts } = await team()
    const buyer = clone(first)
    const worker = { projects: [{ dir: '/game', name: 'castle' }], budgets: [{ credits: '2', per: 'month', project: 'castle' }] }
    buyer.disk.files.set(settings, bytesOf({ worker }))
    await buyer.approve({}, anna)
    await buyer.build({}, anna)
    buyer.write('package.json', JSON.stringify({ name: 'other' }))
    buyer.write('sprites/tower.sprite.json', specOf('a tower', 'hero'))
    await buyer.approve({}, anna)
    await expect(buyer.build({}, anna)).rejects.toMatchObject({ code: 'SW_CEILING', facts: { budget: '2', left: '0.4' } })
    expect(posts()).toBe(1)
    buyer.disk.files.set(settings, bytesOf({ worker: { ...worker, budgets: [] } }))
    await buyer.build({}, anna)
    expect(posts()).toBe(2)
  })
})

test('law: every line is in one group, and the sums of the groups are those of the lines', () => {
  const line: fc.Arbitrary<LedgerLine> = fc.record({
    id: fc.constantFrom('hero.walk', 'tower.idle', 'coin'),
    hash: fc.constant('h'),
    attempt: fc.constant(1),
    isPicture: fc.boolean(),
    state: fc.constantFrom('held' as const, 'settled' as const, 'restored' as const, 'uncertain' as const),
    credits: fc.bigInt({ min: 0n, max: 99_999n }),
    at: fc.constantFrom(0, Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1)),
    origin: fc.constantFrom('here' as const, 'elsewhere' as const, 'unverified' as const),
    approvedBy: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }) as fc.Arbitrary<string>,
    project: fc.option(fc.constantFrom('castle', 'space'), { nil: undefined }) as fc.Arbitrary<string>,
  })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('person', 'project', 'month', 'sprite'), (lines, by) => {
      const whole = sumsOf(lines)
      const groups = groupLines(lines, by)
      for (const sum of ['settled', 'held', 'restored', 'uncertain', 'elsewhere', 'unverified'] as const)
        expect(sumCredits(groups.map((group) => group[sum] ?? 0n))).toBe(whole[sum] ?? 0n)
    }),
    { numRuns: 100 },
  )
})

test('one ledger has the lines of the journal, of its file and of the lock file, by time, name and attempt', async () => {
  const service = { host: 'x', keyMode: 'test', apiVersion: '1' } as const
  const approved = (hash: string, user: number, second: number) => {
    const at = new Date(second * 1000).toISOString()
    const terms = { ceiling: 30_000n, priceVersion: 'v', at, given: 'typed', checkout: 'desk' } as const
    return { ...signApproval(testKey(user), hash, service, terms), ceiling: '3' }
  }
  const entry = (execution: string, approval: object, over: object = {}) => ({
    ...{ service, asked: { prompt: 'p' }, execution: { id: execution }, approval },
    ...over,
  })
  const said = (...all: readonly (readonly [string, object])[]) => all.map(([type, body], index) => ({ type, at: 4000 + index, body }))
  const posted = (attempt: number) =>
    [
      ['frozen', { attempt, key: 'k', body: '{}', maxCredits: '1.6', ceiling: '2', approvedAt: 't' }],
      ['sent', { attempt, send: 1 }],
    ] as const
  const end = (attempt: number) => ({ attempt, executionId: `e${attempt}` })
  const failed = ['failed', { ...end(1), status: 'failed', error: null }] as const
  const twice = [...posted(1), ['accepted', end(1)], failed, ...posted(2), ['accepted', end(2)], ['completed', end(2)]] as const
  const records: Readonly<Record<string, object>> = { h: said(...posted(1)), t: said(...twice) }
  const move = (at: number, type: string, hash: string, id: string, executionId: string) => ({
    ...{ at, type, id, hash, executionId },
    ...{ attempt: 1, credits: 5n },
  })
  const written: unknown[] = []
  const disk = new MemoryDisk()
  const [own, anna2] = [testKey(1).fingerprint, testKey(2).fingerprint]
  disk.files.set('/state/settings.json', bytesOf({ names: { [anna2]: 'Anna' } }))
  const theirs = { asked: { prompt: 'p', take: 2 }, result: { sha256: 'ro', bytes: 1 } }
  const animations = {
    'owl.fly': { o: entry('eo', approved('o', 2, 9), theirs) },
    'hero.walk': { h: entry('eh', approved('h', 2, 5), { submission: { attempt: 1, maxCredits: '2.5' } }) },
    // The ceiling is not the one that was signed.
    'bee.fly': { b: entry('eb', { ...approved('b', 1, 2), ceiling: '4' }, { submission: { attempt: 2, maxCredits: '2.5' } }) },
  }
  const share = { id: 'twin.walk', hash: 't', attempt: 2, credits: 7n, at: 1, project: 'castle', approver: anna2 }
  const kept = [
    move(1, 'held', 'a', 'zed.run', 'ea'),
    move(6, 'restored', 'a', 'ant.run', 'ea'),
    move(6, 'held', 'z', 'ant.fly', 'ez'),
    move(1, 'held', 't', 'twin.walk', 'e1'),
  ]
  const context = {
    lock: { read: async () => ({ version: 1, animations, steps: { s: entry('es', approved('s', 1, 3)) } }) },
    ledger: { read: async () => kept, ensureAll: async (all: readonly unknown[]) => written.push(...all) },
    journal: { requests: async () => ['h', 't'], peek: async (hash: string) => ({ records: records[hash] }) },
    reservations: { history: async () => new Map([['t 2', share]]) },
    keys: { read: async () => testKey(1) },
    host: { stateFolder: '/state', disk, glob: async () => [] },
    ...{ options: { root: '/p', specs: [] }, storeFolder: '/store' },
  } as unknown as Context
  const { lines, sprites, ...sums } = await readAccounts(context)
  const at = { service: { host: 'x', keyMode: 'test' } }
  const ours = { isPicture: false, origin: 'here', attempt: 1 }
  const byAnna = { isPicture: false, origin: 'elsewhere', attempt: 1, given: 'typed', approvedBy: anna2, person: 'Anna' }
  const twin = { ...ours, id: 'twin.walk', hash: 't', approvedAt: 't', credits: 16_000n }
  expect(lines).toEqual([
    { ...ours, id: 'ant.fly', hash: 'z', executionId: 'ez', state: 'held', credits: 5n, at: 6 },
    { ...ours, id: 'zed.run', hash: 'a', executionId: 'ea', state: 'restored', credits: 5n, at: 6 },
    { ...ours, ...at, id: 'bee.fly', hash: 'b', attempt: 2, executionId: 'eb', state: 'held', credits: 25_000n, at: 2000 },
    {
      ...{ ...ours, ...at, id: 'step#s', hash: 's', isPicture: true, executionId: 'es', state: 'held', credits: 30_000n, at: 3000 },
      ...{ given: 'typed', approvedBy: own },
    },
    { ...ours, ...at, id: 'hero.walk', hash: 'h', given: 'typed', approvedAt: 't', state: 'uncertain', credits: 20_000n, at: 4001 },
    { ...twin, executionId: 'e1', state: 'restored', at: 4003 },
    { ...twin, attempt: 2, executionId: 'e2', state: 'settled', at: 4007, project: 'castle', approvedBy: anna2, person: 'Anna' },
    { ...byAnna, ...at, id: 'hero.walk', hash: 'h', executionId: 'eh', state: 'held', credits: 25_000n, at: 5000 },
    { ...byAnna, ...at, id: 'owl.fly', hash: 'o', take: 2, executionId: 'eo', state: 'settled', credits: 30_000n, at: 9000, result: 'ro' },
  ])
  const money = { held: 55_005n, settled: 16_000n, restored: 16_005n, uncertain: 20_000n, elsewhere: 55_000n }
  expect(sums).toEqual({ ...money, repaired: 3, warnings: [] })
  expect(sprites.map(({ sprite }) => sprite)).toEqual(['ant', 'bee', 'hero', 'owl', 'step', 'twin', 'zed'])
  expect(sprites[2]).toEqual({ sprite: 'hero', held: 0n, settled: 0n, restored: 0n, uncertain: 20_000n, elsewhere: 25_000n })
  const repaired = { id: 'twin.walk', hash: 't', attempt: 2, executionId: 'e2', credits: 16_000n }
  expect(written).toEqual([
    { ...repaired, attempt: 1, executionId: 'e1', at: 4003, type: 'restored' },
    { ...repaired, at: 4006, type: 'held' },
    { ...repaired, at: 4007, type: 'settled' },
  ])
  // What nobody here trusts is in one sum of its own, and what was restored elsewhere in none.
  const line = (origin: string, state: string) => ({ origin, state, credits: 3n }) as LedgerLine
  const none = { held: 0n, settled: 0n, restored: 0n, uncertain: 0n }
  const foreign = ['elsewhere', 'unverified'].flatMap((origin) => ['settled', 'restored', 'held'].map((state) => line(origin, state)))
  expect(sumsOf(foreign)).toEqual({ ...none, elsewhere: 6n, unverified: 6n })
  expect(sumsOf([line('unverified', 'restored')])).toEqual({ ...none, elsewhere: 0n })
})
