import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { changeBetween, type MoneySnapshot, toEvidence } from '../../src/workshop/ledger/balance.ts'
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
    ].map((one) => one.words.match(/(?<=: )(?:[\d.]+|nothing) \w+|(?:says|none)[^.]*(?:\.\d+)?/g))
    expect(words).toEqual([
      ['2.4 charged', 'says'],
      ['5 taken', 'says 2.4'],
      ['1 more', 'says between 0 and 2.4'],
      ['1 taken', 'none'],
      ['nothing taken', 'says 2.4'],
      ['nothing taken'],
    ])
  })
})
