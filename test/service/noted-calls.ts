import { expect } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import type { Net, NetRequest } from '../../src/host/net.ts'
import { parseServiceAddress } from '../../src/service/address.ts'
import type { Fault } from '../../src/service/http/retry.ts'
import { createTransport } from '../../src/service/http/transport.ts'
import type { Limiter } from '../../src/service/limits/limits.ts'
import { defaultProfile } from '../../src/service/profile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import type { Reply } from '../kit/scripted-net.ts'
import { canary, steadyRandom } from './fixtures.ts'

const api = 'https://api.example.com'
const over: Reply = new Error('the script is over')

/** The parts of an answer's body, each noted by its length when it is read, and the end of the reading. */
export interface Parted {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly parts: readonly number[]
}

/** A transport, limits and a budget that note each call in order, over a net that answers by a script. */
export function world(...script: readonly (Reply | Parted)[]) {
  const calls: string[] = []
  const clock = new ManualClock()
  const signals: (AbortSignal | undefined)[] = []
  const requests: NetRequest[] = []
  let number = 0
  const bodyOf = async function* (parts: readonly (number | Uint8Array)[], cutAfter?: number) {
    try {
      for (const part of parts) {
        const bytes = typeof part === 'number' ? new Uint8Array(part) : part
        calls.push(`part ${bytes.length}`)
        yield bytes.subarray(0, cutAfter)
        if (cutAfter !== undefined) throw Object.assign(new Error(`cut at https://cdn.example.net`), { code: 'ECONNRESET' })
      }
    } finally {
      calls.push('closed')
    }
  }
  const net: Net = {
    request: async (request) => {
      const { method, url, signal, bodyTimeoutMs } = request
      requests.push(request)
      calls.push(`${method} ${url.replace(api, '')}${bodyTimeoutMs === undefined ? '' : ` ${bodyTimeoutMs} ms`}`)
      if (signal?.aborted) throw signal.reason
      const reply = script[number++] ?? over
      if (reply instanceof Error) throw reply
      if (reply === 'silence') return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      const parts =
        'parts' in reply ? reply.parts : [typeof reply.body === 'string' ? Buffer.from(reply.body) : (reply.body ?? new Uint8Array())]
      return { status: reply.status, headers: reply.headers ?? {}, body: bodyOf(parts, 'cutAfter' in reply ? reply.cutAfter : undefined) }
    },
    close: async () => {},
  }
  const give = () => void calls.push('release')
  const limiter: Limiter = {
    take: async (bucket, signal) => {
      signals.push(signal)
      calls.push(`take ${bucket}`)
      return give
    },
    openStream: async (signal) => {
      signals.push(signal)
      calls.push('take stream')
      return () => void calls.push('release stream')
    },
    settled: async () => {},
  }
  const pauses: [number, Fault][] = []
  const tools = {
    clock,
    random: steadyRandom,
    budget: { take: () => calls.push('token') > 0, giveBack: () => void calls.push('token back') },
    onPause: (...pause: [number, Fault]) => void pauses.push(pause),
  }
  const note = async (request: { path: string }, ms: number) => void calls.push(`note ${request.path} ${ms}`)
  const transport = createTransport(net, clock, parseServiceAddress(api), canary, note)
  const ports = { net, clock, transport, limiter, tools, profile: defaultProfile }
  return { calls, clock, signals, requests, pauses, ports, limiter, transport, tools }
}

/** The error with which a promise rejects. */
export const refusalOf = (promise: Promise<unknown>): Promise<SpritewrightError> =>
  promise.then(
    () => expect.unreachable(),
    (error: SpritewrightError) => error,
  )
