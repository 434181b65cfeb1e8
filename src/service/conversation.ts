import { SpritewrightError } from '../errors.ts'
import type { FreeExchange } from './http/free-request.ts'
import type { Answer, Transport } from './http/transport.ts'
import { readCancellation } from './replies.ts'
import type { Cancellation, Execution } from './wire.ts'

/** The ports that {@link createCancel} and {@link createDeletion} need. */
export interface ConversationPorts {
  readonly transport: Transport
  readonly exchange: FreeExchange
  /** Reads an execution, for facts that a cancellation does not contain. */
  readonly execution: (executionId: string, signal?: AbortSignal) => Promise<Execution>
}

/**
 * Cancels an image execution. A try whose answer was lost may have cancelled the execution already. So if the
 * next try is refused, the state of the execution decides.
 *
 * @param path The execution's own path.
 */
export function createCancel(ports: ConversationPorts): (executionId: string, path: string, signal?: AbortSignal) => Promise<Cancellation> {
  return async (executionId, path, signal) => {
    let isLost = false
    let answer: Answer
    try {
      answer = await ports.exchange({ method: 'POST', path: `${path}/cancel`, what: 'the cancellation', isManaged: true }, signal, () => {
        isLost = true
      })
    } catch (error) {
      if (!isLost || !isRefusal(error)) throw error
      const now = await readState(ports, executionId, signal)
      if (now.status === 'cancelled') return now
      throw error
    }
    // Any 2xx is a success (N8). Without a body, a read of the execution gives the result.
    if (answer.body.length === 0) return readState(ports, executionId, signal)
    const result = readCancellation(ports.transport.json(answer, 'the cancellation').value)
    if (result.executionId !== null && result.executionId !== executionId) throw notAsked(executionId, result.executionId)
    if (result.status === null) return readState(ports, executionId, signal)
    return { executionId, conversationId: result.conversationId, status: result.status }
  }
}

/**
 * Deletes a conversation for ever. Any 2xx is a success, and its body is not read (N9). A 404 or
 * `resource_not_found` after a try with a lost answer is a success too.
 */
export function createDeletion(ports: ConversationPorts): (path: string, signal?: AbortSignal) => Promise<void> {
  return async (path, signal) => {
    let isLost = false
    try {
      await ports.exchange({ method: 'DELETE', path, what: 'the deletion of the conversation', isManaged: true }, signal, () => {
        isLost = true
      })
    } catch (error) {
      if (!isLost || !isRefusal(error) || !isGone(error)) throw error
    }
  }
}

async function readState(ports: ConversationPorts, executionId: string, signal: AbortSignal | undefined): Promise<Cancellation> {
  const { conversationId, status } = await ports.execution(executionId, signal)
  return { executionId, conversationId, status }
}

function isRefusal(error: unknown): error is SpritewrightError {
  return error instanceof SpritewrightError && error.code === 'SW_REFUSED'
}

function isGone(error: SpritewrightError): boolean {
  return error.facts.status === 404 || error.facts.reason === 'resource_not_found'
}

function notAsked(asked: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected the cancellation of ${asked}, found that of ${found}. Read the execution's status before anything else; if this repeats, report it to the service.`,
    facts: { what: 'the cancellation', asked, found },
  })
}
