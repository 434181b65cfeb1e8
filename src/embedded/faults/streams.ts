import type { ServedResponse } from '../../host/server.ts'
import type { FaultDeed } from '../options/fault-plan.ts'
import type { HookedRequest } from '../options/options.ts'
import { rewrite } from './bodies.ts'

/** Whether an answer is an event stream. */
export function isStream({ headers }: ServedResponse): boolean {
  return /^text\/event-stream/.test(headers['content-type'] ?? '')
}

/** An event stream that goes wrong as a deed says, its events' payloads changed as every JSON is. */
export function playStream(deed: FaultDeed, { signal }: HookedRequest, response: ServedResponse): ServedResponse {
  if (response.body instanceof Uint8Array) return response
  const events = rewritten(deed, response.body)
  const most = deed.afterEvents ?? 1
  if (deed.stream === 'cut') return { ...response, body: cut(events, most) }
  if (deed.stream === 'silent') return { ...response, body: silenced(events, most, signal) }
  if (deed.stream === 'duplicated') return { ...response, body: duplicated(events) }
  if (deed.stream === 'reordered') return { ...response, body: reordered(events) }
  return { ...response, body: events }
}

type Blocks = AsyncIterable<Uint8Array>

async function* rewritten(deed: FaultDeed, events: Blocks): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    const block = new TextDecoder().decode(event)
    const changed = block.replace(/^data: (.*)$/m, (_, data: string) => `data: ${JSON.stringify(rewrite(deed, JSON.parse(data)))}`)
    yield new TextEncoder().encode(changed)
  }
}

async function* cut(events: Blocks, most: number): AsyncGenerator<Uint8Array> {
  let count = 0
  if (most > 0) {
    for await (const event of events) {
      yield event
      if (++count >= most) break
    }
  }
  // An end with an error leaves the connection broken off, not closed.
  throw new Error('The plan of faults cuts this stream.')
}

/** Says nothing more, not even that there is nothing new, until the client goes. */
async function* silenced(events: Blocks, most: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let count = 0
  if (most > 0) {
    for await (const event of events) {
      yield event
      if (++count >= most) break
    }
  }
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

/** Every second event before the one that it follows; an odd last one stays last. */
async function* reordered(events: Blocks): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array | undefined
  for await (const event of events) {
    if (kept === undefined) {
      kept = event
      continue
    }
    yield event
    yield kept
    kept = undefined
  }
  if (kept !== undefined) yield kept
}
