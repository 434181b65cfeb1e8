import { type Credits, formatCredits, parseCredits, sumCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import type { LockFile, LockStore } from '../vault/lockfile.ts'
import type { Journal } from './journal.ts'
import type { Submission } from './record.ts'
import { type ChainedRecord, type ChainPlaces, type ChainPorts, createRecordChains, newerVersion } from './record-chain.ts'

/** What one attempt may cost at most. */
export interface Reservation {
  /** `sprite.animation`, or `sprite#2` of a step. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
  readonly attempt: number
  /** The `max_credits` of its submission. */
  readonly credits: Credits
}

interface ReservedBody {
  readonly id: string
  readonly hash: string
  readonly attempt: number
  /** Decimal text. */
  readonly credits: string
}

type ReservationRecord =
  | (ChainedRecord & { readonly type: 'reserved'; readonly body: ReservedBody })
  | (ChainedRecord & { readonly type: 'released'; readonly body: Pick<ReservedBody, 'hash' | 'attempt'> })

/**
 * The project's purse: one chain of records for all requests, in which each attempt takes its share before it is sent.
 * Two builds at once write into one chain, and the second that would write the same record reads again: both can never take the last credit.
 */
export interface Reservations {
  /**
   * Takes an attempt's share; nothing where it has it already.
   *
   * @throws `SW_CEILING` where settled, held and possibly spent credits with this share would pass the total ceiling.
   */
  reserve(share: Reservation): Promise<void>
  /** What is settled, held, uncertain or about to be sent, and what other machines bought, as far as the lock file tells. */
  committed(): Promise<Credits>
}

const chain = 'budget'

/**
 * Opens the purse; nothing is touched before the first call.
 *
 * @param total Ceiling of everything this project ever buys; undefined for none.
 */
export function createReservations(
  ports: ChainPorts,
  places: ChainPlaces,
  papers: { readonly journal: Journal; readonly lock: LockStore },
  total: Credits | undefined,
): Reservations {
  const chains = createRecordChains<ReservationRecord>(ports, places)
  const elsewhere = async (taken: ReadonlyMap<string, Reservation>): Promise<Credits> => boughtElsewhere(await papers.lock.read(), taken)
  /** Gives back what ended without a charge. */
  const release = async (): Promise<void> => {
    for (const { hash, attempt } of fold((await chains.read(chain)).records).values()) {
      if (!isOver((await papers.journal.read(hash)).submission, attempt)) continue
      for (;;) {
        const view = await chains.read(chain)
        if (!fold(view.records).has(keyOf({ hash, attempt }))) break
        if (await chains.append(chain, view, 'released', { hash, attempt })) break
      }
    }
  }
  return {
    reserve: async (share) => {
      let hasReleased = false
      for (;;) {
        const view = await chains.read(chain)
        const taken = fold(view.records)
        const own = taken.get(keyOf(share))
        if (own && own.credits >= share.credits) return
        const others =
          sumOf(taken) - (own?.credits ?? 0n) + (total === undefined ? 0n : await elsewhere(new Map([...taken, [keyOf(share), share]])))
        if (total !== undefined && others + share.credits > total) {
          if (hasReleased) throw totalError(share, others, total)
          hasReleased = true
          await release()
          continue
        }
        const { id, hash, attempt, credits } = share
        if (await chains.append(chain, view, 'reserved', { id, hash, attempt, credits: formatCredits(credits) })) return
      }
    },
    committed: async () => {
      await release()
      const taken = fold((await chains.read(chain)).records)
      return sumOf(taken) + (await elsewhere(taken))
    },
  }
}

function keyOf({ hash, attempt }: Pick<Reservation, 'hash' | 'attempt'>): string {
  return `${hash} ${attempt}`
}

/** Shares that count, by request and attempt. */
function fold(records: readonly ReservationRecord[]): Map<string, Reservation> {
  const taken = new Map<string, Reservation>()
  for (const record of records) {
    if (record.type === 'released') taken.delete(keyOf(record.body))
    else if (record.type === 'reserved') taken.set(keyOf(record.body), { ...record.body, credits: parseCredits(record.body.credits) })
    else throw newerVersion((record as { readonly type: string }).type)
  }
  return taken
}

function sumOf(taken: ReadonlyMap<string, Reservation>): Credits {
  return sumCredits([...taken.values()].map((share) => share.credits))
}

/** Whether an attempt has ended without a charge, and nobody sends it again. What was reserved and never sent is not: another process may be about to. */
function isOver(submission: Submission, attempt: number): boolean {
  const { attempt: current, failed, sends, abandoned, abandonedAttempts } = submission
  if (abandonedAttempts?.includes(attempt)) return false
  if (attempt < current) return true
  if (attempt > current || abandoned) return false
  const last = sends.at(-1)?.answer
  const isRefused = sends.every((send) => send.answer.kind === 'refused') && last?.kind === 'refused'
  // These refusals are worth a repetition under the same key.
  return failed !== undefined || (isRefused && ![401, 403, 409, 429].includes(last.status))
}

/** What the lock file knows as bought and no reservation of ours stands for. */
function boughtElsewhere(lock: LockFile, taken: ReadonlyMap<string, Reservation>): Credits {
  // Two names of one request were bought once.
  const all = [...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) => Object.entries(requests))
  const entries = new Map(
    all.map(([hash, entry]) => [keyOf({ hash, attempt: entry.submission?.attempt ?? 0 }), [hash, entry] as const]),
  ).values()
  const others = [...entries].filter(([hash, { submission, execution, result }]) => {
    if (!submission || !(execution ?? result)) return false
    return !taken.has(keyOf({ hash, attempt: submission.attempt }))
  })
  return sumCredits(others.map(([, { submission }]) => parseCredits(submission?.maxCredits ?? '0')))
}

function totalError(share: Reservation, others: Credits, total: Credits): SpritewrightError {
  const facts = { id: share.id, price: formatCredits(share.credits), committed: formatCredits(others), total: formatCredits(total) }
  return new SpritewrightError('SW_CEILING', {
    message: `"${share.id}" costs ${facts.price} credits; with the ${facts.committed} that this project has settled, holds or may have spent, that is above approval.total ${facts.total}. Nothing was sent. Raise approval.total in spritewright.config, or buy less.`,
    facts,
  })
}
