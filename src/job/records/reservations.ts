import { type Credits, formatCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { LockStore } from '../../vault/lock-store.ts'
import { boughtElsewhere, countTakenOver, type LockExecution, wasAnswered } from './bought-elsewhere.ts'
import { type ChainPlaces, type ChainPorts, createRecordChains } from './chain.ts'
import { type Journal, readUnlessBroken } from './journal.ts'
import { foldShares, isOver, isUnsent, keyOf, type Reservation, type ReservationRecord, type Share, sumOf, toBody } from './shares.ts'

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
 * @param readTotal Ceiling of everything this project ever buys; undefined for none.
 * @param howToRaise What a person can do to raise it, for the error, without a full stop.
 */
export function createReservations(
  ports: ChainPorts,
  places: ChainPlaces,
  papers: { readonly journal: Journal; readonly lock: LockStore },
  readTotal: () => Promise<Credits | undefined>,
  howToRaise: () => Promise<string>,
): Reservations {
  const chains = createRecordChains<ReservationRecord>(ports, places)
  // What was answered is never unsaid.
  const answered = new Set<string>()
  const isOurs = async (hash: string, execution: LockExecution): Promise<boolean> => {
    const known = `${hash} ${execution.id}`
    if (!answered.has(known) && (await wasAnswered(papers.journal, hash, execution))) answered.add(known)
    return answered.has(known)
  }
  const takenOver = async (hash: string, before: number): Promise<number> =>
    countTakenOver(await readUnlessBroken(papers.journal, hash), before)
  const elsewhere = async (taken: ReadonlyMap<string, Reservation>): Promise<Credits> =>
    boughtElsewhere(await papers.lock.read(), taken, isOurs, takenOver)
  /**
   * Whether a share may be given back: its attempt has ended without a charge, or was never sent. In the second case somebody may be about to send it. So the request's own chain
   * is asked to decide: `withdrawn` and that one's `sent` want the same place in it. Whoever comes too late there reserves again, which is a record in the purse, behind which this one's `released` comes too late.
   */
  const mayGoBack = async (share: Share): Promise<boolean> => {
    const { hash, attempt, round, at } = share
    const view = await readUnlessBroken(papers.journal, hash)
    // What somebody else wrote into the request's chain proves nothing.
    if (!view || view.submission.isForeign) return false
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
      const share = foldShares(view.records, view.own).get(keyOf(key))
      if (!share || !(await mayGoBack(share))) return
      const { hash, attempt } = share
      if (await chains.append(chain, view, 'released', { hash, attempt })) return
    }
  }
  const release = async (): Promise<void> => {
    const { records, own } = await chains.read(chain)
    for (const share of foldShares(records, own).values()) {
      const view = await readUnlessBroken(papers.journal, share.hash)
      if (view && (isOver(view.submission, share.attempt) || isUnsent(view.submission, share.attempt))) await giveBack(share)
    }
  }
  return {
    reserve: async (share) => {
      const total = await readTotal()
      let hasReleased = false
      for (;;) {
        const view = await chains.read(chain)
        const taken = foldShares(view.records, view.own)
        const own = taken.get(keyOf(share))
        if (own && own.credits >= share.credits && own.round >= share.round) return
        const others =
          sumOf(taken) -
          (own?.credits ?? 0n) +
          (total === undefined ? 0n : await elsewhere(new Map<string, Reservation>([...taken, [keyOf(share), share]])))
        if (total !== undefined && others + share.credits > total) {
          if (hasReleased) throw totalError(share, others, total, await howToRaise())
          hasReleased = true
          await release()
          continue
        }
        if (await chains.append(chain, view, 'reserved', toBody(share))) return
      }
    },
    committed: async () => {
      await release()
      const { records, own } = await chains.read(chain)
      const taken = foldShares(records, own)
      return sumOf(taken) + (await elsewhere(taken))
    },
  }
}

function totalError(share: Reservation, others: Credits, total: Credits, advice: string): SpritewrightError {
  const facts = { id: share.id, price: formatCredits(share.credits), committed: formatCredits(others), total: formatCredits(total) }
  return new SpritewrightError('SW_CEILING', {
    message: `"${share.id}" costs ${facts.price} credits; with the ${facts.committed} that this project has settled, holds or may have spent, that is above the project's total of ${facts.total}. Nothing was sent. ${advice}, or buy less.`,
    facts,
  })
}
