import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import type { Inventory } from '../../src/workshop/store/inventory.ts'
import { narrow, selectByNames } from '../../src/workshop/store/names.ts'
import { createWorkshop, type DoctorFinding, type StoredResult } from '../../src/workshop.ts'
import { createProject } from '../kit/project.ts'
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
