import { type Credits, formatCredits, parseCredits, sumCredits } from '../../credit/credits.ts'
import { type ChainedRecord, newerVersion } from './file.ts'
import type { Submission } from './submission.ts'

/** Whose money a share is. Records of earlier versions do not say it. */
interface Whose {
  /** Name of the project, as the machine that buys calls it. */
  readonly project?: string | undefined
  /** Fingerprint of the key that signed the approval. */
  readonly approver?: string | undefined
}

/** The maximum cost of one attempt. */
export interface Reservation extends Whose {
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

interface ReservedBody extends Whose {
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
  /** The same by the clock of the machine that wrote the record, if it differs. So every machine reads the same month. */
  readonly writtenAt?: number | undefined
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
export function toBody({ id, hash, attempt, credits, round, project, approver }: Reservation): ReservedBody {
  return { id, hash, attempt, credits: formatCredits(credits), ...(round === 0 ? {} : { round }), project, approver }
}

/**
 * Folds the records into the shares that count, by request and attempt.
 *
 * @param own Records that this user's own processes wrote. Only these release a share or make it smaller. Any record
 * may reserve a share or make it larger. A record of somebody else takes a share out of no budget.
 */
export function foldShares(records: readonly ReservationRecord[], own: ReadonlySet<ReservationRecord>): Map<string, Share> {
  const taken = new Map<string, Share>()
  for (const record of records) {
    if (record.type === 'released') {
      if (own.has(record)) taken.delete(keyOf(record.body))
    } else if (record.type === 'reserved') {
      const share = toShare(record)
      const before = own.has(record) ? undefined : taken.get(keyOf(share))
      if (before && before.credits >= share.credits) continue
      const { project, approver } = before ?? share
      const writtenAt = before && Math.max(monthTime(before), monthTime(share))
      taken.set(keyOf(share), { ...share, project, approver, ...(before ? { writtenAt } : {}) })
    } else throw newerVersion((record as { readonly type: string }).type)
  }
  return taken
}

/** The time whose month counts for a budget. */
export function monthTime({ at, writtenAt = at }: Pick<Share, 'at' | 'writtenAt'>): number {
  return writtenAt
}

function toShare({ at, writtenAt, body }: ReservationRecord & { readonly type: 'reserved' }): Share {
  const { id, hash, attempt, credits, round = 0, project, approver } = body
  return { id, hash, attempt, credits: parseCredits(credits), round, at, writtenAt, project: toText(project), approver: toText(approver) }
}

/** Anybody may have written the record. */
function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 200) : undefined
}

/**
 * Every share that was ever reserved, also if it was released: one for each attempt. If the user's own processes wrote
 * a record of the attempt, the last such record counts.
 */
export function foldHistory(records: readonly ReservationRecord[], own: ReadonlySet<ReservationRecord>): Map<string, Share> {
  const reserved = records.filter((record) => record.type === 'reserved')
  const [others, ours] = [reserved.filter((record) => !own.has(record)), reserved.filter((record) => own.has(record))]
  return new Map([...others, ...ours].map((record) => [keyOf(record.body), toShare(record)]))
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
