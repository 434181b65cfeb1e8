import { SpritewrightError } from '../errors.ts'
import { toEditorSchema } from '../sprite-spec/fields.ts'
import { parseReviewedJson } from '../sprite-spec/json-text.ts'
import { type LockFile, lockForm } from './lock-form.ts'
import { mergeLocks, readConflict } from './lock-merge.ts'

/** Advice for entries that both sides changed. */
export const howToChoose =
  'Keep the entries of one side: npx spritewright merge --ours, or --theirs; with names, only those. A purchase is kept in any case'

/** The JSON Schema of `sprites.lock.json`. */
export function lockJsonSchema(): object {
  return toEditorSchema(lockForm, {
    title: 'spritewright lock file',
    description: 'Approvals and purchases. spritewright writes this file: do not edit it by hand.',
  })
}

/** The error for a lock file. */
export function unreadable(path: string, what: string, cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_LOCKFILE', {
    message: `${path} cannot be read: ${what}. It holds approvals and purchases: restore it from version control; do not delete it.`,
    facts: { file: path, what },
    cause,
  })
}

/**
 * Parses a lock file's text. A merge conflict is resolved if both sides agree; see `mergeLocks`.
 *
 * @throws `SW_LOCKFILE` with the faulty place.
 */
export function parseLockFile(text: string, path: string): LockFile {
  const fail = (what: string, cause?: unknown): never => {
    throw unreadable(path, what, cause)
  }
  const sides = readConflict(text)
  const merged = sides && mergeLocks(parseLockFile(sides.ours, path), parseLockFile(sides.theirs, path))
  if (merged) {
    const shared = findSharedExecution(merged.lock)
    if (merged.conflicts.length > 0)
      return fail(`it has a merge conflict, and both sides changed ${merged.conflicts.join(', ')}. ${howToChoose}`)
    return shared === undefined ? merged.lock : fail(shared)
  }
  if (/^(<{7}|={7}|>{7})/m.test(text)) return fail('it has an unresolved merge conflict')
  let json: unknown
  try {
    json = parseReviewedJson(text)
  } catch (error) {
    return fail(`expected JSON, found ${(error as Error).message}`, error)
  }
  const parsed = lockForm.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return fail(`${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not a lock file'}`)
  }
  const twice = findSharedExecution(parsed.data)
  return twice === undefined ? parsed.data : fail(twice)
}

/**
 * Finds two requests that name the same execution. An execution belongs to only one request, so the other
 * would get a result that was paid for the first.
 *
 * @returns A sentence about the two requests; `undefined` if no execution is shared.
 */
export function findSharedExecution(lock: LockFile): string | undefined {
  const owners = new Map<string, { readonly hash: string; readonly id: string }>()
  for (const [id, requests] of [...Object.entries(lock.animations), ['a step', lock.steps ?? {}] as const]) {
    for (const [hash, { execution }] of Object.entries(requests)) {
      const other = execution && owners.get(execution.id)
      if (other && other.hash !== hash) return `${other.id} and ${id} name the same execution (${execution.id}) for different requests`
      if (execution) owners.set(execution.id, { hash, id })
    }
  }
  return undefined
}
