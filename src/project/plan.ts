import { type ApprovalVerdict, type Approvers, isLapsed, judgeApproval } from '../credit/approval.ts'
import { approverWords } from '../credit/approval-words.ts'
import { type Credits, parseCredits } from '../credit/credits.ts'
import type { Given } from '../credit/given.ts'
import { mayAdopt } from '../job/adopt.ts'
import { type DecisionFacts, decide } from '../job/decision.ts'
import type { Submission } from '../job/records/submission.ts'
import { clauseOf } from '../service/reasons.ts'
import type { FrameReview, Question } from '../service/wire.ts'
import { embeddedHost, type ImageRequest, type PaidRequest, type ServiceIdentity } from '../sprite-spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../sprite-spec/spec.ts'
import { findEntry, type LockEntry, type LockFile } from '../vault/lockfile.ts'
import { changedFields, type SupersededResult, supersededBy } from './last-purchase.ts'

/**
 * The state of one animation.
 *
 * - `bought`: its result is in the vault.
 * - `lost`: the animation was bought, but its result is not here. The result can be fetched again for free by
 *   its execution id.
 * - `approved`: a ceiling is recorded, nothing was sent.
 * - `running`: an execution is known and has not ended.
 * - `question`: an execution waits for an answer.
 * - `uncertain`: a submission or an answer was sent, its outcome is unknown, and a replay is no longer safe. A
 *   person decides.
 * - `failed`: the last attempt ended without a result.
 * - `missing`: the animation has no approval, submission or result.
 */
export type PlanState = 'bought' | 'lost' | 'approved' | 'running' | 'question' | 'uncertain' | 'failed' | 'missing'

/** The state of one request, with the facts that decide it. */
export interface Standing {
  /** Request hash; missing if the service's identity is unknown (nothing bought and no key). */
  readonly hash?: string
  readonly state: PlanState
  /** The attempt that counts for the request, from 1; missing if nothing was ever frozen. */
  readonly attempt?: number
  /** The ceiling that is recorded for exactly this request. */
  readonly ceiling?: Credits
  /** The approval, with its approver and whether it counts here; only if the request is not bought. */
  readonly approval?: StandingApproval
  /** A fresh price; only if the request has to be bought and the service was asked. */
  readonly quote?: Quote
  readonly executionId?: string
  readonly question?: Question
  /** SHA-256 of the bought result. */
  readonly result?: string
  /** Set if the journal has records that the user's own processes did not write. Such records cause no submission. */
  readonly isForeign?: true
  /** Explains a state that needs a person. */
  readonly note?: string
  /**
   * The subject of a person's decision: a submission or an answer with an unknown outcome, or an idempotency key
   * under which the service has other bytes.
   */
  readonly undecided?: 'submission' | 'answer' | 'conflict'
}

/** The facts of an approval that a person sees. */
export interface StandingApproval {
  /** Fingerprint of the approver's key; in approvals of earlier versions the id of a checkout. */
  readonly buyer: string
  readonly given?: Given | undefined
  readonly at: string
  /** The price version that the person saw. If the service has another version now, the approval buys nothing. */
  readonly priceVersion: string
  /** Missing in approvals of earlier versions. */
  readonly project?: string | undefined
  readonly expires?: string | undefined
  /** Whether it was given in the shell of a coding agent, by the journal. */
  readonly shell?: 'agent' | undefined
  /** Only a `valid` approval allows a purchase. */
  readonly verdict: ApprovalVerdict
}

/** The current price of a request, which is not binding. */
export interface Quote {
  readonly credits: Credits
  readonly priceVersion: string
  /** For display; only the estimate of a sheet has both. */
  readonly referenceUsd?: string
  readonly referenceCreditCents?: number
  /** `credits` in USD, in a plan: a decimal text, not binding. Undefined if no price had a reference. */
  readonly usd?: string | undefined
}

/** One animation of the project: its request, its state and its price. */
export interface PlanItem extends Standing {
  /** `sprite.animation`. */
  readonly id: string
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly request: PaidRequest
  /**
   * The paid fields that changed since the last purchase, e.g. `prompt`, `frames`; empty for a first
   * purchase.
   */
  readonly changed: readonly string[]
  /** The service's review of the bought frames. */
  readonly review?: FrameReview
  /**
   * The last result that was bought before the animation was changed; only if the present request is not bought.
   */
  readonly superseded?: SupersededResult
}

/** One paid step of a reference chain, which is bought, or needed by an animation that is not bought yet. */
export interface PlanStep extends Standing {
  /** `sprite#2`, with the name of the first sprite that needs it. */
  readonly id: string
  readonly request: ImageRequest
  /** Names of all sprites whose chains include this step. */
  readonly sprites: readonly string[]
  /** All ids of the step. A sprite with equal steps gives a step several ids. */
  readonly ids: readonly string[]
}

/** The service at which a request may be bought, or was bought. */
export interface KnownService {
  /** Identity of the service, from its answer; `undefined` before the first answer. */
  readonly identity?: ServiceIdentity | undefined
  /**
   * Host of the configured service; purchases from other hosts do not count. `undefined` if no service is
   * configured.
   */
  readonly host?: string | undefined
}

/**
 * Finds the identity and the hash that apply to the request of an animation.
 *
 * Online, the identity is that of the service that answers. Offline, it comes from the lock file's purchases.
 * A purchase fits if the spec, hashed under the purchase's identity, gives the purchase's request hash. A
 * purchase with a live key comes before a purchase with a test key. Among these, a purchase with a result comes
 * first. So an approval for a live key comes before a result of a test key (C38).
 */
export function identify(
  id: string,
  hashOf: (identity: ServiceIdentity) => string,
  lock: LockFile,
  known: KnownService,
): { readonly identity: ServiceIdentity; readonly hash: string } | undefined {
  if (known.identity) return { identity: known.identity, hash: hashOf(known.identity) }
  const found: { identity: ServiceIdentity; hash: string; rank: number }[] = []
  for (const identity of servicesOf(lock)) {
    if (known.host !== undefined && identity.host !== known.host) continue
    const hash = hashOf(identity)
    const entry = findEntry(lock, id, hash)
    if (entry) found.push({ identity, hash, rank: (identity.keyMode === 'live' ? 2 : 0) + (entry.result ? 1 : 0) })
  }
  found.sort((a, b) => b.rank - a.rank || (a.hash < b.hash ? -1 : 1))
  return found[0] && { identity: found[0].identity, hash: found[0].hash }
}

/** The stored facts that determine the states of requests. */
export interface PlanFacts {
  readonly lock: LockFile
  readonly approvers: Approvers
  /** The submission that the journal records for a request. */
  readonly submissionOf: (hash: string) => Submission
  /** Whether the vault holds a result. */
  readonly isKept: (sha256: string) => boolean
  readonly decision: Omit<DecisionFacts, 'keyTag' | 'approvedAt'> & { readonly keyTagOf?: KeyTagOf | undefined }
}

/** Returns the fingerprint of today's API key for a request, by the request's hash. */
export type KeyTagOf = (hash: string) => string

/**
 * Determines the state of one request. Pure.
 *
 * @param hash `undefined` if the identity of the service is unknown.
 */
export function standingOf(facts: PlanFacts, id: string, hash: string | undefined): Standing {
  if (hash === undefined) return { state: 'missing' }
  const entry = findEntry(facts.lock, id, hash)
  const submission = facts.submissionOf(hash)
  // If another machine bought under this or a later attempt, its purchase counts before an attempt that ended here.
  const isElsewhere = entry !== undefined && mayAdopt(submission, entry)
  const ownExecution = submission.accepted?.executionId ?? (submission.failed ? undefined : entry?.execution?.id)
  const executionId = isElsewhere ? entry.execution?.id : ownExecution
  const attempt = isElsewhere ? (entry.submission?.attempt ?? Math.max(submission.attempt, 1)) : submission.attempt
  const base = {
    hash,
    ...(attempt > 0 ? { attempt } : {}),
    ...(entry?.approval ? { ceiling: parseCredits(entry.approval.ceiling) } : {}),
    executionId,
    ...(submission.question && !isAnswered(submission) ? { question: submission.question } : {}),
  }
  const ownResult = submission.abandoned ? undefined : (submission.stored?.sha256 ?? entry?.result?.sha256)
  const result = isElsewhere ? entry.result?.sha256 : ownResult
  if (result !== undefined) {
    if (facts.isKept(result)) return { ...base, state: 'bought', result }
    // The journal of the checkout that bought the result is beside the embedded service's state.
    const isElsewhereAlone = entry?.service.host === embeddedHost && !submission.stored
    return { ...base, state: 'lost', result, ...(isElsewhereAlone ? { note: embeddedNote } : {}) }
  }
  if (isElsewhere) return { ...base, state: 'running' }
  const open = openState(facts, hash, submission, entry)
  const approval = readApproval(facts, hash, entry, submission)
  if (approval === undefined) return { ...base, ...open }
  if (!isLapsed(approval, approval.verdict, facts.approvers)) return { ...base, approval, ...open }
  // An approval that has ended does not count.
  const { ceiling: _ceiling, ...rest } = base
  const { verdict } = approval
  if (open.state !== 'approved' || verdict === 'valid') return { ...rest, ...open }
  return { ...rest, ...open, state: 'missing', note: `approved ${approverWords(approval, verdict)}` }
}

/**
 * Judges the approval of a request that is not bought. For a bought request, checking a signature would take longer
 * than all other work, so its approval is not judged.
 */
function readApproval(
  { approvers, decision }: PlanFacts,
  hash: string,
  entry: LockEntry | undefined,
  { newest }: Submission,
): StandingApproval | undefined {
  if (!entry?.approval) return undefined
  const { ceiling, checkout: _checkout, publicKey: _key, signature: _signature, touch: _touch, ...shown } = entry.approval
  const approval = { ...entry.approval, ceiling: parseCredits(ceiling) }
  const verdict = judgeApproval(approval, hash, entry.service, approvers, { now: decision.wall, newest })
  const shell = newest?.at === shown.at ? newest.shell : undefined
  return { ...shown, ...(shell && { shell }), verdict }
}

/** Determines the state of one animation, and the changed fields if it has to be bought. Pure. */
export function planAnimation(
  facts: PlanFacts,
  spec: SpriteSpec,
  animation: AnimationSpec,
  request: PaidRequest,
  hash: string | undefined,
  host: string | undefined,
): PlanItem {
  const standing = standingOf(facts, request.id, hash)
  const review = hash === undefined ? undefined : findEntry(facts.lock, request.id, hash)?.result?.review
  return {
    ...standing,
    id: request.id,
    spec,
    animation,
    request,
    changed: standing.state === 'missing' ? changedFields(request, facts.lock, host) : [],
    review,
    ...(standing.state === 'bought' ? {} : supersededBy(request, hash, facts.lock, host)),
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
      // Every POST was refused, so the next POST starts a new submission. This needs an approval at today's price,
      // and this state allows a new approval.
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
      if (step.why.kind === 'abandoned') return { state: 'failed', note: 'given up; approve it again to buy it' }
      if (step.why.kind === 'conflict')
        return { state: 'failed', note: 'another checkout sent the same request with other bytes', undecided: 'conflict' }
      if (step.why.kind === 'failed' && step.why.status === 'cancelled') return { state: 'failed', note: 'cancelled' }
      return { state: 'failed', note: step.why.error ? clauseOf(step.why.error) : step.why.kind }
    default:
      return { state: submission.question && !isAnswered(submission) ? 'question' : 'running' }
  }
}

const embeddedNote = 'an embedded service has it only in the checkout that bought it'
const foreignNote = 'its journal holds records that were not written with your key; they cause no submission'

/** Whether an answer was sent. A refused answer does not count. */
function isAnswered({ answer }: Submission): boolean {
  return answer?.sends.some((send) => send.answer.kind !== 'refused') === true
}

/** Returns, without repetition, the services from which anything was bought or is approved. */
export function servicesOf(lock: LockFile): readonly ServiceIdentity[] {
  const known = services.get(lock) ?? readServices(lock)
  services.set(lock, known)
  return known
}

/** The services of each loaded lock file, which is never changed in place. Every sprite needs the same list. */
const services = new WeakMap<LockFile, readonly ServiceIdentity[]>()

function readServices(lock: LockFile): readonly ServiceIdentity[] {
  const entries = [...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) => Object.values(requests))
  return [...new Map(entries.map(({ service }) => [`${service.host} ${service.keyMode} ${service.apiVersion}`, service])).values()]
}
