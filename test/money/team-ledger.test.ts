import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sumCredits } from '../../src/credit/credits.ts'
import { groupLines } from '../../src/workshop/ledger/account-report.ts'
import { sumsOf } from '../../src/workshop/ledger/accounts.ts'
import type { LedgerLine, LedgerReport, LedgerRequest } from '../../src/workshop.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
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
