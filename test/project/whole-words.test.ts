import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import type { Context } from '../../src/project/context.ts'
import { changedFields, supersededBy } from '../../src/project/last-purchase.ts'
import { type KnownOrphan, type OpenStray, strayWords, warnOfOrphan } from '../../src/project/recovery/unasked.ts'
import { rememberProject } from '../../src/project/remember.ts'
import { openSharedJournal, openSharedResults } from '../../src/project/shared-stores.ts'
import { readOwnerLimits } from '../../src/project/trust/owner-limits.ts'
import { openProjectTotal } from '../../src/project/trust/project-total.ts'
import type { PaidRequest } from '../../src/sprite-spec/request.ts'
import { createPatience } from '../../src/stores/patience.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { openMemoryProject } from './memory-project.ts'

type Amount = bigint & { readonly __brand?: never }

describe('the total of a project', () => {
  const inConfig = 'Raise approval.total in spritewright.config'
  const both = `${inConfig} and accept it (npx spritewright approve --standing)`
  const before =
    'That total was accepted or used here before, so a change of the configuration alone does not raise it. Accept the present total of spritewright.config (npx spritewright approve --standing)'

  test.each<[configured?: Amount, accepted?: Amount, remembered?: Amount | 'damaged', total?: Amount, limit?: Amount, advice?: string]>([
    [undefined, undefined, undefined, undefined, undefined, inConfig],
    [5n, undefined, undefined, 5n, undefined, inConfig],
    [undefined, 4n, undefined, 4n, 4n, before],
    [5n, 4n, 6n, 4n, 4n, before],
    [5n, 7n, 6n, 5n, 6n, inConfig],
    [5n, 9n, 5n, 5n, 5n, both],
    [5n, 9n, 'damaged', 5n, 9n, inConfig],
    [9n, undefined, 'damaged', 9n, undefined, inConfig],
  ])('configured %s, accepted %s and remembered %s is %s', async (configured, accepted, remembered, total, limit, advice) => {
    const facts = remembered === 'damaged' || remembered === undefined ? remembered : { total: remembered }
    const opened = openProjectTotal(
      configured as never,
      { read: async () => (accepted === undefined ? undefined : ({ ceilings: { total: accepted } } as never)) },
      { read: async () => facts as never },
    )
    expect([await opened.read(), await opened.accepted(), await opened.howToRaise()]).toEqual([total, limit, advice])
  })
})

describe('the limits of an owner', () => {
  const read = (root: string, settings: object | undefined, packageName?: string) => {
    const disk = new MemoryDisk()
    if (settings) disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify({ worker: settings })))
    return readOwnerLimits({ disk, stateFolder: '/state' }, root, packageName)
  }
  const budgets = [
    { credits: '2', per: 'month' },
    { credits: '3', per: 'ever', project: 'mine' },
  ]
  const projects = [{ dir: '/a/game', name: 'mine' }, { dir: '/a/other' }, { dir: '/a/game', name: 'second' }]

  test('are those of the settings, under the name of the owner, else of the package, else of the folder', async () => {
    const found = [
      { credits: 20_000n, per: 'month' },
      { credits: 30_000n, per: 'ever', project: 'mine' },
    ]
    expect(await read('/a/game', { projects, budgets }, 'castle')).toEqual({ project: 'mine', budgets: found })
    expect(await read('/a/other', { projects, budgets }, 'castle')).toEqual({ project: 'other', budgets: found })
    expect(await read('/b/none', { projects, budgets }, 'castle')).toEqual({ project: 'castle', budgets: found })
    expect([await read('/b/none', undefined), await read('/b/none', {}, 'castle')]).toEqual([
      { project: 'none', budgets: [] },
      { project: 'castle', budgets: [] },
    ])
  })

  test('name no project that is not listed, nor a second name of one', async () => {
    const refused = (project: string): object => ({
      code: 'SW_CONFIG',
      message: `Expected each budget in settings.json of /state to name a project of worker.projects, found "${project}". Nothing was sent. Add its clone there: { "dir": "/path/of/the/clone", "name": "${project}" }.`,
      facts: { project },
    })
    for (const project of ['second', 'space'])
      await expect(read('/a/game', { projects, budgets: [...budgets, { credits: '1', per: 'ever', project }] })).rejects.toMatchObject(
        refused(project),
      )
  })
})

test('a run warns in these words of limits that the configuration has no more, or has wider', async () => {
  const warningsOf = async (
    total: bigint | undefined,
    accept: readonly string[] | undefined,
    facts: object,
  ): Promise<readonly string[]> => {
    const { context } = openMemoryProject({ specs: {} })
    const options = { ...context.options, approval: { ...context.options.approval, total }, approvalAccept: accept } as never
    await rememberProject({ ...context, options, memory: { ...context.memory, keep: async () => facts as never } })
    return context.warnings
  }
  const all = [
    await warningsOf(60_000n, ['typed', 'clicked'], { total: 50_000n, accept: ['typed'] }),
    await warningsOf(undefined, undefined, { total: 50_000n, accept: ['touched'] }),
    await warningsOf(50_000n, ['typed'], { total: 50_000n, accept: ['typed'] }),
  ]
  expect(all.map((warnings) => warnings.join('\n')).join('\n\n')).toMatchInlineSnapshot(`
    "approval.accept of the configuration is typed, clicked now; here it was typed, which still counts. See what changes, and accept it: npx spritewright approve --standing
    approval.total of the configuration is 6 now; it was 5 here, which is still the limit. Check the change, and accept it: npx spritewright approve --standing

    approval.accept is gone from the configuration; here it was touched, which still counts. docs/agents.md, "Only touched approvals", says how a person ends this
    approval.total is gone from the configuration; it was 5 here, which is still the limit. Check the change, and accept it: npx spritewright approve --standing

    "
  `)
})

describe('what is under way for no spec', () => {
  const warned = (id: string, submission: object): readonly string[] => {
    const warnings: string[] = []
    const context = { warn: (words: string) => warnings.push(words) } as unknown as Context
    warnOfOrphan(context, { id, hash: 'h', submission } as unknown as KnownOrphan)
    return warnings
  }

  test('is told in these words, with the command that continues it', () => {
    const accepted = { executionId: 'e' }
    expect([
      warned('hero.walk', {}),
      warned('hero#1', {}),
      warned('hero.walk', { accepted }),
      warned('hero.walk', { accepted, question: { text: 'Which hand?' } }),
    ]).toMatchInlineSnapshot(`
      [
        [
          ""hero.walk", as an earlier version of its spec asked for it, was sent and never answered. A build does not send it again; to decide: npx spritewright recover hero.walk --replay, or --abandon.",
        ],
        [
          ""hero#1", as an earlier version of its spec asked for it, was sent and never answered. A build does not send it again; to decide: npx spritewright recover hero --replay, or --abandon.",
        ],
        [
          ""hero.walk", as an earlier version of its spec asked for it, is in flight: the first build after its end fetches it.",
        ],
        [
          ""hero.walk", as an earlier version of its spec asked for it, waits for an answer: Which hand? Answer it with: npx spritewright answer hero.walk "…"",
        ],
      ]
    `)
    const stray = { id: 'hero.walk', stray: { attempt: 2, executionId: 'e' } } as unknown as OpenStray
    expect(strayWords(stray)).toBe(
      '"hero.walk", attempt 2: answered by the service after another purchase had taken its place (execution e)',
    )
  })
})

describe('the last purchase of an animation', () => {
  const here = { host: 'here', keyMode: 'live', apiVersion: '1' } as const
  const there = { ...here, host: 'there' }
  const approval = (day: number): object => ({
    approval: { ceiling: '2', priceVersion: 'v', buyer: 'b', at: `2026-01-0${day}T00:00:00.000Z` },
  })
  const result = { result: { sha256: 'r', bytes: 1 } }
  const asked = { prompt: 'a knight', frames: 7, background: 'remove', reference: 'file' } as const
  const sheet = {
    ...{ operation: 'sprite_sheet', id: 'hero.walk', prompt: 'a knight', frames: 7, background: 'remove', take: 1 },
    reference: { kind: 'file', sha256: 'file' },
  } as PaidRequest
  const chained = { ...sheet, reference: { kind: 'request', hash: 'step' } } as PaidRequest
  const picture = { operation: 'text_to_image', id: 'hero.walk', prompt: 'a knight', take: 1 } as PaidRequest
  const lockOf = (...entries: readonly object[]): LockFile => ({
    version: 1,
    animations: {
      'hero.walk': Object.fromEntries(entries.map((entry, at) => [`h${at}`, { service: here, asked, ...entry } as LockEntry])),
    },
  })

  test.each<[string, PaidRequest, LockFile, string | undefined, readonly string[]]>([
    ['an entry that has neither result nor approval is none', sheet, lockOf({ asked: { prompt: 'x' } }), 'here', []],
    ['a result without an approval counts', sheet, lockOf({ ...result, asked: { ...asked, prompt: 'x' } }), 'here', ['prompt']],
    ['an approval without a result counts', sheet, lockOf({ ...approval(1), asked: { ...asked, frames: 8 } }), 'here', ['frames']],
    [
      'one of this service counts, although one of another is more like it',
      sheet,
      lockOf({ ...approval(2), service: there }, { ...approval(1), asked: { ...asked, prompt: 'x', frames: 9 } }),
      'here',
      ['prompt', 'frames'],
    ],
    [
      'the newest counts if no service is set',
      sheet,
      lockOf({ ...approval(1), asked: { ...asked, prompt: 'x' } }, { ...approval(2), service: there, asked: { ...asked, frames: 9 } }),
      undefined,
      ['frames'],
    ],
    ['an equal one of another service differs by the service', sheet, lockOf({ ...approval(1), service: there }), 'here', ['service']],
    ['a step has another hash at another service', chained, lockOf({ ...approval(1), service: there }), 'here', ['service']],
    ['a step has one hash at one service', chained, lockOf(approval(1)), 'here', ['reference']],
    [
      'a file has one hash at each service',
      sheet,
      lockOf({ ...approval(1), service: there, asked: { ...asked, reference: 'x' } }),
      'here',
      ['reference'],
    ],
    ['a picture is no sheet', picture, lockOf(approval(1)), 'here', ['reference', 'operation', 'frames', 'background']],
    [
      'another take and options are named last',
      sheet,
      lockOf({ ...approval(1), asked: { ...asked, take: 2, options: { a: 1 } } }),
      'here',
      ['take', 'options'],
    ],
  ])('%s', (_what, request, lock, host, fields) => {
    expect(changedFields(request, lock, host)).toEqual(fields)
  })

  test('plays on with its frames, and a picture with one', () => {
    const submission = { submission: { maxCredits: '1.5' } }
    const bare = { ...result, asked: { prompt: 'x', operation: 'text_to_image' } }
    expect([
      supersededBy(picture, 'new', lockOf({ ...bare, ...submission }), 'here'),
      supersededBy(sheet, 'new', lockOf({ ...result, asked: { ...asked, frames: 9 } }), 'here'),
      supersededBy(sheet, 'h0', lockOf(result), 'here'),
      supersededBy(sheet, 'new', lockOf(bare), 'here'),
      supersededBy({ ...sheet, id: 'toString' }, 'new', lockOf(result), 'here'),
    ]).toEqual([{ superseded: { sha256: 'r', frames: 1, credits: 15_000n } }, { superseded: { sha256: 'r', frames: 9 } }, {}, {}, {}])
  })
})

describe('shared stores', () => {
  function hostOf() {
    const disk = new MemoryDisk()
    disk.files.set('/share/journal/.keep', new Uint8Array())
    const clock = new ManualClock()
    const random = countingRandom()
    const waits: string[] = []
    const patience = createPatience({
      clock,
      random,
      longestMs: 60_000,
      signal: new AbortController().signal,
      onWait: (why) => waits.push(why),
    })
    return { disk, patience, waits, host: { disk, clock, random, env: {} } as unknown as Host }
  }

  test('of records are opened at the first use, and give the first bytes of a name', async () => {
    const { disk, host, patience, waits } = hostOf()
    const journal = openSharedJournal(host, '/share/journal', '/game', patience)
    const [one, two] = [Uint8Array.of(1), Uint8Array.of(2)]
    expect([await journal.get('a/b'), await journal.putIfAbsent('a/b', one), await journal.putIfAbsent('a/b', two)]).toMatchInlineSnapshot(`
      [
        undefined,
        "mine",
        "taken",
      ]
    `)
    expect([(await journal.get('a/b'))?.bytes, disk.files.get('/share/journal/a/b')]).toEqual([one, one])
    await journal.close?.()
    expect([journal.address, waits]).toEqual(['/share/journal', []])
  })

  test('of results are their folder, or have an address that is checked at once', () => {
    const { host, patience } = hostOf()
    expect(openSharedResults(host, '/share/results', patience)).toBe('/share/results')
    expect(() => openSharedResults(host, 'ftp://x', patience)).toThrow(expect.objectContaining({ code: 'SW_CONFIG' }))
    const store = openSharedResults(host, 's3://bucket/results', patience)
    expect(store).toMatchObject({ address: 's3://bucket/results' })
  })
})
