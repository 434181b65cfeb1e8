import type { ServedResponse } from '../../host/server.ts'
import type { FaultDeed } from '../options/fault-plan.ts'
import type { HookedRequest } from '../options/options.ts'
import { rewrite } from './bodies.ts'

/** Whether an answer is an event stream. */
export function isStream({ headers }: ServedResponse): boolean {
  return /^text\/event-stream/.test(headers['content-type'] ?? '')
}

/** Breaks an event stream as a deed says. The payloads of its events change like other JSON. */
export function playStream(deed: FaultDeed, { signal }: HookedRequest, response: ServedResponse): ServedResponse {
  if (response.body instanceof Uint8Array) return response
  const events = rewritten(deed, response.body)
  const { stream, afterEvents = 1 } = deed
  return { ...response, body: stream === undefined ? events : breaks[stream](events, afterEvents, signal) }
}

type Blocks = AsyncIterable<Uint8Array>

const breaks: Readonly<Record<NonNullable<FaultDeed['stream']>, (events: Blocks, most: number, signal: AbortSignal) => Blocks>> = {
  cut,
  silent,
  duplicated,
  reordered,
}

async function* rewritten(deed: FaultDeed, events: Blocks): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    const block = new TextDecoder().decode(event)
    const changed = block.replace(/^data: (.*)$/m, (_, data: string) => `data: ${JSON.stringify(rewrite(deed, JSON.parse(data)))}`)
    yield new TextEncoder().encode(changed)
  }
}

async function* firstOf(events: Blocks, most: number): AsyncGenerator<Uint8Array> {
  if (most === 0) return
  let count = 0
  for await (const event of events) {
    yield event
    if (++count >= most) return
  }
}

async function* cut(events: Blocks, most: number): AsyncGenerator<Uint8Array> {
  yield* firstOf(events, most)
  // An error at the end breaks the connection instead of closing it.
  throw new Error('The plan of faults cuts this stream.')
}

/** Sends nothing more, not even a heartbeat, until the client leaves. */
async function* silent(events: Blocks, most: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* firstOf(events, most)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function* duplicated(events: Blocks): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    yield event
    yield event
  }
}

/** Swaps every two events. The last one of an odd number stays last. */
async function* reordered(events: Blocks): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array | undefined
  for await (const event of events) {
    if (kept !== undefined) yield* [event, kept]
    kept = kept === undefined ? event : undefined
  }
  if (kept !== undefined) yield kept
}
