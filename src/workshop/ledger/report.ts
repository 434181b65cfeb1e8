import type { Credits } from '../../credit/credits.ts'
import type { Given } from '../../credit/given.ts'

/** The state of an attempt's money. `uncertain`: it was sent, and its outcome is unknown. */
export type LedgerState = 'held' | 'settled' | 'restored' | 'uncertain'

/** One line of the ledger: the sum of a request and an attempt. */
export interface LedgerLine {
  /** `sprite.animation`, or `sprite#2` for a step of a reference chain. */
  readonly id: string
  readonly hash: string
  /** The take, if it is not the first and the lock file has the request. */
  readonly take?: number
  readonly attempt: number
  readonly executionId?: string
  /** `at` of the approval on which it was sent, if this checkout has sent it. */
  readonly approvedAt?: string
  readonly state: LedgerState
  readonly credits: Credits
  /** Time of the last change, in milliseconds since the Unix epoch; 0 if no record has it. */
  readonly at: number
  /** `elsewhere`: only the lock file has it. Another checkout bought it, and its journal has the details. */
  readonly origin: 'here' | 'elsewhere'
  /**
   * The attempt has another line, which shows another checkout's execution. This line shows what our own
   * POSTs may have started.
   */
  readonly isReplaced?: true
  /**
   * A single picture. Nothing is held for it; it is charged on delivery (C13). `held` then means due,
   * `restored` means not charged.
   */
  readonly isPicture: boolean
  /** Available credits right before it was sent, if they were recorded. */
  readonly balanceBefore?: Credits
  /** How today's approval was given, if its signature is right. */
  readonly given?: Given
  /** The decision of a person about an unknown outcome: sent again, or given up. */
  readonly decision?: 'replay' | 'abandon'
  /** Whether its approval, or the decision about it, was given in the shell of a coding agent. */
  readonly shell?: 'agent'
  /** SHA-256 of its result. */
  readonly result?: string
  /** The service at which it was bought, by the lock file. */
  readonly service?: { readonly host: string; readonly keyMode: 'test' | 'live' }
}

/** Sums over lines. Purchases of other checkouts count in `elsewhere` alone. */
export interface LedgerSums {
  readonly held: Credits
  readonly settled: Credits
  readonly restored: Credits
  /** The worst case of uncertain purchases. */
  readonly uncertain: Credits
  /** Credits that other checkouts hold or have settled, as far as the lock file shows them. */
  readonly elsewhere: Credits
}

/** The cost of one sprite: its animations and the steps of its reference. */
export interface LedgerSprite extends LedgerSums {
  readonly sprite: string
}

/** The money of a project. */
export interface LedgerReport extends LedgerSums {
  /** Oldest first. */
  readonly lines: readonly LedgerLine[]
  /** `settled` in USD at today's reference of the service, which `verifyLedger` asks: a decimal text. */
  readonly usd?: string | undefined
  /** By name. */
  readonly sprites: readonly LedgerSprite[]
  /** Number of movements that `ledger.jsonl` lacked and that were written into it from the journal. */
  readonly repaired: number
  readonly warnings: readonly string[]
}

/**
 * A line of the ledger, compared with the service's view of its execution.
 *
 * - `agrees`: completed and settled, failed or cancelled and restored, or under way and held.
 * - `gone`: the service does not know the execution any more. Nothing is lost by that.
 * - `unread`: the line cannot be compared. The request was bought at another service, with another kind of
 *   key or by another account; or it was given up unanswered; or this version does not know its status.
 * - `open`: the request was sent and never answered. No execution can be read, and no person has decided yet.
 * - `differs`: a person has to check.
 */
export interface LedgerCheck {
  readonly line: LedgerLine
  readonly verdict: 'agrees' | 'gone' | 'unread' | 'open' | 'differs'
  /** The view of the service: a status, or `gone`. Undefined if it was not asked. */
  readonly service?: string
  /** Both views and the next step; empty if they agree. */
  readonly words: string
}

/** The options of `ledger --verify`. */
export interface LedgerVerifyRequest {
  /** Called before each execution is read, counted from 1. */
  readonly onRead?: (number: number, of: number) => void
}

/** The ledger, compared with the service. */
export interface LedgerVerification extends LedgerReport {
  /** One for each line. */
  readonly checks: readonly LedgerCheck[]
  /** Available credits now. */
  readonly balance: Credits
  /** Host of the asked service. */
  readonly host: string
  /** Whether no line differs and none is open. */
  readonly isAgreed: boolean
}

/**
 * The account's balance before and after a run, compared with the ledger. It is evidence, never a verdict:
 * others may spend on the same account.
 */
export interface BalanceEvidence {
  readonly before: Credits
  readonly after: Credits
  /**
   * The credits that the run took from the balance, by the ledger. It is a range if the ledger cannot know,
   * e.g. whether a hold began before the run. Negative if holds were restored.
   */
  readonly said: { readonly least: Credits; readonly most: Credits }
  /** Whether the difference is in that range. */
  readonly isExplained: boolean
  /** The evidence in one sentence. */
  readonly words: string
}
