import type { z } from 'zod'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import type { ServiceClient } from '../service/client.ts'
import type { Capabilities } from '../service/wire.ts'
import { followJob } from './follow.ts'
import { type Answers, answers, type InquiryMessage, parseFailure } from './messages.ts'
import type { Queues } from './open.ts'

/** How an answer of a worker is waited for. */
export interface RemoteWait {
  /** Receives a sentence, once, if an answer takes some seconds. */
  readonly onWait?: ((sentence: string) => void) | undefined
  /**
   * Longest wait without an active worker, in milliseconds.
   *
   * @default 60000, because a person waits for the answer
   */
  readonly patienceMs?: number | undefined
}

/**
 * Opens a client of the service whose requests a worker sends: inquiries about account and prices. All other
 * requests need the API key.
 */
export async function openRemoteClient(
  host: Pick<Host, 'clock' | 'random'>,
  queues: Queues,
  signal: AbortSignal | undefined,
  { onWait = () => {}, patienceMs = 60_000 }: RemoteWait = {},
): Promise<{ readonly client: ServiceClient; readonly capabilities: Capabilities }> {
  let isTold = false
  const onSlow = (): void => {
    if (isTold) return
    isTold = true
    onWait(
      `Waiting for the worker at ${queues.address} to answer. If none runs, start it on the machine that has the API key: npx spritewright worker`,
    )
  }
  const ask = async <Ask extends keyof Answers>(
    inquiry: InquiryMessage & { readonly ask: Ask },
    over: AbortSignal | undefined,
  ): Promise<Answers[Ask]> => {
    const job = { id: host.random.uuid(), data: inquiry, priority: async () => 0 }
    const settled = await followJob(queues, queues.inquiries, job, {
      clock: host.clock,
      patienceMs,
      afterwards: 'It was asked for prices and balance only.',
      onSlow,
      signal: over ?? new AbortController().signal,
    })
    if (settled.state === 'failed') throw parseFailure(settled.failure)
    const read = (answers[inquiry.ask] as z.ZodType<Answers[Ask]>).safeParse(settled.result)
    if (read.success) return read.data
    throw new SpritewrightError('SW_QUEUE', {
      message: `Expected an answer about ${inquiry.ask} from the worker at ${queues.address}, found something else. Use the same version of spritewright on both sides.`,
      facts: { queue: queues.address, ask: inquiry.ask },
    })
  }
  const first = await ask({ ask: 'capabilities' }, signal)
  const refuse = (): never => {
    throw needsKey()
  }
  const client: ServiceClient = {
    host: first.host,
    keyTag: () => '',
    capabilities: async (over) => (await ask({ ask: 'capabilities' }, over)).capabilities,
    balance: async (over) => (await ask({ ask: 'balance' }, over)).credits,
    estimate: (frames, background, over) => ask({ ask: 'estimate', frames, background }, over),
    uploadReference: async () => refuse(),
    submissionBody: refuse,
    maxCreditsOf: refuse,
    submit: async () => refuse(),
    answer: async () => refuse(),
    execution: async () => refuse(),
    cancel: async () => refuse(),
    isCancellable: () => false,
    deleteConversation: async () => refuse(),
    events: refuse,
    download: async () => refuse(),
    close: async () => {},
  }
  return { client, capabilities: first.capabilities }
}

function needsKey(): SpritewrightError {
  return new SpritewrightError('SW_NO_KEY', {
    message:
      'Expected an API key for this, found none: a worker tells prices and buys what is approved. Run the command in the clone of the worker, where SPRITEWRIGHT_API_KEY is set.',
  })
}
