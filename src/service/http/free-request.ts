import type { SpritewrightError } from '../../errors.ts'
import type { JsonBody } from '../json.ts'
import type { Limiter } from '../limits/limits.ts'
import { type Attempt, type RetryTools, retrying } from './retry.ts'
import type { Answer, Transport, WireRequest } from './transport.ts'

/** Sends a request that costs nothing, inside the limits, again where the rules allow, and answers the JSON body of a 2xx. */
export type FreeRequest = (request: WireRequest, signal?: AbortSignal) => Promise<{ readonly status: number; readonly body: JsonBody }>

/** Like {@link FreeRequest}, with the answer as it came. `onLost` is told of every try whose answer was lost: the service may have done what it asked for. */
export type FreeExchange = (request: WireRequest, signal?: AbortSignal, onLost?: () => void) => Promise<Answer>

/** One {@link FreeRequest} over an exchange. */
export function createFreeRequest(transport: Transport, exchange: FreeExchange): FreeRequest {
  return async (request, signal) => {
    const answer = await exchange(request, signal)
    return { status: answer.status, body: transport.json(answer, request.what) }
  }
}

/** One {@link FreeExchange} over a transport; each try waits for its own slot of the limits. */
export function createFreeExchange(transport: Transport, limiter: Limiter, tools: RetryTools): FreeExchange {
  const attempt = async (request: WireRequest, signal?: AbortSignal, onLost?: () => void): Promise<Attempt<Answer>> => {
    const release = await limiter.take(request.method === 'GET' ? 'get' : 'post', signal)
    try {
      const answer = await transport.exchange(request, signal)
      if (answer.status >= 200 && answer.status <= 299) return { kind: 'done', value: answer }
      if (answer.status >= 500) onLost?.()
      return { kind: 'failed', ...transport.refusal(answer, request.what) }
    } catch (error) {
      onLost?.()
      return lostAttempt(error, (cause) => transport.unreachable(cause, request.what), signal)
    } finally {
      release()
    }
  }
  return (request, signal, onLost) => retrying(tools, () => attempt(request, signal, onLost), signal)
}

/** What a throw of a try means: the caller's own abort goes on up, an error of ours is final, anything else is a fault of transport. */
export function lostAttempt<T>(
  error: unknown,
  toError: (cause: unknown) => SpritewrightError,
  signal: AbortSignal | undefined,
): Attempt<T> {
  if (signal?.aborted) throw signal.reason
  if (isOwnError(error)) return { kind: 'failed', error, fault: null }
  // A body above its limit would be so again.
  return { kind: 'failed', error: toError(error), fault: error instanceof RangeError ? null : { kind: 'transport' } }
}

function isOwnError(error: unknown): error is SpritewrightError {
  return error instanceof Error && error.name === 'SpritewrightError'
}
