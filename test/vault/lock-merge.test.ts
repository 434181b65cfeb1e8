import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attributeLines } from '../../src/cli/first-project.ts'
import { hasCode } from '../../src/errors.ts'
import { mergeLocks, readConflict, writeConflict } from '../../src/vault/lock-merge.ts'
import { parseLockFile } from '../../src/vault/lock-schema.ts'
import { formatLockFile, knowledgeOf, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import { createWorld } from '../cli/world.ts'

const hashes = ['a', 'b', 'c'].map((letter) => letter.repeat(64))
const none: LockFile = { version: 1, animations: {} }

function entry(prompt: string, more: Partial<LockEntry> = {}): LockEntry {
  return { service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' }, asked: { prompt, frames: 8, take: 1 }, ...more }
}

function approval(ceiling: string): NonNullable<LockEntry['approval']> {
  return { ceiling, priceVersion: 'v1', buyer: 'b', at: '2026-01-01T00:00:00Z' }
}

/** An entry of a request, of which more and more is known. */
const entries = fc
  .record({ prompt: fc.constantFrom('walks', 'runs'), ceiling: fc.constantFrom('1', '2.4'), known: fc.integer({ min: 0, max: 2 }) })
  .map(({ prompt, ceiling, known }) =>
    entry(prompt, {
      ...(known > 0 ? { approval: approval(ceiling) } : {}),
      ...(known > 1 ? { result: { sha256: 'd'.repeat(64), bytes: 7 } } : {}),
    }),
  )
const requests = fc.dictionary(fc.constantFrom(...hashes), entries, { minKeys: 1, maxKeys: 3 })
const locks: fc.Arbitrary<LockFile> = fc
  .record({
    animations: fc.dictionary(fc.constantFrom('ant.idle', 'ant.walk', 'bee.fly', 'cow.chew'), requests, { maxKeys: 4 }),
    steps: fc.option(requests, { nil: undefined }),
  })
  .map(({ animations, steps }) => ({ version: 1, animations: { ...animations }, ...(steps ? { steps: { ...steps } } : {}) }))

const textOf = (lock: LockFile): string => formatLockFile(lock)

test('a result is worth more than an execution, and that more than frozen bytes', () => {
  const submission = { attempt: 1 } as LockEntry['submission']
  const execution = { id: 'e', conversation: null }
  const result = { sha256: 's', bytes: 1 }
  const entries = [undefined, {}, { submission }, { execution }, { submission, execution }, { result }, { submission, execution, result }]
  expect(entries.map((entry) => knowledgeOf(entry))).toEqual([0, 0, 1, 2, 3, 4, 7])
})

describe('merging lock files', () => {
  test('what only one side changed is taken, whichever side it is; entries are never mixed', () => {
    fc.assert(
      fc.property(locks, locks, locks, (ours, theirs, base) => {
        expect(textOf(mergeLocks(ours, ours, base).lock)).toBe(textOf(ours))
        expect(textOf(mergeLocks(ours, base, base).lock)).toBe(textOf(ours))
        expect(textOf(mergeLocks(base, theirs, base).lock)).toBe(textOf(theirs))
        const [one, other] = [mergeLocks(ours, theirs, base), mergeLocks(theirs, ours, base)]
        expect(one.conflicts).toEqual(other.conflicts)
        if (one.conflicts.length === 0) expect(textOf(one.lock)).toBe(textOf(other.lock))
        const known = new Set([ours, theirs].flatMap(entriesOf).map((each) => JSON.stringify(each)))
        for (const each of entriesOf(one.lock)) expect(known).toContain(JSON.stringify(each))
      }),
    )
  })

  test('markers that are written are read back, and resolved where both sides agree', () => {
    fc.assert(
      fc.property(locks, locks, (ours, theirs) => {
        const sides = { ours: textOf(ours), theirs: textOf(theirs) }
        const text = writeConflict(sides)
        expect(readConflict(text)).toEqual(sides)
        const { lock, conflicts } = mergeLocks(ours, theirs)
        if (conflicts.length === 0) expect(parseLockFile(text, 'sprites.lock.json')).toEqual(parseLockFile(textOf(lock), ''))
        else expect(codeOf(() => parseLockFile(text, 'sprites.lock.json'))).toContain(`both sides changed ${conflicts.join(', ')}`)
      }),
    )
  })

  test('a purchase continues an approval; two approvals of one request are for a person', () => {
    const [approved, other] = [entry('walks', { approval: approval('1') }), entry('walks', { approval: approval('2') })]
    const bought = { ...approved, result: { sha256: 'd'.repeat(64), bytes: 7 } }
    const lock = (one: LockEntry): LockFile => ({ version: 1, animations: { 'ant.walk': { [hashes[0]!]: one } } })
    expect(mergeLocks(lock(approved), lock(bought))).toEqual({ lock: lock(bought), conflicts: [] })
    expect(mergeLocks(lock(approved), lock(other))).toEqual({ lock: lock(approved), conflicts: ['ant.walk'] })
    expect(mergeLocks(none, lock(bought), lock(approved))).toEqual({ lock: none, conflicts: ['ant.walk'] })
    expect(mergeLocks(none, lock(approved), lock(approved))).toEqual({ lock: none, conflicts: [] })
  })

  test('a chosen side decides the conflicts that it names, and never drops a purchase', () => {
    const [cheap, dear] = ['1', '2'].map((ceiling) => entry('walks', { approval: approval(ceiling) })) as [LockEntry, LockEntry]
    const bought = (one: LockEntry, id: string): LockEntry => ({ ...one, execution: { id, conversation: null } })
    const lock = (ant: LockEntry, bee: LockEntry): LockFile => ({
      version: 1,
      animations: { 'ant.walk': { [hashes[0]!]: ant }, 'bee.fly': { [hashes[1]!]: bee } },
    })
    const merge = (ours: LockFile, theirs: LockFile, side: 'ours' | 'theirs', ...ids: string[]): unknown =>
      mergeLocks(ours, theirs, undefined, { side, ids })
    const [ours, theirs] = [lock(cheap, cheap), lock(dear, dear)]
    expect(merge(ours, theirs, 'ours')).toEqual({ lock: ours, conflicts: [] })
    expect(merge(ours, theirs, 'theirs')).toEqual({ lock: theirs, conflicts: [] })
    expect(merge(ours, theirs, 'theirs', 'ant.walk')).toEqual({ lock: lock(dear, cheap), conflicts: ['bee.fly'] })
    const paid = lock(cheap, bought(dear, 'e1'))
    expect(merge(lock(cheap, cheap), paid, 'ours')).toEqual({ lock: paid, conflicts: [] })
    expect(merge(lock(cheap, bought(cheap, 'e2')), paid, 'theirs')).toMatchObject({ conflicts: ['bee.fly'] })
  })

  test('one execution on two requests is refused after a merge too', () => {
    const bought = (prompt: string): LockEntry => entry(prompt, { execution: { id: 'e1', conversation: null } })
    const [ours, theirs] = ['walks', 'runs'].map((prompt, at) =>
      textOf({ version: 1, animations: { 'ant.walk': { [hashes[at]!]: bought(prompt) } } }),
    ) as [string, string]
    expect(codeOf(() => parseLockFile(writeConflict({ ours, theirs }), 'x'))).toContain('the same execution')
  })

  test.each(['<<<<<<< a\n{}\n=======\n', '=======\n', '<<<<<<< a\n{}\n>>>>>>> b\n', '<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n'])(
    'incomplete markers and sides that are no lock file stay an error: %j',
    (text) => {
      expect(codeOf(() => parseLockFile(text, 'sprites.lock.json'))).toContain('sprites.lock.json cannot be read')
    },
  )
})

describe('git', () => {
  const text = (names: readonly string[]): string =>
    textOf({
      version: 1,
      animations: Object.fromEntries(names.map((name) => [name, { [hashes[0]!]: entry(name, { approval: approval('1') }) }])),
    })

  test('two branches that approve neighbours: the conflict that git leaves is read, and resolved by the command and by the driver', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spritewright-merge-'))
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.hooksPath=/dev/null', ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      })
    try {
      const file = join(folder, 'sprites.lock.json')
      const commit = (names: readonly string[]): void => {
        writeFileSync(file, text(names))
        git('add', '-A')
        git('commit', '-qm', 'x')
      }
      git('init', '-q', '-b', 'main')
      commit(['ant.walk'])
      git('branch', 'theirs')
      commit(['ant.walk', 'bee.fly', 'cat.run'])
      git('checkout', '-q', 'theirs')
      commit(['ant.walk', 'bee.hum', 'cow.chew'])
      git('checkout', '-q', 'main')
      expect(() => git('merge', '-q', 'theirs')).toThrow()
      const conflict = readFileSync(file, 'utf8')
      expect(conflict).toContain('<<<<<<< HEAD')
      const whole = text(['ant.walk', 'bee.fly', 'bee.hum', 'cat.run', 'cow.chew'])
      expect(textOf(parseLockFile(conflict, file))).toBe(whole)

      const world = createWorld({ files: { '/game/sprites.lock.json': conflict } })
      expect(await world.run('merge')).toBe(0)
      expect(world.text('/game/sprites.lock.json')).toBe(whole)
      expect(world.out()).toContain('git add sprites.lock.json')

      const [base, ours, theirs] = ['main^', 'main', 'theirs'].map((branch) => git('show', `${branch}:sprites.lock.json`)) as [
        string,
        string,
        string,
      ]
      const driver = createWorld({ files: { '/game/o': base, '/game/a': ours, '/game/b': theirs } })
      expect(await driver.run('merge', 'o', 'a', 'b')).toBe(0)
      expect(driver.text('/game/a')).toBe(whole)

      // The driver as git starts it, by the lines that init writes and the guide names.
      git('merge', '--abort')
      const bin = fileURLToPath(new URL('../../dist/src/cli/bin.js', import.meta.url))
      const [, command = ''] = /merge\.spritewright\.driver "(npx spritewright .*)"/.exec(readFileSync('docs/ci.md', 'utf8')) ?? []
      git('config', 'merge.spritewright.driver', command.replace('npx spritewright', `"${process.execPath}" "${bin}"`))
      writeFileSync(join(folder, '.gitattributes'), `${attributeLines.join('\n')}\n`)
      git('merge', '-q', '-m', 'merged', 'theirs')
      expect(readFileSync(file, 'utf8')).toBe(whole)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('the driver leaves what both sides changed in markers, and says which; the other entries are merged', async () => {
    const [ours, theirs] = ['1', '2'].map((ceiling) =>
      textOf({
        version: 1,
        animations: {
          'ant.walk': { [hashes[0]!]: entry('walks', { approval: approval(ceiling) }) },
          [`bee.fly${ceiling}`]: { [hashes[1]!]: entry('flies') },
        },
      }),
    ) as [string, string]
    const world = createWorld({ files: { '/game/o': '', '/game/a': ours, '/game/b': theirs } })
    expect(await world.run('merge', 'o', 'a', 'b')).toBe(1)
    expect(world.err()).toContain('Both sides changed ant.walk')
    const left = world.text('/game/a')
    expect(left.split('\n').filter((line) => line.includes('ceiling'))).toEqual(
      ['1', '2'].map((ceiling) => expect.stringContaining(`"ceiling": "${ceiling}"`)),
    )
    for (const side of Object.values(readConflict(left)!))
      expect(Object.keys(parseLockFile(side, 'a').animations)).toEqual(['ant.walk', 'bee.fly1', 'bee.fly2'])
  })

  test('a choice resolves what both sides changed; two purchases of one thing stay a conflict', async () => {
    const side = (ceiling: string, execution?: string): LockFile => ({
      version: 1,
      animations: {
        'ant.walk': { [hashes[0]!]: entry('walks', { approval: approval(ceiling) }) },
        'bee.fly': {
          [hashes[1]!]: entry('flies', {
            approval: approval(ceiling),
            ...(execution === undefined ? {} : { execution: { id: execution, conversation: null } }),
          }),
        },
      },
    })
    const conflict = (ours: LockFile, theirs: LockFile): string => writeConflict({ ours: textOf(ours), theirs: textOf(theirs) })
    const at = async (text: string, ...args: string[]): Promise<[number, string, string]> => {
      const world = createWorld({ files: { '/game/sprites.lock.json': text } })
      return [await world.run('merge', ...args), world.text('/game/sprites.lock.json'), world.out() + world.err()]
    }
    const text = conflict(side('1'), side('2', 'e1'))
    const [refused, same, words] = await at(text)
    expect([refused, same]).toEqual([2, text])
    expect(words).toContain('npx spritewright merge --ours, or --theirs')
    const [done, merged] = await at(text, '--ours')
    expect([done, merged]).toEqual([
      0,
      textOf({ ...side('1'), animations: { ...side('1').animations, 'bee.fly': side('2', 'e1').animations['bee.fly']! } }),
    ])
    const twice = conflict(side('1', 'e1'), side('2', 'e2'))
    const [left, rest, told] = await at(twice, '--theirs')
    expect(left).toBe(1)
    expect(told).toContain('bee.fly: left')
    for (const one of Object.values(readConflict(rest)!))
      expect(parseLockFile(one, 'a').animations['ant.walk']).toEqual(side('2').animations['ant.walk'])
    expect(rest).toContain('"e1"')
    expect(rest).toContain('"e2"')
    expect((await at(text, 'cow.chew', '--ours'))[2]).toContain('found cow.chew')
    expect((await at(text, '--ours', '--theirs'))[0]).toBe(2)
  })

  test('anything but no file or three is refused, and a missing file is named', async () => {
    const world = createWorld()
    expect([await world.run('merge', 'a'), await world.run('merge')]).toEqual([2, 2])
    expect(world.err()).toContain('Expected a lock file at sprites.lock.json, found none.')
  })
})

function entriesOf({ animations, steps = {} }: LockFile): LockEntry[] {
  return [...Object.values(animations), steps].flatMap((each) => Object.values(each))
}

/** The message of an `SW_LOCKFILE`. */
function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (hasCode(error, 'SW_LOCKFILE')) return error.message
    throw error
  }
  throw new Error('Expected SW_LOCKFILE.')
}
