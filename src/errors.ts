/** A stable name for one kind of failure. Match errors by it, not by text or class. */
export type ErrorCode =
  | 'SW_INTERNAL'
  | 'SW_DISK'
  | 'SW_JOURNAL'
  | 'SW_VAULT'
  | 'SW_STORE'
  | 'SW_QUEUE'
  | 'SW_BUILD'
  | 'SW_ORIGIN'
  | 'SW_USAGE'
  | 'SW_GUARD'
  | 'SW_SPEC'
  | 'SW_SPEC_NAME'
  | 'SW_REFERENCE'
  | 'SW_OVERRIDE'
  | 'SW_SOURCE'
  | 'SW_CONFIG'
  | 'SW_LOCKFILE'
  | 'SW_LAYOUT'
  | 'SW_STORE_UNSAFE'
  | 'SW_NO_KEY'
  | 'SW_KEY_EXPOSED'
  | 'SW_NO_SERVICE'
  | 'SW_ORDER'
  | 'SW_UNTRUSTED_HOST'
  | 'SW_APPROVAL'
  | 'SW_CEILING'
  | 'SW_PRICE_VERSION'
  | 'SW_BALANCE'
  | 'SW_MISSING'
  | 'SW_BUYER'
  | 'SW_CHANGED'
  | 'SW_UNREACHABLE'
  | 'SW_REFUSED'
  | 'SW_KEY_REFUSED'
  | 'SW_CAPABILITY'
  | 'SW_WIRE'
  | 'SW_FAILED'
  | 'SW_DELIVERY'
  | 'SW_CONFLICT'
  | 'SW_QUESTION'
  | 'SW_UNCERTAIN'
  | 'SW_INTERRUPTED'

/**
 * All failures of spritewright itself, with the exit code of the CLI.
 *
 * `docs/errors.md` lists the same codes for users; a test compares the two. Failures in `atlas/` (an archive,
 * a picture) have their own codes, see `atlas/errors.ts`. They end a command with exit code 4 if a delivery
 * caused them.
 */
export const errorCodes: Readonly<Record<ErrorCode, { readonly exit: number; readonly title: string }>> = {
  SW_INTERNAL: { exit: 1, title: 'a mistake in spritewright itself' },
  SW_DISK: { exit: 1, title: 'a file could not be read or written' },
  SW_JOURNAL: { exit: 1, title: 'the journal of paid work is broken, or tracked by git' },
  SW_VAULT: { exit: 1, title: 'a paid result is missing or damaged' },
  SW_STORE: { exit: 1, title: 'a shared store cannot be reached, or refuses' },
  SW_QUEUE: { exit: 1, title: 'the queue cannot be reached, or no worker is active' },
  SW_BUILD: { exit: 1, title: 'an atlas could not be made from the bought results' },
  SW_ORIGIN: { exit: 1, title: 'a shipped frame without an origin' },
  SW_USAGE: { exit: 2, title: 'wrong usage' },
  SW_GUARD: { exit: 2, title: 'a request that may not act on the dev server' },
  SW_SPEC: { exit: 2, title: 'an invalid spec' },
  SW_SPEC_NAME: { exit: 2, title: 'two specs of one name' },
  SW_REFERENCE: { exit: 2, title: 'a reference picture that cannot be used' },
  SW_OVERRIDE: { exit: 2, title: 'a frame touched up by hand that does not fit' },
  SW_SOURCE: { exit: 2, title: 'own art that cannot be read' },
  SW_CONFIG: { exit: 2, title: 'an invalid configuration' },
  SW_LOCKFILE: { exit: 2, title: 'an unreadable lock file' },
  SW_LAYOUT: { exit: 2, title: 'an unreadable sprites.layout.json' },
  SW_STORE_UNSAFE: { exit: 2, title: 'a shared store that cannot keep the journal' },
  SW_NO_KEY: { exit: 2, title: 'no API key' },
  SW_KEY_EXPOSED: { exit: 2, title: 'an API key that would be shipped or written to a file' },
  SW_NO_SERVICE: { exit: 2, title: 'no service to ask' },
  SW_ORDER: { exit: 2, title: 'an order that the worker refuses' },
  SW_UNTRUSTED_HOST: { exit: 2, title: 'an address that is not confirmed for the API key' },
  SW_APPROVAL: { exit: 3, title: 'an approval is needed' },
  SW_CEILING: { exit: 3, title: 'the price is above the approved ceiling' },
  SW_PRICE_VERSION: { exit: 3, title: 'the service prices by a version that was not approved' },
  SW_BALANCE: { exit: 3, title: 'the balance is too low' },
  SW_MISSING: { exit: 3, title: 'an animation is not bought and must not be bought now' },
  SW_BUYER: { exit: 3, title: 'an approval that is not yours' },
  SW_CHANGED: { exit: 3, title: 'the purchase has changed since it was shown' },
  SW_UNREACHABLE: { exit: 4, title: 'the service does not answer' },
  SW_REFUSED: { exit: 4, title: 'the service refused a request' },
  SW_KEY_REFUSED: { exit: 4, title: 'the service refused the API key' },
  SW_CAPABILITY: { exit: 4, title: 'the service or the account cannot do this' },
  SW_WIRE: { exit: 4, title: 'an answer of the service does not follow its interface' },
  SW_FAILED: { exit: 4, title: 'an execution failed' },
  SW_DELIVERY: { exit: 4, title: 'a delivery that cannot be read (it is kept)' },
  SW_CONFLICT: { exit: 4, title: 'the key of a submission is known with other bytes' },
  SW_QUESTION: { exit: 5, title: 'an execution waits for an answer' },
  SW_UNCERTAIN: { exit: 6, title: 'a submission of unknown outcome waits for a decision' },
  SW_INTERRUPTED: { exit: 130, title: 'interrupted' },
}

/**
 * Facts of an error beside its message: plain data, safe to print as JSON. Never a key, a signed URL or a
 * request.
 */
export type ErrorFacts = Readonly<Record<string, unknown>>

/** An error whose message says what was expected, what was found and what to do next. */
export class SpritewrightError extends Error {
  override readonly name = 'SpritewrightError'
  /** Stable code, see {@link errorCodes}. */
  readonly code: ErrorCode
  /** Data of this failure: the file, line and column, the sprite, the figures. */
  readonly facts: ErrorFacts

  constructor(code: ErrorCode, detail: { message: string; facts?: ErrorFacts; cause?: unknown }) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.facts = detail.facts ?? {}
  }

  /** Exit code of the CLI, see `docs/errors.md`. */
  get exitCode(): number {
    return errorCodes[this.code].exit
  }

  /** For `--json`: code, message and facts, never the stack or the cause. */
  toJSON(): { code: ErrorCode; message: string; facts: ErrorFacts } {
    return { code: this.code, message: this.message, facts: this.facts }
  }
}

/** Whether `error` is a spritewright error with this code, even from another copy of the package. */
export function hasCode(error: unknown, code: ErrorCode): error is SpritewrightError {
  return error instanceof Error && (error as { code?: unknown }).code === code
}

/** Whether the same call may succeed later, because a store, a queue or the service did not answer or was busy. */
export function mayPass(error: unknown): error is SpritewrightError {
  if (hasCode(error, 'SW_REFUSED')) return error.facts.retryable === true
  return hasCode(error, 'SW_STORE') || hasCode(error, 'SW_QUEUE') || hasCode(error, 'SW_UNREACHABLE')
}

/** Absolute paths of the files that an error concerns. */
export function filesOf(error: unknown): readonly string[] {
  const { file, files } = (error as { facts?: { file?: unknown; files?: unknown } } | undefined)?.facts ?? {}
  return [file, ...(Array.isArray(files) ? files : [])].filter((one): one is string => typeof one === 'string')
}

/** Absolute paths of the files and folders of own art that may mend an error. */
export function sourcesOf(error: unknown): readonly string[] {
  const { sources } = (error as { facts?: { sources?: readonly string[] } } | undefined)?.facts ?? {}
  return sources ?? []
}
