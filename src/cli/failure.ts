import { type ErrorCode, type ErrorFacts, errorCodes } from '../errors.ts'
import { toDiskFailure } from '../host/disk-failure.ts'

/** An error in the form that the command line prints. */
export interface Failure {
  /** One of {@link errorCodes}, or the code of a refusal of `atlas/`. */
  readonly code: string
  readonly message: string
  readonly facts: ErrorFacts
  /** The exit code of the process if this is its only failure. */
  readonly exit: number
  /** The stack of a fault in spritewright itself; only with `SW_INTERNAL`. */
  readonly stack?: string
}

/** Lists all different failures: an `AggregateError` is split, and a foreign error receives a code. */
export function toFailures(error: unknown): Failure[] {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.flatMap(toFailures)
    // Two purchases may fail by the same fault of the network, which is reported once.
    return [...new Map(all.map((one) => [JSON.stringify([one.code, one.message]), one])).values()]
  }
  return [toFailure(error)]
}

/** The exit code of several failures: the highest code except 130, which counts only if all failures have it. */
export function exitCodeOf(failures: readonly Failure[]): number {
  const codes = failures.map((failure) => failure.exit).filter((exit) => exit !== errorCodes.SW_INTERRUPTED.exit)
  if (codes.length > 0) return Math.max(...codes)
  return failures.length > 0 ? errorCodes.SW_INTERRUPTED.exit : errorCodes.SW_INTERNAL.exit
}

/** The failure that decides the exit code and is printed first. */
export function weightiest(failures: readonly Failure[]): Failure | undefined {
  const exit = exitCodeOf(failures)
  return failures.find((failure) => failure.exit === exit)
}

function toFailure(thrown: unknown): Failure {
  const error = toDiskFailure(thrown) ?? thrown
  if (!(error instanceof Error)) return internal(`Expected an error, found ${typeof error}: ${String(error)}`, undefined)
  const { code, facts } = error as { code?: unknown; facts?: unknown }
  if (typeof code === 'string' && code.startsWith('SW_')) return ours(code, error, facts)
  if (error.name === 'AbortError') return interrupted()
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return internal(`${error.message}.`, error.stack, brokenAdvice)
  return internal(error.message, error.stack)
}

/** Codes of `atlas/` for a delivery that cannot be read. */
const deliveryCodes: ReadonlySet<string> = new Set(['SW_ARCHIVE', 'SW_DELIVERY_LAYOUT', 'SW_PNG', 'SW_IMAGE', 'SW_FRAME_SIZE'])

/**
 * Recognizes an error by its shape, not by its class. It may come from another copy of the package, or from
 * `atlas/`, whose class the CLI does not import.
 */
function ours(code: string, error: Error, facts: unknown): Failure {
  const known: ErrorCode = Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : deliveryCodes.has(code) ? 'SW_DELIVERY' : 'SW_BUILD'
  return {
    code,
    message: error.message,
    facts: typeof facts === 'object' && facts !== null ? (facts as ErrorFacts) : {},
    exit: errorCodes[known].exit,
    ...(code === 'SW_INTERNAL' && error.stack ? { stack: error.stack } : {}),
  }
}

function interrupted(): Failure {
  return { code: 'SW_INTERRUPTED' satisfies ErrorCode, message: 'Interrupted.', facts: {}, exit: errorCodes.SW_INTERRUPTED.exit }
}

const mistakeAdvice = 'This is a mistake in spritewright itself: please report it with the lines below.'
/** Advice for a missing module: npm may replace the package before a part of it is loaded. */
const brokenAdvice =
  'The installed spritewright is incomplete, or was replaced while it ran: run the command again. If that does not help, run npm install. No paid result is lost.'

function internal(message: string, stack: string | undefined, advice: string = mistakeAdvice): Failure {
  return {
    code: 'SW_INTERNAL' satisfies ErrorCode,
    message: `${message || 'An error without a message.'} ${advice}`,
    facts: {},
    exit: errorCodes.SW_INTERNAL.exit,
    stack,
  }
}
