import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createSigningKey,
  fingerprintOf,
  formatSigningKey,
  isFingerprint,
  isSignatureOf,
  parseSigningKey,
  remember,
} from '../../src/credit/signing-key.ts'
import { testKey } from '../kit/keys.ts'

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = testKey(1)

describe('a signing key', () => {
  test('law: its text is read back as the same key, with line breaks, with \\n, and without the outer lines', () => {
    fc.assert(
      fc.property(seed, (bytes) => {
        const text = formatSigningKey(bytes)
        const { fingerprint } = createSigningKey(bytes)
        for (const form of [text, text.replaceAll('\n', '\\n'), text.split('\n')[1] as string])
          expect(parseSigningKey(form, 'it').fingerprint).toBe(fingerprint)
      }),
      { numRuns: 20 },
    )
  })

  test('is the one of RFC 8032, and its fingerprint and its seals stay as they were: files have them', () => {
    const fresh = createSigningKey(Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex'))
    const base64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')
    const signature =
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'
    expect({
      ...fresh,
      sign: fresh.sign(''),
      seal: fresh.seal('a text'),
      isSealOf: fresh.isSealOf(fresh.seal('a text'), 'a text'),
    }).toEqual({
      publicKey: base64url('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
      fingerprint: '21fe31dfa154a261626bf854046fd2271b7bed4b',
      sign: base64url(signature),
      seal: '803482ff59f37345b6c1012372a9e445e770c7d1c15f4d7947b927751a07e313',
      isSealOf: true,
    })
  })

  test.each([
    ['nothing', ''],
    ['too short', formatSigningKey(new Uint8Array(31))],
    ['too long', formatSigningKey(new Uint8Array(33))],
    ['of another kind', formatSigningKey(new Uint8Array(32)).replace('MC4CAQAwBQYDK2VwBCIEI', 'MC4CAQAwBQYDK2VuBCIEI')],
    ['with a sign that is no base64', formatSigningKey(new Uint8Array(32)).replace('AAAA', 'AA!A')],
  ])('a text that is %s is refused without being repeated', (_what, text) => {
    expect(() => parseSigningKey(text, 'SPRITEWRIGHT_SIGNING_KEY')).toThrow(
      expect.objectContaining({
        code: 'SW_CONFIG',
        message: expect.stringMatching(/^Expected SPRITEWRIGHT_SIGNING_KEY to hold/),
        facts: { source: 'SPRITEWRIGHT_SIGNING_KEY' },
      }),
    )
    if (text !== '') expect(() => parseSigningKey(text, 'it')).not.toThrow(text.split('\n')[1] as string)
  })

  test('a fingerprint has 40 hex digits and is of the public key', () => {
    expect(key.fingerprint).toMatch(/^[0-9a-f]{40}$/)
    expect(fingerprintOf(key.publicKey)).toBe(key.fingerprint)
    expect(testKey(2).fingerprint).not.toBe(key.fingerprint)
    expect(isFingerprint(key.fingerprint)).toBe(true)
    for (const text of ['', key.fingerprint.slice(1), `${key.fingerprint}0`, key.fingerprint.toUpperCase(), `${key.fingerprint}\n`])
      expect(isFingerprint(text), JSON.stringify(text)).toBe(false)
  })

  test('an answer is remembered, and all are forgotten before there are too many', () => {
    const known = new Map(Array.from({ length: 4096 }, (_, index) => [`${index}`, index]))
    expect(remember(known, '7', () => -1)).toBe(7)
    expect(remember(known, 'new', () => -1)).toBe(-1)
    expect([...known]).toEqual([['new', -1]])
  })

  test('law: a signature and a seal hold for their text alone', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const signature = { publicKey: key.publicKey, signature: key.sign(text) }
        expect(isSignatureOf(signature, text)).toBe(true)
        expect(isSignatureOf(signature, other)).toBe(other === text)
        expect(isSignatureOf({ ...signature, publicKey: testKey(2).publicKey }, text)).toBe(false)
        expect(key.isSealOf(key.seal(text), text)).toBe(true)
        expect(key.isSealOf(key.seal(text), other)).toBe(other === text)
        expect(testKey(2).isSealOf(key.seal(text), text)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test('a key in a second spelling of the same bytes signs nothing: it would be another name for one signer', () => {
    const text = 'spelled'
    const signature = key.sign(text)
    // The last sign of 43 carries four bits and two that must be clear.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet[alphabet.indexOf(key.publicKey.at(-1) ?? '') + 1]
    const spellings = [`${key.publicKey}=`, ` ${key.publicKey}`, `${key.publicKey.slice(0, -1)}${last}`]
    for (const publicKey of spellings) {
      expect(Buffer.from(publicKey, 'base64url')).toEqual(Buffer.from(key.publicKey, 'base64url'))
      expect(isSignatureOf({ publicKey, signature }, text)).toBe(false)
    }
    expect(isSignatureOf({ publicKey: key.publicKey, signature }, text)).toBe(true)
  })

  test.each([undefined, '', 'zz', 'abcd'])('%j is no seal', (seal) => {
    expect(key.isSealOf(seal, '')).toBe(false)
  })

  test.each([undefined, '', 'x', '='.repeat(86)])('%j is no signature', (signature) => {
    expect(isSignatureOf({ publicKey: key.publicKey, signature }, '')).toBe(false)
    expect(isSignatureOf({ publicKey: signature, signature: key.sign('') }, '')).toBe(false)
  })
})
