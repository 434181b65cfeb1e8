import type { Given } from '../../credit/approval.ts'
import type { Credits } from '../../credit/credits.ts'

/** What became of the money of one attempt. `uncertain`: sent, and nobody knows. */
export type LedgerState = 'held' | 'settled' | 'restored' | 'uncertain'

/** One line of the ledger, summed up for a request and an attempt. */
export interface LedgerLine {
  /** `sprite.animation`, or `sprite#2` for a step of a reference chain. */
  readonly id: string
  readonly hash: string
  readonly attempt: number
  readonly executionId?: string
  readonly state: LedgerState
  readonly credits: Credits
  /** Milliseconds since the Unix epoch, of the last change; 0 where nobody wrote it down. */
  readonly at: number
  /** `elsewhere`: only the lock file knows of it; another checkout bought it, and its journal has the rest. */
  readonly origin: 'here' | 'elsewhere'
  /** Another checkout's execution stands for the attempt, and this is what our own POSTs may have started beside it. */
  readonly isReplaced?: true
  /** A single picture: nothing is held for it, it is charged on delivery (C13). `held` then means due, `restored` not charged. */
  readonly isPicture: boolean
  /** Available credits right before it was sent, where that was written down. */
  readonly balanceBefore?: Credits
  /** How the approval of today was given, if its signature is right. */
  readonly given?: Given
  /** What a person decided where nobody could know: to send it again, or to give it up. */
  readonly decision?: 'replay' | 'abandon'
  /** SHA-256 of its result. */
  readonly result?: string
  /** Where it was bought, by the lock file. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
}

/** Sums over lines. What was bought elsewhere is counted in `elsewhere` alone. */
export interface LedgerSums {
  readonly held: Credits
  readonly settled: Credits
  readonly restored: Credits
  /** Worst case of what may or may not have been bought. */
  readonly uncertain: Credits
  /** What other checkouts have had held or settled, as far as the lock file tells. */
  readonly elsewhere: Credits
}

/** What one sprite has cost, its animations and the steps of its reference together. */
export interface LedgerSprite extends LedgerSums {
  readonly sprite: string
}

/** The money of a project. */
export interface LedgerReport extends LedgerSums {
  /** Oldest first. */
  readonly lines: readonly LedgerLine[]
  /** By name. */
  readonly sprites: readonly LedgerSprite[]
  /** Movements that `ledger.jsonl` lacked and that were written into it anew from the journal. */
  readonly repaired: number
  readonly warnings: readonly string[]
}

/**
 * A line of the ledger beside what the service says of its execution.
 *
 * - `agrees`: completed and settled, failed or cancelled and restored, under way and held.
 * - `gone`: the service does not know it any more; nothing is lost by that.
 * - `unread`: it cannot be compared: bought at another service, with another kind of key or by another account, given up unanswered, or a status that this version does not know.
 * - `open`: sent and never answered; there is no execution that could be read, and a person has not decided yet.
 * - `differs`: a person has to look.
 */
export interface LedgerCheck {
  readonly line: LedgerLine
  readonly verdict: 'agrees' | 'gone' | 'unread' | 'open' | 'differs'
  /** What the service says: a status, `gone`, or undefined where it was not asked. */
  readonly service?: string
  /** What the ledger says, what the service says, and what to do; empty where they agree. */
  readonly words: string
}

/** What `ledger --verify` asks for. */
export interface LedgerVerifyRequest {
  /** Told before each execution is read, from 1. */
  readonly onRead?: (number: number, of: number) => void
}

/** The ledger, compared with the service. */
export interface LedgerVerification extends LedgerReport {
  /** One for each line. */
  readonly checks: readonly LedgerCheck[]
  /** Available credits now. */
  readonly balance: Credits
  /** Host of the service that was asked. */
  readonly host: string
  /** Whether no line differs and none is open. */
  readonly isAgreed: boolean
}

/** The account's balance around a run, beside what the ledger says of it. Evidence, never a verdict: others may spend on the same account. */
export interface BalanceEvidence {
  readonly before: Credits
  readonly after: Credits
  /** What the ledger says was taken from the balance in this run; a range where it cannot know, e.g. whether a hold began before the run. Negative where holds were restored. */
  readonly said: { readonly least: Credits; readonly most: Credits }
  /** Whether the difference lies in that range. */
  readonly isExplained: boolean
  /** One sentence of it. */
  readonly words: string
}
