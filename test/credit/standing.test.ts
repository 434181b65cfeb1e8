import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AcceptedCeilings, areSignedBy, isAccepted, lowerTotal, signCeilings } from '../../src/credit/standing.ts'
import { testKey } from '../kit/keys.ts'

const [own, other] = [testKey(1), testKey(2)]
const service = { host: 'https://api.example.com', keyMode: 'live' }
const terms = { ceilings: { perSprite: 30_000n, perRun: 60_000n, total: undefined }, service, at: '2026-01-01T00:00:00Z' }
const accepted = signCeilings(own, 'place', terms)

describe('accepted standing ceilings', () => {
  test('count for the key, the project and the service for which they were signed', () => {
    expect(areSignedBy(own, 'place', accepted)).toBe(true)
    expect(areSignedBy(own, 'another place', accepted)).toBe(false)
    expect(areSignedBy(other, 'place', accepted)).toBe(false)
    expect(areSignedBy(own, 'place', { ...accepted, publicKey: other.publicKey })).toBe(false)
    expect(areSignedBy(own, 'place', signCeilings(other, 'place', terms))).toBe(false)
  })

  test('are kept with the terms and the signer, and the text that is signed stays as it was', () => {
    const text = ['spritewright standing 1', 'place', 'https://api.example.com', 'live', '["3","6",null]', '2026-01-01T00:00:00Z']
    expect(signCeilings(own, 'place', terms)).toEqual({ ...terms, publicKey: own.publicKey, signature: own.sign(JSON.stringify(text)) })
  })

  test('law: with any part changed after they were signed, they do not count', () => {
    const change = fc.constantFrom<Partial<AcceptedCeilings>>(
      { at: '2026-01-01T00:00:01Z' },
      { service: { ...service, host: 'https://other.example.com' } },
      { service: { ...service, keyMode: 'test' } },
      { ceilings: { ...terms.ceilings, perSprite: 30_001n } },
      { ceilings: { ...terms.ceilings, perRun: undefined } },
      { ceilings: { ...terms.ceilings, total: 1n } },
      { signature: own.sign('anything') },
    )
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        expect(areSignedBy(own, 'place', Object.assign({}, accepted, ...changes))).toBe(false)
      }),
    )
  })

  test('allow exactly the ceilings that were accepted, at that service alone', () => {
    const { ceilings } = terms
    expect(isAccepted(accepted, { perSprite: 30_000n, perRun: 60_000n }, service)).toBe(true)
    expect(isAccepted(accepted, { ...ceilings, perSprite: 29_999n }, service)).toBe(false)
    expect(isAccepted(accepted, { ...ceilings, perRun: undefined }, service)).toBe(false)
    expect(isAccepted(accepted, { ...ceilings, total: 90_000n }, service)).toBe(false)
    expect(isAccepted(accepted, ceilings, { ...service, host: 'https://other.example.com' })).toBe(false)
    expect(isAccepted(accepted, ceilings, { ...service, keyMode: 'test' })).toBe(false)
  })
})

test('law: of two totals the lower one holds, of one total that one', () => {
  const total = fc.option(fc.bigInt(0n, 100_000n), { nil: undefined })
  fc.assert(
    fc.property(total, total, (one, another) => {
      const given = [one, another].filter((amount) => amount !== undefined)
      const least = given.length === 0 ? undefined : given.toSorted((a, b) => Number(a - b))[0]
      expect(lowerTotal(one, another)).toBe(least)
    }),
  )
})
