import { readUnlessBroken } from '../job/records/journal.ts'
import type { Stray } from '../job/records/strays.ts'
import { findEntry } from '../vault/lockfile.ts'
import type { Context } from './context.ts'
import { entriesByHash, isNamed, type Orphan } from './orphans.ts'
import type { Survey } from './survey.ts'

/** An execution that was taken late, after a person had given its attempt up and another had followed: paid, and not the one that stands for the request. */
export interface OpenStray extends Orphan {
  readonly stray: Stray
}

/**
 * Strays whose end is not known here yet, of requests that specs ask for and of others.
 *
 * @param names Of sprites or animations; empty for all.
 * @param found What the specs of those names ask for; undefined where they cannot be read.
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
    // Another attempt has followed a stray's, and stands in the lock file: the chains of all others need not be read.
    if (asked.has(hash) || !isNamed(names, id) || (entry.submission?.attempt ?? 1) < 2) continue
    add({ id, hash, entry }, (await readUnlessBroken(context.journal, hash))?.submission.strays)
  }
  return [...strays.values()]
}

/** One sentence for a person, told once. */
export function warnOfStray(context: Context, { id, stray }: OpenStray): void {
  tell(context, `${nameOf(id, stray)}: the first build after its end fetches it.`)
}

/** How a stray is called in words. */
export function nameOf(id: string, { attempt, executionId }: Stray): string {
  return `"${id}", attempt ${attempt}: answered by the service after another purchase had taken its place (execution ${executionId})`
}

/** Tells a person, once. */
export function tell(context: Context, words: string | undefined): void {
  if (words !== undefined && !context.warnings.includes(words)) context.warnings.push(words)
}
