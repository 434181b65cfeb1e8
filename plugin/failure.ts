import { filesOf } from '../src/errors.ts'
import { toDiskFailure } from '../src/host/disk-failure.ts'
import { escapeLines, escapeText } from '../src/host/terminal.ts'
import { fromRoot } from './ids.ts'

/**
 * An error in Rollup's form. Vite prints it, and shows it in its overlay with the place in the spec. It
 * contains no control characters for the terminal.
 */
export interface PluginFailure {
  /** It begins with the code, because Vite prints no other field that has it. */
  readonly message: string
  /** Stable error code of this package. */
  readonly code?: string
  /** Empty: Vite prints the stack, and that of an error of the project helps nobody. */
  readonly stack?: string
  readonly id?: string
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number }
}

/**
 * Converts an error of the workshop to Rollup's form. Several errors become one with all messages, at the
 * place of the first error that has one.
 */
export function toFailure(error: unknown): PluginFailure {
  const { loc, code } = readError(error)
  const message = allOf(error).map((one) => [codeOf(one), messageOf(one)].filter((part) => part !== undefined).join(': '))
  return {
    ...(code === undefined ? {} : { code, stack: '' }),
    message: escapeLines(message.join('\n')),
    ...(loc ? { id: escapeText(loc.file), loc: { ...loc, file: escapeText(loc.file) } } : {}),
  }
}

/** The part of a hook's context that ends the hook. */
export interface FailingContext {
  error(failure: PluginFailure): never
}

/** Ends a hook with an error of the workshop. */
export function failHook(context: FailingContext, error: unknown): never {
  try {
    return context.error(toFailure(error))
  } catch (thrown) {
    throw escapeFrame(thrown)
  }
}

/**
 * Escapes the lines that Vite prints of the file that an error names. A tab becomes one space, because Vite's
 * marker below counts it as one.
 */
function escapeFrame(thrown: unknown): unknown {
  const failure = thrown as { frame?: unknown }
  if (typeof failure.frame === 'string') failure.frame = escapeLines(failure.frame.replaceAll('\t', ' '))
  return thrown
}

/**
 * Escapes an error that ends the start of a server, because Vite prints its message or stack unescaped.
 * Returns the same error, or `SW_DISK` for one of a disk.
 */
export function escapeError(thrown: unknown): unknown {
  const error = toDiskFailure(thrown) ?? thrown
  for (const one of error instanceof AggregateError ? [error, ...error.errors] : [error]) {
    if (!(one instanceof Error)) continue
    one.message = escapeLines(one.message)
    one.stack = escapeLines(one.stack ?? '')
  }
  return error
}

/** Reads an error without escaping it, for callers that do not print it, or whose log escapes it. */
export function readError(error: unknown): PluginFailure {
  const all = allOf(error)
  const first = all.find((one) => placeOf(one)) ?? all[0]
  const place = placeOf(first)
  const code = codeOf(first)
  return {
    message: all.map(messageOf).join('\n'),
    ...(code === undefined ? {} : { code }),
    ...(place ? { loc: place } : {}),
  }
}

/** The errors that an error stands for. Those of a disk get the code, the path and the advice of `SW_DISK`. */
function allOf(error: unknown): readonly unknown[] {
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  return all.map((one) => toDiskFailure(one) ?? one)
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function placeOf(error: unknown): PluginFailure['loc'] {
  const facts = (error as { facts?: Record<string, unknown> } | undefined)?.facts
  const issue = (Array.isArray(facts?.issues) ? facts.issues[0] : facts) as Record<string, unknown> | undefined
  const [file] = filesOf(error)
  if (file === undefined) return undefined
  const line = typeof issue?.line === 'number' ? issue.line : 1
  const column = typeof issue?.column === 'number' ? issue.column : 1
  return { file, line, column }
}

/** An error as the panel shows it, and what to do about it. */
export interface PanelError {
  /** A code of `docs/errors.md`. */
  readonly code: string
  /** What was expected, what was found, and what to do. */
  readonly message: string
  /** Its subject, `hero.walk`, if it is about one thing. */
  readonly id?: string
  /** Path from the project's root, with forward slashes. */
  readonly file?: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
}

/**
 * Converts an error to the form that the panel shows.
 *
 * @param id Id of the subject, if the error does not name one.
 */
export function toPanelError(error: unknown, root: string, id?: string): PanelError {
  const { message, code, loc } = readError(error)
  const own = (error as { facts?: { id?: unknown } } | undefined)?.facts?.id
  const about = typeof own === 'string' ? own : id
  return {
    code: code ?? 'SW_INTERNAL',
    message,
    ...(about === undefined ? {} : { id: about }),
    ...(loc ? { file: fromRoot(root, loc.file), line: loc.line, column: loc.column } : {}),
  }
}
