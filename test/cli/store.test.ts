import { describe, expect, test } from 'vitest'
import { sizeWords } from '../../src/cli/commands/store/list.ts'
import type { Context } from '../../src/project/context.ts'
import { findUnnamed } from '../../src/workshop/store/gc.ts'
import type { CopyReport, PruneLine, PruneRequest, ResultStore, StoreReport, UnnamedReport, VerifyReport } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { createWorld, type World, type WorldInit } from './world.ts'

const hash = (digit: string): string => `3f2a91c0${digit.repeat(56)}`
const report: StoreReport = {
  results: [
    {
      sha256: hash('1'),
      bytes: 1_234_567,
      state: 'used',
      uses: [
        {
          id: 'hero.walk',
          request: 'r1',
          state: 'used',
          take: 2,
          executionId: 'exec-2',
          service: { host: 'api.example.com', keyMode: 'live' },
        },
      ],
      places: ['project', 'shared'],
    },
    {
      sha256: hash('2'),
      bytes: 999,
      state: 'superseded',
      uses: [{ id: 'hero.walk', request: 'r2', state: 'superseded', take: 1 }],
      places: ['project'],
    },
    { sha256: hash('3'), bytes: 52_000, state: 'used', uses: [{ id: 'coin.spin', request: 'r3', state: 'used' }], places: [] },
    { sha256: hash('4'), state: 'unknown', uses: [], places: ['project'] },
  ],
  quarantined: [
    { name: `${hash('5')}.0badc0de`, sha256: hash('5'), path: '/game/.spritewright/quarantine/x', place: 'project', bytes: 12 },
  ],
  othersInShared: 7,
  warnings: ['a spec cannot be read'],
}
const verified: VerifyReport = { checked: 3, good: 3, bytes: 3_000_000, findings: [], swept: [], warnings: [] }
const copied: CopyReport = { copied: [hash('1')], bytes: 1_234_567, present: 2, lacking: [], folder: '/shared', warnings: [] }
const line: PruneLine = { name: hash('2'), ids: ['hero.walk'], bytes: 999, state: 'superseded' }

/** A world whose workshop has a store with only the tested methods. */
function worldOf(store: Partial<ResultStore>, init: WorldInit = {}): World {
  return createWorld({ ...init, workshop: { store: store as ResultStore } })
}

/** A store whose prune asks about one line, and the requests to it. */
function pruning(lines: readonly PruneLine[], init: WorldInit = {}): { world: World; requests: PruneRequest[] } {
  const requests: PruneRequest[] = []
  const prune: ResultStore['prune'] = async (request) => {
    requests.push(request)
    return { lines, bytes: 999, isDone: request.names.length > 0 && (await request.confirm(lines)) }
  }
  return { world: worldOf({ prune }, init), requests }
}

describe('store', () => {
  test.each([
    [[], 'found none of them'],
    [['lss'], 'Did you mean "npx spritewright store ls"?'],
    [['everything'], 'npx spritewright store --help'],
    [['ls', '--yes'], 'Expected --yes with "store prune"'],
    [['verify', '--force'], 'Expected --force with "store prune"'],
    [['gc'], 'Expected --dry-run after "store gc"'],
    [['gc', '--dry-run', '--yes'], 'Expected --yes with "store prune"'],
    [['prune', '--dry-run'], 'Expected --dry-run with "store gc"'],
  ])('%j is wrong usage, and opens nothing', async (argv, words) => {
    const world = worldOf({})
    expect(await world.run('store', ...argv)).toBe(2)
    expect(world.err()).toContain(words)
    expect(world.opened).toEqual([])
  })

  test('its help names its parts and their options', async () => {
    const world = worldOf({})
    expect(await world.run('store', '--help')).toBe(0)
    expect(world.out()).toContain('spritewright store ls|verify|prune|push|pull|gc [names…] [options]')
    expect(world.out()).toContain('--force')
  })
})

describe('store ls', () => {
  test('shows what each result is for and where it lies, and what to do about what is lost or not asked for', async () => {
    const names: (readonly string[] | undefined)[] = []
    const list: ResultStore['list'] = async (asked) => {
      names.push(asked)
      return report
    }
    const world = worldOf({ list })
    expect(await world.run('store', 'ls', 'hero', '12345678')).toBe(0)
    expect(names).toEqual([['hero', '12345678']])
    expect(world.out()).toBe(
      [
        '  result                    size  state       for        take  where',
        '  3f2a91c01111            1.2 MB  used        hero.walk     2  project, shared',
        '  3f2a91c02222             999 B  superseded  hero.walk     1  project',
        '  3f2a91c03333           52.0 kB  used        coin.spin        not here',
        '  3f2a91c04444                    unknown                      project',
        '  3f2a91c05555.0badc0de     12 B  damaged                      quarantine (project)',
        '',
        '3 results here, 1.2 MB, 1 damaged copy set aside; 7 more in the shared store are of other projects.',
        'Next: npx spritewright store verify, which fetches 1 that are not here again, free of charge.',
        '1 result that no spec asks for, 999 B: npx spritewright store prune shows how to delete them.',
        '',
      ].join('\n'),
    )
    expect(world.err()).toBe('warning a spec cannot be read\n')
    expect(world.closed).toBe(1)
  })

  test('a result that no spec asks for and that the shared store alone has leads to no advice to prune', async () => {
    const results = [{ ...report.results[1]!, places: ['shared'] as const }]
    const world = worldOf({ list: async () => ({ ...report, results }) })
    expect(await world.run('store', 'ls')).toBe(0)
    expect(world.out()).toContain('superseded')
    expect(world.out()).not.toContain('prune')
  })

  test('--json is the report as it is; an empty store says so', async () => {
    const world = worldOf({ list: async () => report })
    expect(await world.run('store', 'ls', '--json')).toBe(0)
    expect(world.json()).toEqual(report)
    const empty = worldOf({ list: async () => ({ results: [], quarantined: [], othersInShared: 0, warnings: [] }) })
    expect(await empty.run('store', 'ls')).toBe(0)
    expect(empty.out()).toBe('No results: nothing was bought yet.\n')
  })
})

describe('store verify', () => {
  test('ends with 0 when all is well or mended, and tells what was cleared away', async () => {
    const mended = { sha256: hash('1'), ids: ['hero.walk'], outcome: 'mended', damaged: ['project'], words: 'fetched again' } as const
    const absent = { sha256: hash('2'), ids: ['coin.spin'], outcome: 'absent', damaged: [], words: 'no present spec asks for it' } as const
    const swept = ['/game/sprites.lock.json.0123456789abcdef.tmp']
    const world = worldOf({ verify: async () => ({ ...verified, good: 1, findings: [mended, absent], swept }) })
    expect(await world.run('store', 'verify')).toBe(0)
    expect(world.out()).toBe(
      [
        '  now         result        for        why',
        '  ✓ mended    3f2a91c01111  hero.walk  damaged (project), set aside; fetched again',
        '  · not here  3f2a91c02222  coin.spin  no present spec asks for it',
        '',
        '1 of 3 results good and unchanged, 3.0 MB read.',
        'Removed leftovers of a crash: sprites.lock.json.0123456789abcdef.tmp',
        '',
      ].join('\n'),
    )
    const well = worldOf({ verify: async () => verified })
    expect(await well.run('store', 'verify')).toBe(0)
    expect(well.out()).toBe('✓ 3 of 3 results good and unchanged, 3.0 MB read.\n')
  })

  test('ends with 1 when something stays missing, with --json as well', async () => {
    const missing = { sha256: hash('1'), ids: ['hero.walk'], outcome: 'unmended', damaged: [], words: 'no key' } as const
    const world = worldOf({ verify: async () => ({ ...verified, good: 2, findings: [missing] }) })
    expect(await world.run('store', 'verify', '--json')).toBe(1)
    expect(world.json()).toMatchObject({ checked: 3, good: 2, findings: [{ outcome: 'unmended' }] })
  })
})

describe('store prune', () => {
  test('without names it lists, asks nobody, and says how to name what', async () => {
    const take: PruneLine = { name: hash('6'), ids: ['hero.walk'], bytes: 1, state: 'take' }
    const { world, requests } = pruning([line, take])
    expect(await world.run('store', 'prune')).toBe(0)
    expect(requests).toMatchObject([{ names: [], force: false }])
    expect(world.out()).toContain('2 files may be deleted, 1.0 kB. Nothing was deleted.')
    expect(world.out()).toContain('Delete superseded results (999 B) by name: npx spritewright store prune hero.walk\n')
    expect(world.out()).toContain('Another branch may still need these results.')
  })

  test('a long list of names is cut in the advice', async () => {
    const { world } = pruning([{ ...line, ids: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.walk`) }])
    expect(await world.run('store', 'prune')).toBe(0)
    expect(world.out()).toContain('npx spritewright store prune a.walk b.walk c.walk d.walk e.walk …\n')
  })

  test('asks with what it would take away and how to have it again; a no ends with 3', async () => {
    const { world } = pruning([{ ...line, recovery: 'service' }], { canAsk: true, answer: false })
    expect(await world.run('store', 'prune', 'hero.walk')).toBe(3)
    expect(world.questions).toEqual(['1 file of the project, 999 B, that no spec asks for. Delete?'])
    expect(world.out()).toContain('the service has it now and delivers it again for free, while it keeps the file')
    expect(world.out()).toContain('Nothing was deleted.\n')
  })

  test('what would be lost for good is said in the question', async () => {
    const { world, requests } = pruning([{ ...line, recovery: 'none' }], { canAsk: true, answer: true })
    expect(await world.run('store', 'prune', '--force', 'hero.walk')).toBe(0)
    expect(requests).toMatchObject([{ names: ['hero.walk'], force: true }])
    expect(world.questions).toEqual(['1 file of the project, 999 B, that no spec asks for. 1 of them would be lost for good. Delete?'])
    expect(world.out()).toContain('✓ Deleted 1 file, 999 B free.')
  })

  test('without a terminal it needs --yes; Ctrl-C at the question takes nothing away', async () => {
    const { world, requests } = pruning([line])
    expect(await world.run('store', 'prune', 'hero')).toBe(2)
    expect(requests).toEqual([])
    expect(await world.run('store', 'prune', '--yes', 'hero')).toBe(0)
    expect(world.questions).toEqual([])
    const left = pruning([line], { canAsk: true, answer: undefined })
    expect(await left.world.run('store', 'prune', 'hero')).toBe(130)
    expect(left.world.err()).toContain('Nothing was deleted.')
  })
})

describe('store push and pull', () => {
  test('count what they copied', async () => {
    const world = worldOf({ push: async () => copied, pull: async () => ({ ...copied, copied: [], bytes: 0, present: 0 }) })
    expect([await world.run('store', 'push'), await world.run('store', 'pull')]).toEqual([0, 0])
    expect(world.out()).toBe('✓ 1 result copied to /shared, 1.2 MB; 2 were there.\n✓ 0 results copied to /shared, 0 B.\n')
  })

  test('count on a terminal while they copy, not for every result, and take the line away', async () => {
    const copying = async (init: WorldInit, times: readonly number[], ...more: string[]): Promise<string> => {
      const push: ResultStore['push'] = async (_names, _signal, tell) => {
        for (const [at, now] of times.entries()) {
          world.now = now
          tell?.(at + 1, times.length)
        }
        return copied
      }
      const world = worldOf({ push }, init)
      await world.run('store', 'push', '--no-color', ...more)
      return world.err()
    }
    const line = (done: number): string => `\r\x1b[K  ${done} of 4 results`
    expect(await copying({ isInteractive: true }, [5, 104, 105, 150])).toBe(`${line(1)}${line(3)}\r\x1b[K`)
    expect(await copying({ isInteractive: true }, [])).toBe('')
    expect(await copying({ isInteractive: true }, [5], '--quiet')).toBe('')
    expect(await copying({}, [5])).toBe('')
  })

  test('push ends with 1 over a damaged result, pull only over one that a spec asks for', async () => {
    const lacking = (isUsed: boolean): CopyReport => ({ ...copied, lacking: [{ sha256: hash('9'), ids: ['hero.walk'], isUsed }] })
    const world = worldOf({ push: async () => lacking(false), pull: async (names) => lacking(names?.[0] === 'hero') })
    expect(await world.run('store', 'push')).toBe(1)
    expect(await world.run('store', 'pull', 'hero')).toBe(1)
    expect(await world.run('store', 'pull')).toBe(0)
    expect(world.out()).toContain('1 result not in the shared store, or damaged there:\n  3f2a91c09999  hero.walk\n')
  })
})

test('sizes are told in thousands', () => {
  expect([0, 999, 1000, 1049, 52_000, 999_949, 999_950, 1_234_567, 5e9, 7e15].map(sizeWords)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '1.0 kB',
    '52.0 kB',
    '999.9 kB',
    '1.0 MB',
    '1.2 MB',
    '5.0 GB',
    '7000.0 TB',
  ])
})

describe('store gc', () => {
  const unnamed: UnnamedReport = {
    store: 's3://studio/results',
    clones: ['/game', '/other'],
    stored: 900,
    results: [
      { sha256: hash('1'), bytes: 1_234_567, days: 90 },
      { sha256: hash('2'), bytes: 1000, days: 29 },
    ],
    warnings: [],
  }

  test('lists what nothing names, and prints the command for what is a month old, without --yes', async () => {
    const asked: (readonly string[] | undefined)[] = []
    const world = worldOf({
      unnamed: async (folders) => {
        asked.push(folders)
        return unnamed
      },
    })
    expect(await world.run('store', 'gc', '--dry-run', '../other')).toBe(0)
    expect(asked).toEqual([['../other']])
    expect(world.out()).toContain('  3f2a91c01111  1.2 MB    90\n  3f2a91c02222  1.0 kB    29\n')
    expect(world.out()).toContain('2 of 900 results in s3://studio/results, 1.2 MB, are named by nothing in:\n  /game\n  /other\n')
    expect(world.out()).toContain(`npx spritewright store prune --shared ${hash('1')}\n`)
    expect(world.out()).not.toContain(hash('2'))
  })

  test('prints no command if nothing is old', async () => {
    const world = worldOf({ unnamed: async () => ({ ...unnamed, results: unnamed.results.slice(1) }) })
    expect(await world.run('store', 'gc', '--dry-run')).toBe(0)
    expect(world.out()).not.toContain('prune')
  })

  test('does not list what is stored and named while the clones are read', async () => {
    const stored = [hash('1'), hash('2')]
    const store = { folder: '/shared', survey: async () => stored.map((sha256) => ({ sha256, bytes: 1, writtenMs: 0 })) }
    const hashesIn = async (): Promise<readonly string[]> => {
      stored.push(hash('3'))
      return [hash('1')]
    }
    const context = {
      host: { disk: new MemoryDisk(), clock: new ManualClock(), stateFolder: '/state', workingFolder: '/game', repository: { hashesIn } },
      options: { root: '/game', store: { dir: '/game/.spritewright' } },
      storeFolder: '/game/.spritewright',
      vault: { places: [{ name: 'shared', store }] },
      lock: { read: async () => ({}) },
      journal: { requests: async () => [] },
      reservations: { shares: async () => [] },
    }
    const openOther = async (): Promise<never> => expect.unreachable()
    const { results } = await findUnnamed(context as unknown as Context, openOther, [], new AbortController().signal)
    expect(results.map(({ sha256 }) => sha256)).toEqual([hash('2')])
  })

  test('--json is the report as it is', async () => {
    const world = worldOf({ unnamed: async () => unnamed })
    expect(await world.run('store', 'gc', '--dry-run', '--json')).toBe(0)
    expect(world.json()).toEqual(unnamed)
  })
})
