import type { z } from 'zod'
import type { Fault, ValuePath } from './document.ts'

type Issue = z.core.$ZodIssue

/**
 * Turns zod's issues into faults with expected and found.
 *
 * The schemas hold the texts: an issue's message is its `expected`. `unknownField` returns the text for an
 * unknown field. Its value is never shown, because a misplaced value may be a secret.
 */
export function toFaults(issues: readonly Issue[], value: unknown, unknownField: (path: ValuePath) => string): Fault[] {
  const faults: Fault[] = []
  const seen = new Set<string>()
  for (const fault of issues.flatMap((issue) => fromIssue(issue, [], value, unknownField))) {
    const key = JSON.stringify(fault.path)
    if (seen.has(key)) continue
    seen.add(key)
    faults.push(fault)
  }
  return faults
}

function fromIssue(issue: Issue, above: ValuePath, value: unknown, unknownField: (path: ValuePath) => string): Fault[] {
  const path: ValuePath = [...above, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      expected: unknownField([...path, key]),
      found: `the field ${describeValue(key)}`,
      isAtKey: true,
    }))
  }
  if (issue.code === 'invalid_key') {
    return [{ path, expected: issue.issues[0]?.message ?? issue.message, found: describeValue(path.at(-1)), isAtKey: true }]
  }
  if (issue.code === 'invalid_union') {
    const branch = pickBranch(issue.errors)
    if (branch) return branch.flatMap((inner) => fromIssue(inner, path, value, unknownField))
  }
  const part = valueAt(value, path)
  const fields = isObject(part) ? Object.keys(part).map(describeValue) : []
  const shown = issue.code === 'invalid_union' && fields.length > 0 ? ` with ${fields.slice(0, 6).join(', ')}` : ''
  return [{ path, expected: issue.message, found: `${describeValue(part)}${shown}` }]
}

/**
 * The branch of a union that the author clearly intended: it has the fewest issues, and no issue concerns the
 * whole value or a field that belongs to another branch.
 */
function pickBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const count = (issues: readonly Issue[]): number =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  const candidates = branches
    .filter((issues) => !issues.some((issue) => issue.path.length === 0 && issue.code !== 'unrecognized_keys'))
    .sort((a, b) => count(a) - count(b))
  const [first, ...others] = candidates
  if (!first || (others[0] && count(first) === count(others[0]))) return undefined
  const unknownIn = (issues: readonly Issue[]): readonly string[] =>
    issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []))
  return unknownIn(first).some((key) => others.some((other) => !unknownIn(other).includes(key))) ? undefined : first
}

/** The part of a value at a path, by own fields only. Returns `undefined` if there is none. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let part = value
  for (const step of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined
    part = (part as Record<string | number, unknown>)[step]
  }
  return part
}

/** Whether a value is an object with fields: no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes a value in a few words: `5`, `"walk"`, `a list of 3`, `an object`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? 'an empty object' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

/** Formats a path, e.g. `animations.walk.use[2]`. Returns an empty text for the whole value. */
export function formatPath(path: ValuePath): string {
  return path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`), '')
}
