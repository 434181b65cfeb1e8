import { creditsWords } from '../../../src/credit/credits.ts'
import { mayPass } from '../../../src/errors.ts'
import { recordsPath } from '../../../src/host/watch.ts'
import {
  type BuildReport,
  hasCode,
  type JobProgress,
  type PendingPurchase,
  type ProgressListener,
  progressLine,
  type Workshop,
} from '../../../src/index.ts'
import { readError } from '../../failure.ts'
import type { BuyerFailure } from '../../protocol/state/failures.ts'

/** The dependencies of buying in dev. */
export interface BuyerPorts {
  readonly workshop: Pick<Workshop, 'pending' | 'build' | 'host'>
  /** Prints one line in the terminal. */
  log(line: string, isError?: boolean): void
  onProgress(progress: JobProgress): void
  /** A purchase has begun, ended or failed. */
  onChange(): void
}

/**
 * Work that a person has decided.
 *
 * @param onProgress Its first call also is `begin`.
 * @param begin To be called when nobody needs to wait for the rest.
 */
export type DecidedWork = (onProgress: ProgressListener, signal: AbortSignal, begin: () => void) => Promise<BuildReport['bought']>

/** Buys approved requests, and watches running executions, while the dev server runs. */
export type DevBuyer = ReturnType<typeof createBuyer>

/** First wait after service, store or queue did not answer, in milliseconds; doubles up to a minute. */
const firstWaitMs = 2000
const longestWaitMs = 60_000
/** How often the repository is read after an order that a worker could not find in it, in milliseconds. */
const commitWaitMs = 2000

/** The records as a change, without any other file. */
export const atService: readonly string[] = [recordsPath]

/** A look that waits for the one before it. More changes join it: a purchase of 40 sprites saves hundreds of files. */
interface NextLook {
  changed: readonly string[] | undefined
}

/** Creates a buyer. It buys nothing before `look` is called. */
export function createBuyer({ workshop, log, onProgress, onChange }: BuyerPorts) {
  const progress = new Map<string, JobProgress>()
  const running = new Map<Promise<unknown>, readonly string[]>()
  const tried = new Map<string, string>()
  const closing = new AbortController()
  let failures: readonly BuyerFailure[] = []
  let looking: Promise<void> = Promise.resolve()
  let next: NextLook | undefined
  /** Whether the last look failed, so that the changes before it are unknown. */
  let isLost = false
  let waitMs = firstWaitMs
  let isLooking = false
  /** Number of decisions that were carried out so far. */
  let decisions = 0

  const note = (step: JobProgress): void => {
    const before = progress.get(step.id)
    // A status read contains no progress value. The last value of the same phase then still applies.
    const far = step.progress ?? (before?.phase === step.phase ? before.progress : undefined)
    const now = { ...step, progress: far }
    progress.set(now.id, now)
    const line = progressLine(now, before)
    if (line !== undefined) log(line)
    onProgress(now)
    if (before?.phase !== now.phase) onChange()
  }
  const isBusy = (id: string): boolean => [...running.values()].some((ids) => ids.includes(id))

  const start = (ids: readonly string[], work: (note: (now: JobProgress) => void) => Promise<BuildReport['bought']>): Promise<void> => {
    failures = failures.filter((failure) => !failure.ids.some((id) => ids.includes(id)))
    const reported = new Set<string>()
    const run = work((now) => {
      reported.add(now.id)
      note(now)
    })
      .then((bought) => {
        waitMs = firstWaitMs
        for (const { id, credits } of bought) log(`${id}: bought for ${creditsWords(credits)}.`)
      })
      .finally(() => {
        running.delete(run)
        for (const id of reported) progress.delete(id)
      })
    running.set(run, ids)
    onChange()
    return run
  }
  const fail = (ids: readonly string[], error: unknown): void => {
    if (closing.signal.aborted) return
    const errors = errorsOf(error)
    for (const one of errors) log(readError(one).message, !isMeant(one))
    failures = [...failures, ...errors.filter((one) => !isMeant(one)).map((one) => ({ ids: idsOf(one, ids), error: one }))]
    if (errors.some((one) => hasCode(one, 'SW_ORDER'))) void lookForCommit()
    const passing: readonly unknown[] = errors.filter(mayPass)
    if (passing.length === 0) return
    void workshop.host.clock.sleep(waitMs, closing.signal).then(
      async () => {
        // Only now: the look that follows a run would begin it again at once.
        for (const id of ids) tried.delete(id)
        await look(atService)
        // The time in which it may be sent again may be over. Then no run begins, and only this tells pages of it.
        failures = failures.filter(({ error }) => !passing.includes(error))
        onChange()
      },
      () => {},
    )
    waitMs = Math.min(2 * waitMs, longestWaitMs)
  }
  /** Looks until a person has committed and pushed what the worker could not find. */
  const lookForCommit = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const isOpen = (): boolean => failures.some(({ error }) => hasCode(error, 'SW_ORDER'))
    while (isOpen() && !closing.signal.aborted) {
      await workshop.host.clock.sleep(commitWaitMs, closing.signal).catch(() => {})
      // No file of the work tree changes with a commit or a push.
      await look(['.git'])
    }
    isLooking = false
  }
  const buy = async (orders: readonly PendingPurchase[]): Promise<void> => {
    const ids = orders.map(({ id }) => id)
    const decisionsBefore = decisions
    for (const order of orders) log(beginning(order))
    try {
      await start(ids, async (onStep) => {
        const { signal } = closing
        return (await workshop.build({ names: ids, buyOnly: true, approvedOnly: true, onProgress: onStep, signal })).bought
      })
      await remember(orders, decisionsBefore)
    } catch (error) {
      await remember(orders, decisionsBefore)
      // A push during the run must not be missed.
      const unfound = errorsOf(error).flatMap((one) => (hasCode(one, 'SW_ORDER') ? idsOf(one, ids) : []))
      for (const { id, mark } of orders) if (unfound.includes(id)) tried.set(id, mark)
      fail(ids, error)
    }
    onChange()
    await look(atService)
  }
  /**
   * Handles the purchases that are still due after a run. The buyer remembers the mark of each such purchase.
   * The purchase does not start again until its mark changes. An exception is a purchase that a person has
   * approved anew while the run ended. Another is a run during which a person has decided or answered: what that
   * has started is due, and the run may have missed it.
   */
  const remember = async (begun: readonly PendingPurchase[], decisionsBefore: number): Promise<void> => {
    const pending = closing.signal.aborted ? undefined : await workshop.pending(atService).catch(() => undefined)
    if (decisions !== decisionsBefore) return
    const before = new Map(begun.map(({ id, approved }) => [id, approved]))
    for (const { id, mark, approved } of pending?.orders ?? []) if (before.get(id) === approved) tried.set(id, mark)
  }
  const lookOnce = async (changed: readonly string[] | undefined): Promise<void> => {
    if (closing.signal.aborted) return
    const paths = isLost ? undefined : changed
    isLost = true
    const pending = await workshop.pending(paths).catch(() => undefined)
    if (!pending?.mayBuy || !pending.canAsk || closing.signal.aborted) return
    isLost = false
    const orders = pending.orders.filter(({ id, mark }) => !isBusy(id) && tried.get(id) !== mark)
    if (orders.length > 0) void buy(orders)
  }
  /**
   * Reads the project's records, and starts approved requests that are not running. Resolves when they are
   * started; purchases continue. It never throws.
   *
   * @param changed Absolute paths of the files that have changed since the last look, or {@link atService}.
   * @default anything may have happened
   */
  const look = (changed?: readonly string[]): Promise<void> => {
    if (next) next.changed = next.changed && changed && [...next.changed, ...changed]
    else {
      const own: NextLook = { changed }
      next = own
      looking = looking.then(() => {
        next = undefined
        return lookOnce(own.changed)
      })
    }
    return looking
  }
  /** Also tries failed purchases again, because a person has done something about them. */
  const retry = (): Promise<void> => {
    tried.clear()
    return look()
  }
  return {
    look,
    retry,
    /**
     * Runs what a person has decided, with the same messages as a purchase, and looks after it. Resolves when the
     * work begins to wait or to buy, or has ended. Throws the error of work that fails before that.
     *
     * @param ids Requests that no purchase begins meanwhile. What is due of them is begun afterwards.
     */
    run: async (ids: readonly string[], work: DecidedWork): Promise<void> => {
      let begin = (): void => {}
      const first = new Promise<void>((resolve) => {
        begin = resolve
      })
      const run = start(ids, (onStep) => {
        const onFirst: ProgressListener = (now) => {
          onStep(now)
          begin()
        }
        return work(onFirst, closing.signal, begin)
      })
      let hasBegun = false
      const end = (): void => {
        onChange()
        if (ids.length === 0) return
        decisions++
        void retry()
      }
      run.then(end, (error: unknown) => {
        if (hasBegun) fail(ids, error)
        end()
      })
      await Promise.race([run, first])
      hasBegun = true
    },
    /** The latest progress of running purchases, by id. */
    progress: progress as ReadonlyMap<string, JobProgress>,
    get failures(): readonly BuyerFailure[] {
      return failures
    },
    /** Aborted by `close`. */
    closing: closing.signal,
    /** Stops waiting. Submissions continue at the service, and the next server or build watches them. */
    close: async (): Promise<void> => {
      closing.abort()
      await looking
      await Promise.allSettled(running.keys())
    },
  }
}

function errorsOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [error]
}

/** The ids that an error is about: its own if it names one, or else all. */
function idsOf(error: unknown, ids: readonly string[]): readonly string[] {
  const own = (error as { facts?: { id?: unknown } }).facts?.id
  return typeof own === 'string' && ids.includes(own) ? [own] : ids
}

/** A question is not a failure: the panel shows it, and waits for the answer. Nor is an approval that was taken back. */
function isMeant(error: unknown): boolean {
  return hasCode(error, 'SW_QUESTION') || (hasCode(error, 'SW_APPROVAL') && error.facts.verdict === 'revoked')
}

function beginning({ id, state, ceiling }: PendingPurchase): string {
  if (state === 'approved') return `${id}: approved${ceiling === undefined ? '' : ` up to ${creditsWords(ceiling)}`}, is being bought.`
  return state === 'lost'
    ? `${id}: its paid result is not here, and the service is asked for it again, for free.`
    : `${id}: is under way, and followed.`
}
