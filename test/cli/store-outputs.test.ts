import { describe, expect, test } from 'vitest'
import type { CopyReport, PruneLine, ResultStore, StoreReport, VerifiedResult, VerifyReport } from '../../src/workshop.ts'
import { createWorld, runBoth, runColored, type WorldInit } from './world.ts'

const hash = (digit: string): string => `3f2a91c0${digit.repeat(56)}`
const init = (store: Partial<ResultStore>, more: WorldInit = {}): WorldInit => ({ ...more, workshop: { store: store as ResultStore } })

describe('store ls', () => {
  const use = { id: 'hero.walk', request: 'r', state: 'used' } as const
  const results: StoreReport['results'] = [
    {
      sha256: hash('1'),
      bytes: 1,
      state: 'used',
      uses: [
        { ...use, take: 1 },
        { ...use, take: 3 },
        { ...use, id: 'a.b' },
      ],
      places: ['project'],
    },
    { sha256: hash('2'), bytes: 20, state: 'take', uses: [use], places: ['project', 'shared'] },
    { sha256: hash('3'), bytes: 300, state: 'superseded', uses: [use], places: ['shared', 'project'] },
    { sha256: hash('4'), bytes: 4000, state: 'superseded', uses: [use], places: ['shared'] },
    { sha256: hash('5'), state: 'unknown', uses: [], places: ['project'] },
    { sha256: hash('6'), bytes: 50_000, state: 'used', uses: [use], places: [] },
  ]
  const copy = { name: `${hash('7')}.aa`, sha256: hash('7'), path: '/x', place: 'shared', bytes: 6 } as const

  test('colours each state and the places, and counts what is here, lost and idle', async () => {
    const report = { results, quarantined: [copy, copy], othersInShared: 0, warnings: [] }
    const { code, text } = await runColored(init({ list: async () => report }), 'store', 'ls')
    expect([code, text]).toMatchInlineSnapshot(`
      [
        0,
        "
        dim{result}              dim{size}  dim{state}         dim{for}             dim{take}  dim{where}
        bold{3f2a91c01111}         1 B  green{used}          hero.walk, a.b  1, 3  project
        bold{3f2a91c02222}        20 B  cyan{another take}  hero.walk             project, shared
        bold{3f2a91c03333}       300 B  yellow{superseded}    hero.walk             shared, project
        bold{3f2a91c04444}      4.0 kB  yellow{superseded}    hero.walk             shared
        bold{3f2a91c05555}              dim{unknown}                             project
        bold{3f2a91c06666}     50.0 kB  green{used}          hero.walk             yellow{not here}
        bold{3f2a91c07777.aa}      6 B  red{damaged}                             quarantine (shared)
        bold{3f2a91c07777.aa}      6 B  red{damaged}                             quarantine (shared)

      5 results here, 4.3 kB, 2 damaged copies set aside.
      Next: bold{npx spritewright store verify}, which fetches 1 that are not here again, free of charge.
      1 result that no spec asks for, 300 B: bold{npx spritewright store prune} shows how to delete them.
      ",
      ]
    `)
  })

  test('of damaged copies alone shows them', async () => {
    const world = createWorld(init({ list: async () => ({ results: [], quarantined: [copy], othersInShared: 1, warnings: [] }) }))
    expect([await world.run('store', 'ls'), world.out()]).toMatchInlineSnapshot(`
      [
        0,
        "  result           size  state    where
        3f2a91c07777.aa   6 B  damaged  quarantine (shared)

      0 results here, 0 B, 1 damaged copy set aside; 1 more in the shared store are of other projects.
      ",
      ]
    `)
  })
})

describe('store verify', () => {
  const finding = (outcome: VerifiedResult['outcome'], damaged: VerifiedResult['damaged'] = []): VerifiedResult =>
    ({ sha256: hash('1'), ids: ['hero.walk', 'a.b'], outcome, damaged, words: `is ${outcome}` }) as VerifiedResult
  const report: VerifyReport = { checked: 2, good: 2, bytes: 3_000, findings: [], swept: [], warnings: ['torn'] }
  const verifying = (more: Partial<VerifyReport>) => init({ verify: async () => ({ ...report, ...more }) })

  test('marks each outcome, and ends with 1 only if a result could not be repaired', async () => {
    const findings = [finding('mended', ['project', 'shared']), finding('absent'), finding('unreadable', ['project'])]
    const swept = ['/game/a.tmp', '/game/.spritewright/b.tmp']
    const fine = await runColored(verifying({ good: 1, findings, swept }), 'store', 'verify')
    const bad = await runColored(verifying({ findings: [finding('unmended'), finding('unmended'), finding('absent')] }), 'store', 'verify')
    expect([fine.code, fine.text, fine.err, bad.code, bad.text]).toMatchInlineSnapshot(`
      [
        0,
        "
        dim{now}             dim{result}        dim{for}             dim{why}
        green{✓ mended}        bold{3f2a91c01111}  hero.walk, a.b  damaged (project, shared), set aside; is mended
        dim{· not here}      bold{3f2a91c01111}  hero.walk, a.b  is absent
        yellow{! not readable}  bold{3f2a91c01111}  hero.walk, a.b  damaged (project), set aside; is unreadable

      1 of 2 results good and unchanged, 3.0 kB read.
      dim{Removed leftovers of a crash: a.tmp, .spritewright/b.tmp}
      ",
        "yellow{warning} torn
      ",
        1,
        "
        dim{now}           dim{result}        dim{for}             dim{why}
        red{✗ not mended}  bold{3f2a91c01111}  hero.walk, a.b  is unmended
        red{✗ not mended}  bold{3f2a91c01111}  hero.walk, a.b  is unmended
        dim{· not here}    bold{3f2a91c01111}  hero.walk, a.b  is absent

      green{✓ }2 of 2 results good and unchanged, 3.0 kB read.
      red{2 results could not be repaired; nothing was bought.}
      ",
      ]
    `)
    const { json } = await runBoth(verifying({ findings }), 'store', 'verify')
    expect(json).toEqual({ ...report, findings })
  })

  test('passes the names on, counts on a terminal, and says when it asks the service', async () => {
    const asked: unknown[] = []
    const verify: ResultStore['verify'] = async ({ onFetch, onProgress, ...request } = {}) => {
      asked.push(request.names)
      onProgress?.(1, 2)
      onFetch?.(['hero.walk', 'a.b'])
      onProgress?.(2, 2)
      return report
    }
    const there = await runColored(init({ verify }), 'store', 'verify', 'hero', 'a')
    const piped = createWorld(init({ verify }))
    expect(await piped.run('store', 'verify')).toBe(0)
    const quiet = await runColored(init({ verify }), 'store', 'verify', '--quiet')
    expect(asked).toEqual([['hero', 'a'], [], []])
    expect([there.err, piped.err(), quiet.err]).toMatchInlineSnapshot(`
      [
        "<erase>dim{  1 of 2 results}<erase>dim{asking the service for hero.walk, a.b …}
      <erase>dim{  2 of 2 results}<erase>yellow{warning} torn
      ",
        "warning torn
      ",
        "yellow{warning} torn
      ",
      ]
    `)
  })
})

describe('store push and pull', () => {
  const report: CopyReport = { copied: [hash('1'), hash('2')], bytes: 5_000, present: 0, lacking: [], folder: '/shared', warnings: [] }
  const lack = (digit: string, isUsed: boolean) => ({ sha256: hash(digit), ids: ['hero.walk', 'a.b'], isUsed })

  test('say what was copied, what was there and what is lacking, and what to do', async () => {
    const found: string[] = []
    for (const [verb, more] of [
      ['push', {}],
      ['push', { copied: [hash('1')], present: 3 }],
      ['push', { lacking: [lack('3', false), lack('4', true)] }],
      ['pull', { present: 3 }],
      ['pull', { lacking: [lack('3', false)] }],
      ['pull', { lacking: [lack('3', false), lack('4', true)] }],
    ] as const) {
      const asked: unknown[] = []
      const copy = async (names: readonly string[]) => {
        asked.push(names)
        return { ...report, ...more }
      }
      const { code, text } = await runColored(init({ [verb]: copy }), 'store', verb, 'hero')
      expect(asked).toEqual([['hero']])
      found.push(`${verb} ${code}${text.replaceAll('\n', '\n  ').trimEnd()}`)
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      push 0
        green{✓} 2 results copied to /shared, 5.0 kB.
      push 0
        green{✓} 1 result copied to /shared, 5.0 kB; 3 were there.
      push 1
        green{✓} 2 results copied to /shared, 5.0 kB.
        yellow{2 results damaged here and moved to quarantine:}
          bold{3f2a91c03333}  hero.walk, a.b
          bold{3f2a91c04444}  hero.walk, a.b
        Next: bold{npx spritewright store verify}, which fetches them again, free of charge.
      pull 0
        green{✓} 2 results copied to /shared, 5.0 kB; 3 were there.
      pull 0
        green{✓} 2 results copied to /shared, 5.0 kB.
        yellow{1 result not in the shared store, or damaged there:}
          bold{3f2a91c03333}  hero.walk, a.b
      pull 1
        green{✓} 2 results copied to /shared, 5.0 kB.
        yellow{2 results not in the shared store, or damaged there:}
          bold{3f2a91c03333}  hero.walk, a.b
          bold{3f2a91c04444}  hero.walk, a.b
        Next: bold{npx spritewright store verify}, which asks the service for them, free of charge.
      "
    `)
  })
})

describe('store prune', () => {
  const line = (digit: string, more: Partial<PruneLine> = {}): PruneLine =>
    ({ name: hash(digit), ids: ['hero.walk'], bytes: 1_000, state: 'superseded', ...more }) as PruneLine
  const recoveries = ['service', 'shared', 'unasked', 'copy', 'none'] as const
  const lines = recoveries.map((recovery, index) => line(`${index}`, { recovery, ids: ['a.b', 'c.d'].slice(0, index) }))
  const pruning = (shown: readonly PruneLine[], asked: unknown[] = []) => ({
    prune: (async ({ confirm, ...request }: Parameters<ResultStore['prune']>[0]) => {
      asked.push(request)
      return { lines: shown, bytes: 2_000, isDone: request.names.length > 0 && (await confirm(shown)) }
    }) as ResultStore['prune'],
  })

  test('shows each way back in its colour, asks with the sum and the losses, and says what was deleted', async () => {
    const asked: unknown[] = []
    const yes = await runColored(init(pruning(lines, asked), { canAsk: true, answer: true }), 'store', 'prune', 'hero', '--force')
    expect([yes.code, yes.text]).toMatchInlineSnapshot(`
      [
        0,
        "
        dim{result}          dim{size}  dim{state}       dim{for}       dim{to have it again}
        bold{3f2a91c00000}  1.0 kB  yellow{superseded}            dim{the service has it now and delivers it again for free, while it keeps the file}
        bold{3f2a91c01111}  1.0 kB  yellow{superseded}  a.b       dim{the shared store keeps its copy; store pull brings it back}
        bold{3f2a91c02222}  1.0 kB  yellow{superseded}  a.b, c.d  dim{perhaps by its execution id: the service was not asked}
        bold{3f2a91c03333}  1.0 kB  yellow{superseded}  a.b, c.d  dim{a good copy is here}
        bold{3f2a91c04444}  1.0 kB  yellow{superseded}  a.b, c.d  red{nothing brings it back}

      green{✓} Deleted 5 files, 2.0 kB free.
      The lock file keeps the purchase. If a spec asks for the result again, fetch it with bold{npx spritewright build}, free of charge while the service keeps it.
      ",
      ]
    `)
    const found: unknown[] = []
    for (const [answer, ...argv] of [[true, '--shared'], [false], [undefined], [false, '--yes']] as const) {
      const world = createWorld(init(pruning(lines.slice(0, 1), asked), { canAsk: argv[0] !== '--yes', answer }))
      found.push([await world.run('store', 'prune', 'x', 'y', ...argv), ...world.questions, world.out().split('\n\n').at(-1), world.err()])
    }
    expect(found).toMatchInlineSnapshot(`
      [
        [
          0,
          "1 file of the shared store, which other projects may use, 1.0 kB, that no spec asks for. Delete?",
          "✓ Deleted 1 file, 2.0 kB free.
      The lock file keeps the purchase. If a spec asks for the result again, fetch it with npx spritewright build, free of charge while the service keeps it.
      ",
          "",
        ],
        [
          3,
          "1 file of the project, 1.0 kB, that no spec asks for. Delete?",
          "Nothing was deleted.
      ",
          "",
        ],
        [
          130,
          "1 file of the project, 1.0 kB, that no spec asks for. Delete?",
          "",
          "stopped Interrupted. Nothing was deleted.
      ",
        ],
        [
          0,
          "✓ Deleted 1 file, 2.0 kB free.
      The lock file keeps the purchase. If a spec asks for the result again, fetch it with npx spritewright build, free of charge while the service keeps it.
      ",
          "",
        ],
      ]
    `)
    expect(asked).toEqual([
      { names: ['hero'], force: true, fromShared: false },
      { names: ['x', 'y'], force: false, fromShared: true },
      ...[1, 2, 3].map(() => ({ names: ['x', 'y'], force: false, fromShared: false })),
    ])
  })

  test('without names lists what may be deleted and how, and deletes nothing', async () => {
    const others = [line('1', { ids: [], state: 'unknown' }), line('2', { state: 'take', bytes: 1 })]
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => line('1', { ids: [id], bytes: 2 }))
    const found: string[] = []
    for (const shown of [[], [line('3'), line('4')], others, many.slice(0, 5), many]) {
      const world = createWorld(init(pruning(shown)))
      found.push([await world.run('store', 'prune'), ...world.out().trimEnd().split('\n')].join('\n  '))
    }
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      0
        A spec asks for every result that is here.
      0
          result          size  state       for
          3f2a91c03333  1.0 kB  superseded  hero.walk
          3f2a91c04444  1.0 kB  superseded  hero.walk
        
        2 files may be deleted, 2.0 kB. Nothing was deleted.
        Delete superseded results (2.0 kB) by name: npx spritewright store prune hero.walk
        Another branch may still need these results.
      0
          result          size  state         for
          3f2a91c01111  1.0 kB  unknown
          3f2a91c02222     1 B  another take  hero.walk
        
        2 files may be deleted, 1.0 kB. Nothing was deleted.
        Delete another take, a result without a lock entry and a damaged copy by the name under "result".
        Another branch may still need these results.
      0
          result        size  state       for
          3f2a91c01111   2 B  superseded  a
          3f2a91c01111   2 B  superseded  b
          3f2a91c01111   2 B  superseded  c
          3f2a91c01111   2 B  superseded  d
          3f2a91c01111   2 B  superseded  e
        
        5 files may be deleted, 10 B. Nothing was deleted.
        Delete superseded results (10 B) by name: npx spritewright store prune a b c d e
        Another branch may still need these results.
      0
          result        size  state       for
          3f2a91c01111   2 B  superseded  a
          3f2a91c01111   2 B  superseded  b
          3f2a91c01111   2 B  superseded  c
          3f2a91c01111   2 B  superseded  d
          3f2a91c01111   2 B  superseded  e
          3f2a91c01111   2 B  superseded  f
        
        6 files may be deleted, 12 B. Nothing was deleted.
        Delete superseded results (12 B) by name: npx spritewright store prune a b c d e …
        Another branch may still need these results.
      "
    `)
  })
})

test.each([
  [0, 29, 0, undefined],
  [1, 29, 0, undefined],
  [2, 30, 2, 'This deletes what is at least 30 days old:'],
  [50, 31, 50, 'This deletes what is at least 30 days old:'],
  [51, 30, 50, 'This deletes what is at least 30 days old, 50 of 51:'],
])('store gc of %i results of %i days names %i of them in its command', async (count, days, named, words) => {
  const asked: unknown[] = []
  const results = Array.from({ length: count }, () => ({ sha256: hash('1'), bytes: 10, days }))
  const unnamed: ResultStore['unnamed'] = async (folders) => {
    asked.push(folders)
    return { store: '/shared', clones: ['/game', '/other'], stored: 60, results, warnings: [] }
  }
  const world = createWorld(init({ unnamed }))
  expect([await world.run('store', 'gc', '--dry-run', '../other'), asked]).toEqual([0, [['../other']]])
  expect(world.out().split('\n')).toEqual([
    ...(count === 0 ? [] : ['  result        size  days']),
    ...results.map(() => `  3f2a91c01111  10 B    ${days}`),
    `${count} of 60 results in /shared, ${count * 10} B, are named by nothing in:`,
    '  /game',
    '  /other',
    ...(words === undefined ? [] : [`Give the folder of every other project of this store too. ${words}`]),
    ...(named === 0 ? [] : [`npx spritewright store prune --shared ${Array(named).fill(hash('1')).join(' ')}`]),
    '',
  ])
})
