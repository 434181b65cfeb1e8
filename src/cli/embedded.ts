import type { RunningService, ServiceInit } from './context.ts'

/**
 * The default key of `serve`. It never changes, so that an earlier `.env.local` still works. The key only gives
 * access to play money on loopback.
 */
const playKey = 'sw_test_embedded_play_money'

/**
 * Starts the embedded service for `spritewright serve`. Only this function loads the service's code, because no other
 * command needs it.
 */
export async function startService({ host, port, folder, key = playKey, credits, faults }: ServiceInit): Promise<RunningService> {
  const { parseFaultPlan, startEmbeddedService } = await import('../service.ts')
  const account = { name: 'demo', keys: [{ key }], credits }
  const { clock, disk, random } = host
  const plan = faults === undefined ? {} : { faults: parseFaultPlan(faults.text, faults.file) }
  const service = await startEmbeddedService({ dir: folder, port, accounts: [account], ...plan }, { clock, disk, random })
  return { url: service.url, key, close: () => service.close() }
}
