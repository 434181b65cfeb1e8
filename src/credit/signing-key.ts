import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'

/**
 * A user's Ed25519 key pair. Signatures are for data that other machines read (the lock file). Seals are for
 * data that stays on this machine (the journal, uploads). A seal takes a fiftieth of a signature's time.
 */
export interface SigningKey {
  /** The name of the key: see {@link fingerprintOf}. */
  readonly fingerprint: string
  /** The raw public key, 32 bytes, base64url. */
  readonly publicKey: string
  /** Ed25519 signature over the UTF-8 bytes of a text, base64url. */
  sign(text: string): string
  /** HMAC-SHA256 of a text under a secret that is derived from the private key, hex. */
  seal(text: string): string
  /** Whether a seal matches the text under this key. */
  isSealOf(seal: string | undefined, text: string): boolean
}

/** The store of the user's own key. */
export interface KeyRing {
  /** Reads the key. Returns `undefined` if there is no key yet. */
  read(): Promise<SigningKey | undefined>
  /**
   * Reads the key. Makes a key if there is none.
   *
   * @throws `SW_DISK` if the key cannot be stored.
   */
  readOrMake(): Promise<SigningKey>
}

/** A signature, and the public key of its signer. */
export interface Signature {
  /** Raw Ed25519 public key, base64url. */
  readonly publicKey: string
  /** Signature over the UTF-8 bytes of the text, base64url. */
  readonly signature: string
}

/** A signature before its check: both parts may be missing or forged. */
export interface ClaimedSignature {
  readonly publicKey?: string | undefined
  readonly signature?: string | undefined
}

/**
 * The DER of an Ed25519 private key in PKCS #8 is these bytes, then the 32 bytes of the seed (RFC 8410,
 * section 7).
 */
const pkcs8Lead = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Hex digits of a fingerprint: 160 bits, as many as a Git commit's hash. */
const fingerprintLength = 40

/**
 * Makes the key of a seed.
 *
 * @param seed 32 random bytes.
 */
export function createSigningKey(seed: Uint8Array): SigningKey {
  return toSigningKey(createPrivateKey({ key: Buffer.concat([pkcs8Lead, seed]), format: 'der', type: 'pkcs8' }))
}

/**
 * Formats a key as the text that {@link parseSigningKey} reads: PEM, PKCS #8.
 *
 * @param seed 32 random bytes.
 */
export function formatSigningKey(seed: Uint8Array): string {
  return `-----BEGIN PRIVATE KEY-----\n${Buffer.concat([pkcs8Lead, seed]).toString('base64')}\n-----END PRIVATE KEY-----\n`
}

/**
 * Reads a private key in PEM (PKCS #8), with real line breaks or with `\n` in their place. The base64 text between
 * the two outer lines is enough.
 *
 * @param source Names the origin of the text in the error.
 * @throws `SW_CONFIG` for any other text. The message repeats nothing of the text.
 */
export function parseSigningKey(text: string, source: string): SigningKey {
  const body = text
    .replaceAll('\\n', '\n')
    .replace(/-----(?:BEGIN|END) PRIVATE KEY-----/g, '')
    .replace(/\s+/g, '')
  const der = Buffer.from(body, 'base64')
  if (der.length === pkcs8Lead.length + 32 && der.subarray(0, pkcs8Lead.length).equals(pkcs8Lead) && /^[A-Za-z0-9+/]+=*$/.test(body))
    return remember(keys, body, () => createSigningKey(der.subarray(pkcs8Lead.length)))
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${source} to hold an Ed25519 private key (PEM, PKCS #8), found something else. Make one with: openssl genpkey -algorithm ed25519`,
    facts: { source },
  })
}

function toSigningKey(privateKey: KeyObject): SigningKey {
  const { d = '', x: publicKey = '' } = privateKey.export({ format: 'jwk' })
  const secret = createHmac('sha256', Buffer.from(d, 'base64url')).update('spritewright seal 1').digest()
  const sealOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest()
  return Object.freeze({
    fingerprint: fingerprintOf(publicKey),
    publicKey,
    sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    seal: (text: string) => sealOf(text).toString('hex'),
    isSealOf: (seal: string | undefined, text: string) => {
      const given = Buffer.from(seal ?? '', 'hex')
      const expected = sealOf(text)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  })
}

/**
 * The name of a public key: the first 160 bits of its SHA-256, in hex.
 *
 * @param publicKey Raw, base64url.
 */
export function fingerprintOf(publicKey: string): string {
  return sha256(Buffer.from(publicKey, 'base64url')).slice(0, fingerprintLength)
}

/** Whether a text is a fingerprint. */
export function isFingerprint(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/**
 * Results of earlier checks, by all their inputs. A dev server judges all approvals again at each step of a purchase:
 * for forty sprites, repeated checks took a sixth of its time.
 */
const checked = new Map<string, boolean>()
/** Keys that were read, by their base64. OpenSSL takes ten times as long to read a key as to sign with it. */
const keys = new Map<string, SigningKey>()
/** Most remembered results. If there are more, all are forgotten. */
const rememberedAtMost = 4096

/**
 * Returns the remembered answer to a question, or finds it.
 */
export function remember<T>(known: Map<string, T>, question: string, answer: () => T): T {
  const before = known.get(question)
  if (before !== undefined) return before
  if (known.size >= rememberedAtMost) known.clear()
  const now = answer()
  known.set(question, now)
  return now
}

/**
 * Whether a signature over a text is valid. Never throws. Returns `false` if the key or the signature is
 * malformed.
 */
export function isSignatureOf({ publicKey, signature }: ClaimedSignature, text: string): boolean {
  return remember(checked, JSON.stringify([publicKey, signature, text]), () => checkSignature({ publicKey, signature }, text))
}

function checkSignature({ publicKey, signature }: ClaimedSignature, text: string): boolean {
  const raw = Buffer.from(publicKey ?? '', 'base64url')
  const signed = Buffer.from(signature ?? '', 'base64url')
  // Each key has one valid spelling, because other code compares keys as texts.
  if (raw.length !== 32 || signed.length !== 64 || raw.toString('base64url') !== publicKey) return false
  try {
    // RFC 8037, section 2. Node reads this form in a tenth of the time for DER.
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, signed)
  } catch {
    // The bytes are no point of the curve.
    return false
  }
}
