import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signApproval } from '../../src/credit/approval.ts'
import type { Credits } from '../../src/credit/credits.ts'
import { type Given, waysOfGiving } from '../../src/credit/given.ts'
import { readApprovers } from '../../src/project/trust/approvers.ts'
import { openProjectMemory, projectOf } from '../../src/project/trust/project-memory.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

/** A machine of one user, and its project. */
function machine(user = 1, disk = new MemoryDisk()) {
  const clock = new ManualClock()
  const host = { disk, random: countingRandom(), clock, stateFolder: '/state' }
  const open = (place = 'game') => openProjectMemory(host, ringOf(testKey(user)), place)
  return { disk, clock, open }
}

const lock: LockFile = { version: 1, animations: {} }
const credits = (whole: number): Credits => BigInt(whole * 10_000) as Credits

describe('what a machine remembers of a project', () => {
  test('is made once, read again by the next run, and counts for no other user and no other place', async () => {
    const { disk, open } = machine()
    const made = await open().keep(lock, { total: undefined })
    expect(await open().read()).toEqual(made)
    expect((await open('other').keep(lock, { total: undefined }))?.project).not.toBe(made?.project)
    expect(await machine(2, disk).open().read()).toBeUndefined()
  })

  test('takes a lower total at once, and a higher one only from a person', async () => {
    const { open } = machine()
    await open().keep(lock, { total: credits(50) })
    expect((await open().keep(lock, { total: credits(20) }))?.total).toBe(credits(20))
    expect(await open().read()).toMatchObject({ total: credits(20) })
    for (const total of [credits(90), undefined]) expect((await open().keep(lock, { total }))?.total).toBe(credits(20))
    await open().accept(lock, { total: credits(90) })
    expect(await open().read()).toMatchObject({ total: credits(90) })
  })

  test('has the latest time that a run has seen, to the hour, and never goes back', async () => {
    const { clock, open } = machine()
    await open().keep(lock, { total: undefined })
    const begun = clock.wall()
    await clock.advance(3_600_000)
    expect((await open().keep(lock, { total: undefined }))?.latest).toBe(begun + 3_600_000)
    const behind = { wall: () => begun, mono: () => clock.mono(), sleep: clock.sleep.bind(clock) }
    const { disk } = machine()
    const past = openProjectMemory({ disk, random: countingRandom(), clock: behind, stateFolder: '/state' }, ringOf(testKey(1)), 'game')
    await openProjectMemory({ disk, random: countingRandom(), clock, stateFolder: '/state' }, ringOf(testKey(1)), 'game').keep(lock, {
      total: undefined,
    })
    expect((await past.keep(lock, { total: credits(1) }))?.latest).toBe(clock.wall())
  })

  test('that somebody else has changed is damaged, and stops the run', async () => {
    const { disk, open } = machine()
    await open().keep(lock, { total: credits(5) })
    const [path] = [...disk.files.keys()].filter((one) => one.startsWith('/state/projects/'))
    const text = new TextDecoder().decode(disk.files.get(path as string))
    for (const changed of [text.replace('"5"', '"500"'), text.replace(/"latest":\d+/, '"latest":1'), '{', '']) {
      disk.files.set(path as string, new TextEncoder().encode(changed))
      expect(await open().read()).toBe('damaged')
      await expect(open().keep(lock, { total: undefined })).rejects.toMatchObject({ code: 'SW_CONFIG' })
    }
  })
})

describe('approval.accept', () => {
  const ways = fc.option(fc.subarray([...waysOfGiving], { minLength: 1 }), { nil: undefined })
  const counting = async (
    read: ReturnType<typeof machine>['open'],
    accept: readonly Given[] | undefined,
    variable = '',
  ): Promise<string> => {
    const { disk } = machine()
    const { given } = await readApprovers({
      host: { disk, env: { SPRITEWRIGHT_APPROVALS: variable }, stateFolder: '/empty' },
      keys: ringOf(testKey(1)),
      checkout: { isShared: false, read: async () => 'here', readOrMake: async () => 'here' },
      memory: read(),
      touchKeys: { list: async () => [] },
      options: accept === undefined ? {} : { approvalAccept: accept },
    })
    return given === undefined ? 'all' : [...given].join(' ')
  }

  test('law: no sequence of configurations widens it; only a person does, and only to what the environment allows', async () => {
    const step = fc.record({ accept: ways, isPerson: fc.boolean(), variable: ways })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { open } = machine()
        /** Whatever every configuration since the person's last yes has had; a touch is never too many. */
        let allowed: readonly Given[] = waysOfGiving
        for (const { accept, isPerson, variable } of steps) {
          const limits = { total: undefined, accept }
          if (isPerson) await open().accept(lock, limits)
          else await open().keep(lock, limits)
          const has = (way: Given): boolean => accept?.includes(way) ?? allowed.includes(way)
          const next = isPerson
            ? (accept ?? waysOfGiving)
            : waysOfGiving.filter((way) => has(way) && (way === 'touched' || allowed.includes(way)))
          // A list with nothing in it is not remembered, and nothing counts while the configuration has it.
          if (isPerson || next.length > 0) allowed = next
          const now = await counting(open, accept, variable?.join())
          const counted = now === 'all' ? [...waysOfGiving] : now.split(' ').filter(Boolean)
          expect([...counted].sort()).toEqual(
            allowed.filter((way) => (variable?.includes(way) ?? true) && (accept?.includes(way) ?? true)).sort(),
          )
        }
      }),
    )
  })

  test('may become touches alone after other ways, and is not lost between lists that have nothing in common', async () => {
    const { open } = machine()
    await open().keep(lock, { total: undefined, accept: ['typed'] })
    await open().keep(lock, { total: undefined, accept: ['clicked'] })
    expect((await open().read()) as object).toMatchObject({ accept: ['typed'] })
    await open().keep(lock, { total: undefined, accept: ['touched'] })
    await open().keep(lock, { total: undefined, accept: ['typed', 'touched'] })
    expect((await open().read()) as object).toMatchObject({ accept: ['touched'] })
  })

  test('is in the seal: a list that somebody else has widened or removed is damaged', async () => {
    const { disk, open } = machine()
    await open().keep(lock, { total: undefined, accept: ['touched'] })
    const [path = ''] = [...disk.files.keys()].filter((one) => one.startsWith('/state/projects/'))
    const text = new TextDecoder().decode(disk.files.get(path))
    for (const changed of [text.replace('["touched"]', '["touched","typed"]'), text.replace('"accept":["touched"],', '')]) {
      expect(changed).not.toBe(text)
      disk.files.set(path, new TextEncoder().encode(changed))
      expect(await open().read()).toBe('damaged')
    }
  })

  test('of a memory that an earlier version wrote is missing, and the memory counts', async () => {
    const { disk, open } = machine()
    const key = testKey(1)
    const facts = { project: 'a'.repeat(32), firstRun: 1, latest: 2, total: '5' }
    const seal = key.seal(JSON.stringify(['spritewright project 1', 'game', ...Object.values(facts)]))
    disk.files.set(
      `/state/projects/game-${key.fingerprint.slice(0, 16)}.json`,
      new TextEncoder().encode(JSON.stringify({ ...facts, seal })),
    )
    expect(await open().read()).toEqual({ ...facts, total: credits(5) })
  })
})

describe('the project of a machine', () => {
  const service = { host: 'https://api.example.com', keyMode: 'test', apiVersion: '1' } as const
  const hashes = ['1', '2', '3', '4'].map((digit) => digit.repeat(64))
  const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string]
  /** An entry that a user has approved on a day, for a project. */
  const entry = (index: number, user: number, day: number, project: string | undefined, over: object = {}): LockEntry => {
    const at = `2026-01-0${day}T00:00:00.000Z`
    const terms = { ceiling: credits(2), priceVersion: 'v', at, given: 'typed', checkout: 'desk', project, expires: at } as const
    const approval = signApproval(testKey(user), hashes[index] as string, service, terms)
    return { service, asked: { prompt: 'p' }, approval: { ...approval, ceiling: '2', ...over } } as unknown as LockEntry
  }
  const lockOf = (...entries: readonly LockEntry[]): LockFile => {
    const [first, ...others] = entries.map((one, index) => [hashes[index] as string, one] as const)
    return { version: 1, animations: { 'hero.walk': Object.fromEntries(others) }, steps: Object.fromEntries(first ? [first] : []) }
  }
  const own = testKey(1).fingerprint

  test.each<[string, LockFile, string | undefined]>([
    ['is named by nobody without approvals', lockOf(), undefined],
    ['is that of a step', lockOf(entry(0, 2, 1, a)), a],
    ['is that of the first approval', lockOf(entry(0, 2, 3, a), entry(1, 3, 1, b), entry(2, 3, 2, c)), b],
    ['is that of the own first approval before all others', lockOf(entry(0, 2, 1, a), entry(1, 1, 4, b), entry(2, 1, 3, c)), c],
    ['is not that of an approval from before', lockOf(entry(0, 2, 1, undefined), entry(1, 2, 2, b)), b],
    ['is not that of forged words', lockOf(entry(0, 1, 1, b, { project: a }), entry(1, 2, 2, c, { given: undefined })), undefined],
  ])('%s', async (_what, known, project) => {
    expect(projectOf(known, own)).toBe(project)
    const made = (await machine().open().keep(known, { total: undefined }))?.project
    expect(made).toMatch(/^[0-9a-f]{32}$/)
    if (project !== undefined) expect(made).toBe(project)
  })

  test('is not written again within the hour, unless a limit changes', async () => {
    const { clock, disk, open } = machine()
    await open().keep(lock, { total: credits(9) })
    const writes = (): number => disk.calls.filter((call) => call.startsWith('move ')).length
    const begun = writes()
    await clock.advance(3_599_000)
    await open().keep(lock, { total: credits(9) })
    expect(writes()).toBe(begun)
    await open().keep(lock, { total: credits(8) })
    expect(writes()).toBe(begun + 1)
    await clock.advance(3_600_000)
    await open().keep(lock, { total: credits(8) })
    expect(writes()).toBe(begun + 2)
  })
})
