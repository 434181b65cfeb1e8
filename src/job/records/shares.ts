import { type Credits, formatCredits, parseCredits, sumCredits } from '../../credit/credits.ts'
import { type ChainedRecord, newerVersion } from './file.ts'
import type { Submission } from './submission.ts'

/** What one attempt may cost at most. */
export interface Reservation {
  /** `sprite.animation`, or `sprite#2` of a step. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
  readonly attempt: number
  /** The `max_credits` of its submission. */
  readonly credits: Credits
  /** How often a share of this attempt was given back before, by the records that the next `sent` is to follow. */
  readonly round: number
}

interface ReservedBody {
  readonly id: string
  readonly hash: string
  readonly attempt: number
  /** Decimal text. */
  readonly credits: string
  /** Missing where it is 0. */
  readonly round?: number
}

/** A share as it stands in the purse. */
export interface Share extends Reservation {
  /** Wall clock of its record, milliseconds since the Unix epoch. */
  readonly at: number
}

/** One record of the purse's chain. */
export type ReservationRecord =
  | (ChainedRecord & { readonly type: 'reserved'; readonly body: ReservedBody })
  | (ChainedRecord & { readonly type: 'released'; readonly body: Pick<ReservedBody, 'hash' | 'attempt'> })

/** Which attempt a share is for, as a text. */
export function keyOf({ hash, attempt }: Pick<Reservation, 'hash' | 'attempt'>): string {
  return `${hash} ${attempt}`
}

/** A share as its record has it. */
export function toBody({ id, hash, attempt, credits, round }: Reservation): ReservedBody {
  return {
    id,
    hash,
    attempt,
    credits: formatCredits(credits),
    ...(round === 0 ? {} : { round }),
  }
}

/**
 * Shares that count, by request and attempt.
 *
 * @param own Records that this user's own processes wrote: only those give a share back or make it smaller. Anybody's record may take one, or more of it.
 */
export function foldShares(records: readonly ReservationRecord[], own: ReadonlySet<ReservationRecord>): Map<string, Share> {
  const taken = new Map<string, Share>()
  for (const record of records) {
    if (record.type === 'released') {
      if (own.has(record)) taken.delete(keyOf(record.body))
    } else if (record.type === 'reserved') {
      const share = toShare(record)
      const before = own.has(record) ? undefined : taken.get(keyOf(share))
      taken.set(keyOf(share), before && before.credits >= share.credits ? before : share)
    } else throw newerVersion((record as { readonly type: string }).type)
  }
  return taken
}

function toShare({ at, body: { id, hash, attempt, credits, round = 0 } }: ReservationRecord & { readonly type: 'reserved' }): Share {
  return { id, hash, attempt, credits: parseCredits(credits), round, at }
}

/** What shares may cost together. */
export function sumOf(taken: ReadonlyMap<string, Reservation>): Credits {
  return sumCredits([...taken.values()].map((share) => share.credits))
}

/** Whether an attempt is the present one and no POST of it has left, nor an execution of it come from elsewhere. */
export function isUnsent({ accepted, attempt: current, sends }: Submission, attempt: number): boolean {
  return attempt === current && accepted === undefined && sends.length === 0
}

/** Whether an attempt has ended without a charge, and nobody sends it again. */
export function isOver(submission: Submission, attempt: number): boolean {
  const { attempt: current, failed, sends, abandoned, abandonedAttempts } = submission
  if (abandonedAttempts?.includes(attempt)) return false
  if (attempt < current) return true
  if (attempt > current || abandoned) return false
  const last = sends.at(-1)?.answer
  const isRefused = sends.every((send) => send.answer.kind === 'refused') && last?.kind === 'refused'
  // These refusals are worth a repetition under the same key.
  return failed !== undefined || (isRefused && ![401, 403, 409, 429].includes(last.status))
}
