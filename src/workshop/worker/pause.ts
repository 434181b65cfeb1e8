import { readUnlessBroken } from '../../job/records/journal.ts'
import type { Context } from '../../project/context.ts'
import type { LeaseNote } from '../../queue/messages.ts'
import { longestRequestMs } from '../../service/http/transport.ts'
import type { OpenedProject } from './opened-project.ts'
import { waitFor } from './wait-for.ts'

/** Longest time from a reservation to its last submission with all tries of a run, in milliseconds. */
const longestTriesMs = 60 * 60_000

/**
 * How long a new holder waits before its first request to the service, in milliseconds: until the window of the last
 * request of others is over.
 *
 * The journals have a record before and after each submission, also those of earlier versions, so they tell when the last
 * one can have arrived. They do not tell of reads. Each worker makes so few that two in a minute keep the limits. A
 * previous holder that is slow and not dead may submit once more. Then the service may refuse a request for a moment,
 * which costs nothing. If a journal is away or slow, the pause is the longest one.
 *
 * @param own The project in which the worker starts.
 * @param projects All projects of the worker.
 * @param longestMs How long a request of the previous holder may be under way, in milliseconds.
 * @param leaseMs See `WorkRequest.leaseMs`.
 */
export async function pauseBefore(
  own: Context,
  projects: readonly PromiseSettledResult<OpenedProject>[],
  { state }: LeaseNote,
  { longestMs, leaseMs }: { readonly longestMs: number; readonly leaseMs: number },
  signal: AbortSignal,
): Promise<number> {
  const { windowMs } = own.options.limits
  if (state === 'released') return windowMs
  const fullMs = leaseMs + longestMs + windowMs
  const read = async ({ context }: OpenedProject): Promise<number> => {
    const { sharedJournal, host } = context
    // An earlier version that finds an emptied queue takes a journal without this note for a new one.
    const note = new TextEncoder().encode(JSON.stringify({ v: 1, id: host.random.uuid() }))
    if (state === 'free') await sharedJournal?.putIfAbsent('worker/first', note)
    return (await lastArrival(context, longestMs)) + windowMs - host.clock.wall()
  }
  const pauses = projects.map(async (one) => {
    if (one.status === 'rejected') return fullMs
    return waitFor(own.host.clock, longestRequestMs, read(one.value), () => fullMs, signal).catch(() => fullMs)
  })
  // Clocks of machines differ, so a record may be of the future.
  return Math.min(fullMs, Math.max(0, ...(await Promise.all(pauses))))
}

/** When the last submission in a journal can have arrived at the service, by the clock of its sender. 0 without one. */
async function lastArrival({ journal, reservations, host: { clock } }: Context, longestMs: number): Promise<number> {
  const now = clock.wall()
  let last = 0
  for (const { hash, at } of await reservations.shares()) {
    if (now - at > longestTriesMs) continue
    const view = await readUnlessBroken(journal, hash)
    const records = view?.records ?? []
    const sent = records.findLastIndex(({ type }) => type === 'sent' || type === 'answerSent')
    // The next record is that of its answer. A broken chain says nothing.
    const answered = sent < 0 ? undefined : records[sent + 1]
    last = Math.max(last, answered?.at ?? (view ? (records[sent]?.at ?? at) : now) + longestMs)
  }
  return last
}
