import { SpritewrightError } from '../../errors.ts'
import { isGone } from '../../job/delivery/deliver.ts'
import { fetchStray, type StrayFound } from '../../job/delivery/fetch-stray.ts'
import { isEnded } from '../../job/delivery/follow.ts'
import type { ProgressListener } from '../../job/order.ts'
import { commandName } from '../../job/order.ts'
import { purchase } from '../../job/purchase.ts'
import type { Context } from '../../project/context.ts'
import { toJobPorts } from '../../project/orders.ts'
import { type KnownOrphan, toOrphanOrder } from '../../project/orphans.ts'
import type { Session } from '../../project/session.ts'
import { nameOf, type OpenStray, warnOnce } from '../../project/strays.ts'

/**
 * Fetches the results of finished orphans. No spec asks for an orphan, so no build waits for a running one; a
 * later build fetches it. The function never throws; it warns at most.
 */
export async function fetchOrphans(
  context: Context,
  session: Session,
  orphans: readonly KnownOrphan[],
  run: { readonly onProgress: ProgressListener; readonly signal: AbortSignal },
): Promise<void> {
  if (orphans.length === 0) return
  const ports = await toJobPorts(context, session, run)
  const { host, keyMode } = session.identity
  for (const orphan of orphans) {
    if (orphan.entry.service.host !== host || orphan.entry.service.keyMode !== keyMode) continue
    try {
      const execution = await session.client.execution(orphan.submission.accepted?.executionId ?? '', run.signal)
      if (isEnded(execution) || execution.question !== null) await purchase(ports, toOrphanOrder(orphan))
    } catch (error) {
      if (run.signal.aborted) return
      // The ledger shows a failed execution, which costs nothing.
      if (!(error instanceof SpritewrightError && error.code === 'SW_FAILED'))
        context.warnings.push(`"${orphan.id}", as an earlier version of its spec asked for it: ${(error as Error).message}`)
    }
  }
}

/** Fetches the results of finished strays. A later build fetches the others. Never throws; warns at most. */
export async function fetchStrays(context: Context, session: Session, strays: readonly OpenStray[], signal: AbortSignal): Promise<void> {
  const ports = await toJobPorts(context, session, { signal })
  const { host, keyMode } = session.identity
  for (const one of strays) {
    if (one.entry.service.host !== host || one.entry.service.keyMode !== keyMode) continue
    try {
      warnOnce(context, wordsOf(one, await fetchStray(ports, toOrphanOrder(one), one.stray)))
    } catch (error) {
      if (signal.aborted) return
      const advice = isGone(error) ? ` Where the service has forgotten it: npx spritewright recover ${commandName(one.id)} --abandon` : ''
      warnOnce(context, `${nameOf(one.id, one.stray)}, and could not be fetched: ${(error as Error).message}${advice}`)
    }
  }
}

function wordsOf({ id, stray }: OpenStray, found: StrayFound): string | undefined {
  switch (found.is) {
    case 'stored':
      return `${nameOf(id, stray)}. It is paid, and now in the vault as ${found.sha256}. What the sprite is built from stays as it is.`
    case 'failed':
      return `${nameOf(id, stray)}. It has ended without a result and costs nothing.`
    case 'left':
      return `${nameOf(id, stray)}. Its question was answered elsewhere, and the service does not say which execution goes on. To hear no more of it: npx spritewright recover ${commandName(id)} --abandon`
    case 'asking':
      return `${nameOf(id, stray)}. It waits for an answer, which can only be given in the service's console: ${found.question}`
    case 'open':
      return undefined
  }
}
