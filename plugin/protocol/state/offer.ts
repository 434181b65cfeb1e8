import { sumCredits, sumUsd } from '../../../src/credit/credits.ts'
import { type ApprovalLine, type Credits, type WorkerWord, workerWords } from '../../../src/index.ts'
import { type Json, toJson } from './json.ts'

/** What an approval would contain. */
export type PanelOffer = Json<ReturnType<typeof toOffer>>

/** What the workshop asks a person to agree to. */
export interface AskedApproval {
  /** The needed steps of chains are included. */
  readonly lines: readonly ApprovalLine[]
  readonly balance: Credits
  readonly worker?: WorkerWord | undefined
}

/**
 * An approval in the form of the panel.
 *
 * @param untouched Requested ids that need no approval, or cannot be approved here.
 * @param touch Whether an approval needs a touch. `needed`: it does, and no authenticator is enrolled.
 */
export function toOffer({ lines, balance, worker }: AskedApproval, untouched: readonly string[] = [], touch?: 'enrolled' | 'needed') {
  return toJson({
    lines: lines.map(({ id, operation, hash, prompt, quote, ceiling, warning }) => ({
      ...{ id, operation, hash, ceiling },
      /** The prompt that is sent. */
      prompt,
      price: quote,
      /** What a person should know before agreeing. */
      warning,
    })),
    /** Sum of the prices. */
    sum: sumCredits(lines.map(({ quote }) => quote)),
    /** `sum` in USD, not binding; missing if no price has a reference. */
    usd: sumUsd(lines.map((line) => line.usd)),
    /** Sum of the ceilings. */
    ceilings: sumCredits(lines.map(({ ceiling }) => ceiling)),
    /** Available credits. */
    balance,
    /** For which service it is, if only a worker says so; missing if this machine asks the service itself. */
    worker: worker && workerWords(worker),
    touch,
    untouched,
  })
}
