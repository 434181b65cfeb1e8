import { type Credits, formatCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { LockStore } from '../../vault/lock-store.ts'
import { boughtElsewhere, countTakenOver, type LockExecution, wasAnswered } from './bought-elsewhere.ts'
import { fullBudget, type OwnerLimits } from './budgets.ts'
import type { ChainPlaces, ChainPorts } from './chain.ts'
import { type Journal, readUnlessBroken } from './journal.ts'
import { createRecordChains } from './open-chains.ts'
import {
  foldHistory,
  foldShares,
  isOver,
  isUnsent,
  keyOf,
  type Reservation,
  type ReservationRecord,
  type Share,
  sumOf,
  toBody,
} from './shares.ts'

/**
 * The project's reservations: one chain of records for all requests. Each attempt reserves its share in this chain
 * before it is sent. If two builds write the same record number, the second reads again, so they can never both take
 * the last credit.
 */
export interface Reservations {
  /**
   * Reserves an attempt's share. Does nothing if the attempt already has a share.
   *
   * @throws `SW_CEILING` if settled, held and possibly spent credits would exceed the total ceiling, or a budget of
   * the machine's owner, together with this share.
   */
  reserve(share: Omit<Reservation, 'project'>): Promise<void>
  /**
   * Credits that are settled, held, uncertain or about to be sent, and purchases of other machines that the lock file
   * names.
   */
  committed(): Promise<Credits>
  /** All shares that count. Each attempt that was ever sent has a share, unless the share was released. */
  shares(): Promise<readonly Share[]>
  /**
   * Every share that was ever reserved, by request and attempt.
   *
   * @param from `copy`: this machine's copy, without a network.
   */
  history(from: 'journal' | 'copy'): Promise<ReadonlyMap<string, Share>>
}

const chain = 'budget'

/**
 * How long a process may take from its share to its record of the POST before another process releases the share, in
 * milliseconds. The sums do not depend on this time: the order of the records keeps them right.
 */
const courtesyMs = 60_000

/**
 * Opens the reservations. The disk is not touched before the first call.
 *
 * @param readTotal Ceiling of all purchases of this project; `undefined` for none.
 * @param howToRaise Advice for raising this ceiling, for the error, without a full stop.
 * @param readLimits The project's name and the budgets of the machine's owner.
 * @default no name and no budget
 */
export function createReservations(
  ports: ChainPorts,
  places: ChainPlaces,
  stores: { readonly journal: Journal; readonly lock: LockStore },
  readTotal: () => Promise<Credits | undefined>,
  howToRaise: () => Promise<string>,
  readLimits: () => Promise<OwnerLimits> = async () => ({ budgets: [] }),
): Reservations {
  const chains = createRecordChains<ReservationRecord>(ports, places)
  // A positive result never changes, so it is remembered.
  const answered = new Set<string>()
  const isOurs = async (hash: string, execution: LockExecution): Promise<boolean> => {
    const known = `${hash} ${execution.id}`
    if (answered.has(known)) return true
    const { journal } = stores
    // This machine's copy is often enough, and needs no network.
    if ((await wasAnswered({ read: journal.peek }, hash, execution)) || (await wasAnswered(journal, hash, execution))) answered.add(known)
    return answered.has(known)
  }
  const takenOver = async (hash: string, before: number): Promise<number> =>
    countTakenOver(await readUnlessBroken(stores.journal, hash), before)
  const elsewhere = async (taken: ReadonlyMap<string, Reservation>): Promise<Credits> =>
    boughtElsewhere(await stores.lock.read(), taken, isOurs, takenOver)
  /**
   * Whether a share may be released: its attempt has ended without a charge, or was never sent. In the second case,
   * another process may be about to send it. So the request's own chain decides: `withdrawn` and the other process's
   * `sent` need the same number in that chain. If `sent` comes second, its process must reserve the share again before
   * it sends. The new `reserved` is the next record of the reservation chain. If a process writes `released` without
   * having read this record, it needs the same number, and is refused.
   */
  const mayRelease = async (share: Share): Promise<boolean> => {
    const { hash, attempt, round, at } = share
    const view = await readUnlessBroken(stores.journal, hash)
    // Records of somebody else in the request's chain prove nothing.
    if (!view || view.submission.isForeign) return false
    if (isOver(view.submission, attempt)) return true
    if (!isUnsent(view.submission, attempt)) return false
    if (round < (view.submission.withdrawals ?? 0)) return true
    if (Math.abs(ports.clock.wall() - at) <= courtesyMs) return false
    return (await stores.journal.append(hash, view, 'withdrawn', { attempt })) !== undefined
  }
  const releaseShare = async (key: Pick<Reservation, 'hash' | 'attempt'>): Promise<void> => {
    for (;;) {
      // The reservation chain is read before the request's chain. If the share is reserved again in between,
      // the last append fails.
      const view = await chains.read(chain)
      const share = foldShares(view.records, view.own).get(keyOf(key))
      if (!share || !(await mayRelease(share))) return
      const { hash, attempt } = share
      if (await chains.append(chain, view, 'released', { hash, attempt })) return
    }
  }
  const releaseAll = async (): Promise<void> => {
    const { records, own } = await chains.read(chain)
    for (const share of foldShares(records, own).values()) {
      // A delivered purchase keeps its share. This machine's copy may show the delivery without a network.
      if ((await readUnlessBroken({ read: stores.journal.peek }, share.hash))?.submission.stored) continue
      const view = await readUnlessBroken(stores.journal, share.hash)
      if (view && (isOver(view.submission, share.attempt) || isUnsent(view.submission, share.attempt))) await releaseShare(share)
    }
  }
  return {
    reserve: async (asked) => {
      const total = await readTotal()
      const { project, budgets } = await readLimits()
      const share: Reservation = { ...asked, project }
      let hasReleased = false
      for (;;) {
        const view = await chains.read(chain)
        const taken = foldShares(view.records, view.own)
        const own = taken.get(keyOf(share))
        // A record of somebody else, or of an earlier approval, may count in other budgets.
        const trusted = foldShares([...view.own], view.own).get(keyOf(share))
        const isSame = trusted?.approver === undefined || trusted.approver === share.approver
        if (trusted && isSame && trusted.credits >= share.credits && trusted.round >= share.round) return
        const others =
          sumOf(taken) -
          (own?.credits ?? 0n) +
          (total === undefined ? 0n : await elsewhere(new Map<string, Reservation>([...taken, [keyOf(share), share]])))
        const isOverTotal = total !== undefined && others + share.credits > total
        const full = fullBudget(budgets, share, taken, ports.clock.wall())
        if (isOverTotal || full) {
          if (hasReleased) throw isOverTotal ? totalError(share, others, total, await howToRaise()) : full
          hasReleased = true
          await releaseAll()
          continue
        }
        if (await chains.append(chain, view, 'reserved', toBody(share))) return
      }
    },
    committed: async () => {
      await releaseAll()
      const { records, own } = await chains.read(chain)
      const taken = foldShares(records, own)
      return sumOf(taken) + (await elsewhere(taken))
    },
    shares: async () => {
      const { records, own } = await chains.read(chain)
      return [...foldShares(records, own).values()]
    },
    history: async (from) => {
      const { records, own } = await (from === 'copy' ? chains.peek(chain) : chains.read(chain))
      return foldHistory(records, own)
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
