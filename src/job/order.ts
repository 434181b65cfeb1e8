import { createHash } from 'node:crypto'
import type { Approval, Approvers } from '../credit/approval.ts'
import type { Credits } from '../credit/credits.ts'
import type { Ledger } from '../credit/ledger.ts'
import type { KeyRing } from '../credit/signing-key.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'
import type { ReferenceFile, ServiceClient } from '../service/client.ts'
import type { Places } from '../service/limits/places.ts'
import type { Capabilities } from '../service/wire.ts'
import type { PaidRequest, ServiceIdentity } from '../sprite-spec/request.ts'
import type { Vault } from '../vault/layers.ts'
import type { LockStore } from '../vault/lock-store.ts'
import type { AskedFields } from '../vault/lockfile.ts'
import type { DecisionFacts } from './decision.ts'
import type { Journal } from './records/journal.ts'
import type { Reservations } from './records/reservations.ts'
import type { Uploads } from './uploads.ts'

/** The progress of one request, for display. No decision depends on it. */
export interface JobProgress {
  /** `sprite.animation`. */
  readonly id: string
  readonly phase: 'checking' | 'uploading' | 'submitting' | 'queued' | 'running' | 'waiting' | 'downloading' | 'bought' | 'failed'
  /** 0 to 1 while `running`, if the service reports it. */
  readonly progress?: number
  /** The service's message, or the reason of a wait. */
  readonly message?: string
  /** Credits that are now held for this request; 0 after they were settled or restored. */
  readonly held?: Credits
  /** Credits that this request has cost. */
  readonly settled?: Credits
}

/** Receives progress. It must not throw. */
export type ProgressListener = (progress: JobProgress) => void

/** The source picture of an order. */
export type OrderReference =
  /** A file of the project. */
  | { readonly kind: 'file'; readonly sha256: string; readonly file: ReferenceFile }
  /** The result of an earlier step, which is bought first if it is missing. */
  | { readonly kind: 'order'; readonly order: Order }

/** One request to purchase. */
export interface Order {
  /** Request hash. */
  readonly hash: string
  readonly request: PaidRequest
  readonly identity: ServiceIdentity
  /** `undefined` for a request without a picture. */
  readonly reference?: OrderReference
  /** `undefined` if the request is already in flight and nothing new may be sent. */
  readonly approval: Approval | undefined
  /**
   * Number of the attempt whose bytes the lock file has, if a trusted key signed these bytes.
   *
   * @default 1
   */
  readonly lockedAttempt?: number | undefined
}

/** The outcome of an order. */
export interface Purchase {
  readonly id: string
  readonly hash: string
  /** SHA-256 of the result in the vault. */
  readonly sha256: string
  /** Credits that were held and settled, decimal text; `undefined` if another machine bought the result. */
  readonly credits: string | undefined
  /** Whether this run did any of the work; `false` if the result was recorded before. */
  readonly isFresh: boolean
  /** Why the result cannot be read. The vault keeps such a result. Missing if the result can be read. */
  readonly fault?: ResultFault
}

/** Why a result cannot be read, in complete sentences. */
export interface ResultFault {
  /** The error of the reader. */
  readonly why: string
  /** The outcome of further downloads. */
  readonly again: string
}

/** Everything that a purchase needs. */
export interface JobPorts {
  readonly client: ServiceClient
  readonly journal: Journal
  readonly lock: LockStore
  readonly vault: Vault
  /**
   * Opens a result in the vault. Returns the reason why it cannot be read, a sentence; `undefined` if it can be read.
   */
  readonly faultOf: (request: PaidRequest, bytes: Uint8Array) => string | undefined
  readonly ledger: Ledger
  readonly reservations: Reservations
  readonly uploads: Uploads
  /** The account's places for active jobs. */
  readonly places: Places
  readonly clock: Clock
  readonly random: Random
  /** The service's capabilities, read once in a run. */
  readonly capabilities: Capabilities
  /** Whether this run may start new submissions. If not, it only completes those in flight. */
  readonly mayBuy: boolean
  /**
   * Whether this run may repeat a submission that the service may never have received. True if the run may
   * buy, or if a person has just decided to replay.
   */
  readonly mayReplay: boolean
  /** The approvers whose approvals a purchase may use. */
  readonly approvers: Approvers
  /** The user's own key. It signs frozen bytes. */
  readonly keys: KeyRing
  /** How long an unanswered submission may be replayed, in milliseconds. */
  readonly windowMs: number
  /**
   * How long another machine may take for a submission before a person has to decide about it, in
   * milliseconds. Only with a shared journal.
   */
  readonly elsewhereMs?: number | undefined
  readonly onProgress: ProgressListener
  /** Receives one sentence for a person. */
  readonly warn: (message: string) => void
  /** Orders under way in this run, by request hash. A step that several sprites need is bought once. */
  readonly underWay: Map<string, Promise<Purchase>>
  /** Aborted to end the run; checked between steps, never inside a submission. */
  readonly signal: AbortSignal
}

/** The current facts for a decision. */
export function factsNow(ports: Pick<JobPorts, 'clock' | 'windowMs' | 'client'>, order: Order): DecisionFacts {
  const { clock, windowMs, client } = ports
  return {
    wall: clock.wall(),
    mono: clock.mono(),
    windowMs,
    keyTag: client.keyTag(order.hash),
    approvedAt: order.approval?.at,
    lockedAttempt: order.lockedAttempt,
  }
}

/** The name that commands use for the owner of an id: `hero.walk` itself, or `hero` of the step `hero#2`. */
export function commandName(id: string): string {
  return id.split('#')[0] ?? id
}

/** The summary of a request in the lock file. */
export function askedFields(request: PaidRequest): AskedFields {
  const { prompt, reference } = request
  const from = reference === undefined ? {} : { reference: reference.kind === 'file' ? reference.sha256 : reference.hash }
  const { operation, take } = request
  if (operation !== 'sprite_sheet') return { prompt, ...from, operation, ...(take > 1 ? { take } : {}) }
  const { frames, background, options } = request
  return { prompt, ...from, frames, background, ...(options ? { options } : {}), take }
}

/**
 * The idempotency key of an attempt: `sw1-` and 52 characters of base32. It is derived from the request and the
 * service, never from the API key: a rotated API key must not buy again.
 */
export function idempotencyKey(identity: ServiceIdentity, requestHash: string, attempt: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([identity.host, identity.keyMode, requestHash, attempt]))
    .digest()
  return `sw1-${base32(digest)}`
}

/** RFC 4648 base32 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      text += alphabet[(held >> (bits - 5)) & 31]
      bits -= 5
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}
