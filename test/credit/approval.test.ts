import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Approval,
  type ApprovedService,
  type Approvers,
  approvalText,
  isLapsed,
  isSigned,
  judgeApproval as judge,
  newerApproval,
  signApproval,
} from '../../src/credit/approval.ts'
import { approverWords } from '../../src/credit/approval-words.ts'
import { testKey } from '../kit/keys.ts'

const hash = 'a'.repeat(64)
const service: ApprovedService = { host: 'https://api.example.com', keyMode: 'live', apiVersion: '1' }
const terms = { ceiling: 24_000n, priceVersion: 'v1', at: '2026-01-01T00:00:00.000Z', given: 'typed', checkout: 'here' } as const
const [own, other] = [testKey(1), testKey(2)]
const mine: Approvers = { own: own.fingerprint, others: new Set(), checkout: 'here' }
const approval = signApproval(own, hash, service, terms)
const named = { at: '2026-01-01T00:00:00.000Z', project: 'this', expires: '2026-01-31T00:00:00.000Z' } as const
const life = { now: Date.parse('2026-01-02T00:00:00Z'), newest: undefined }
const judgeApproval = (one: Approval, asked: string, at: ApprovedService, by: Approvers): ReturnType<typeof judge> =>
  judge(one, asked, at, by, life)

describe('judgeApproval', () => {
  test('an approval of the own key, beside this journal, is valid', () => {
    expect(judgeApproval(approval, hash, service, mine)).toBe('valid')
  })

  test('one of another person, given elsewhere by an earlier version, counts for no project', () => {
    const theirs = signApproval(other, hash, service, { ...terms, checkout: 'there' })
    const trusting = { ...mine, others: new Set([other.fingerprint]) }
    expect(judgeApproval(theirs, hash, service, trusting)).toBe('project')
    const own_ = signApproval(own, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(own_, hash, service, { ...mine, isKeyFromEnvironment: true })).toBe('valid')
    expect(judgeApproval(own_, hash, service, mine)).toBe('elsewhere')
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

  test('a signer that gives itself the name of another signer has forged, though the signature fits', () => {
    const posing = { ...approval, publicKey: other.publicKey, signature: other.sign(approvalText(hash, service, approval)) }
    expect(isSigned(posing, hash, service)).toBe(false)
    expect(judgeApproval(posing, hash, service, { ...mine, others: new Set([other.fingerprint]) })).toBe('forged')
    expect([isSigned(approval, hash, service), isSigned({ ...approval, publicKey: undefined }, hash, service)]).toEqual([true, false])
  })

  test.each(['project', 'expires'] as const)('one that names %s alone has signed that, too', (term) => {
    const one = signApproval(own, hash, service, { ...terms, [term]: named[term] })
    expect(judge(one, hash, service, mine, 'used')).toBe('valid')
    for (const other of [undefined, '2030-01-01T00:00:00.000Z'])
      expect(judge({ ...one, [term]: other }, hash, service, mine, 'used')).toBe('forged')
  })

  test('the text that is signed stays as it was, with each term at its place, because lock files have signatures over it', () => {
    const what = [hash, 'https://api.example.com', 'live', '1', '2.4', 'v1', own.fingerprint, terms.at, 'typed', 'here']
    expect(JSON.parse(approvalText(hash, service, approval))).toEqual(['spritewright approval 1', ...what])
    expect(JSON.parse(approvalText(hash, service, { ...approval, ...named }))).toEqual([
      ...['spritewright approval 2', ...what, 'this', '2026-01-31T00:00:00.000Z'],
    ])
  })

  test('one of another key counts only if the user trusts that key, and for the project that the environment names', () => {
    const theirs = signApproval(other, hash, service, { ...terms, ...named, checkout: 'there' })
    expect(judgeApproval(theirs, hash, service, mine)).toBe('other')
    const trusting = { ...mine, others: new Set([other.fingerprint]) }
    expect(judgeApproval(theirs, hash, service, trusting)).toBe('project')
    expect(judgeApproval(theirs, hash, service, { ...trusting, project: 'another' })).toBe('project')
    expect(judgeApproval(theirs, hash, service, { ...trusting, project: 'this' })).toBe('valid')
    expect(judgeApproval({ ...theirs, project: 'another' }, hash, service, { ...trusting, project: 'another' })).toBe('forged')
    const old = signApproval(other, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(old, hash, service, { ...trusting, project: 'this' })).toBe('project')
  })

  test('one of the own key that the environment gives counts beside this journal, or for the named project', () => {
    const carried = { ...mine, isKeyFromEnvironment: true }
    const there = signApproval(own, hash, service, { ...terms, ...named, checkout: 'there' })
    expect(judgeApproval(there, hash, service, carried)).toBe('project')
    expect(judgeApproval(there, hash, service, { ...carried, project: 'this' })).toBe('valid')
    const old = signApproval(own, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(old, hash, service, carried)).toBe('valid')
    expect(judgeApproval(old, hash, service, { ...carried, project: 'this' })).toBe('project')
  })

  test('it ends when a newer one is given, when it is taken back and when its time is over, by the latest time ever seen', () => {
    const one = signApproval(own, hash, service, { ...terms, ...named })
    const verdict = (more: object, by = mine): string =>
      judge(one, hash, service, by, { ...life, newest: { at: terms.at, isRevoked: false }, ...more })
    expect(verdict({})).toBe('valid')
    expect(verdict({ newest: { at: '2026-01-01T00:00:00.001Z', isRevoked: false } })).toBe('replaced')
    expect(verdict({ newest: { at: '2026-01-01T00:00:00.001Z', isRevoked: true } })).toBe('revoked')
    expect(verdict({ newest: undefined })).toBe('elsewhere')
    expect(verdict({ now: Date.parse(named.expires) })).toBe('expired')
    expect(verdict({}, { ...mine, latest: Date.parse(named.expires) })).toBe('expired')
    expect(verdict({}, { ...mine, latest: Number.POSITIVE_INFINITY })).toBe('expired')
    expect(judge({ ...one, expires: '2027-01-01T00:00:00.000Z' }, hash, service, mine, 'used')).toBe('forged')
    expect(judge({ ...one, expires: undefined, project: undefined }, hash, service, mine, 'used')).toBe('forged')
    expect(judge(approval, hash, service, { ...mine, oldUntil: life.now }, life)).toBe('expired')
    expect(judge(approval, hash, service, { ...mine, oldUntil: life.now + 1 }, life)).toBe('valid')
  })

  test('one of the own key beside another journal is elsewhere', () => {
    const there = signApproval(own, hash, service, { ...terms, checkout: 'there' })
    expect(judgeApproval(there, hash, service, mine)).toBe('elsewhere')
    expect(judgeApproval(there, hash, service, { ...mine, checkout: undefined })).toBe('elsewhere')
    expect(judgeApproval(there, hash, service, { ...mine, project: 'this' })).toBe('elsewhere')
  })

  test('one beside another journal is elsewhere after its end, too, because that journal alone knows whether it was used', () => {
    const there = signApproval(own, hash, service, { ...terms, ...named, checkout: 'there' })
    const verdict = judge(there, hash, service, mine, { now: Date.parse(named.expires), newest: { at: named.expires, isRevoked: true } })
    expect([verdict, isLapsed(there, verdict, mine)]).toEqual(['elsewhere', false])
  })

  test('the own key, named among the others too, counts like theirs: for the project that the environment names', () => {
    const there = signApproval(own, hash, service, { ...terms, ...named, checkout: 'there' })
    const both = { ...mine, others: new Set([own.fingerprint]) }
    expect(judgeApproval(there, hash, service, { ...both, project: 'this' })).toBe('valid')
    expect(judgeApproval(there, hash, service, both)).toBe('project')
  })

  test('one that names no journal was given beside none, also where no journal has a name', () => {
    const nowhere = signApproval(own, hash, service, { ...terms, checkout: undefined as unknown as string })
    expect(judgeApproval(nowhere, hash, service, { ...mine, checkout: undefined })).toBe('elsewhere')
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

  test('after its bytes were sent, its place and its end no longer matter, but its way of giving does', () => {
    const there = signApproval(own, hash, service, { ...terms, ...named, checkout: 'there' })
    const late = { ...mine, latest: Number.POSITIVE_INFINITY }
    expect(judge(there, hash, service, late, 'used')).toBe('valid')
    expect(judge(there, hash, service, { ...late, given: new Set(['clicked']) }, 'used')).toBe('given')
  })
})

test('of two approvals the later counts, and of two at one time the one that was known', () => {
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
  const revoked = { at: early, isRevoked: true, shell: 'agent' } as const
  expect(newerApproval(undefined, revoked)).toBe(revoked)
  expect(newerApproval(revoked, { at: early, isRevoked: false })).toBe(revoked)
  expect(newerApproval({ at: late, isRevoked: false }, revoked)).toEqual({ at: late, isRevoked: false })
  expect(newerApproval(revoked, { at: late, isRevoked: false })).toEqual({ at: late, isRevoked: false })
})

test('an approval that ended is given again without a take-over, by its own author or where a journal is shared', () => {
  const shared = { ...mine, isShared: true }
  for (const verdict of ['replaced', 'revoked', 'expired'] as const) {
    expect(isLapsed({ buyer: own.fingerprint }, verdict, mine)).toBe(true)
    expect(isLapsed({ buyer: other.fingerprint }, verdict, mine)).toBe(false)
    expect(isLapsed({ buyer: other.fingerprint }, verdict, shared)).toBe(true)
  }
  for (const verdict of ['valid', 'unsigned', 'forged', 'other', 'elsewhere', 'project', 'given'] as const)
    for (const by of [mine, shared]) expect(isLapsed({ buyer: own.fingerprint }, verdict, by)).toBe(false)
})

test.each([
  ['unsigned', 'before approvals were signed'],
  ['forged', 'under a signature that does not fit'],
  ['elsewhere', 'in another checkout (typed)'],
  ['replaced', 'earlier (typed), and a newer approval has replaced that one'],
  ['revoked', 'earlier (typed), and that approval was taken back'],
  ['expired', 'earlier (typed), and that approval has expired'],
  ['project', `by ${own.fingerprint.slice(0, 8)} (typed) for another project, as far as this machine knows`],
  ['given', `by ${own.fingerprint.slice(0, 8)} (typed)`],
  ['other', `by ${own.fingerprint.slice(0, 8)} (typed)`],
] as const)('a person reads of an approval that is %s: approved %s', (verdict, words) => {
  expect(approverWords(approval, verdict)).toBe(words)
})

test('an approval of an earlier version does not say how it was given', () => {
  expect(approverWords({ buyer: approval.buyer }, 'elsewhere')).toBe('in another checkout')
})
