import { dirname } from 'node:path'
import { type ErrorCode, type ErrorFacts, errorCodes } from '../errors.ts'
import { tempTargetOf } from '../host/publish.ts'

/** An error in the form that the command line prints. */
export interface Failure {
  /** One of {@link errorCodes}, or the code of a refusal of `atlas/`. */
  readonly code: string
  readonly message: string
  readonly facts: ErrorFacts
  /** The process exit code of this failure alone. */
  readonly exit: number
  /** The stack of a mistake of spritewright itself; only with `SW_INTERNAL`. */
  readonly stack?: string
}

/** Calls of the file system, as Node names them. Whatever code they fail with, a disk or its driver said it. */
const diskCalls: ReadonlySet<string> = new Set(
  'access chmod close copyfile fdatasync fsync ftruncate futime link lstat mkdir mkdtemp open opendir read readlink realpath rename rm rmdir scandir stat statfs symlink unlink utime write'.split(
    ' ',
  ),
)

/** Lists all different failures: an `AggregateError` is split, and a foreign error receives a code. */
export function toFailures(error: unknown): Failure[] {
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.flatMap(toFailures)
    // Two purchases that meet the same fault of the network have nothing to add to each other.
    return [...new Map(all.map((one) => [JSON.stringify([one.code, one.message]), one])).values()]
  }
  return [toFailure(error)]
}

/** The exit code of several failures: the highest but 130, which counts only if it is the only one. */
export function exitCodeOf(failures: readonly Failure[]): number {
  const codes = failures.map((failure) => failure.exit).filter((exit) => exit !== errorCodes.SW_INTERRUPTED.exit)
  if (codes.length > 0) return Math.max(...codes)
  return failures.length > 0 ? errorCodes.SW_INTERRUPTED.exit : errorCodes.SW_INTERNAL.exit
}

/** The failure that decides the exit code. It is named first. */
export function weightiest(failures: readonly Failure[]): Failure | undefined {
  const exit = exitCodeOf(failures)
  return failures.find((failure) => failure.exit === exit)
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return internal(`Expected an error, found ${typeof error}: ${String(error)}`, undefined)
  const { code, facts, syscall, path } = error as { code?: unknown; facts?: unknown; syscall?: unknown; path?: unknown }
  if (typeof code === 'string' && code.startsWith('SW_')) return ours(code, error, facts)
  // Sockets read and write as well, but have no path.
  const isOfDisk = typeof path === 'string' || !/^(?:ECONN|EPIPE|EHOST|ENET|ETIMEDOUT)/.test(String(code))
  if (typeof code === 'string' && typeof syscall === 'string' && diskCalls.has(syscall) && isOfDisk) {
    return {
      code: 'SW_DISK' satisfies ErrorCode,
      message: `${typeof path === 'string' ? diskWords(error.message, path) : error.message}. ${diskAdvice(code)}`,
      facts: { reason: code, operation: syscall, ...(typeof path === 'string' ? { path } : {}) },
      exit: errorCodes.SW_DISK.exit,
    }
  }
  if (error.name === 'AbortError') return interrupted()
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return internal(`${error.message}.`, error.stack, brokenAdvice)
  return internal(error.message, error.stack)
}

/** Codes of `atlas/` that mean: the delivery cannot be read. */
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

/** Names the folder if the file is a temporary one, which nobody knows and which is gone by now. */
function diskWords(message: string, path: string): string {
  if (tempTargetOf(path) === undefined) return message
  return message.replace(/, \w+ '.*$/s, `, a file in ${JSON.stringify(dirname(path))}`)
}

function diskAdvice(code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Make room on the disk and run the command again: nothing that was paid for is lost.'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'Make it writable for you and run the command again.'
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many files are open on this machine: close programs, or raise the limit (ulimit -n).'
  return 'Check that path and its disk, and run the command again: nothing that was paid for is lost.'
}

function interrupted(): Failure {
  return { code: 'SW_INTERRUPTED' satisfies ErrorCode, message: 'Interrupted.', facts: {}, exit: errorCodes.SW_INTERRUPTED.exit }
}

const mistakeAdvice = 'This is a mistake in spritewright itself: please report it with the lines below.'
/** Parts of the package are loaded when they are needed. npm may have replaced the package by then. */
const brokenAdvice =
  'The installed spritewright is not whole, or was replaced while it ran: run the command again, and where that changes nothing, npm install. Nothing that was paid for is lost.'

function internal(message: string, stack: string | undefined, advice: string = mistakeAdvice): Failure {
  return {
    code: 'SW_INTERNAL' satisfies ErrorCode,
    message: `${message || 'An error without a message.'} ${advice}`,
    facts: {},
    exit: errorCodes.SW_INTERNAL.exit,
    ...(stack ? { stack } : {}),
  }
}
