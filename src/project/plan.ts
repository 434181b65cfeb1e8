import { type ApprovalVerdict, type Approvers, type Given, judgeApproval } from '../credit/approval.ts'
import { type Credits, parseCredits } from '../credit/credits.ts'
import { mayAdopt } from '../job/adopt.ts'
import { type DecisionFacts, decide } from '../job/decision.ts'
import type { Submission } from '../job/records/submission.ts'
import type { FrameReview, Question } from '../service/wire.ts'
import type { ImageRequest, ServiceIdentity, SheetRequest } from '../spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'
import { findEntry, isStepId, type LockEntry, type LockFile } from '../vault/lockfile.ts'

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

/** Where one paid thing stands. */
export interface Standing {
  /** Request hash; undefined while the service's identity is unknown (nothing bought and no key). */
  readonly hash?: string
  readonly state: PlanState
  /** The attempt that stands for it, from 1; missing where nothing was ever frozen. */
  readonly attempt?: number
  /** The recorded ceiling of this very request. */
  readonly ceiling?: Credits
  /** Who approved it, and whether that counts here; only of what is not bought. */
  readonly approval?: StandingApproval
  /** A fresh price; only where something has to be bought and the service was asked. */
  readonly quote?: Quote
  readonly executionId?: string
  readonly question?: Question
  /** SHA-256 of the bought result. */
  readonly result?: string
  /** The journal holds records that the user's own processes did not write: nothing is sent by them. */
  readonly isForeign?: true
  /** Words on a state that needs a person. */
  readonly note?: string
  /** What a person has to decide about: a submission or an answer that was sent and never answered, or a key that the service knows with other bytes. */
  readonly undecided?: 'submission' | 'answer' | 'conflict'
}

/** An approval as a person is shown it. */
export interface StandingApproval {
  /** Fingerprint of the approver's key; in approvals of earlier versions the id of a checkout. */
  readonly buyer: string
  readonly given?: Given
  readonly at: string
  /** Only `valid` ones are bought on. */
  readonly verdict: ApprovalVerdict
}

/** What a request would cost now; not binding. */
export interface Quote {
  readonly credits: Credits
  readonly priceVersion: string
  /** For display; only a sheet's estimate has it. */
  readonly referenceUsd?: string
}

/** One animation of the project: what it asks, where it stands, what it would cost. */
export interface PlanItem extends Standing {
  /** `sprite.animation`. */
  readonly id: string
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: SheetRequest
  /** Why it is not bought: the paid fields that changed since the last purchase, e.g. `prompt`, `frames`; empty for a first purchase. */
  readonly changed: readonly string[]
  /** The service's review of the bought frames. */
  readonly review?: FrameReview
}

/** One paid step of a reference chain that something still to be bought needs, or that was bought. */
export interface PlanStep extends Standing {
  /** `sprite#2`, of the first sprite that needs it. */
  readonly id: string
  readonly request: ImageRequest
  /** Names of all sprites whose chain has this step. */
  readonly sprites: readonly string[]
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
 * anew from the spec; a live one before one of a test key, and only then one with a result before one without: what was approved for a live key must not
 * be passed over for a test result (C38).
 */
export function identify(
  id: string,
  hashOf: (identity: ServiceIdentity) => string,
  lock: LockFile,
  known: KnownService,
): { readonly identity: ServiceIdentity; readonly hash: string } | undefined {
  if (known.identity) return { identity: known.identity, hash: hashOf(known.identity) }
  const found: { identity: ServiceIdentity; hash: string; rank: number }[] = []
  for (const identity of servicesOf(lock, id)) {
    if (known.host !== undefined && identity.host !== known.host) continue
    const hash = hashOf(identity)
    const entry = findEntry(lock, id, hash)
    if (entry) found.push({ identity, hash, rank: (identity.keyMode === 'live' ? 2 : 0) + (entry.result ? 1 : 0) })
  }
  found.sort((a, b) => b.rank - a.rank || (a.hash < b.hash ? -1 : 1))
  return found[0] && { identity: found[0].identity, hash: found[0].hash }
}

/** What the project's papers say, beside the lock file. */
export interface PlanFacts {
  readonly lock: LockFile
  readonly approvers: Approvers
  /** What the journal says of a request. */
  readonly submissionOf: (hash: string) => Submission
  /** Whether the vault holds a result. */
  readonly isKept: (sha256: string) => boolean
  readonly decision: Omit<DecisionFacts, 'keyTag' | 'approvedAt'> & { readonly keyTagOf?: KeyTagOf | undefined }
}

/** Fingerprint of today's API key for a request, by its hash. */
export type KeyTagOf = (hash: string) => string

/** Where one request stands. Pure. @param hash Undefined where nobody knows under which identity it would be bought. */
export function standingOf(facts: PlanFacts, id: string, hash: string | undefined): Standing {
  if (hash === undefined) return { state: 'missing' }
  const entry = findEntry(facts.lock, id, hash)
  const submission = facts.submissionOf(hash)
  // What another machine bought under this or a later attempt counts before what ended here.
  const isElsewhere = entry !== undefined && mayAdopt(submission, entry)
  const ownExecution = submission.accepted?.executionId ?? (submission.failed ? undefined : entry?.execution?.id)
  const executionId = isElsewhere ? entry.execution?.id : ownExecution
  const attempt = isElsewhere ? (entry.submission?.attempt ?? Math.max(submission.attempt, 1)) : submission.attempt
  const base = {
    hash,
    ...(attempt > 0 ? { attempt } : {}),
    ...(entry?.approval ? { ceiling: parseCredits(entry.approval.ceiling) } : {}),
    ...(executionId === undefined ? {} : { executionId }),
    ...(submission.question && !isAnswered(submission) ? { question: submission.question } : {}),
  }
  const ownResult = submission.abandoned ? undefined : (submission.stored?.sha256 ?? entry?.result?.sha256)
  const result = isElsewhere ? entry.result?.sha256 : ownResult
  if (result !== undefined) return { ...base, state: facts.isKept(result) ? 'bought' : 'lost', result }
  if (isElsewhere) return { ...base, state: 'running' }
  return { ...base, ...readApproval(facts, hash, entry), ...openState(facts, hash, submission, entry) }
}

/** Only of what is not bought: checking a signature takes longer than all else about a bought animation. */
function readApproval({ approvers }: PlanFacts, hash: string, entry: LockEntry | undefined): Pick<Standing, 'approval'> {
  if (!entry?.approval) return {}
  const { buyer, given, at, ceiling } = entry.approval
  const verdict = judgeApproval({ ...entry.approval, ceiling: parseCredits(ceiling) }, hash, entry.service, approvers)
  return { approval: { buyer, ...(given === undefined ? {} : { given }), at, verdict } }
}

/** Where one animation stands, and what changed where it has to be bought. Pure. */
export function planAnimation(
  facts: PlanFacts,
  spec: SpriteSpec,
  animation: AnimationSpec,
  request: SheetRequest,
  hash: string | undefined,
): PlanItem {
  const standing = standingOf(facts, request.id, hash)
  const review = hash === undefined ? undefined : findEntry(facts.lock, request.id, hash)?.result?.review
  return {
    ...standing,
    id: request.id,
    spec,
    animation,
    request,
    changed: standing.state === 'missing' ? changedFields(request, facts.lock) : [],
    ...(review ? { review } : {}),
  }
}

function openState(
  facts: PlanFacts,
  hash: string,
  submission: Submission,
  entry: LockEntry | undefined,
): Pick<Standing, 'state' | 'note' | 'undecided' | 'isForeign'> {
  const approved: PlanState = entry?.approval ? 'approved' : 'missing'
  const { decision } = facts
  const keyTag = decision.keyTagOf?.(hash) ?? submission.sends.at(-1)?.keyTag ?? ''
  const step = decide(submission, { ...decision, keyTag, approvedAt: entry?.approval?.at })
  switch (step.do) {
    case 'prepare':
      return { state: approved }
    case 'replay':
      // Every POST was refused: the next one starts something new, so it needs an approval at the price of today, and must be able to get one.
      if (submission.sends.every(({ answer }) => answer.kind === 'refused')) return { state: approved }
      return { state: 'running', note: 'sent, not answered yet; the next build sends it again under the same key' }
    case 'stop':
      if (step.why.kind === 'uncertain' && step.why.because === 'records')
        return {
          state: 'uncertain',
          isForeign: true,
          note: foreignNote,
          undecided: submission.answer && !submission.failed ? 'answer' : 'submission',
        }
      if (step.why.kind === 'uncertain')
        return submission.accepted
          ? { state: 'uncertain', note: 'an answer was sent and never confirmed; whether it arrived is unknown', undecided: 'answer' }
          : { state: 'uncertain', note: 'sent and never answered; whether it was bought is unknown', undecided: 'submission' }
      if (step.why.kind === 'abandoned') return { state: 'failed', note: 'given up; approve it anew to buy it' }
      if (step.why.kind === 'conflict')
        return { state: 'failed', note: 'another checkout sent the same request with other bytes', undecided: 'conflict' }
      if (step.why.kind === 'failed' && step.why.status === 'cancelled') return { state: 'failed', note: 'cancelled' }
      return { state: 'failed', note: step.why.error?.message ?? step.why.kind }
    default:
      return { state: submission.question && !isAnswered(submission) ? 'question' : 'running' }
  }
}

const foreignNote = 'its journal holds records that were not written with your key; nothing is sent by them'

/** Whether an answer is on its way; one that was refused is none. */
function isAnswered({ answer }: Submission): boolean {
  return answer?.sends.some((send) => send.answer.kind !== 'refused') === true
}

/** Which paid fields differ from the last thing that was bought or approved for this animation; empty where there was nothing. */
function changedFields(request: SheetRequest, lock: LockFile): readonly string[] {
  const before = entriesOf(lock, request.id)
    .map(([, entry]) => entry)
    .filter((entry) => entry.result ?? entry.approval)
    .sort((a, b) => ((a.approval?.at ?? '') < (b.approval?.at ?? '') ? 1 : -1))
  const last = before[0]
  if (!last) return []
  const { prompt, reference, frames, background, take } = request
  const now = { prompt, reference: reference.kind === 'file' ? reference.sha256 : reference.hash, frames, background, take }
  const changed = Object.entries(now).flatMap(([field, value]) => (last.asked[field as keyof typeof now] === value ? [] : [field]))
  if (JSON.stringify(last.asked.options ?? {}) !== JSON.stringify(request.options ?? {})) changed.push('options')
  return changed.length > 0 ? changed : ['service']
}

/** Services that anything of this kind was approved for or bought from, each once. */
function servicesOf(lock: LockFile, id: string): readonly ServiceIdentity[] {
  const known = services.get(lock) ?? readServices(lock)
  services.set(lock, known)
  return isStepId(id) ? known.steps : known.animations
}

/** Lock files are never changed in place, and each sprite of a project asks for the same list. */
const services = new WeakMap<LockFile, ReturnType<typeof readServices>>()

function readServices(lock: LockFile): { readonly animations: readonly ServiceIdentity[]; readonly steps: readonly ServiceIdentity[] } {
  const distinct = (entries: readonly LockEntry[]): readonly ServiceIdentity[] => [
    ...new Map(entries.map(({ service }) => [`${service.host} ${service.keyMode} ${service.apiVersion}`, service])).values(),
  ]
  return {
    animations: distinct(Object.values(lock.animations).flatMap((requests) => Object.values(requests))),
    steps: distinct(Object.values(lock.steps ?? {})),
  }
}

function entriesOf(lock: LockFile, id: string): readonly (readonly [string, LockEntry])[] {
  if (isStepId(id)) return Object.entries(lock.steps ?? {})
  return Object.hasOwn(lock.animations, id) ? Object.entries(lock.animations[id] ?? {}) : []
}
