import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { remember } from './signing-key.ts'

/** What an authenticator signs for a page, as WebAuthn names the parts. All parts are base64url. */
export interface Assertion {
  /** Id of the credential. */
  readonly credential: string
  readonly authenticatorData: string
  /** UTF-8 JSON that the browser writes: type, challenge, origin. */
  readonly clientData: string
  readonly signature: string
}

/**
 * A person's touch of an authenticator for one approval. The challenge is the root of a Merkle tree over all approvals
 * that the touch is for.
 */
export interface Touch extends Assertion {
  /** The neighbours on the way from this approval to the root: SHA-256, base64url. */
  readonly proof: readonly string[]
}

/** What an authenticator is asked to sign. Its relying party is `localhost`, and it must verify the user. */
export interface TouchChallenge {
  /** SHA-256 over exactly the approvals, base64url. */
  readonly challenge: string
  /** Ids of the credentials that count here, base64url. */
  readonly credentials: readonly string[]
}

/** The answer of an authenticator to a page. */
export interface TouchAnswer {
  readonly assertion: Assertion
  /** The only origin that the page may have had. */
  readonly origin: string
}

/** The public key of an authenticator. */
export interface TouchKey {
  readonly credential: string
  readonly alg: 'ES256' | 'RS256'
  /** SubjectPublicKeyInfo, DER, base64url. */
  readonly spki: string
}

/** An authenticator whose touches count on this machine. */
export interface EnrolledKey extends TouchKey {
  /** The highest counter that was seen, and `at` of the newest approval of that touch. */
  readonly seen?: { readonly counter: number; readonly at: string } | undefined
}

/** `unenrolled`: the credential is none of the known ones. `forged`: a part of the touch does not match. */
export type TouchVerdict = 'valid' | 'unenrolled' | 'forged'

const rpId = 'localhost'
const deepestProof = 32
const [userPresent, userVerified] = [0x01, 0x04]

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url')
const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  parts.reduce((hash: ReturnType<typeof createHash>, part) => hash.update(part), createHash('sha256')).digest()
// RFC 6962, section 2.1: different first bytes, so that no leaf is a node.
const leafOf = (text: string): Buffer => sha256(Uint8Array.of(0), 'spritewright touch 1', text)
const nodeOf = (one: Buffer, other: Buffer): Buffer => sha256(Uint8Array.of(1), ...[one, other].sort(Buffer.compare))

/**
 * Makes the challenge for approvals, and the proof of each.
 *
 * @param texts The signed texts of the approvals, at least one.
 * @returns `proofs` in the order of the texts.
 */
export function challengeFor(texts: readonly string[]): { readonly challenge: string; readonly proofs: readonly (readonly string[])[] } {
  const leaves = texts.map((text, index) => ({ hash: leafOf(text), members: [index] }))
  const proofs: string[][] = texts.map(() => [])
  let level = leaves.sort((a, b) => Buffer.compare(a.hash, b.hash))
  while (level.length > 1) {
    level = level.flatMap((left, at) => {
      const right = level[at + 1]
      if (at % 2 === 1) return []
      if (!right) return [left]
      for (const [side, neighbour] of [[left, right] as const, [right, left] as const])
        for (const member of side.members) proofs[member]?.push(neighbour.hash.toString('base64url'))
      return [{ hash: nodeOf(left.hash, right.hash), members: [...left.members, ...right.members] }]
    })
  }
  return { challenge: level[0]?.hash.toString('base64url') ?? '', proofs }
}

/**
 * Verifies that an enrolled authenticator was touched for exactly this approval, by a person whom it has verified. It
 * never throws.
 *
 * @param approved `text`: the signed text of the approval. `at`: its time, which tells a set-back counter of a newer
 * touch from the lower one of an older touch; without it, the counter must be above the highest one.
 * @param origin The only origin that counts.
 * @default every origin of the host `localhost`
 * @see https://www.w3.org/TR/webauthn-3/ section 7.2, steps 5 to 22
 */
export function verifyTouch(
  touch: Touch,
  approved: { readonly text: string; readonly at?: string | undefined },
  keys: readonly EnrolledKey[],
  origin?: string,
): TouchVerdict {
  const key = keys.find(({ credential }) => credential === touch.credential)
  if (!key) return 'unenrolled'
  if (touch.proof.length > deepestProof || !touch.proof.every((one) => isBase64url(one) && bytesOf(one).length === 32)) return 'forged'
  if (![touch.authenticatorData, touch.clientData, touch.signature].every(isBase64url)) return 'forged'
  const root = touch.proof.reduce((hash, neighbour) => nodeOf(hash, bytesOf(neighbour)), leafOf(approved.text))
  const data = bytesOf(touch.authenticatorData)
  if (!isClientData(bytesOf(touch.clientData), root.toString('base64url'), origin)) return 'forged'
  const flags = data[32] ?? 0
  const isOurs = data.length >= 37 && data.subarray(0, 32).equals(sha256(rpId))
  if (!isOurs || (flags & userPresent) === 0 || (flags & userVerified) === 0) return 'forged'
  if (isSetBack(key, counterOf(touch), approved.at)) return 'forged'
  return isSignedBy(key, touch) ? 'valid' : 'forged'
}

/** The signature counter in an assertion. Many authenticators always say 0. */
export function counterOf({ authenticatorData }: Pick<Assertion, 'authenticatorData'>): number {
  const data = bytesOf(authenticatorData)
  return data.length < 37 ? 0 : data.readUInt32BE(33)
}

function isSetBack({ seen }: EnrolledKey, counter: number, at: string | undefined): boolean {
  if (!seen || (seen.counter === 0 && counter === 0)) return false
  return counter <= seen.counter && (at === undefined || at > seen.at)
}

type ClientMember = 'type' | 'challenge' | 'origin' | 'crossOrigin' | 'topOrigin'

function isClientData(bytes: Buffer, challenge: string, origin: string | undefined): boolean {
  try {
    const said = JSON.parse(bytes.toString('utf8')) as { readonly [Name in ClientMember]?: unknown }
    if (said.type !== 'webauthn.get' || said.challenge !== challenge || typeof said.origin !== 'string') return false
    if ((said.crossOrigin ?? false) !== false || said.topOrigin !== undefined) return false
    return origin === undefined ? isLocalhost(said.origin) : said.origin === origin
  } catch {
    return false
  }
}

function isLocalhost(origin: string): boolean {
  const url = new URL(origin)
  return url.origin === origin && url.hostname === rpId && /^https?:$/.test(url.protocol)
}

/** A dev server judges all approvals again whenever a purchase moves on. */
const checked = new Map<string, boolean>()

function isSignedBy(key: TouchKey, { authenticatorData, clientData, signature }: Assertion): boolean {
  return remember(checked, JSON.stringify([formatTouchKey(key), authenticatorData, clientData, signature]), () => {
    const publicKey = publicKeyOf(key)
    const signed = Buffer.concat([bytesOf(authenticatorData), sha256(bytesOf(clientData))])
    return publicKey !== undefined && verify('sha256', signed, publicKey, bytesOf(signature))
  })
}

/** Returns `undefined` if it is not what its algorithm needs: P-256 for ES256, RSA of 2048 bits or more for RS256. */
function publicKeyOf({ alg, spki }: TouchKey): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: bytesOf(spki), format: 'der', type: 'spki' })
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    const fits =
      alg === 'ES256'
        ? key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1'
        : key.asymmetricKeyType === 'rsa' && modulusLength >= 2048
    return fits ? key : undefined
  } catch {
    return undefined
  }
}

/** Formats a key as the text that {@link parseTouchKey} reads. */
export function formatTouchKey({ alg, credential, spki }: TouchKey): string {
  return [alg, credential, spki].join('.')
}

/**
 * Parses a key: `ES256.CREDENTIAL.SPKI`, or `RS256`. Returns `undefined` for any other text, for a curve other than
 * P-256, and for RSA of less than 2048 bits.
 */
export function parseTouchKey(text: string): TouchKey | undefined {
  const [alg, credential = '', spki = '', ...more] = text.split('.')
  if ((alg !== 'ES256' && alg !== 'RS256') || more.length > 0 || text.length > 4096) return undefined
  if (![credential, spki].every((part) => part !== '' && isBase64url(part))) return undefined
  const key = { credential, alg, spki } as const
  return publicKeyOf(key) && key
}

/**
 * A word of ten letters for a key. A person compares the word on one screen with the word on another.
 */
export function wordOf(key: TouchKey): string {
  const letters = [...sha256('spritewright touch word 1', formatTouchKey(key)).subarray(0, 5)]
  return letters.map((byte) => `${'bdfghklmnprstvwz'[byte & 15]}${'aiou'[(byte >> 4) & 3]}`).join('')
}

/** Whether it is the one spelling of its bytes, without padding. */
function isBase64url(text: string): boolean {
  return bytesOf(text).toString('base64url') === text
}
