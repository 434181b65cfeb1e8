import { filesOf } from '../src/errors.ts'
import { fromRoot } from './ids.ts'
import type { PanelError } from './panel/protocol.ts'

/** An error in Rollup's form: what Vite prints, and shows in its overlay with the place in the spec. */
export interface PluginFailure {
  readonly message: string
  /** Stable code of ours. */
  readonly code?: string
  readonly id?: string
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number }
}

/** Turns whatever the workshop threw into what Rollup takes. Several errors become one, each with its message; the place is the first one's. */
export function toFailure(error: unknown): PluginFailure {
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
  const { message, code, loc } = toFailure(error)
  const own = (error as { facts?: { id?: unknown } } | undefined)?.facts?.id
  const about = typeof own === 'string' ? own : id
  return {
    code: code ?? 'SW_INTERNAL',
    message,
    ...(about === undefined ? {} : { id: about }),
    ...(loc ? { file: fromRoot(root, loc.file), line: loc.line, column: loc.column } : {}),
  }
}
