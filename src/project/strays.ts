import { readUnlessBroken } from '../job/records/journal.ts'
import type { Stray } from '../job/records/strays.ts'
import { findEntry } from '../vault/lockfile.ts'
import type { Context } from './context.ts'
import { entriesByHash, isNamed, type Orphan } from './orphans.ts'
import type { Survey } from './survey.ts'

/**
 * An execution that the service accepted late, after a person had given up its attempt and another attempt
 * had replaced it. The execution is paid, but the request uses the execution of the later attempt.
 */
export interface OpenStray extends Orphan {
  readonly stray: Stray
}

/**
 * Lists the strays whose end is not recorded here yet: strays of requests that specs ask for, and of others.
 *
 * @param names Of sprites or animations; empty for all.
 * @param found What the specs of those names ask for; `undefined` if they cannot be read.
 */
export async function listStrays(context: Context, names: readonly string[], found: Survey | undefined): Promise<readonly OpenStray[]> {
  const strays = new Map<string, OpenStray>()
  const add = (orphan: Orphan, known: readonly Stray[] | undefined): void => {
    for (const stray of known ?? []) if (stray.end === undefined) strays.set(stray.executionId, { ...orphan, stray })
  }
  const asked = new Set<string>()
  for (const { id, hash } of found ? [...found.items, ...found.steps] : []) {
    if (hash === undefined) continue
    asked.add(hash)
    const entry = findEntry(found?.lock ?? (await context.lock.read()), id, hash)
    if (entry) add({ id, hash, entry }, found?.submissionOf(hash).strays)
  }
  for (const [hash, { id, entry }] of entriesByHash(await context.lock.read())) {
    // A stray exists only if a later attempt has replaced its own. The lock file records the later attempt,
    // so the chains of all other requests need not be read.
    if (asked.has(hash) || !isNamed(names, id) || (entry.submission?.attempt ?? 1) < 2) continue
    add({ id, hash, entry }, (await readUnlessBroken(context.journal, hash))?.submission.strays)
  }
  return [...strays.values()]
}

/** Warns once about a stray. */
export function warnOfStray(context: Context, { id, stray }: OpenStray): void {
  warnOnce(context, `${nameOf(id, stray)}: the first build after its end fetches it.`)
}

/** Describes a stray in words. */
export function nameOf(id: string, { attempt, executionId }: Stray): string {
  return `"${id}", attempt ${attempt}: answered by the service after another purchase had taken its place (execution ${executionId})`
}

/** Adds a warning unless it is there already. */
export function warnOnce(context: Context, words: string | undefined): void {
  if (words !== undefined && !context.warnings.includes(words)) context.warnings.push(words)
}
