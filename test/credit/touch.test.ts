import { createHash, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Approval,
  type ApprovedService,
  type Approvers,
  approvalText,
  judgeApproval,
  signApproval,
} from '../../src/credit/approval.ts'
import { approverWords } from '../../src/credit/approval-words.ts'
import { waysOfGiving } from '../../src/credit/given.ts'
import { challengeFor, counterOf, formatTouchKey, parseTouchKey, type Touch, verifyTouch, wordOf } from '../../src/credit/touch.ts'
import { type SaidByBrowser, testAuthenticator } from '../kit/authenticator.ts'
import { testKey } from '../kit/keys.ts'

const text = JSON.stringify(['spritewright approval 2', 'a request'])
const origin = 'http://localhost:20000'
const [ec, rsa] = [testAuthenticator('ES256'), testAuthenticator('RS256')]

describe('verifyTouch', () => {
  test.each([
    ['ES256', ec],
    ['RS256', rsa],
  ] as const)('a touch of an enrolled %s key for this approval is valid, at its own origin', (_alg, { key, touch }) => {
    expect(verifyTouch(touch(text), { text }, [testAuthenticator('ES256', 'other').key, key], origin)).toBe('valid')
    expect(verifyTouch(touch(text, { origin: 'https://localhost:8443' }), { text }, [key])).toBe('valid')
  })

  test.each<[string, SaidByBrowser]>([
    ['another host', { origin: 'http://127.0.0.1:20000' }],
    ['a host below localhost', { origin: 'http://game.localhost:20000' }],
    ['a scheme of no web page', { origin: 'android:localhost' }],
    ['a scheme of files', { origin: 'ftp://localhost:20000' }],
    ['an origin that is no URL', { origin: 'localhost' }],
    ['an origin with a path', { origin: 'http://localhost:20000/' }],
    ['another relying party', { rpId: 'example.com' }],
    ['nobody present', { flags: 4 }],
    ['nobody verified', { flags: 1 }],
    ['a frame of another site', { client: { crossOrigin: true } }],
    ['a frame in another site', { client: { topOrigin: 'https://example.com' } }],
    ['data without the end of its counter', { length: 36 }],
    ['a registration', { client: { type: 'webauthn.create' } }],
    ['a payment', { client: { type: 'payment.get' } }],
    ['another challenge', { client: { challenge: challengeFor([`${text} `]).challenge } }],
    ['no challenge', { client: { challenge: undefined } }],
    ['no origin', { client: { origin: undefined } }],
  ])('%s makes it forged, though the authenticator has signed that', (_what, said) => {
    for (const { key, touch } of [ec, rsa]) expect(verifyTouch(touch(text, said), { text }, [key])).toBe('forged')
  })

  test('a browser that says nothing of frames has none, and data that is too short has no counter', () => {
    const touch = ec.touch(text, { client: { crossOrigin: undefined }, counter: 9 })
    expect(verifyTouch(touch, { text }, [ec.key])).toBe('valid')
    expect([counterOf(touch), counterOf(ec.touch(text, { length: 36, counter: 9 })), counterOf({ authenticatorData: '' })]).toEqual([
      9, 0, 0,
    ])
  })

  test('a touch that was valid once is not valid for another key of the same credential', () => {
    const touch = ec.touch(text)
    const { spki } = testAuthenticator('ES256', 'other').key
    expect(verifyTouch(touch, { text }, [ec.key])).toBe('valid')
    expect(verifyTouch(touch, { text }, [{ ...ec.key, spki }])).toBe('forged')
  })

  test('at giving, the origin is the one of the panel alone', () => {
    for (const other of ['http://localhost:20001', 'https://localhost:20000', 'http://localhost'])
      expect(verifyTouch(ec.touch(text, { origin: other }), { text }, [ec.key], origin)).toBe('forged')
  })

  test('a key that is not enrolled is said to be so; one of another algorithm, curve or length verifies nothing', () => {
    const { key, touch } = ec
    expect(verifyTouch(touch(text), { text }, [])).toBe('unenrolled')
    expect(verifyTouch(touch(text), { text }, [testAuthenticator('ES256', 'other').key])).toBe('unenrolled')
    expect(verifyTouch(touch(text), { text }, [{ ...key, alg: 'RS256' }])).toBe('forged')
    expect(verifyTouch(touch(text), { text }, [{ ...key, spki: rsa.key.spki }])).toBe('forged')
    expect(verifyTouch(touch(text), { text }, [{ ...key, spki: 'AAAA' }])).toBe('forged')
    expect(verifyTouch({ ...touch(text), credential: rsa.key.credential }, { text }, [{ ...rsa.key, spki: key.spki }])).toBe('forged')
  })

  test('a counter that was set back is refused for a newer approval, and at giving; zeros are no counter', () => {
    const seen = { counter: 7, at: '2026-01-02T00:00:00.000Z' }
    const verdict = (counter: number, at: string | undefined, before = seen): string =>
      verifyTouch(ec.touch(text, { counter }), { text, at }, [{ ...ec.key, seen: before }])
    for (const counter of [0, 6, 7]) {
      expect(verdict(counter, '2026-01-02T00:00:00.001Z')).toBe('forged')
      expect(verdict(counter, undefined)).toBe('forged')
      expect(verdict(counter, seen.at)).toBe('valid')
    }
    expect(verdict(8, '2026-01-03T00:00:00.000Z')).toBe('valid')
    expect(verdict(8, undefined)).toBe('valid')
    expect(verdict(0, undefined, { ...seen, counter: 0 })).toBe('valid')
  })

  test('law: one touch is for each of its approvals, with the proof of that one, and for no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 }), (texts) => {
        const { challenge, proofs } = challengeFor(texts)
        const assertion = ec.assert(challenge)
        const verdict = (one: string, proof: readonly string[]): string =>
          verifyTouch({ ...assertion, proof }, { text: one }, [ec.key], origin)
        for (const [at, one] of texts.entries()) {
          expect(verdict(one, proofs[at] ?? [])).toBe('valid')
          expect(verdict(`${one}?`, proofs[at] ?? [])).toBe('forged')
          if (texts.length > 1) expect(verdict(one, proofs[(at + 1) % texts.length] ?? [])).toBe('forged')
        }
        expect(challengeFor([...texts].reverse()).challenge).toBe(challenge)
      }),
      { numRuns: 30 },
    )
  })

  test('a proof has at most 32 neighbours of 32 bytes, and each field has one spelling', () => {
    const node = (one: Buffer, other: Buffer): Buffer =>
      createHash('sha256')
        .update(Uint8Array.of(1))
        .update(Buffer.concat([one, other].sort(Buffer.compare)))
        .digest()
    const touchWith = (neighbours: readonly Buffer[]): Touch => {
      const root = neighbours.reduce(node, Buffer.from(challengeFor([text]).challenge, 'base64url'))
      return { ...ec.assert(root.toString('base64url')), proof: neighbours.map((one) => one.toString('base64url')) }
    }
    const verdict = (touch: Touch): string => verifyTouch(touch, { text }, [ec.key])
    const many = (count: number, bytes: number): readonly Buffer[] => Array.from({ length: count }, (_, at) => Buffer.alloc(bytes, at))
    expect([verdict(touchWith(many(32, 32))), verdict(touchWith(many(33, 32)))]).toEqual(['valid', 'forged'])
    expect([verdict(touchWith(many(1, 31))), verdict(touchWith(many(1, 33)))]).toEqual(['forged', 'forged'])
    const whole = touchWith(many(1, 32))
    expect(verdict({ ...whole, proof: whole.proof.map((one) => `${one}=`) })).toBe('forged')
    for (const field of ['authenticatorData', 'clientData', 'signature'] as const)
      expect(verdict({ ...whole, [field]: `${whole[field]}=` }), field).toBe('forged')
  })

  test('an inner node of the tree is no approval', () => {
    const { challenge, proofs } = challengeFor(['a', 'b', 'c', 'd'])
    const [, above = ''] = proofs[0] ?? []
    expect(verifyTouch({ ...ec.assert(challenge), proof: [above] }, { text: 'a' }, [ec.key])).toBe('forged')
  })

  test('law: with any byte of any field changed, removed or added, it is not valid', () => {
    const { challenge, proofs } = challengeFor([text, 'b', 'c'])
    for (const { key, assert } of [ec, rsa]) {
      const touch: Touch = { ...assert(challenge), proof: proofs[0] ?? [] }
      expect(verifyTouch(touch, { text }, [key])).toBe('valid')
      const fields = ['credential', 'authenticatorData', 'clientData', 'signature', 'proof'] as const
      fc.assert(
        fc.property(fc.constantFrom(...fields), fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(2), (field, place, mask, how) => {
          const change = (part: string): string => {
            const bytes = Buffer.from(part, 'base64url')
            const at = place % bytes.length
            bytes[at] = (bytes[at] ?? 0) ^ mask
            const changed = [bytes, Buffer.from(part, 'base64url').subarray(0, -1), Buffer.concat([bytes, bytes.subarray(0, 1)])][how]
            return (changed ?? bytes).toString('base64url')
          }
          const changed = field === 'proof' ? touch.proof.map((one, at) => (at === 0 ? change(one) : one)) : change(touch[field])
          expect(verifyTouch({ ...touch, [field]: changed }, { text }, [key])).not.toBe('valid')
        }),
      )
    }
  })

  test('law: garbage is not valid, and never throws', () => {
    const garbage = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom('', '=', 'bnVsbA', 'W10', 'e30'))
    fc.assert(
      fc.property(garbage, garbage, garbage, fc.array(garbage), (authenticatorData, clientData, signature, proof) => {
        const touch = { credential: ec.key.credential, authenticatorData, clientData, signature, proof }
        expect(verifyTouch(touch, { text }, [ec.key])).toBe('forged')
      }),
    )
  })
})

describe('a key as text', () => {
  test('is read again as it was written, and has one word of ten letters', () => {
    for (const { key } of [ec, rsa]) {
      expect(parseTouchKey(formatTouchKey(key))).toEqual(key)
      expect(wordOf(key)).toMatch(/^(?:[bdfghklmnprstvwz][aiou]){5}$/)
    }
    expect(wordOf(ec.key)).not.toBe(wordOf(rsa.key))
    expect(wordOf({ credential: 'AA', alg: 'ES256', spki: 'AA' })).toBe('kilomukuzu')
  })

  test('has at most 4096 characters', () => {
    const keyOf = (length: number) => ({ ...ec.key, credential: 'A'.repeat(length - 'ES256..'.length - ec.key.spki.length) })
    expect(parseTouchKey(formatTouchKey(keyOf(4096)))).toEqual(keyOf(4096))
    expect(parseTouchKey(formatTouchKey(keyOf(4097)))).toBeUndefined()
  })

  test('of a weak RSA key, another curve or another form is none', () => {
    const spkiOf = (publicKey: { export(how: object): unknown }): string =>
      (publicKey.export({ format: 'der', type: 'spki' }) as Buffer).toString('base64url')
    const weak = spkiOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)
    const other = spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)
    const { credential, spki } = ec.key
    const wrong = [
      ...[`RS256.${credential}.${weak}`, `ES256.${credential}.${other}`, `RS256.${credential}.${spki}`],
      ...[`ES512.${credential}.${spki}`, `ES256..${spki}`, `ES256.${credential}.${spki}.x`, `ES256.${credential}=.${spki}`],
      ...[`ES512.${credential}.${rsa.key.spki}`, `ES256.${credential}.${spki}=`],
      ...['', 'ES256', `ES256.${credential}.AAAA`, `${credential}.ES256.${spki}`, `ES256.${credential}.${'A'.repeat(5000)}`],
    ]
    for (const one of wrong) expect(parseTouchKey(one)).toBeUndefined()
  })
})

describe('an approval that was touched', () => {
  const hash = 'a'.repeat(64)
  const service: ApprovedService = { host: 'https://api.example.com', keyMode: 'live', apiVersion: '1' }
  const terms = { ceiling: 24_000n, priceVersion: 'v1', at: '2026-01-01T00:00:00.000Z', given: 'touched', checkout: 'here' } as const
  const own = testKey(1)
  const bare = signApproval(own, hash, service, { ...terms, project: 'this', expires: '2026-01-31T00:00:00.000Z' })
  const approval: Approval = { ...bare, touch: ec.touch(approvalText(hash, service, bare)) }
  const mine: Approvers = { own: own.fingerprint, others: new Set(), checkout: 'here', touchKeys: [ec.key] }
  const verdictOn = (one: Approval, by: Approvers = mine, asked = hash, at = service): string =>
    judgeApproval(one, asked, at, by, { now: Date.parse(terms.at), newest: { at: one.at, isRevoked: false } })

  test('is valid with its touch alone, and only where its authenticator is known, also after it was sent', () => {
    expect(waysOfGiving[0]).toBe('touched')
    expect(verdictOn(approval)).toBe('valid')
    expect(verdictOn(bare)).toBe('forged')
    expect(verdictOn(approval, { ...mine, touchKeys: undefined })).toBe('unenrolled')
    expect(judgeApproval(approval, hash, service, { ...mine, touchKeys: [] }, 'used')).toBe('unenrolled')
    expect(judgeApproval(bare, hash, service, mine, 'used')).toBe('forged')
    expect(approverWords(approval, 'unenrolled')).toContain('at an authenticator that this machine does not know')
  })

  test('by a counter that was set back, counts up to the time of the newest touch, and no later', () => {
    const again = { ...approval, touch: ec.touch(approvalText(hash, service, bare), { counter: 7 }) }
    const seenAt = (at: string): Approvers => ({ ...mine, touchKeys: [{ ...ec.key, seen: { counter: 7, at } }] })
    expect(verdictOn(again, seenAt(bare.at))).toBe('valid')
    expect(verdictOn(again, seenAt('2025-12-31T23:59:59.999Z'))).toBe('forged')
  })

  test('law: signed anew by its own key with any other term, it is forged', () => {
    const change = fc.constantFrom<Partial<Approval>>(
      ...[{ ceiling: 24_001n }, { priceVersion: 'v2' }, { at: '2026-01-01T00:00:00.001Z' }, { checkout: 'here', project: 'that' }],
      { expires: '2027-01-31T00:00:00.000Z' },
    )
    fc.assert(
      fc.property(change, (changed) => {
        const again = signApproval(own, hash, service, { ...terms, project: 'this', expires: bare.expires, ...changed } as typeof terms)
        expect(verdictOn({ ...again, touch: approval.touch })).toBe('forged')
      }),
    )
    for (const [asked, at] of [['b'.repeat(64), service] as const, [hash, { ...service, host: 'https://other.example.com' }] as const]) {
      const again = signApproval(own, asked, at, { ...terms, project: 'this', expires: bare.expires })
      expect(verdictOn({ ...again, touch: approval.touch }, mine, asked, at)).toBe('forged')
    }
  })

  test('by another person whose signing key counts, the touch of an unknown authenticator does not count', () => {
    const theirs = testAuthenticator('ES256', 'theirs')
    const touched = { ...bare, touch: theirs.touch(approvalText(hash, service, bare)) }
    expect(verdictOn(touched)).toBe('unenrolled')
    expect(verdictOn(touched, { ...mine, touchKeys: [ec.key, theirs.key] })).toBe('valid')
  })
})
