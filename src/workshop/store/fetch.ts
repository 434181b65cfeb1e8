import { hasCode, SpritewrightError } from '../../errors.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Context } from '../../project/context.ts'
import { faultOfResult } from '../../project/opener.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import type { Execution } from '../../service/wire.ts'
import type { ResultUse, StoredResult } from './reports.ts'

/** Whether the service can give a result. */
export type AtService =
  /** Asked now: it can be downloaded. */
  | { readonly kind: 'kept'; readonly execution: Execution; readonly session: Session }
  /** Asked now, or nothing to ask for: it cannot be downloaded. */
  | { readonly kind: 'gone'; readonly why: string }
  /** The service could not be asked. */
  | { readonly kind: 'unasked'; readonly why: string }

/** Asks the service for results by their execution ids. It only reads and never buys. */
export interface Fetcher {
  /** Whether the service has a result. */
  ask(result: StoredResult): Promise<AtService>
  /**
   * Downloads a result into the vault.
   *
   * @returns The reason why not. Undefined if it is here, with the bytes that its hash names.
   */
  fetch(result: StoredResult): Promise<string | undefined>
}

/**
 * Creates a fetcher. It opens the service when it needs it. If the service cannot be reached, it gives up for
 * this run.
 */
export function createFetcher(context: Context, connection: ServiceConnection, signal: AbortSignal): Fetcher {
  let barred: string | undefined
  const open = async (): Promise<Session | undefined> => {
    if (barred !== undefined) return undefined
    try {
      return await connection.open(signal)
    } catch (error) {
      barred = reasonOf(error, signal)
      return undefined
    }
  }
  const askOne = async (use: ResultUse): Promise<AtService> => {
    if (use.executionId === undefined) return { kind: 'gone', why: 'no execution id of it is recorded' }
    const place = use.service
    const elsewhere = place && `it was bought at ${place.host} with a ${place.keyMode} key: configure that service and key to fetch it`
    if (place && connection.host !== undefined && place.host !== connection.host) return { kind: 'unasked', why: elsewhere ?? '' }
    const session = await open()
    if (!session) return { kind: 'unasked', why: barred ?? '' }
    if (place && (place.host !== session.identity.host || place.keyMode !== session.identity.keyMode))
      return { kind: 'unasked', why: elsewhere ?? '' }
    try {
      const execution = await session.client.execution(use.executionId, signal)
      if (execution.status === 'completed' && execution.assets.length > 0) return { kind: 'kept', execution, session }
      return { kind: 'gone', why: `the service says that execution ${use.executionId} is ${execution.status}, and names no file` }
    } catch (error) {
      return toRefusal(error, use.executionId)
    }
  }
  const toRefusal = (error: unknown, executionId: string): AtService => {
    const why = reasonOf(error, signal)
    const { status, reason } = error instanceof SpritewrightError ? error.facts : {}
    if (status === 404 || status === 410 || reason === 'resource_not_found')
      return { kind: 'gone', why: `the service does not have execution ${executionId}, or not any more, for this key` }
    // A service that does not answer, or refuses the key, will do the same for the next hundred.
    if (hasCode(error, 'SW_UNREACHABLE') || hasCode(error, 'SW_KEY_REFUSED')) barred = why
    return { kind: 'unasked', why }
  }
  const ask = async (result: StoredResult): Promise<AtService> => {
    let last: AtService = { kind: 'gone', why: 'no record says where it was bought' }
    for (const use of result.uses) {
      const answer = await askOne(use)
      if (answer.kind === 'kept') return answer
      if (answer.kind === 'unasked' || last.kind === 'gone') last = answer
    }
    return last
  }
  return {
    ask,
    fetch: async (result) => {
      const answer = await ask(result)
      if (answer.kind !== 'kept') return answer.why
      try {
        return await download(context, result, answer, signal)
      } catch (error) {
        if (!(error instanceof SpritewrightError)) throw error
        const why = toRefusal(error, answer.execution.executionId)
        return why.kind === 'kept' ? undefined : why.why
      }
    },
  }
}

async function download(
  context: Context,
  result: StoredResult,
  { execution, session }: AtService & { readonly kind: 'kept' },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { bytes } = await session.client.download(execution.assets[0]?.downloadUrl ?? '', signal)
  const found = sha256(bytes)
  // Paid bytes are always stored. Only a build may decide that they are the result of the request from now
  // on.
  await context.vault.put(bytes)
  if (found === result.sha256) return undefined
  const advice = result.state === 'used' ? 'npx spritewright build takes them over' : 'nothing asks for them'
  return `the service gives other bytes for execution ${execution.executionId} now; they are kept as ${found.slice(0, 12)}, and ${advice}`
}

/** Describes an error; rethrows an abort. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted()
  if (error instanceof SpritewrightError) return error.message
  throw error
}

/** Start of a PNG. */
const pngStart = '\x89PNG'

/**
 * Opens the bytes of a result as a build does.
 *
 * @returns Why they cannot be read, a sentence; `undefined` if they can.
 */
export function faultOfStored(context: Context, { uses }: StoredResult, bytes: Uint8Array): string | undefined {
  // The records of a forgotten request do not say it. Then the content decides.
  const known = uses.flatMap((use) => use.isPicture ?? [])
  const isPicture = known[0] ?? Buffer.from(bytes.subarray(0, 4)).toString('latin1') === pngStart
  return faultOfResult(context, { operation: isPicture ? 'text_to_image' : 'sprite_sheet' }, bytes)
}
