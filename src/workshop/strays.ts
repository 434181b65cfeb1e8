import { isGone } from '../job/deliver.ts'
import { fetchStray, type StrayFound } from '../job/fetch-stray.ts'
import { readUnlessBroken } from '../job/journal.ts'
import { spriteOf } from '../job/order.ts'
import type { Stray } from '../job/strays.ts'
import { findEntry } from '../vault/lockfile.ts'
import { toJobPorts } from './orders.ts'
import { entriesByHash, isNamed, type Orphan, toOrphanOrder } from './orphans.ts'
import type { Session } from './session.ts'
import type { Shop } from './shop.ts'
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
export async function listStrays(shop: Shop, names: readonly string[], found: Survey | undefined): Promise<readonly OpenStray[]> {
  const strays = new Map<string, OpenStray>()
  const add = (orphan: Orphan, known: readonly Stray[] | undefined): void => {
    for (const stray of known ?? []) if (stray.end === undefined) strays.set(stray.executionId, { ...orphan, stray })
  }
  const asked = new Set<string>()
  for (const { id, hash } of found ? [...found.items, ...found.steps] : []) {
    if (hash === undefined) continue
    asked.add(hash)
    const entry = findEntry(found?.lock ?? (await shop.lock.read()), id, hash)
    if (entry) add({ id, hash, entry }, found?.submissionOf(hash).strays)
  }
  for (const [hash, { id, entry }] of entriesByHash(await shop.lock.read())) {
    // Another attempt has followed a stray's, and stands in the lock file: the chains of all others need not be read.
    if (asked.has(hash) || !isNamed(names, id) || (entry.submission?.attempt ?? 1) < 2) continue
    add({ id, hash, entry }, (await readUnlessBroken(shop.journal, hash))?.submission.strays)
  }
  return [...strays.values()]
}

/** One sentence for a person, told once. */
export function tellStray(shop: Shop, { id, stray }: OpenStray): void {
  tell(shop, `${nameOf(id, stray)}: the first build after its end fetches it.`)
}

/** Fetches what is finished, and leaves the rest for another day. Never an error, at most a warning. */
export async function fetchStrays(shop: Shop, session: Session, strays: readonly OpenStray[], signal: AbortSignal): Promise<void> {
  const ports = await toJobPorts(shop, session, { signal })
  const { host, keyMode } = session.identity
  for (const one of strays) {
    if (one.entry.service.host !== host || one.entry.service.keyMode !== keyMode) continue
    try {
      tell(shop, wordsOf(one, await fetchStray(ports, toOrphanOrder(one), one.stray)))
    } catch (error) {
      if (signal.aborted) return
      const advice = isGone(error) ? ` Where the service has forgotten it: spritewright recover ${spriteOf(one.id)} --abandon` : ''
      tell(shop, `${nameOf(one.id, one.stray)}, and could not be fetched: ${(error as Error).message}${advice}`)
    }
  }
}

function nameOf(id: string, { attempt, executionId }: Stray): string {
  return `"${id}", attempt ${attempt}: answered by the service after another purchase had taken its place (execution ${executionId})`
}

function wordsOf({ id, stray }: OpenStray, found: StrayFound): string | undefined {
  switch (found.is) {
    case 'stored':
      return `${nameOf(id, stray)}. It is paid, and now in the vault as ${found.sha256}. What the sprite is built from stays as it is.`
    case 'failed':
      return `${nameOf(id, stray)}. It has ended without a result and costs nothing.`
    case 'left':
      return `${nameOf(id, stray)}. Its question was answered elsewhere, and the service does not say which execution goes on. To hear no more of it: spritewright recover ${spriteOf(id)} --abandon`
    case 'asking':
      return `${nameOf(id, stray)}. It waits for an answer, which can only be given in the service's console: ${found.question}`
    case 'open':
      return undefined
  }
}

function tell(shop: Shop, words: string | undefined): void {
  if (words !== undefined && !shop.warnings.includes(words)) shop.warnings.push(words)
}
