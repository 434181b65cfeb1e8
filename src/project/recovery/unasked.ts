import { commandName, type Order } from '../../job/order.ts'
import { readUnlessBroken } from '../../job/records/journal.ts'
import type { Stray } from '../../job/records/strays.ts'
import type { Submission } from '../../job/records/submission.ts'
import { requestHash } from '../../sprite-spec/key.ts'
import { type PaidRequest, type RequestReference, spriteOf } from '../../sprite-spec/request.ts'
import { findEntry, isStepId, type LockEntry, type LockFile, requestsOf, unnamedStepId } from '../../vault/lockfile.ts'
import type { Context } from '../context.ts'
import type { Survey } from '../survey.ts'

/**
 * A request that no spec asks for any more, because its prompt was edited or its sprite renamed or deleted.
 * Its description comes from the lock file.
 */
export interface Orphan {
  /** Name of the request when it was sent. */
  readonly id: string
  readonly hash: string
  readonly entry: LockEntry
}

/** An orphan with its submission, read from the journal. */
export interface KnownOrphan extends Orphan {
  readonly submission: Submission
}

/**
 * An execution that the service accepted late, after a person had given up its attempt and another attempt
 * had replaced that attempt. The execution is paid, but the request uses the execution of the later attempt.
 */
export interface OpenStray extends Orphan {
  readonly stray: Stray
}

/**
 * Lists the requests that no spec asks for, that may have been paid, and whose result is not stored.
 *
 * @param names Of sprites or animations; empty for all.
 * @param asked Hashes of the requests that the specs with these names ask for.
 */
export async function listOrphans(context: Context, names: readonly string[], asked: ReadonlySet<string>): Promise<readonly KnownOrphan[]> {
  const entries = entriesByHash(await context.lock.read())
  const orphans: KnownOrphan[] = []
  for (const hash of await context.journal.requests()) {
    const found = entries.get(hash)
    if (asked.has(hash) || !found || found.entry.result || !isNamed(names, found.id)) continue
    // A broken chain must not stop a run if no spec asks for its request.
    const submission = (await readUnlessBroken(context.journal, hash))?.submission
    if (!submission) continue
    const { accepted, stored, failed, abandoned, sends } = submission
    const isOpen = accepted !== undefined || sends.some((send) => send.answer.kind !== 'refused')
    if (isOpen && !stored && !failed && !abandoned) orphans.push({ ...found, hash, submission })
  }
  return orphans
}

/**
 * Lists the strays whose end is not recorded here yet, of requests that specs ask for and of all other requests.
 *
 * @param names Of sprites or animations; empty for all.
 * @param found Survey of the specs with these names; `undefined` if they cannot be read.
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
    const entry = found && findEntry(found.lock, id, hash)
    if (entry) add({ id, hash, entry }, found.submissionOf(hash).strays)
  }
  for (const [hash, { id, entry }] of entriesByHash(await context.lock.read())) {
    // Only a replaced attempt can leave a stray. The lock file records the later attempt,
    // so the chains of all other requests need not be read.
    if (asked.has(hash) || !isNamed(names, id) || (entry.submission?.attempt ?? 1) < 2) continue
    add({ id, hash, entry }, (await readUnlessBroken(context.journal, hash))?.submission.strays)
  }
  return [...strays.values()]
}

/** Whether names of sprites or animations include a request's name. */
export function isNamed(names: readonly string[], id: string): boolean {
  return names.length === 0 || names.includes(id) || names.includes(spriteOf(id))
}

/** Returns all requests of the lock file by hash, with their names. */
export function entriesByHash(lock: LockFile): ReadonlyMap<string, { readonly id: string; readonly entry: LockEntry }> {
  return new Map([...requestsOf(lock)].map(([hash, { id = unnamedStepId(hash), entry }]) => [hash, { id, entry }]))
}

/**
 * Makes an order that fetches an orphan. The order has no approval, because no new submission is ever sent for
 * an orphan.
 */
export function toOrphanOrder({ id, hash, entry }: Orphan): Order {
  const { service } = entry
  // The lock file does not record whether a reference is a file or a step, but the hash covers it.
  const requests = (['file', 'request'] as const).map((kind) => toRequest(id, entry, kind))
  const request = requests.find((one) => requestHash(one, service) === hash) ?? (requests[0] as PaidRequest)
  return { hash, identity: service, request, approval: undefined }
}

/** Requests and executions that no spec waits for. */
export interface Unasked {
  readonly orphans: readonly KnownOrphan[]
  readonly strays: readonly OpenStray[]
}

/**
 * Lists requests and executions that may have been paid and that no spec waits for.
 *
 * @param names Of sprites or animations; empty for all.
 * @param found Survey of the specs with these names.
 */
export async function listUnasked(context: Context, names: readonly string[], found: Survey): Promise<Unasked> {
  const asked = new Set([...found.items, ...found.steps].flatMap(({ hash }) => hash ?? []))
  return { orphans: await listOrphans(context, names, asked), strays: await listStrays(context, names, found) }
}

/** Warns about an orphan: its state, and the command that continues it. */
export function warnOfOrphan(context: Context, { id, submission }: KnownOrphan): void {
  context.warn(`"${id}", as an earlier version of its spec asked for it, ${standingWords(id, submission)}`)
}

/** Describes a stray for a person. */
export function strayWords({ id, stray }: OpenStray): string {
  return `"${id}", attempt ${stray.attempt}: answered by the service after another purchase had taken its place (execution ${stray.executionId})`
}

function standingWords(id: string, { accepted, question }: Submission): string {
  const name = commandName(id)
  if (!accepted)
    return `was sent and never answered. A build does not send it again; to decide: npx spritewright recover ${name} --replay, or --abandon.`
  if (question) return `waits for an answer: ${question.text} Answer it with: npx spritewright answer ${name} "…"`
  return 'is in flight: the first build after its end fetches it.'
}

/** Whether a build may find the execution finished: the service accepted it, and no question is open. */
export function isFetchable({ submission }: KnownOrphan): boolean {
  return submission.accepted !== undefined && submission.question === undefined
}

/**
 * Keeps the orphans of the services from which the current sprites were bought, because purchases with a test
 * key do not concern a live key. Returns all orphans if the lock file has no entry for a current sprite.
 */
export function ofPresentServices<T extends Orphan>(orphans: readonly T[], found: Survey): readonly T[] {
  const services = [...found.items, ...found.steps].flatMap(({ id, hash }) => {
    const entry = hash === undefined ? undefined : findEntry(found.lock, id, hash)
    return entry ? [entry.service] : []
  })
  const isOf = ({ entry }: T): boolean =>
    services.some(({ host, keyMode }) => host === entry.service.host && keyMode === entry.service.keyMode)
  return services.length === 0 ? orphans : orphans.filter(isOf)
}

/**
 * Rebuilds the request from the lock file. Before the request is sent again, it is compared with its hash, which
 * the approval signs.
 */
function toRequest(id: string, { asked }: LockEntry, kind: RequestReference['kind']): PaidRequest {
  const { prompt, operation, frames, background, options, take, reference = '' } = asked
  const from: RequestReference = kind === 'file' ? { kind, sha256: reference } : { kind, hash: reference }
  if (isStepId(id) || operation !== undefined)
    return {
      operation: (operation ?? 'text_to_image') as 'text_to_image',
      id,
      prompt,
      ...(reference === '' ? {} : { reference: from }),
      take: take ?? 1,
    }
  return {
    operation: 'sprite_sheet',
    id,
    prompt,
    reference: from,
    frames: frames ?? 0,
    background: background ?? 'remove',
    take: take ?? 1,
    ...(options ? { options } : {}),
  }
}
