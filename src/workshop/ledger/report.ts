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
  /** The credits of a settled line in USD, rounded up to a cent, if the service was asked for its rate. */
  readonly usd?: string | undefined
  /**
   * Time of the last change, in milliseconds since the Unix epoch; 0 if no record has it. A settled line was charged
   * then, a held one was accepted, and an uncertain one was sent. In a shared journal, the clock of the machine that
   * wrote the record counts.
   */
  readonly at: number
  /**
   * - `elsewhere`: only the lock file has it. Another checkout bought it, and its journal has the details.
   * - `unverified`: only records of the shared journal tell of it whose signers this machine does not trust.
   */
  readonly origin: 'here' | 'elsewhere' | 'unverified'
  /** Name of the project, as the machine that bought it calls it. Missing in records of earlier versions. */
  readonly project?: string
  /** Fingerprint of the approver's key, by the records of the machine that bought it. */
  readonly approvedBy?: string
  /** Name that the settings of this machine's owner give to that key. */
  readonly person?: string
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
  /**
   * Credits that only records tell of whose signers this machine does not trust. They are in no other sum. Missing if
   * there are none.
   */
  readonly unverified?: Credits
}

/** How lines are grouped. Each line is in one group, so the sums of all groups add up to those of the report. */
export type LedgerGrouping = 'person' | 'project' | 'month' | 'sprite'

/** The sums of one group. */
export interface LedgerGroup extends LedgerSums {
  /**
   * Name of a person or the fingerprint of a key, name of a project, month `2026-11`, or name of a sprite. `unknown`
   * if no record says it.
   */
  readonly name: string
  /** `settled` in USD, as in {@link LedgerReport.usd}. */
  readonly usd?: string | undefined
}

/** What a ledger shows. */
export interface LedgerRequest {
  /**
   * Whether a shared journal is read, and the signers of its records are checked. If it cannot be reached, the copy is
   * read, and a warning says so.
   *
   * @default false: this machine's records are read, without a network
   */
  readonly isTeam?: boolean | undefined
  /**
   * First time of the lines, in milliseconds since the Unix epoch. See {@link LedgerLine.at}.
   *
   * @default all lines
   */
  readonly since?: number | undefined
  /**
   * The time before which all lines are.
   *
   * @default all lines
   */
  readonly until?: number | undefined
  /** @default no groups */
  readonly by?: LedgerGrouping | undefined
  /**
   * Whether the service, or a worker, is asked for the rate of USD. If it does not answer, a warning says so.
   *
   * @default false
   */
  readonly withUsd?: boolean | undefined
}

/** The cost of one sprite: its animations and the steps of its reference. */
export interface LedgerSprite extends LedgerSums {
  readonly sprite: string
}

/** The money of a project, or of all projects that share its journal. */
export interface LedgerReport extends LedgerSums {
  /** Oldest first. */
  readonly lines: readonly LedgerLine[]
  /** `settled` in USD at today's reference of the service: a decimal text. Missing unless the service was asked. */
  readonly usd?: string | undefined
  /** By name; empty unless the request groups the lines. */
  readonly groups?: readonly LedgerGroup[]
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
