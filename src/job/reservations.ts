import { type Credits, formatCredits, parseCredits, sumCredits } from '../credit/credits.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import type { LockStore } from '../vault/lock-store.ts'
import type { LockEntry, LockFile } from '../vault/lockfile.ts'
import type { Journal, JournalView } from './journal.ts'
import { isTakenOver } from './record.ts'
import { type ChainPlaces, type ChainPorts, createRecordChains } from './record-chain.ts'
import { type ChainedRecord, newerVersion } from './record-file.ts'
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
interface Share extends Reservation {
  /** Wall clock of its record, milliseconds since the Unix epoch. */
  readonly at: number
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

/** How long whoever has taken a share is left alone between that and its record of the POST, milliseconds. Only good manners: what keeps the sums right is the order of the records. */
const mannersMs = 60_000

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
  // What was answered is never unsaid.
  const answered = new Set<string>()
  const isOurs = async (hash: string, execution: LockExecution): Promise<boolean> => {
    const known = `${hash} ${execution.id}`
    if (!answered.has(known) && (await wasAnswered(papers.journal, hash, execution))) answered.add(known)
    return answered.has(known)
  }
  const takenOver = async (hash: string, before: number): Promise<number> => countTakenOver(await readQuietly(papers.journal, hash), before)
  const elsewhere = async (taken: ReadonlyMap<string, Reservation>): Promise<Credits> =>
    boughtElsewhere(await papers.lock.read(), taken, isOurs, takenOver)
  /**
   * Whether a share may be given back: its attempt has ended without a charge, or was never sent. In the second case somebody may be about to send it. So the request's own chain
   * is asked to decide: `withdrawn` and that one's `sent` want the same place in it. Whoever comes too late there reserves again, which is a record in the purse, behind which this one's `released` comes too late.
   */
  const mayGoBack = async (share: Share): Promise<boolean> => {
    const { hash, attempt, round, at } = share
    const view = await readQuietly(papers.journal, hash)
    if (!view) return false
    if (isOver(view.submission, attempt)) return true
    if (!isUnsent(view.submission, attempt)) return false
    if (round < (view.submission.withdrawals ?? 0)) return true
    if (Math.abs(ports.clock.wall() - at) <= mannersMs) return false
    return (await papers.journal.append(hash, view, 'withdrawn', { attempt })) !== undefined
  }
  const giveBack = async (key: Pick<Reservation, 'hash' | 'attempt'>): Promise<void> => {
    for (;;) {
      // The purse is read before the request's chain: a share that is taken anew in between makes the last line fail.
      const view = await chains.read(chain)
      const share = fold(view.records).get(keyOf(key))
      if (!share || !(await mayGoBack(share))) return
      const { hash, attempt } = share
      if (await chains.append(chain, view, 'released', { hash, attempt })) return
    }
  }
  const release = async (): Promise<void> => {
    for (const share of fold((await chains.read(chain)).records).values()) {
      const view = await readQuietly(papers.journal, share.hash)
      if (view && (isOver(view.submission, share.attempt) || isUnsent(view.submission, share.attempt))) await giveBack(share)
    }
  }
  return {
    reserve: async (share) => {
      let hasReleased = false
      for (;;) {
        const view = await chains.read(chain)
        const taken = fold(view.records)
        const own = taken.get(keyOf(share))
        if (own && own.credits >= share.credits && own.round >= share.round) return
        const others =
          sumOf(taken) -
          (own?.credits ?? 0n) +
          (total === undefined ? 0n : await elsewhere(new Map<string, Reservation>([...taken, [keyOf(share), share]])))
        if (total !== undefined && others + share.credits > total) {
          if (hasReleased) throw totalError(share, others, total)
          hasReleased = true
          await release()
          continue
        }
        if (await chains.append(chain, view, 'reserved', toBody(share))) return
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

function toBody({ id, hash, attempt, credits, round }: Reservation): ReservedBody {
  return {
    id,
    hash,
    attempt,
    credits: formatCredits(credits),
    ...(round === 0 ? {} : { round }),
  }
}

/** Where a request's chain is broken, nobody can tell what became of it: its share counts, and stops nobody else. */
async function readQuietly(journal: Journal, hash: string): Promise<JournalView | undefined> {
  try {
    return await journal.read(hash)
  } catch (error) {
    if (hasCode(error, 'SW_JOURNAL')) return undefined
    throw error
  }
}

/** Shares that count, by request and attempt. */
function fold(records: readonly ReservationRecord[]): Map<string, Share> {
  const taken = new Map<string, Share>()
  for (const record of records) {
    if (record.type === 'released') taken.delete(keyOf(record.body))
    else if (record.type === 'reserved') taken.set(keyOf(record.body), toShare(record))
    else throw newerVersion((record as { readonly type: string }).type)
  }
  return taken
}

function toShare({ at, body: { id, hash, attempt, credits, round = 0 } }: ReservationRecord & { readonly type: 'reserved' }): Share {
  return { id, hash, attempt, credits: parseCredits(credits), round, at }
}

function sumOf(taken: ReadonlyMap<string, Reservation>): Credits {
  return sumCredits([...taken.values()].map((share) => share.credits))
}

/** Whether an attempt is the present one and no POST of it has left, nor an execution of it come from elsewhere. */
function isUnsent({ accepted, attempt: current, sends }: Submission, attempt: number): boolean {
  return attempt === current && accepted === undefined && sends.length === 0
}

/** Whether an attempt has ended without a charge, and nobody sends it again. */
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

/**
 * What the lock file knows as bought and no share of ours stands for: requests of others, and their purchases of what we have asked for as well. Keys are the same everywhere, so that both may be
 * one execution: it is where ours was answered with it.
 */
async function boughtElsewhere(
  lock: LockFile,
  taken: ReadonlyMap<string, Reservation>,
  isOurs: (hash: string, execution: LockExecution) => Promise<boolean>,
  takenOver: (hash: string, before: number) => Promise<number>,
): Promise<Credits> {
  // Two names of one request were bought once.
  const all = [...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) => Object.entries(requests))
  const entries = new Map(all.map(([hash, entry]) => [keyOf({ hash, attempt: entry.submission?.attempt ?? 0 }), [hash, entry] as const]))
  let sum: Credits = 0n
  for (const [hash, { submission, execution, result }] of entries.values()) {
    if (!submission || !(execution ?? result)) continue
    const credits = parseCredits(submission.maxCredits)
    // Those before it were followed by another attempt in the lock file, and cost about the same.
    if (submission.attempt > 1) sum += credits * BigInt(await takenOver(hash, submission.attempt))
    const isTaken = taken.has(keyOf({ hash, attempt: submission.attempt }))
    if (execution === undefined ? isTaken : await isOurs(hash, execution)) continue
    sum += credits
  }
  return sum
}

type LockExecution = NonNullable<LockEntry['execution']>

/** Whether an execution, or one of its conversation, was the answer to a POST of ours. Where the chain is broken it counts as ours: its share does too. */
async function wasAnswered(journal: Journal, hash: string, { id, conversation }: LockExecution): Promise<boolean> {
  const view = await readQuietly(journal, hash)
  if (!view) return true
  return view.records.some(
    (record) =>
      (record.type === 'answerAccepted' || (record.type === 'accepted' && !isTakenOver(record.body))) &&
      (record.body.executionId === id || (conversation !== null && record.body.conversationId === conversation)),
  )
}

/** How many executions of other machines, of attempts before that of the lock file, were taken over and did not fail: a person gave them up, and they may be charged. */
function countTakenOver(view: JournalView | undefined, before: number): number {
  const records = view?.records ?? []
  const hasFailed = (id: string): boolean => records.some((record) => record.type === 'failed' && record.body.executionId === id)
  return records.filter(
    (record) =>
      record.type === 'accepted' && isTakenOver(record.body) && record.body.attempt < before && !hasFailed(record.body.executionId),
  ).length
}

function totalError(share: Reservation, others: Credits, total: Credits): SpritewrightError {
  const facts = { id: share.id, price: formatCredits(share.credits), committed: formatCredits(others), total: formatCredits(total) }
  return new SpritewrightError('SW_CEILING', {
    message: `"${share.id}" costs ${facts.price} credits; with the ${facts.committed} that this project has settled, holds or may have spent, that is above approval.total ${facts.total}. Nothing was sent. Raise approval.total in spritewright.config, or buy less.`,
    facts,
  })
}
