import { type Credits, parseCredits } from '../credit/credits.ts'
import { type DecisionFacts, decide } from '../job/decision.ts'
import type { Submission } from '../job/record.ts'
import type { FrameReview, Question } from '../service/wire.ts'
import { requestHash } from '../spec/key.ts'
import type { ServiceIdentity, SheetRequest } from '../spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'
import { findEntry, type LockEntry, type LockFile } from '../vault/lockfile.ts'

/**
 * Where one animation stands.
 *
 * - `bought`: its result is in the vault.
 * - `lost`: it was bought, its result is not here; it can be fetched again for free by its execution id.
 * - `approved`: a ceiling is recorded, nothing was sent.
 * - `running`: an execution is known and not at its end.
 * - `question`: an execution waits for an answer.
 * - `uncertain`: something was sent and never answered; a replay is not safe any more, a person decides.
 * - `failed`: the last attempt ended without a result.
 * - `missing`: nothing of it exists.
 */
export type PlanState = 'bought' | 'lost' | 'approved' | 'running' | 'question' | 'uncertain' | 'failed' | 'missing'

/** One animation of the project: what it asks, where it stands, what it would cost. */
export interface PlanItem {
  /** `sprite.animation`. */
  readonly id: string
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: SheetRequest
  /** Request hash; undefined while the service's identity is unknown (nothing bought and no key). */
  readonly hash?: string
  readonly state: PlanState
  /** The recorded ceiling of this very request. */
  readonly ceiling?: Credits
  /** A fresh estimate; only where something has to be bought and the service was asked. */
  readonly quote?: { readonly credits: Credits; readonly priceVersion: string; readonly referenceUsd: string }
  /** Why it is not bought: the paid fields that changed since the last purchase, e.g. `prompt`, `frames`; empty for a first purchase. */
  readonly changed: readonly string[]
  readonly executionId?: string
  readonly question?: Question
  /** The service's review of the bought frames. */
  readonly review?: FrameReview
  /** SHA-256 of the bought result. */
  readonly result?: string
  /** Words on a state that needs a person. */
  readonly note?: string
}

/** Where a request may be, or have been, bought. */
export interface KnownService {
  /** Identity of the service as it answered; undefined while it was not asked. */
  readonly identity?: ServiceIdentity | undefined
  /** Host of the configured service, where one is configured: purchases from other hosts do not count then. */
  readonly host?: string | undefined
}

/**
 * The identity and hash under which an animation's request is looked at.
 *
 * Online, that is the service that answers. Offline it is found among the purchases of the lock file: one whose hash comes out the same when it is computed
 * anew from the spec; a live one before one of a test key, one with a result before one without.
 */
export function identify(
  request: SheetRequest,
  lock: LockFile,
  known: KnownService,
): { readonly identity: ServiceIdentity; readonly hash: string } | undefined {
  if (known.identity) return { identity: known.identity, hash: requestHash(request, known.identity) }
  const found: { identity: ServiceIdentity; hash: string; rank: number }[] = []
  for (const [hash, entry] of entriesOf(lock, request.id)) {
    if (known.host !== undefined && entry.service.host !== known.host) continue
    if (requestHash(request, entry.service) !== hash) continue
    found.push({ identity: entry.service, hash, rank: (entry.result ? 2 : 0) + (entry.service.keyMode === 'live' ? 1 : 0) })
  }
  found.sort((a, b) => b.rank - a.rank || (a.hash < b.hash ? -1 : 1))
  return found[0] && { identity: found[0].identity, hash: found[0].hash }
}

/** Everything that decides where one animation stands. */
export interface PlanFacts {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: SheetRequest
  readonly lock: LockFile
  readonly known: KnownService
  /** What the journal says of a request. */
  readonly submissionOf: (hash: string) => Submission
  /** Whether the vault holds a result. */
  readonly isKept: (sha256: string) => boolean
  readonly decision: Omit<DecisionFacts, 'keyTag' | 'approvedAt'> & { readonly keyTag?: string | undefined }
}

/** Where one animation stands. Pure. */
export function planAnimation(facts: PlanFacts): PlanItem {
  const { spec, animation, request, lock } = facts
  const base = { id: request.id, spec, animation, request }
  const identified = identify(request, lock, facts.known)
  if (!identified) return { ...base, state: 'missing', changed: changedFields(request, lock) }
  const { hash } = identified
  const entry = findEntry(lock, request.id, hash)
  const submission = facts.submissionOf(hash)
  const ceiling = entry?.approval ? { ceiling: parseCredits(entry.approval.ceiling) } : {}
  const review = entry?.result?.review ? { review: entry.result.review } : {}
  const executionId = submission.accepted?.executionId ?? (submission.failed ? undefined : entry?.execution?.id)
  const item = {
    ...base,
    hash,
    ...ceiling,
    ...review,
    ...(executionId === undefined ? {} : { executionId }),
    changed: [] as readonly string[],
  }
  const result = submission.stored?.sha256 ?? entry?.result?.sha256
  if (result !== undefined) return facts.isKept(result) ? { ...item, state: 'bought', result } : { ...item, state: 'lost', result }
  const open = openState(facts, submission, entry)
  return { ...item, ...open, changed: open.state === 'missing' ? changedFields(request, lock) : [] }
}

function openState(facts: PlanFacts, submission: Submission, entry: LockEntry | undefined): { state: PlanState; note?: string } {
  const approved: PlanState = entry?.approval ? 'approved' : 'missing'
  if (!submission.accepted && entry?.execution && (entry.submission?.attempt ?? 1) >= submission.attempt) return { state: 'running' }
  const { decision } = facts
  const keyTag = decision.keyTag ?? submission.sends.at(-1)?.keyTag ?? ''
  const step = decide(submission, { ...decision, keyTag, approvedAt: entry?.approval?.at })
  switch (step.do) {
    case 'prepare':
      return { state: approved }
    case 'replay':
      return { state: 'running', note: 'sent, not answered yet; the next build sends it again under the same key' }
    case 'stop':
      if (step.why.kind === 'uncertain') return { state: 'uncertain', note: 'sent and never answered; whether it was bought is unknown' }
      if (step.why.kind === 'conflict') return { state: 'failed', note: 'another checkout sent the same request with other bytes' }
      return { state: 'failed', note: step.why.error?.message ?? step.why.kind }
    default:
      return { state: 'running' }
  }
}

/** Which paid fields differ from the last thing that was bought or approved for this animation; empty where there was nothing. */
function changedFields(request: SheetRequest, lock: LockFile): readonly string[] {
  const before = entriesOf(lock, request.id)
    .map(([, entry]) => entry)
    .filter((entry) => entry.result ?? entry.approval)
    .sort((a, b) => ((a.approval?.at ?? '') < (b.approval?.at ?? '') ? 1 : -1))
  const last = before[0]
  if (!last) return []
  const now = {
    prompt: request.prompt,
    reference: request.referenceSha256,
    frames: request.frames,
    background: request.background,
    take: request.take,
  }
  const changed = Object.entries(now).flatMap(([field, value]) => (last.asked[field as keyof typeof now] === value ? [] : [field]))
  if (JSON.stringify(last.asked.options ?? {}) !== JSON.stringify(request.options ?? {})) changed.push('options')
  return changed.length > 0 ? changed : ['service']
}

function entriesOf(lock: LockFile, id: string): readonly (readonly [string, LockEntry])[] {
  return Object.hasOwn(lock.animations, id) ? Object.entries(lock.animations[id] ?? {}) : []
}
