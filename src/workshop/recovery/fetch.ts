import { hasCode } from '../../errors.ts'
import { isGone } from '../../job/delivery/deliver.ts'
import { fetchStray, type StrayFound } from '../../job/delivery/fetch-stray.ts'
import { isEnded } from '../../job/delivery/follow.ts'
import { commandName, type JobPorts } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts } from '../../project/orders.ts'
import {
  isFetchable,
  type KnownOrphan,
  listUnasked,
  type OpenStray,
  type Orphan,
  ofPresentServices,
  strayWords,
  toOrphanOrder,
  warnOfOrphan,
} from '../../project/recovery/unasked.ts'
import type { ServiceConnection } from '../../project/session.ts'
import type { Survey } from '../../project/survey.ts'
import type { BuildRequest } from '../api/reports.ts'

/**
 * Fetches finished results that no spec waits for: of orphans, and of strays. No build waits for a running one; a
 * later build fetches it. The function stops no build: if the service cannot be asked, that is a warning.
 */
export async function fetchUnasked(
  context: Context,
  connection: ServiceConnection,
  { names = [], onProgress, signal = new AbortController().signal }: BuildRequest,
  found: Survey,
): Promise<void> {
  const unasked = await listUnasked(context, names, found)
  const all = ofPresentServices(unasked.orphans, found)
  const orphans = all.filter(isFetchable)
  for (const orphan of all) if (!isFetchable(orphan)) warnOfOrphan(context, orphan)
  const strays = ofPresentServices(unasked.strays, found)
  // Without a key, what no spec asks for is left to the worker's clone.
  if ((orphans.length === 0 && strays.length === 0) || connection.isRemote || !connection.canAsk) return
  try {
    const session = await connection.open(signal)
    const { host, keyMode } = session.identity
    const isHere = ({ entry: { service } }: Orphan): boolean => service.host === host && service.keyMode === keyMode
    const ports = await toJobPorts(context, session, { onProgress, signal })
    for (const orphan of orphans.filter(isHere)) await fetchOrphan(context, ports, orphan)
    for (const stray of strays.filter(isHere)) await fetchEndedStray(context, ports, stray)
  } catch (error) {
    if (signal.aborted) return
    const ids = [...new Set([...orphans, ...strays].map(({ id }) => id))].join(', ')
    context.warn(`${ids}: requests that no spec waits for are still at the service, which could not be asked: ${(error as Error).message}`)
  }
}

/** Fetches the result of an orphan if it has ended. Throws nothing but an abort. */
async function fetchOrphan(context: Context, ports: JobPorts, orphan: KnownOrphan): Promise<void> {
  try {
    const execution = await ports.client.execution(orphan.submission.accepted?.executionId ?? '', ports.signal)
    if (isEnded(execution) || execution.question !== null) await purchase(ports, toOrphanOrder(orphan))
  } catch (error) {
    ports.signal.throwIfAborted()
    // The ledger shows a failed execution, which costs nothing.
    if (!hasCode(error, 'SW_FAILED'))
      context.warn(`"${orphan.id}", as an earlier version of its spec asked for it: ${(error as Error).message}`)
  }
}

/** Fetches the result of a stray if it has ended. Throws nothing but an abort. */
async function fetchEndedStray(context: Context, ports: JobPorts, one: OpenStray): Promise<void> {
  try {
    const words = wordsOf(one, await fetchStray(ports, toOrphanOrder(one), one.stray))
    if (words !== undefined) context.warn(words)
  } catch (error) {
    ports.signal.throwIfAborted()
    const advice = isGone(error) ? ` If the service has forgotten it: npx spritewright recover ${commandName(one.id)} --abandon` : ''
    context.warn(`${strayWords(one)}, and could not be fetched: ${(error as Error).message}${advice}`)
  }
}

function wordsOf(one: OpenStray, found: StrayFound): string | undefined {
  const name = strayWords(one)
  switch (found.is) {
    case 'stored':
      return `${name}. It is paid, and now in the vault as ${found.sha256}. The sprite is still built from its valid purchase.`
    case 'failed':
      return `${name}. It has ended without a result and costs nothing.`
    case 'left':
      return `${name}. Its question was answered elsewhere, and the service does not say which execution continues. To end this message: npx spritewright recover ${commandName(one.id)} --abandon`
    case 'asking':
      return `${name}. It waits for an answer, which can only be given in the service's console: ${found.question}`
    case 'open':
      return undefined
  }
}
