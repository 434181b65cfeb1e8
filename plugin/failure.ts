import { filesOf } from '../src/errors.ts'
import { escapeLines, escapeText } from '../src/host/terminal.ts'
import { fromRoot } from './ids.ts'
import type { PanelError } from './protocol/protocol.ts'

/** An error in Rollup's form: what Vite prints, and shows in its overlay with the place in the spec. Nothing in it steers a terminal. */
export interface PluginFailure {
  readonly message: string
  /** Stable code of ours. */
  readonly code?: string
  readonly id?: string
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number }
}

/** Turns whatever the workshop threw into what Rollup takes. Several errors become one, each with its message; the place is the first one's. */
export function toFailure(error: unknown): PluginFailure {
  const { message, id, loc, ...rest } = readError(error)
  return {
    ...rest,
    message: escapeLines(message),
    ...(id === undefined ? {} : { id: escapeText(id) }),
    ...(loc ? { loc: { ...loc, file: escapeText(loc.file) } } : {}),
  }
}

/** A hook's context, as far as it ends the hook. */
export interface FailingContext {
  error(failure: PluginFailure): never
}

/** Ends a hook with what the workshop threw. */
export function failHook(context: FailingContext, error: unknown): never {
  try {
    return context.error(toFailure(error))
  } catch (thrown) {
    throw escapeFrame(thrown)
  }
}

/** Vite prints lines of the file that an error names. A tab becomes one space: Vite's mark below counts it as one. */
function escapeFrame(thrown: unknown): unknown {
  const failure = thrown as { frame?: unknown }
  if (typeof failure.frame === 'string') failure.frame = escapeLines(failure.frame.replaceAll('\t', ' '))
  return thrown
}

/** Escapes an error that ends the start of a server: Vite prints its message, or its stack, as they are. Answers the same error. */
export function escapeError(error: unknown): unknown {
  for (const one of error instanceof AggregateError ? [error, ...error.errors] : [error]) {
    if (!(one instanceof Error)) continue
    one.message = escapeLines(one.message)
    one.stack = escapeLines(one.stack ?? '')
  }
  return error
}

/** An error as it is, for whoever does not print it. */
function readError(error: unknown): PluginFailure {
  const all = error instanceof AggregateError ? error.errors : [error]
  const first = all.find((one) => placeOf(one)) ?? all[0]
  const place = placeOf(first)
  const code = (first as { code?: unknown } | undefined)?.code
  return {
    message: all.map((one) => (one instanceof Error ? one.message : String(one))).join('\n'),
    ...(typeof code === 'string' ? { code } : {}),
    ...(place ? { id: place.file, loc: place } : {}),
  }
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

/** What was thrown, as the panel shows it. @param id What it is about, where the error does not say so itself. */
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
