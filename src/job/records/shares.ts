import { type Credits, formatCredits, parseCredits, sumCredits } from '../../credit/credits.ts'
import { type ChainedRecord, newerVersion } from './file.ts'
import type { Submission } from './submission.ts'

/** The maximum cost of one attempt. */
export interface Reservation {
  /** `sprite.animation`, or `sprite#2` for a step. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
  readonly attempt: number
  /** The `max_credits` of its submission, and the same amount again for each decision to replay it. */
  readonly credits: Credits
  /** How often this attempt's share was released, by the `withdrawn` records in the request's own chain. */
  readonly round: number
}

interface ReservedBody {
  readonly id: string
  readonly hash: string
  readonly attempt: number
  /** Decimal text. */
  readonly credits: string
  /** Missing if it is 0. */
  readonly round?: number
}

/** A share in the reservation chain. */
export interface Share extends Reservation {
  /** Wall clock of its record, milliseconds since the Unix epoch. */
  readonly at: number
}

/** One record of the reservation chain. */
export type ReservationRecord =
  | (ChainedRecord & { readonly type: 'reserved'; readonly body: ReservedBody })
  | (ChainedRecord & { readonly type: 'released'; readonly body: Pick<ReservedBody, 'hash' | 'attempt'> })

/** The request and the attempt of a share, as one text. */
export function keyOf({ hash, attempt }: Pick<Reservation, 'hash' | 'attempt'>): string {
  return `${hash} ${attempt}`
}

/** The body of a share's record. */
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
 * Folds the records into the shares that count, by request and attempt.
 *
 * @param own Records that this user's own processes wrote. Only these release a share or make it smaller. Any record
 * may reserve a share or make it larger.
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

/** The maximum cost of all shares together. */
export function sumOf(taken: ReadonlyMap<string, Reservation>): Credits {
  return sumCredits([...taken.values()].map((share) => share.credits))
}

/**
 * Whether an attempt is the present one, without a sent POST and without an execution from another machine.
 */
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
  // These refusals allow a repetition under the same key, so the attempt is not over.
  return failed !== undefined || (isRefused && ![401, 403, 409, 429].includes(last.status))
}
