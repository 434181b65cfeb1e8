import type { SpritewrightError } from '../../errors.ts'
import type { JsonBody } from '../json.ts'
import type { Limiter } from '../limits/limits.ts'
import { type Attempt, isGatewayStatus, type RetryTools, retrying } from './retry.ts'
import type { Answer, Transport, WireRequest } from './transport.ts'

/**
 * Sends a free request inside the limits, retries it if the rules allow a retry, and returns the JSON body of
 * a 2xx.
 */
export type FreeRequest = (request: WireRequest, signal?: AbortSignal) => Promise<{ readonly status: number; readonly body: JsonBody }>

/**
 * Like {@link FreeRequest}, but returns the answer unparsed. `onLost` is called for every try with a lost
 * answer, because the service may have acted on the request. A read is retried if its answer is not JSON,
 * because the login page of a network may have answered.
 */
export type FreeExchange = (request: WireRequest, signal?: AbortSignal, onLost?: () => void) => Promise<Answer>

/** Creates a {@link FreeRequest} over an exchange. */
export function createFreeRequest(transport: Transport, exchange: FreeExchange): FreeRequest {
  return async (request, signal) => {
    const answer = await exchange(request, signal)
    return { status: answer.status, body: transport.json(answer, request.what) }
  }
}

/** Creates a {@link FreeExchange} over a transport. Each try waits for its own slot of the limits. */
export function createFreeExchange(transport: Transport, limiter: Limiter, tools: RetryTools): FreeExchange {
  const attempt = async (request: WireRequest, signal?: AbortSignal, onLost?: () => void): Promise<Attempt<Answer>> => {
    const release = await limiter.take(request.method === 'GET' ? 'get' : 'post', signal)
    try {
      const answer = await transport.exchange(request, signal)
      if (answer.status >= 200 && answer.status <= 299)
        return request.method === 'GET' ? toRead(transport, answer, request.what) : { kind: 'done', value: answer }
      if (isGatewayStatus(answer.status)) onLost?.()
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

function toRead(transport: Transport, answer: Answer, what: string): Attempt<Answer> {
  try {
    transport.json(answer, what)
    return { kind: 'done', value: answer }
  } catch (error) {
    if (!isOwnError(error)) throw error
    return { kind: 'failed', error, fault: { kind: 'transport' } }
  }
}

/**
 * Classifies an error of a try: the caller's abort is thrown on, a `SpritewrightError` is final, and any
 * other error is a fault of transport.
 */
export function lostAttempt<T>(
  error: unknown,
  toError: (cause: unknown) => SpritewrightError,
  signal: AbortSignal | undefined,
): Attempt<T> {
  if (signal?.aborted) throw signal.reason
  if (isOwnError(error)) return { kind: 'failed', error, fault: null }
  // Another try would exceed the body's limit again.
  return { kind: 'failed', error: toError(error), fault: error instanceof RangeError ? null : { kind: 'transport' } }
}

function isOwnError(error: unknown): error is SpritewrightError {
  return error instanceof Error && error.name === 'SpritewrightError'
}
