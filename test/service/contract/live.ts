import type { Call } from '../../../src/contract/caller.ts'
import type { ContractContext } from '../../../src/contract/check.ts'
import { liveOnce } from '../../../src/contract/life/life.ts'
import type { LifeOutcome } from '../../../src/contract/outcome.ts'
import { resolveProfile } from '../../../src/service/profile.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { countingRandom } from '../../kit/memory-disk.ts'
import { events, executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'

/** An answer of a service. */
export type Answer = NonNullable<LifeOutcome['accepted']>

/** An answer with a JSON body. */
export function answer(status: number, body: unknown): Answer {
  const text = JSON.stringify(body)
  return { method: 'GET', path: '/v1/x', status, headers: {}, bytes: new TextEncoder().encode(text), text, json: body }
}

/** The path of the execution. */
export const path = `/v1/executions/${paidId}`
/** Where its file is. */
export const file = 'https://files.test/a.zip'
/** What the service of scripted answers does otherwise. */
export interface LifeWorld {
  readonly ceiling?: bigint | undefined
  readonly balance?: string
  readonly statuses?: readonly string[]
  readonly location?: string
  readonly submitted?: () => Answer
  readonly record?: (intent: Readonly<Record<string, unknown>>) => Promise<void>
  readonly download?: object
  /** Path of the base URL. */
  readonly base?: string
  readonly isLoopback?: boolean
  readonly capabilities?: object
  /** Replaces the answer to a request. */
  readonly reply?: (call: Call, body: Readonly<Record<string, unknown>>) => Answer | undefined
  readonly streamed?: readonly { readonly event: string; readonly id: string; readonly data: string }[]
  readonly streamStatus?: number
}

/** What was seen and done. */
export interface Lived {
  readonly seen: LifeOutcome
  readonly told: readonly string[]
  readonly kept: readonly unknown[]
  readonly ms: number
}

/** Buys from a service of scripted answers. Returns what was seen, and each request as `METHOD path key`. */
export async function live({ statuses = ['queued', 'running', 'running', 'completed'], ...world }: LifeWorld = {}): Promise<Lived> {
  const clock = new ManualClock()
  const told: string[] = []
  const kept: unknown[] = []
  let reads = 0
  const image = { ...executed.image_job, finished_assets: [{ ...executed.image_job.finished_assets[0], ...world.download }] }
  const state = (): Answer =>
    answer(200, { ...executed, status: statuses[Math.min(reads++, statuses.length - 1)], execution_id: paidId, image_job: image })
  const reply = ({ method = 'GET', path: asked, headers, body, isManaged }: Call): Answer => {
    const changed = world.reply?.(
      { method, path: asked, ...(headers ? { headers } : {}), ...(isManaged === undefined ? {} : { isManaged }) },
      body ? JSON.parse(new TextDecoder().decode(body)) : {},
    )
    const max = body && (JSON.parse(new TextDecoder().decode(body)) as { max_credits?: string }).max_credits
    const key = headers?.['idempotency-key']?.replace(/^sw1-contract-[^-]*(-[0-9a-f]{4}){3}-[0-9a-f]*/, 'key')
    told.push([method, asked, key, max, headers?.accept, isManaged === false ? 'plain' : ''].filter(Boolean).join(' '))
    if (changed) return changed
    if (asked.startsWith('/v1/sprite-pricing')) return answer(200, { credits: '1.6' })
    if (asked === '/v1/balance') return answer(200, { credits: world.balance ?? '9' })
    if (asked === '/v1/execute') return world.submitted?.() ?? answer(202, { execution_id: paidId })
    if (asked === path) return state()
    if (asked.endsWith('/asset')) return { ...answer(302, ''), headers: { location: world.location ?? file } }
    return answer(409, {})
  }
  const stream = async (asked: string, after?: string) => {
    told.push(['STREAM', asked, after].filter(Boolean).join(' '))
    const left = (world.streamed ?? events)
      .map(({ event, id, data }) => ({ event, data, lastEventId: id }))
      .filter(({ lastEventId }) => after === undefined || lastEventId > after)
    return { status: world.streamStatus ?? 200, next: async () => left.shift() ?? null, close: async () => void told.push('CLOSE') }
  }
  const outside = async (url: string) => {
    told.push(`OUTSIDE ${url}`)
    return { ...answer(200, ''), bytes: zip }
  }
  const context = {
    ...{ clock, random: countingRandom(), profile: resolveProfile(), ceiling: 'ceiling' in world ? world.ceiling : 16_000n },
    caller: {
      address: { origin: 'https://api.test', path: world.base ?? '', isLoopback: world.isLoopback ?? false },
      call: async (call: Call) => reply(call),
      stream,
      outside,
    },
    capabilities: async () => answer(200, world.capabilities ?? { key_mode: 'live', test_mode_uses_credits: false }),
    reference: async () => otherId,
  } as unknown as ContractContext
  const record = world.record ?? (async () => void told.push('RECORD'))
  const keep = async (...of: unknown[]) => void kept.push(of)
  const begun = clock.mono()
  const seen = await clock.run(liveOnce(context, { record, keep, pollMs: 500, longestMs: 2_000 }))
  return { seen, told, kept, ms: clock.mono() - begun }
}
