import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Approval, type ApprovedService, type Approvers, judgeApproval, signApproval } from '../../src/credit/approval.ts'
import { approverWords } from '../../src/credit/approval-words.ts'
import { testKey } from '../kit/keys.ts'

const hash = 'a'.repeat(64)
const service: ApprovedService = { host: 'https://api.example.com', keyMode: 'live', apiVersion: '1' }
const terms = { ceiling: 24_000n, priceVersion: 'v1', at: '2026-01-01T00:00:00Z', given: 'typed', checkout: 'here' } as const
const [own, other] = [testKey(1), testKey(2)]
const mine: Approvers = { own: own.fingerprint, others: new Set(), checkout: 'here' }
const approval = signApproval(own, hash, service, terms)

describe('judgeApproval', () => {
  test('an approval of the own key, beside this journal, is valid', () => {
    expect(judgeApproval(approval, hash, service, mine)).toBe('valid')
  })

  test.each(['publicKey', 'signature', 'given'] as const)('one without %s is unsigned', (field) => {
    const { [field]: _left, ...rest } = approval
    expect(judgeApproval(rest, hash, service, mine)).toBe('unsigned')
  })

  test('law: with any term changed after it was signed, it is forged', () => {
    const change = fc.constantFrom<Partial<Approval>>(
      { ceiling: 24_001n },
      { priceVersion: 'v2' },
      { at: '2026-01-01T00:00:01Z' },
      { given: 'clicked' },
      { checkout: 'there' },
      { buyer: other.fingerprint },
      { publicKey: other.publicKey },
      { signature: other.sign('anything') },
    )
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = Object.assign({}, approval, ...changes) as Approval
        expect(judgeApproval(changed, hash, service, { ...mine, others: new Set([other.fingerprint]) })).toBe('forged')
      }),
    )
  })

  test.each([
    ['another request', 'b'.repeat(64), service],
    ['another host', hash, { ...service, host: 'https://other.example.com' }],
    ['another key mode', hash, { ...service, keyMode: 'test' }],
    ['another API version', hash, { ...service, apiVersion: '2' }],
  ])('for %s it is forged', (_what, asked, at) => {
    expect(judgeApproval(approval, asked, at, mine)).toBe('forged')
  })

  test('one of another key counts only if the user trusts that key, beside any journal', () => {
    const theirs = signApproval(other, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(theirs, hash, service, mine)).toBe('other')
    expect(judgeApproval(theirs, hash, service, { ...mine, others: new Set([other.fingerprint]) })).toBe('valid')
  })

  test('one of the own key beside another journal is elsewhere, unless the journal has no name or the key is trusted by name', () => {
    const there = signApproval(own, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(there, hash, service, mine)).toBe('elsewhere')
    expect(judgeApproval(there, hash, service, { ...mine, checkout: undefined })).toBe('valid')
    expect(judgeApproval(there, hash, service, { ...mine, others: new Set([own.fingerprint]) })).toBe('valid')
  })

  test('beside a journal that machines share, every approval must have been given beside it', () => {
    const shared: Approvers = { ...mine, others: new Set([own.fingerprint, other.fingerprint]), isShared: true }
    for (const key of [own, other]) {
      expect(judgeApproval(signApproval(key, hash, service, terms), hash, service, shared)).toBe('valid')
      expect(judgeApproval(signApproval(key, hash, service, { ...terms, checkout: 'there' }), hash, service, shared)).toBe('elsewhere')
    }
  })

  test('a way of giving that does not count is said to be so', () => {
    expect(judgeApproval(approval, hash, service, { ...mine, given: new Set(['clicked', 'standing']) })).toBe('given')
    expect(judgeApproval(approval, hash, service, { ...mine, given: new Set(['typed']) })).toBe('valid')
  })
})

test.each([
  ['unsigned', 'before approvals were signed'],
  ['forged', 'under a signature that does not fit'],
  ['elsewhere', 'in another checkout (typed)'],
  ['given', `by ${own.fingerprint.slice(0, 8)} (typed)`],
  ['other', `by ${own.fingerprint.slice(0, 8)} (typed)`],
] as const)('a person reads of an approval that is %s: approved %s', (verdict, words) => {
  expect(approverWords(approval, verdict)).toBe(words)
})

test('an approval of an earlier version does not say how it was given', () => {
  expect(approverWords({ buyer: approval.buyer }, 'elsewhere')).toBe('in another checkout')
})
