import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { type Assertion, challengeFor, type Touch, type TouchKey } from '../../src/credit/touch.ts'

/** What an authenticator and its browser say beside the challenge. */
export interface SaidByBrowser {
  readonly origin?: string
  readonly rpId?: string
  /** Bits of WebAuthn: 1 user present, 4 user verified. */
  readonly flags?: number
  readonly counter?: number
  /** Bytes of the authenticator data, at most 37. */
  readonly length?: number
  /** Further members of the client data, or others. */
  readonly client?: object
}

/** An authenticator in software, with a new key pair. */
export interface TestAuthenticator {
  readonly key: TouchKey
  /** Signs a challenge, as a browser asks for it. */
  assert(challenge: string, said?: SaidByBrowser): Assertion
  /** The touch for one approval alone, by its signed text. */
  touch(text: string, said?: SaidByBrowser): Touch
}

const base64url = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64url')
const made = new Map<string, TestAuthenticator>()

/** Returns the authenticator of a name. Equal names give one authenticator: an RSA key takes long to make. */
export function testAuthenticator(alg: TouchKey['alg'] = 'ES256', name = 'first'): TestAuthenticator {
  const id = `${alg} ${name}`
  const one = made.get(id) ?? makeAuthenticator(alg, name)
  made.set(id, one)
  return one
}

function makeAuthenticator(alg: TouchKey['alg'], name: string): TestAuthenticator {
  const { publicKey, privateKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { credential: base64url(`credential ${name}`), alg, spki: base64url(publicKey.export({ format: 'der', type: 'spki' })) }
  const assert = (challenge: string, said: SaidByBrowser = {}): Assertion => {
    const { origin = 'http://localhost:20000', rpId = 'localhost', flags = 5, counter = 0, length = 37, client = {} } = said
    const whole = Buffer.alloc(37)
    createHash('sha256').update(rpId).digest().copy(whole)
    whole[32] = flags
    whole.writeUInt32BE(counter, 33)
    const data = whole.subarray(0, length)
    const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false, ...client }))
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    return {
      credential: key.credential,
      authenticatorData: base64url(data),
      clientData: base64url(clientData),
      signature: base64url(sign('sha256', signed, privateKey)),
    }
  }
  return { key, assert, touch: (text, said) => ({ ...assert(challengeFor([text]).challenge, said), proof: [] }) }
}
