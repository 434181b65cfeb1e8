import type { Host } from '../../host/host.ts'
import { type KeySearch, refuseKey } from '../../key-search.ts'
import { readSettings } from '../../project/trust/settings.ts'
import { type EventKind, eventRecord, type Tell, type WorkerEvent } from './events.ts'

/** The hook of a worker. */
export interface Hook {
  readonly tell: Tell
  /** Gives up what is not sent yet, and waits until no call is under way. */
  close(): Promise<void>
}

/** What a hook needs. */
type HookPorts = Pick<Host, 'clock' | 'disk' | 'net' | 'runCommand' | 'stateFolder'>

const hooked: readonly EventKind[] = ['question', 'decision', 'limit', 'refused', 'stalled']
/** Longest call, the pause before its only repetition, and how long an equal event is not sent again, in milliseconds. */
const callMs = 10_000
const pauseMs = 5_000
const silentMs = 3_600_000
/** Most events that wait. Later ones are left out. */
const mostWaiting = 100

/**
 * Calls what `worker.onEvent` of the owner's settings names, for each event that needs a person. One call at a time;
 * a failed call is repeated once. A failure stops nothing.
 *
 * @param warn Receives the first of several failures in a row.
 */
export function createHook(host: HookPorts, keySearch: KeySearch, warn: (message: string) => void): Hook {
  const over = new AbortController()
  const { signal } = over
  const sent = new Map<string, number>()
  let waiting = 0
  let last = Promise.resolve()
  let isFailing = false
  const deliver = async (event: WorkerEvent): Promise<void> => {
    try {
      const body = toBody(event, host.clock.wall())
      refuseKey(keySearch, body, 'the body of onEvent')
      await call(host, body, signal).catch(async () => {
        await host.clock.sleep(pauseMs, signal)
        await call(host, body, signal)
      })
      isFailing = false
    } catch (error) {
      // The address of a chat's webhook is a secret, and an error may have it.
      if (!isFailing && !signal.aborted)
        warn(`${failed} ${(error as { code?: unknown }).code ?? 'no answer with a status of 2xx'}. ${advice}`)
      isFailing = true
    }
  }
  return {
    tell: (event) => {
      const name = JSON.stringify([event.kind, event.message, event.fields])
      const now = host.clock.mono()
      if (!hooked.includes(event.kind) || now - (sent.get(name) ?? Number.NEGATIVE_INFINITY) < silentMs || waiting >= mostWaiting) return
      for (const [other, at] of sent) if (now - at >= silentMs) sent.delete(other)
      sent.set(name, now)
      waiting++
      last = last.then(() => (signal.aborted ? undefined : deliver(event))).finally(() => void waiting--)
    },
    close: () => {
      over.abort()
      return last
    },
  }
}

const failed = 'Expected the hook worker.onEvent of settings.json to take an event, found:'
const advice = 'The worker goes on, and the event is in its lines. Correct the hook; the next event calls it again.'

async function call(host: HookPorts, body: string, signal: AbortSignal): Promise<void> {
  const target = (await readSettings(host)).worker?.onEvent
  if (!target) return
  if ('command' in target) return host.runCommand?.(target.command, body, signal)
  const response = await host.net.request({
    method: 'POST',
    url: target.url,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(body),
    signal,
    headersTimeoutMs: callMs,
    bodyTimeoutMs: callMs,
  })
  // The answer is of no interest, and may be endless.
  for await (const _ of response.body) break
  if (response.status < 200 || response.status > 299) throw new Error(`status ${response.status}`)
}

/**
 * The JSON of an event. Slack and Mattermost show `text`, Discord shows `content` of at most 2,000 characters. The
 * words cannot mention a person or a channel there.
 */
function toBody(event: WorkerEvent, now: number): string {
  const { kind, message, fields } = event
  const where = fields?.project === undefined ? '' : ` (${fields.project})`
  const text = `spritewright${where}, ${kind}: ${message}`.replace(/[<@]/g, (sign) => (sign === '<' ? '‹' : '＠')).slice(0, 1900)
  return JSON.stringify({ ...eventRecord(event, now), text, content: text })
}
