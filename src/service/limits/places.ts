import { hasCode, mayPass, SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { Execution } from '../wire.ts'
import type { Applicant, KeptSlot, PlaceFiles, PlaceNote, Refusal } from './place-files.ts'

/** Outcome of {@link Places.take}: the submission had a place, took a free one, or took one after a wait. */
export type Taken = 'had' | 'taken' | 'waited'

/** A place that a submission has. */
export interface TakenPlace extends PlaceNote {
  /** Missing if nobody has recorded an execution. */
  readonly executionId?: string | undefined
}

/** The places for active jobs of an account. Only `take` and `holds` fail if the files do. */
export interface Places {
  /**
   * Takes a place for a submission that is about to be sent, and waits if no place is free. The caller has no other
   * place meanwhile, so two runs never wait for each other.
   *
   * @param onWait Receives the reason of the wait, a clause, whenever the reason changes.
   * @throws `SW_REFUSED` if the service has just refused a submission because other machines run all jobs of the
   * account. `SW_UNREACHABLE` if the service does not say whether the jobs of others still run.
   */
  take(applicant: Applicant, signal: AbortSignal, onWait: (why: string) => void): Promise<Taken>
  /** Whether a submission has a place. A place without an execution expires, e.g. while the machine sleeps. */
  holds(key: string): Promise<boolean>
  /** The places that are taken, as far as they can be read. */
  taken(): Promise<readonly TakenPlace[]>
  /**
   * Records the execution of a submission, or that the submission may have an execution since `at`. A submission
   * without a place gets a free one; if no place is free, nothing happens.
   */
  keep(applicant: Applicant, job: { readonly executionId?: string | undefined; readonly at?: number }): Promise<void>
  /** Releases the place of a submission: its execution is no longer active, or the submission was not sent. */
  leave(key: string): Promise<void>
  /**
   * Records that the service refused a submission because the account has too many jobs. For some minutes this
   * machine starts no job beyond those that it runs now.
   *
   * @param isRetried Whether the run sends the submission again. If not, submissions that would only get the same
   * refusal are stopped instead of waiting.
   * @param signal If it is aborted, nothing is recorded, because the jobs of this machine are not known.
   */
  refused(applicant: Applicant, isRetried: boolean, signal: AbortSignal): Promise<void>
}

/** Places without a limit, for runs that send nothing and for a service without other senders. */
export const unlimitedPlaces: Places = {
  take: async () => 'had',
  holds: async () => true,
  taken: async () => [],
  keep: async () => {},
  leave: async () => {},
  refused: async () => {},
}

/**
 * Assumed longest duration of a job, in milliseconds. It counts if the job's state cannot be read: the execution is
 * unknown, or the service's answer does not contain its state. The service promises no limit; jobs take minutes.
 */
const longestJobMs = 30 * 60_000
/** Pause between two reads of the folder, and between two reads of another run's execution, in milliseconds. */
const pollMs = 1_000
const askMs = 10_000
/** How long reads of an accepted execution may still answer "not found", in milliseconds. */
const settlingMs = 60_000
/** How long a refusal of the service counts, in milliseconds. */
const refusedMs = 5 * 60_000

/** Known states in which an execution is not active. */
const inactive: readonly string[] = ['completed', 'failed', 'cancelled', 'needs_input']

/** Reads the state of an execution. */
interface Executions {
  execution(executionId: string, signal?: AbortSignal): Promise<Execution>
}

/** A place, and whether a job has it now. */
interface Slot extends KeptSlot {
  readonly isHeld: boolean
}

/**
 * Opens the places of an account, which all share who share the files. Unlike the slots of a rate limit, a place is not
 * a lease: the job continues at the service when the process that started it has ended.
 *
 * @param most Number of places.
 * @param project Name of the project, for people.
 * @param journal See `PlaceNote.journal`.
 */
export function createPlaces(
  ports: { readonly clock: Clock; readonly client: Executions },
  files: PlaceFiles,
  most: number,
  project: string,
  journal?: string,
): Places {
  const { clock, client } = ports
  /** The time of the last read of each execution, by `mono`. */
  const asked = new Map<string, number>()
  const isWithin = (at: number, ms: number): boolean => Math.abs(clock.wall() - at) <= ms
  const read = async (): Promise<readonly Slot[]> =>
    (await files.read(most)).map((slot) => ({
      ...slot,
      isHeld: slot.note !== undefined && (slot.executionId !== undefined || isWithin(slot.note.at, longestJobMs)),
    }))
  const readRefusal = async (): Promise<Refusal | undefined> => {
    const refusal = await files.readRefusal()
    return refusal && isWithin(refusal.at, refusedMs) ? refusal : undefined
  }
  const give = (slot: Slot): Promise<boolean> => files.add(slot, 'over', {})
  /** Returns false if another process was first. */
  const claim = (slot: Slot, { key, id }: Applicant, at = clock.wall()): Promise<boolean> =>
    files.claim(slot, { key, id, project, journal, at })
  /** Whether an execution is still active. Returns `undefined` if the answer does not say so. */
  const isActive = async (executionId: string, since: number, signal: AbortSignal): Promise<boolean | undefined> => {
    try {
      const { status, question } = await client.execution(executionId, signal)
      if (question !== null || inactive.includes(status)) return false
      return status === 'queued' || status === 'running' ? true : undefined
    } catch (error) {
      // If the service does not answer, the wait ends with its error, like every other request.
      if (signal.aborted || mayPass(error)) throw error
      const isGone = error instanceof SpritewrightError && (error.facts.status === 404 || error.facts.status === 410)
      return isGone ? isWithin(since, settlingMs) : undefined
    }
  }
  /** Releases the places whose executions have ended. Returns whether it released one. */
  const ask = async (slots: readonly Slot[], signal: AbortSignal): Promise<boolean> => {
    let hasGiven = false
    for (const slot of slots) {
      const { executionId, note } = slot
      if (!note || executionId === undefined || clock.mono() - (asked.get(executionId) ?? Number.NEGATIVE_INFINITY) < askMs) continue
      const isOver = !((await isActive(executionId, note.at, signal)) ?? isWithin(note.at, longestJobMs))
      asked.set(executionId, clock.mono())
      if (isOver) hasGiven = (await give(slot)) || hasGiven
    }
    return hasGiven
  }
  const take: Places['take'] = async (applicant, signal, onWait) => {
    let told = ''
    for (let taken: Taken = 'taken'; ; taken = 'waited') {
      signal.throwIfAborted()
      const slots = await read()
      const held = slots.filter(({ isHeld }) => isHeld)
      if (held.some(({ note }) => note?.key === applicant.key)) return taken === 'waited' ? taken : 'had'
      const refusal = await readRefusal()
      const isOthers = refusal !== undefined && refusal.id !== `${project} ${applicant.id}`
      const free = slots.find(({ isHeld }) => !isHeld)
      if (free && (!isOthers || held.length < refusal.most)) {
        if (await claim(free, applicant)) return taken
        continue
      }
      if (isOthers && refusal.most === 0 && !refusal.isRetried) throw elsewhereError(applicant)
      const why = toReason(held, most, isOthers)
      if (why !== told) onWait(why)
      told = why
      if (!(await ask(slots, signal))) await clock.sleep(pollMs, signal)
    }
  }
  /**
   * Ignores errors of the files. Without its file, another job may be refused, which costs nothing. An error would
   * end the watch of a paid job.
   */
  const unlessFiles = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (!hasCode(error, 'SW_DISK') && !hasCode(error, 'SW_STORE')) throw error
      return undefined
    })
  const keep: Places['keep'] = async (applicant, { executionId, at }) => {
    let slots = await read()
    const isOwn = ({ note }: Slot): boolean => note?.key === applicant.key
    const before = slots.find(isOwn)
    // An answer continues a submission as another execution. A waiting process must read the new execution.
    const isReplaced = executionId !== undefined && before?.executionId !== undefined && before.executionId !== executionId
    const next = isReplaced ? before : before ? undefined : slots.find(({ isHeld }) => !isHeld)
    if (next && (await claim(next, applicant, at))) slots = await read()
    const own = slots.find(isOwn)
    if (own && executionId !== undefined) await files.add(own, 'execution', executionId)
  }
  const leave: Places['leave'] = async (key) => {
    for (const slot of await read()) if (slot.note?.key === key) await give(slot)
  }
  const refused: Places['refused'] = async ({ key, id }, isRetried, signal) => {
    let most = 0
    for (const { note, executionId } of await read()) {
      // A queued execution may still be refused as well.
      const isOther = note?.key !== key && executionId !== undefined
      if (isOther && (await client.execution(executionId, signal).catch(() => undefined))?.status === 'running') most++
    }
    signal.throwIfAborted()
    const refusal: Refusal = { id: `${project} ${id}`, at: clock.wall(), most, isRetried }
    await files.writeRefusal(refusal)
  }
  return {
    take,
    holds: async (key) => (await read()).some(({ isHeld, note }) => isHeld && note?.key === key),
    taken: async () =>
      ((await unlessFiles(read())) ?? []).flatMap(({ isHeld, note, executionId }) => (isHeld && note ? [{ ...note, executionId }] : [])),
    keep: (...args) => unlessFiles(keep(...args)),
    leave: (...args) => unlessFiles(leave(...args)),
    refused: (...args) => unlessFiles(refused(...args)),
  }
}

/**
 * Joins places that different machines share. A submission needs one of each.
 *
 * @param own Those of this machine. They are taken first by all, so nobody waits in a circle.
 * @param team Those of a journal.
 */
export function joinPlaces(own: Places, team: Places): Places {
  return {
    take: async (applicant, signal, onWait) => {
      const first = await own.take(applicant, signal, onWait)
      try {
        const second = await team.take(applicant, signal, onWait)
        return first === 'had' ? second : second === 'waited' ? second : first
      } catch (error) {
        if (first !== 'had') await own.leave(applicant.key)
        throw error
      }
    },
    holds: async (key) => (await own.holds(key)) && team.holds(key),
    taken: async () => (await Promise.all([own.taken(), team.taken()])).flat(),
    keep: async (...args) => void (await Promise.all([own.keep(...args), team.keep(...args)])),
    leave: async (key) => void (await Promise.all([own.leave(key), team.leave(key)])),
    refused: own.refused,
  }
}

function toReason(held: readonly Slot[], most: number, isOthers: boolean): string {
  if (isOthers) return 'the service says that the account runs as many jobs as it may, not all of them from this machine'
  const names = held.map(({ note }) => `${note?.id} of ${note?.project}`).join(' and ')
  return `it waits for a place: ${most} ${most === 1 ? 'job' : 'jobs'} of the account may be active, now ${names}`
}

function elsewhereError({ id }: Applicant): SpritewrightError {
  return new SpritewrightError('SW_REFUSED', {
    message: `"${id}" was not sent: the service has just said that this account runs as many jobs as it may, and none of them is from this machine. Its approval stays. Wait until they have ended, at least five minutes, then run the same command again.`,
    facts: { id, reason: 'too_many_active_jobs', retryable: true },
  })
}
