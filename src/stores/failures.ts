import { type ErrorFacts, SpritewrightError } from '../errors.ts'

/** A failed call of a shared store. */
interface Failure {
  /** Address without credentials. */
  readonly address: string
  /** The requested work, e.g. `read journal/a/1`. */
  readonly work: string
  /** The observed failure, without a secret. */
  readonly found: string
  /** The next action for a person: a sentence. */
  readonly advice?: string | undefined
  /** Whether the same call may succeed in a moment. */
  readonly mayPass?: boolean
  readonly facts?: ErrorFacts
  readonly cause?: unknown
}

/** Makes the error of a store that cannot be reached or refuses. */
export function storeError({ address, work, found, advice, mayPass = false, facts, cause }: Failure): SpritewrightError {
  return new SpritewrightError('SW_STORE', {
    message: `Expected the shared store ${address} to ${work}, found ${found}. ${advice ?? 'Check the network, the address and the rights of the credentials, then run again.'}`,
    facts: { store: address, work, found, mayPass, ...facts },
    cause,
  })
}

/**
 * Makes the error of a store that cannot keep the journal.
 *
 * @param found What the store did instead of writing a file only if its name is free.
 */
export function unsafeStore(address: string, found: string, facts: ErrorFacts = {}): SpritewrightError {
  return new SpritewrightError('SW_STORE_UNSAFE', {
    message: `Expected the shared store ${address} to write a file only if its name is free, and to say how old a file is; found ${found}. Nothing was sent to the service, because two machines could then buy the same. Use another store for the journal. This one still serves results.`,
    facts: { store: address, ...facts },
  })
}

/** Makes the error of an invalid address. Never repeats the address, which may contain a password. */
export function addressError(expected: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', {
    message: `Expected the address of a shared store as ${expected}, found ${found}. Correct the address in the configuration.`,
    facts: { expected, found },
  })
}

/** Failures of a connection that no later try mends: a certificate, a password, a protocol. */
const lasting = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|SASL|SSL connections|password|WRONGPASS|NOAUTH|NOPERM/i

/** Whether a connection failed for a reason that a later try may not meet, by the words of its failure. */
export function isPassing(found: string): boolean {
  return !lasting.test(found)
}

/** Describes a failure of the network or of a disk in a few words. The cause has no request, so no secret is shown. */
export function wordsOf(cause: unknown): string {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
  const inner = (cause as { cause?: unknown } | undefined)?.cause
  if (typeof code === 'string') return code
  return inner === undefined ? String(message || 'an unknown failure') : `${String(message)} (${wordsOf(inner)})`
}

/**
 * Returns a name that every store accepts.
 *
 * @throws `SW_INTERNAL` for any other name. A segment neither begins nor ends with a dot, because such names have a
 * meaning in file systems and URLs.
 */
export function checkName(name: string): string {
  if (name.length <= 512 && name.split('/').every((segment) => /^[a-z0-9_-]+(?:\.+[a-z0-9_-]+)*$/.test(segment))) return name
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected the name of a record as segments of a-z, 0-9, "-", "_" and ".", separated by "/", found ${JSON.stringify(name.slice(0, 80))}. Please report this.`,
    facts: { name: name.slice(0, 512) },
  })
}

/**
 * Returns the name of an object.
 *
 * @throws `SW_INTERNAL` for any text that is no SHA-256 in lower-case hex.
 */
export function checkSha256(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected the name of a result as 64 lower-case hex digits, found ${JSON.stringify(sha256.slice(0, 80))}. Please report this.`,
    facts: { sha256: sha256.slice(0, 512) },
  })
}
