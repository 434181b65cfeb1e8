import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import { mergeLocks } from '../../src/vault/lock-merge.ts'
import { digestOf, isLockPath, joinLocks, lockFolderOf, lockPathOf } from '../../src/vault/lock-parts.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { alsoField, formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'

const path = '/p/sprites.lock.json'
const [hash, other] = ['b'.repeat(64), 'd'.repeat(64)]
const asked: LockEntry = { service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' }, asked: { prompt: 'a knight', take: 1 } }
const approvedAt = (at: string): LockEntry => ({ ...asked, approval: { ceiling: '2', priceVersion: 'v', buyer: 'b', at } })
const submission = { attempt: 1, key: 'k', body: '{}', bodySha256: 'a'.repeat(64), maxCredits: '2' }
const sent: LockEntry = { ...asked, submission }
const startedAs = (id: string): LockEntry => ({ ...asked, execution: { id, conversation: null } })
const bought: LockEntry = { ...startedAs('e1'), result: { sha256: 'c'.repeat(64), bytes: 7 } }
const fileOf = (entry: LockEntry, id = 'hero.walk'): LockFile => ({ version: 1, animations: { [id]: { [hash]: entry } } })

/** What one request is, where each of some files has an entry of it. */
function joined(...entries: readonly LockEntry[]): LockEntry | undefined {
  const { lock, conflicts } = joinLocks(new Map(entries.map((entry, index) => [`/p/sprites.lock/${index}.json`, fileOf(entry)])))
  expect(conflicts).toEqual([])
  return lock.animations['hero.walk']?.[hash]
}

describe('of two entries of one request', () => {
  test.each<[string, LockEntry, LockEntry]>([
    ['bytes beside none', sent, asked],
    ['an execution beside bytes', startedAs('e1'), sent],
    ['a result beside its execution', bought, startedAs('e1')],
    ['a result beside an execution with bytes', bought, { ...startedAs('e1'), submission }],
  ])('the one that is further counts, in whichever file it is: %s', (_what, further, less) => {
    expect([joined(further, less), joined(less, further)]).toEqual([further, further])
  })

  test('that are equally far, the newer approval counts, and without one the first file', () => {
    const [older, newer] = [approvedAt('1'), { ...approvedAt('2'), asked: { prompt: 'another', take: 1 } }]
    expect([joined(older, newer), joined(newer, older)]).toEqual([newer, newer])
    const [one, two] = [
      { ...asked, asked: { prompt: 'one' } },
      { ...asked, asked: { prompt: 'two' } },
    ]
    expect([joined(one, two), joined(two, one)]).toEqual([one, two])
  })

  test('the newer approval counts beside the purchase of the older, and none if one of them has none', () => {
    const purchase: LockEntry = { ...bought, approval: approvedAt('1').approval }
    expect(joined(purchase, approvedAt('2'))).toEqual({ ...bought, approval: approvedAt('2').approval })
    expect(joined(approvedAt('2'), purchase)).toEqual({ ...bought, approval: approvedAt('2').approval })
    expect(joined({ ...approvedAt('3'), execution: bought.execution }, purchase)).toEqual({ ...bought, approval: approvedAt('3').approval })
    for (const pair of [
      [bought, approvedAt('2')],
      [approvedAt('2'), bought],
    ] as const)
      expect(joined(...pair)).toEqual({ ...bought, approval: undefined })
  })

  test('an entry that another one continues does not count, unless it was changed since', () => {
    const next = { ...approvedAt('2'), continues: digestOf(approvedAt('1')) }
    expect(joined(approvedAt('1'), next)).toEqual(approvedAt('2'))
    expect(joined(next, approvedAt('1'))).toEqual(approvedAt('2'))
    expect(joined(bought, next)).toEqual({ ...bought, approval: undefined })
    expect(joined(next)).toEqual(approvedAt('2'))
    expect(digestOf(next)).toBe(digestOf(approvedAt('2')))
    expect(digestOf(approvedAt('2'))).not.toBe(digestOf(approvedAt('1')))
  })
})

test('the files of a lock file are one: ids in order, the requests of an id together, steps only if there is one', () => {
  const step = startedAs('e9')
  const files = new Map<string, LockFile>([
    ['/p/sprites.lock/zed.json', fileOf(startedAs('e7'), 'zed.walk')],
    [
      '/p/sprites.lock/hero.json',
      { version: 1, animations: { 'hero.walk': { [hash]: bought, [other]: sent }, 'hero.run': { [hash]: asked } } },
    ],
    ['/p/sprites.lock.json', { version: 1, animations: { 'hero.walk': { [hash]: startedAs('e1') }, 'ant.walk': { [hash]: asked } } }],
  ])
  const { lock } = joinLocks(files)
  expect(lock).toEqual({
    version: 1,
    animations: {
      'ant.walk': { [hash]: asked },
      'hero.run': { [hash]: asked },
      'hero.walk': { [hash]: bought, [other]: sent },
      'zed.walk': { [hash]: startedAs('e7') },
    },
  })
  expect(Object.keys(lock.animations)).toEqual(['ant.walk', 'hero.run', 'hero.walk', 'zed.walk'])
  expect(Object.keys(lock)).toEqual(['version', 'animations'])
  files.set(`/p/sprites.lock/step.${other}.json`, { version: 1, animations: {}, steps: { [other]: step } })
  expect(joinLocks(files).lock.steps).toEqual({ [other]: step })
})

test('two purchases of one request are told with both files and executions, of an animation and of a step', () => {
  const stepFile = (id: string): LockFile => ({ version: 1, animations: {}, steps: { [other]: startedAs(id) } })
  const files = new Map<string, LockFile>([
    ['/p/sprites.lock/hero.json', { ...fileOf(startedAs('e1')), ...stepFile('e3'), animations: fileOf(startedAs('e1')).animations }],
    ['/p/sprites.lock.json', { ...stepFile('e4'), animations: fileOf(startedAs('e2')).animations }],
  ])
  const words = (what: string, one: string, two: string): string =>
    `${what} has two purchases: hero.json names the execution ${one}, and sprites.lock.json names the execution ${two}. Keep one of the two entries by hand, and note the execution of the other`
  expect(joinLocks(files).conflicts).toEqual([words('hero.walk', 'e1', 'e2'), words(`The step ${other}`, 'e3', 'e4')])
})

describe('the files of a lock file', () => {
  const digest = (name: string): string => sha256(name).slice(0, 12)

  test.each([
    ['hero.walk', 'hero'],
    ['hero', 'hero'],
    ['hero_2-b.walk', 'hero_2-b'],
    [`${'x'.repeat(60)}.walk`, 'x'.repeat(60)],
    [`${'x'.repeat(61)}.walk`, `${'x'.repeat(40)}--${digest('x'.repeat(61))}`],
    ['Hero.walk', `hero--${digest('Hero')}`],
    ['Big Hero.walk', `big_hero--${digest('Big Hero')}`],
    ['a--b.walk', `a_b--${digest('a--b')}`],
    ['_a.walk', `_a--${digest('_a')}`],
    ['com1.walk', `com1--${digest('com1')}`],
    ['con.walk', `con--${digest('con')}`],
    ['.walk', `_--${digest('')}`],
    ['hero#2', `step.${hash}`],
  ])('have the names of their sprites, or of their step: %s is in %s.json', (id, name) => {
    expect(lockPathOf(path, id, hash)).toBe(`/p/sprites.lock/${name}.json`)
  })

  test.each([
    [path, true],
    ['/p/sprites.lock/hero.json', true],
    ['/p/sprites.lock/.hero.json', false],
    ['/p/sprites.lock/hero.json~', false],
    ['/p/sprites.lock/a/hero.json', false],
    ['/p/hero.json', false],
    ['/q/sprites.lock/hero.json', false],
    ['/p/sprites.lock', false],
  ])('%s is one of them: %s', (file, isOne) => {
    expect(isLockPath(path, file)).toBe(isOne)
    expect(lockFolderOf(path)).toBe('/p/sprites.lock')
  })
})

describe('the words about a lock file that cannot be read', () => {
  const lock = (entry: object): string => JSON.stringify({ version: 1, animations: { 'hero.walk': { [hash]: { ...asked, ...entry } } } })
  const at = `animations.hero.walk.${hash}`

  test.each<[string, string]>([
    ['5', 'the file: Invalid input: expected object, received number'],
    ['<<<<<<< ours\n{}', 'it has an unresolved merge conflict'],
    ['{}\n>>>>>>> theirs', 'it has an unresolved merge conflict'],
    [JSON.stringify({ animations: {} }), 'version: Invalid input: expected 1'],
    [JSON.stringify({ version: 1 }), 'animations: Invalid input: expected record, received undefined'],
    [lock({ asked: undefined }), `${at}.asked: Invalid input: expected object, received undefined`],
    [lock({ service: { ...asked.service, host: '' } }), `${at}.service.host: Too small: expected string to have >=1 characters`],
    [lock({ submission: { ...submission, attempt: 0 } }), `${at}.submission.attempt: Too small: expected number to be >=1`],
    [lock({ submission: { ...submission, maxCredits: '2,4' } }), `${at}.submission.maxCredits: expected a decimal like 2.4`],
    [lock({ submission: { ...submission, key: undefined } }), `${at}.submission.key: Invalid input: expected string, received undefined`],
    [lock({ execution: { id: '', conversation: null } }), `${at}.execution.id: Too small: expected string to have >=1 characters`],
    [lock({ result: { sha256: 'c', bytes: 1 } }), `${at}.result.sha256: Invalid string: must match pattern /^[0-9a-f]{64}$/`],
    [lock({ result: { sha256: 'c'.repeat(64), bytes: -1 } }), `${at}.result.bytes: Too small: expected number to be >=0`],
    [lock({ continues: 'x' }), `${at}.continues: Invalid string: must match pattern /^[0-9a-f]{64}$/`],
    [lock({ asked: { prompt: 'x', take: 0 } }), `${at}.asked.take: Too small: expected number to be >=1`],
    [
      formatLockFile({ version: 1, animations: { 'a.walk': { [hash]: bought }, 'b.walk': { [other]: bought } } }),
      'a.walk and b.walk name the same execution (e1) for different requests',
    ],
    [
      formatLockFile({ version: 1, animations: { 'a.walk': { [hash]: bought } }, steps: { [other]: bought } }),
      'a.walk and a step name the same execution (e1) for different requests',
    ],
  ])('%s', (text, what) => {
    let thrown: unknown
    try {
      parseLockFile(text, path)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({
      code: 'SW_LOCKFILE',
      message: `${path} cannot be read: ${what}. It holds approvals and purchases: restore it from version control; do not delete it.`,
      facts: { file: path, what },
    })
  })

  test('JSON that ends early keeps its cause', () => {
    let thrown: unknown
    try {
      parseLockFile('{"version": 1,', path)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ message: expect.stringContaining('expected JSON, found '), cause: expect.any(Error) })
  })

  test('a merge conflict of two purchases names the entries, and how to choose', () => {
    const side = (id: string): string => formatLockFile(fileOf(startedAs(id))).trimEnd()
    expect(() => parseLockFile(`<<<<<<< ours\n${side('e1')}\n=======\n${side('e2')}\n>>>>>>> theirs`, path)).toThrow(
      `${path} cannot be read: it has a merge conflict, and both sides changed hero.walk. Keep the entries of one side: npx spritewright merge --ours, or --theirs; with names, only those. A purchase is kept in any case. It holds`,
    )
  })
})

describe('a merge of two lock files', () => {
  const of = (entry: LockEntry | undefined): LockFile => ({ version: 1, animations: entry ? { 'hero.walk': { [hash]: entry } } : {} })
  const [one, two, before] = [approvedAt('1'), approvedAt('2'), approvedAt('0')]

  test.each<[string, LockEntry | undefined, LockEntry | undefined, LockEntry | undefined, LockEntry | undefined, boolean]>([
    ['both changed it alike', one, one, before, one, false],
    ['only ours changed it', one, before, before, one, false],
    ['only theirs changed it', before, two, before, two, false],
    ['ours deleted it', undefined, before, before, undefined, false],
    ['theirs deleted it', before, undefined, before, undefined, false],
    ['ours deleted what theirs changed', undefined, two, before, undefined, true],
    ['theirs deleted what ours changed', one, undefined, before, one, true],
    ['ours added it', one, undefined, undefined, one, false],
    ['theirs added it', undefined, two, undefined, two, false],
    ['both changed it', one, two, before, one, true],
    ['ours went on from theirs', bought, startedAs('e1'), undefined, bought, false],
    ['theirs went on from ours', startedAs('e1'), bought, undefined, bought, false],
  ])('where %s', (_what, ours, theirs, base, expected, isConflict) => {
    const merged = mergeLocks(of(ours), of(theirs), of(base))
    expect(merged).toEqual({ lock: of(expected), conflicts: isConflict ? ['hero.walk'] : [] })
  })

  test.each<[string, LockEntry | undefined, LockEntry | undefined, 'ours' | 'theirs', LockEntry | undefined, boolean]>([
    ['ours', one, two, 'ours', one, false],
    ['theirs', one, two, 'theirs', two, false],
    ['theirs, which deleted it', one, undefined, 'theirs', undefined, false],
    ['theirs, but ours is further', { ...sent, ...one }, two, 'theirs', { ...sent, ...one }, false],
    ['ours, but theirs is further', one, { ...startedAs('e1'), ...two }, 'ours', { ...startedAs('e1'), ...two }, false],
    ['one of two purchases', startedAs('e1'), startedAs('e2'), 'theirs', startedAs('e1'), true],
  ])('with a choice of %s', (_what, ours, theirs, side, expected, isConflict) => {
    const merged = mergeLocks(of(ours), of(theirs), of(before), { side, ids: [] })
    expect(merged).toEqual({ lock: of(expected), conflicts: isConflict ? ['hero.walk'] : [] })
    expect(mergeLocks(of(ours), of(theirs), of(before), { side, ids: ['hero.run'] }).conflicts).toEqual(['hero.walk'])
  })

  test('its steps are named by their hashes, conflicts in order, and the mark of the folder stays', () => {
    const side = (at: string): LockFile => ({
      version: 1,
      [alsoField]: true,
      animations: { 'zed.walk': { [hash]: approvedAt(at) }, 'ant.walk': { [hash]: approvedAt(at) } },
      steps: { [other]: approvedAt(at), [hash]: asked },
    })
    const { lock, conflicts } = mergeLocks(side('1'), side('2'))
    expect(conflicts).toEqual(['ant.walk', 'step#dddddddd', 'zed.walk'])
    expect(lock).toEqual(side('1'))
    expect(mergeLocks(side('1'), side('2'), undefined, { side: 'theirs', ids: ['step#dddddddd', 'ant.walk'] })).toEqual({
      lock: {
        ...side('1'),
        animations: { ...side('1').animations, ...{ 'ant.walk': { [hash]: approvedAt('2') } } },
        steps: side('2').steps,
      },
      conflicts: ['zed.walk'],
    })
  })
})
