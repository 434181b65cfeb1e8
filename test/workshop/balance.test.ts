import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { Order } from '../../src/job/order.ts'
import type { JournalRecord } from '../../src/job/records/record.ts'
import type { Context } from '../../src/project/context.ts'
import type { Session } from '../../src/project/session.ts'
import { attemptsOf } from '../../src/workshop/ledger/attempts.ts'
import { changeBetween, type MoneySnapshot, readEvidence, toEvidence } from '../../src/workshop/ledger/balance.ts'
import { gather } from '../../src/workshop/ledger/gather.ts'
import type { LedgerState } from '../../src/workshop/ledger/report.ts'

const money = (attempts: Readonly<Record<string, readonly [LedgerState, bigint]>>): MoneySnapshot =>
  new Map(Object.entries(attempts).map(([key, [state, credits]]) => [key, { state, credits }]))
const none = money({})

describe('what a run changes of the balance', () => {
  test.each<readonly [string, readonly [LedgerState, bigint] | undefined, readonly [LedgerState, bigint], readonly [bigint, bigint]]>([
    ['a new purchase that is delivered', undefined, ['settled', 24n], [24n, 24n]],
    ['a new one under way, perhaps held already', undefined, ['held', 24n], [0n, 24n]],
    ['a new one that nobody answered', undefined, ['uncertain', 24n], [0n, 24n]],
    ['a new one that failed', undefined, ['restored', 24n], [0n, 0n]],
    ['one under way that is delivered', ['held', 24n], ['settled', 24n], [0n, 24n]],
    ['one under way that failed', ['held', 24n], ['restored', 24n], [-24n, 0n]],
    ['an uncertain one that is accepted, at less', ['uncertain', 24n], ['held', 20n], [-24n, 20n]],
    ['a failed one that was delivered after all', ['restored', 24n], ['settled', 24n], [24n, 24n]],
    ['one that stays as it was', ['settled', 24n], ['settled', 24n], [0n, 0n]],
    ['one that is held as before', ['held', 24n], ['held', 24n], [0n, 0n]],
    ['a delivered one that cost nothing after all', ['settled', 24n], ['restored', 24n], [-24n, -24n]],
  ])('%s', (_what, before, after, [least, most]) => {
    const said = changeBetween(before ? money({ a: before }) : none, money({ a: after }))
    expect(said).toEqual({ least, most })
  })

  test('adds up over all attempts', () => {
    const before = money({ a: ['held', 10n], b: ['settled', 5n] })
    const after = money({ a: ['settled', 10n], b: ['settled', 5n], c: ['settled', 7n], d: ['held', 3n] })
    expect(changeBetween(before, after)).toEqual({ least: 7n, most: 20n })
  })

  test('law: whatever the service has taken of the held and uncertain credits, the change lies within', () => {
    const state = fc.constantFrom<LedgerState>('held', 'settled', 'restored', 'uncertain')
    const attempt = fc.record({ before: fc.option(state), after: state, credits: fc.bigInt(1n, 50n), had: fc.boolean(), has: fc.boolean() })
    /** What the service has taken for an attempt in a state. */
    const taken = (of: LedgerState | null, credits: bigint, isHeld: boolean): bigint =>
      of === 'settled' || ((of === 'held' || of === 'uncertain') && isHeld) ? credits : 0n
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 6 }), (attempts) => {
        const one = new Map<string, { state: LedgerState; credits: bigint }>()
        const other = new Map<string, { state: LedgerState; credits: bigint }>()
        let change = 0n
        for (const [index, { before, after, credits, had, has }] of attempts.entries()) {
          if (before !== null) one.set(`${index}`, { state: before, credits })
          other.set(`${index}`, { state: after, credits })
          // What stays in its state is taken as before.
          if (before !== after) change += taken(after, credits, has) - taken(before, credits, had)
        }
        const { least, most } = changeBetween(one, other)
        expect(least <= change && change <= most).toBe(true)
      }),
    )
  })
})

describe('the evidence of a balance', () => {
  const evidence = (before: string, after: string, least: string, most: string, isFree = false) =>
    toEvidence(parseCredits(before), parseCredits(after), { least: parseCredits(least), most: parseCredits(most) }, isFree)

  test('fits within the range that the ledger says, both ends included', () => {
    expect(['100', '97.6', '98', '97.5999', '100.0001'].map((after) => evidence('100', after, '0', '2.4').isExplained)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('says what was taken, and what the ledger expected where that differs', () => {
    const words = [
      evidence('100', '97.6', '2.4', '2.4'),
      evidence('100', '95', '2.4', '2.4'),
      evidence('100', '101', '0', '2.4'),
      evidence('100', '99', '0', '0', true),
      evidence('100', '100', '2.4', '2.4'),
      evidence('100', '100', '0', '2.4'),
    ].map((one) => one.words)
    const proof =
      'Others may use this account, or credits were added: that is no proof of a mistake. Compare with: npx spritewright ledger --verify'
    expect(words).toEqual([
      'balance 100 → 97.6: 2.4 charged, as the ledger says',
      `balance 100 → 95: 5 taken, the ledger says 2.4. ${proof}`,
      `balance 100 → 101: 1 more, the ledger says between 0 and 2.4. ${proof}`,
      `balance 100 → 99: 1 taken, a test key should use none. ${proof}`,
      `balance 100 → 100: nothing taken, the ledger says 2.4. ${proof}`,
      'balance 100 → 100: nothing taken, which fits the ledger: some of it was in flight before this run',
    ])
  })

  test.each<[after: string, isFree: boolean, words: string]>([
    ['100', true, 'a test key uses no credits'],
    ['100', false, 'nothing charged'],
    ['99.9999', false, '0.0001 taken'],
    ['100.0001', false, '0.0001 more'],
  ])('of 100 and then %s, where the ledger says nothing, has its own words (free: %s)', (after, isFree, words) => {
    expect(evidence('100', after, '0', '0', isFree).words).toContain(`→ ${after}: ${words}`)
  })
})

type Said = readonly [type: string, body: object]

/** Records that were written one millisecond after another, from 1 on. */
const records = (...said: readonly Said[]): readonly JournalRecord[] =>
  said.map(([type, body], index) => ({ type, at: index + 1, body: { attempt: 1, ...body } }) as unknown as JournalRecord)
const approvedBy = { buyer: 'anna', given: 'typed' }
const bytes: Said = ['frozen', { maxCredits: '1.6', ceiling: '2', approvedAt: 't', balance: '100', approvedBy }]
const sent: Said = ['sent', { send: 1 }]
const accepted = (executionId: string, more: object = {}): Said => ['accepted', { executionId, ...more }]
const theirs = accepted('theirs', { approvedAt: 'u' })

describe('the attempts of a request', () => {
  const known = { approvedAt: 't', approvedBy, balanceBefore: 1_000_000n }
  const own = { attempt: 1, isOurs: true, credits: 16_000n, ...known }
  const unanswered = { ...own, state: 'uncertain', credits: 20_000n, isReplaced: true, times: { opened: 2 } }
  const taken = { attempt: 1, isOurs: false, state: 'settled', executionId: 'theirs', result: 'r' }
  const end: readonly Said[] = [
    ['completed', { executionId: 'theirs' }],
    ['stored', { executionId: 'theirs', sha256: 'r' }],
  ]

  test.each<[what: string, said: readonly Said[], lines: readonly object[]]>([
    ['what was taken over alone', [theirs, ...end], [{ ...taken, times: { opened: 1, held: 1, ended: 2 } }]],
    ['what was taken over unanswered', [bytes, sent, theirs, ...end], [unanswered, { ...taken, times: { opened: 3, held: 3, ended: 4 } }]],
    [
      'what was taken over, and an answer that came late',
      [bytes, sent, theirs, ...end, accepted('ours'), ['failed', { executionId: 'ours' }]],
      [
        { ...own, isReplaced: true, state: 'restored', executionId: 'ours', times: { opened: 2, held: 6, ended: 7 } },
        { ...taken, times: { opened: 3, held: 3, ended: 4 } },
      ],
    ],
    [
      'an answer to the first attempt after the second one',
      [bytes, sent, accepted('a'), ['sent', { attempt: 2, send: 1 }], accepted('late'), accepted('b', { attempt: 2 })],
      [
        { ...own, isReplaced: true, state: 'held', executionId: 'late', times: { opened: 5, held: 5 } },
        { ...own, state: 'held', executionId: 'a', times: { opened: 2, held: 3 } },
        { attempt: 2, isOurs: true, state: 'held', executionId: 'b', times: { opened: 4, held: 6 } },
      ],
    ],
    [
      'another answer to the only attempt',
      [bytes, sent, accepted('a'), accepted('b'), accepted('b'), ['stored', { sha256: 'r' }]],
      [{ ...own, state: 'settled', executionId: 'b', result: 'r', times: { opened: 2, held: 3, ended: 6 } }],
    ],
    [
      'a result that came after its execution was followed',
      [bytes, sent, accepted('a'), accepted('b'), ['stored', { executionId: 'a', sha256: 'r' }]],
      [{ ...own, state: 'held', executionId: 'b', times: { opened: 2, held: 3 } }],
    ],
    [
      'one of two POSTs that was refused',
      [bytes, sent, ['sent', { send: 2 }], ['refused', { send: 2 }]],
      [{ ...own, state: 'uncertain', credits: 20_000n, times: { opened: 2 } }],
    ],
    [
      'a result that another execution followed',
      [bytes, sent, accepted('a'), ['stored', { executionId: 'a', sha256: 'r' }], accepted('b'), ['failed', { executionId: 'a' }]],
      [{ ...own, state: 'held', executionId: 'b', times: { opened: 2, held: 3 } }],
    ],
    [
      'an answer that was written twice',
      [bytes, sent, accepted('a'), ['completed', { executionId: 'a' }], accepted('a')],
      [{ ...own, state: 'settled', executionId: 'a', times: { opened: 2, held: 3, ended: 4 } }],
    ],
    [
      'bytes that were never sent, and what was taken over',
      [bytes, theirs],
      [{ ...own, isOurs: false, state: 'held', executionId: 'theirs', times: { opened: 2, held: 2 } }],
    ],
    [
      'an answered POST, what was taken over, and a late answer',
      [bytes, sent, accepted('a'), theirs, accepted('late')],
      [
        { ...own, isReplaced: true, state: 'held', executionId: 'late', times: { opened: 5, held: 5 } },
        { ...own, state: 'held', executionId: 'theirs', times: { opened: 2, held: 3 } },
      ],
    ],
    [
      'what was taken over and given up, and two late answers',
      [bytes, sent, theirs, ['decided', { about: 'submission', decision: 'abandon' }], accepted('ours'), accepted('third')],
      [
        { ...own, isReplaced: true, state: 'held', executionId: 'ours', times: { opened: 2, held: 5 } },
        { attempt: 1, isOurs: true, isReplaced: true, state: 'held', executionId: 'third', times: { opened: 6, held: 6 } },
        { attempt: 1, isOurs: false, state: 'held', executionId: 'theirs', decision: 'abandon', times: { opened: 3, held: 3 } },
      ],
    ],
    [
      'two attempts, each taken over, and an answer to the second',
      [sent, theirs, ['sent', { attempt: 2, send: 1 }], accepted('b', { attempt: 2, approvedAt: 'v' }), accepted('ours', { attempt: 2 })],
      [
        { attempt: 1, isOurs: true, isReplaced: true, state: 'uncertain', times: { opened: 1 } },
        { attempt: 1, isOurs: false, state: 'held', executionId: 'theirs', times: { opened: 2, held: 2 } },
        { attempt: 2, isOurs: true, isReplaced: true, state: 'held', executionId: 'ours', times: { opened: 3, held: 5 } },
        { attempt: 2, isOurs: false, state: 'held', executionId: 'b', times: { opened: 4, held: 4 } },
      ],
    ],
    [
      'a decision of an agent and one of a person, which an answer does not end',
      [
        bytes,
        sent,
        ['decided', { about: 'submission', decision: 'abandon', shell: 'agent' }],
        ['decided', { about: 'submission', decision: 'replay' }],
        accepted('a'),
      ],
      [{ ...own, state: 'held', executionId: 'a', decision: 'replay', shell: 'agent', times: { opened: 2, held: 5 } }],
    ],
    [
      'a decision about its answer, of an agent',
      [bytes, sent, accepted('a'), ['decided', { about: 'answer', decision: 'replay', shell: 'agent' }]],
      [{ ...own, state: 'held', executionId: 'a', shell: 'agent', times: { opened: 2, held: 3 } }],
    ],
    [
      'an approval of an agent',
      [['approved', { at: 't', shell: 'agent' }], bytes, sent],
      [{ ...own, state: 'uncertain', credits: 20_000n, shell: 'agent', times: { opened: 3 } }],
    ],
    [
      'another approval of an agent, and this one of a person',
      [['approved', { at: 's', shell: 'agent' }], ['approved', { at: 't' }], bytes, sent],
      [{ ...own, state: 'uncertain', credits: 20_000n, times: { opened: 4 } }],
    ],
  ])('have a line each: %s', (_what, said, lines) => {
    expect(attemptsOf(records(...said))).toEqual(lines)
  })
})

describe('the balance after a run', () => {
  const step = { hash: 's' } as unknown as Order
  const order = { hash: 'h', reference: { kind: 'order', order: step } } as unknown as Order
  const evidence = async (capabilities: object, balance: () => Promise<bigint>) => {
    const chains = new Map([
      ['s', records(bytes, sent, accepted('a'), ['completed', {}])],
      [
        'h',
        records(
          bytes,
          sent,
          accepted('b'),
          ['frozen', { ...bytes[1], attempt: 2 }],
          accepted('c', { attempt: 2, approvedAt: 'u' }),
          // Of an earlier version, which froze no bytes.
          ['sent', { attempt: 3, send: 1 }],
        ),
      ],
    ])
    const context = { warnings: [], journal: { read: async (hash: string) => ({ records: chains.get(hash) }) } } as unknown as Context
    const session = { capabilities, client: { balance } } as unknown as Session
    const start = { balance: 100_000n, money: money({ 'h 1': ['uncertain', 20_000n] }) }
    return [await readEvidence(context, session, [order], start, new AbortController().signal), context.warnings] as const
  }

  test('is compared with the purchases of this checkout, those of steps included', async () => {
    const [found, warnings] = await evidence({ keyMode: 'live', testModeUsesCredits: false }, async () => 84_000n)
    expect(found).toMatchObject({ before: 100_000n, after: 84_000n, said: { least: -4_000n, most: 32_000n }, isExplained: true })
    expect(warnings).toEqual([])
  })

  test.each([
    [
      { keyMode: 'test', testModeUsesCredits: false },
      { least: 0n, most: 0n },
    ],
    [
      { keyMode: 'test', testModeUsesCredits: true },
      { least: -4_000n, most: 32_000n },
    ],
    [{ keyMode: 'test' }, { least: -4_000n, most: 32_000n }],
  ])('with a key of %j is to change by what such a key uses', async (capabilities, said) => {
    expect((await evidence(capabilities, async () => 100_000n))[0]?.said).toEqual(said)
  })

  test('is left out with a warning where it cannot be read', async () => {
    const [found, warnings] = await evidence({}, () => Promise.reject(new Error('away')))
    expect([found, warnings]).toEqual([undefined, [expect.stringContaining('could not be read: away')]])
  })
})

describe('the records of a project', () => {
  const share = (hash: string, attempt: number) => ({ id: 'hero.walk', hash, attempt, credits: 7n, at: 5, writtenAt: 4 })
  const stored = {
    records: records(bytes, sent, accepted('a')).map((one) => ({ ...one, writtenAt: one.at + 100 })),
    submission: { attempt: 1, stored: {} },
  }
  const broken = new SpritewrightError('SW_JOURNAL', { message: 'torn.' })
  const gathered = async (hashes: readonly string[], error?: Error, isShared = false) => {
    const calls: string[] = []
    const read = (how: string) => async (hash: string) => {
      calls.push(`${how} ${hash}`)
      if (error && hash === 'torn') throw error
      return stored
    }
    const context = {
      ...(isShared ? { sharedJournal: {} } : {}),
      journal: { requests: async () => hashes, read: read('read'), peek: read('peek') },
      keys: { read: async () => undefined },
      reservations: {
        history: async (source: string) =>
          new Map(
            calls.push(source)
              ? [
                  ['torn 2', share('torn', 2)],
                  ['h 1', share('h', 1)],
                ]
              : [],
          ),
      },
    }
    return { ...(await gather(context as unknown as Context, false)), calls }
  }

  test('are those of all requests and shares, in order, by the time of who wrote them', async () => {
    const found = await gathered(['z', 'h'], undefined, true)
    expect([found.source, found.calls, found.warnings]).toEqual(['copy', ['copy', 'peek h', 'peek torn', 'peek z'], []])
    expect([...found.attempts].map(([hash, attempts]) => [hash, attempts[0]?.times])).toEqual(
      ['h', 'torn', 'z'].map((hash) => [hash, { opened: 102, held: 103 }]),
    )
    expect((await gathered([])).source).toBe('own')
  })

  test('that are broken count by their shares in a copy, with a warning, and end the reading of an own journal', async () => {
    const { attempts, warnings } = await gathered(['h'], broken, true)
    expect(attempts.get('torn')).toEqual([{ attempt: 2, state: 'uncertain', isOurs: true, credits: 7n, times: { opened: 4 } }])
    expect(warnings).toEqual(['torn. Its credits count as uncertain.'])
    await expect(gathered(['h'], broken)).rejects.toBe(broken)
    await expect(gathered(['h'], new Error('a mistake'), true)).rejects.toThrow('a mistake')
  })
})
