import { SpritewrightError } from '../errors.ts'
import type { PublicError } from '../service/wire.ts'
import type { StopReason } from './decision.ts'
import type { JobPorts, Order } from './order.ts'

/** The words for a person, where a purchase cannot go on by itself. */
export function stopError(ports: Pick<JobPorts, 'windowMs'>, order: Order, why: StopReason): SpritewrightError {
  const id = order.request.id
  switch (why.kind) {
    case 'refused':
      return refusedError(id, why.status, why.error)
    case 'failed':
      return new SpritewrightError('SW_FAILED', {
        message: `The execution of "${id}" ${why.status === 'cancelled' ? 'was cancelled' : 'failed'}: ${why.error?.message ?? 'the service gives no reason'}${why.error ? ` (${why.error.reason})` : ''}. Its hold is restored. To try again, approve it anew: spritewright approve ${id}`,
        facts: { id, status: why.status, reason: why.error?.reason, retryable: why.error?.retryable, requestId: why.error?.requestId },
      })
    case 'conflict':
      return new SpritewrightError('SW_CONFLICT', {
        message: `The service knows the submission of "${id}" with other bytes: another checkout has sent its own. Nothing was bought here and nothing more is sent. Pull sprites.lock.json from the machine that bought it, then build again.`,
        facts: { id, hash: order.hash },
      })
    case 'uncertain':
      return new SpritewrightError('SW_UNCERTAIN', {
        message: `Whether "${id}" was bought is unknown: ${uncertainWords(why.because, ports.windowMs)} Its whole ceiling counts as spent, and nothing more is sent for it. Look in the service's console whether it was bought. Where it was not, another take ("take": 2 in its spec) is a request of its own.`,
        facts: { id, hash: order.hash, since: why.since, because: why.because },
      })
  }
}

/** The words for a POST that was refused and started nothing. */
export function refusedError(id: string, status: number, error: PublicError): SpritewrightError {
  const facts = { id, status, reason: error.reason, retryable: error.retryable, requestId: error.requestId, details: error.details }
  if (status === 401) {
    return new SpritewrightError('SW_KEY_REFUSED', {
      message: `The service refused the API key: ${error.message}. Check SPRITEWRIGHT_API_KEY; nothing was bought.`,
      facts,
    })
  }
  if (error.details?.field === 'max_credits') {
    return new SpritewrightError('SW_CEILING', {
      message: `"${id}" costs more than the price it was submitted at${typeof error.details.current_credits === 'string' ? `: ${error.details.current_credits} credits now` : ''}. Nothing was bought. Look at the new price and approve it: spritewright approve ${id}`,
      facts,
    })
  }
  if (status === 429) {
    return new SpritewrightError('SW_REFUSED', {
      message: `The service's rate limit kept turning "${id}" away. Nothing was bought. Wait a minute and run the command again.`,
      facts,
    })
  }
  return new SpritewrightError(error.reason === 'feature_unavailable' ? 'SW_CAPABILITY' : 'SW_REFUSED', {
    message: `The service refused "${id}" (${error.reason}): ${error.message}. Nothing was bought. Mend what it names, then approve it anew: spritewright approve ${id}`,
    facts,
  })
}

function uncertainWords(because: 'window' | 'clock' | 'key' | 'refused', windowMs: number): string {
  const minutes = Math.round(windowMs / 6_000) / 10
  switch (because) {
    case 'window':
      return `a submission was sent and never answered, more than ${minutes} minutes ago, so that repeating it might buy it twice.`
    case 'clock':
      return 'a submission was sent and never answered, and the clock has gone back since, so that its age cannot be told.'
    case 'key':
      return 'a submission was sent under another API key and never answered.'
    case 'refused':
      return 'a submission was sent and never answered, and its repetition was refused, which proves nothing about the first.'
  }
}
