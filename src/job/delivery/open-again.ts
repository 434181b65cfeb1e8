import { SpritewrightError } from '../../errors.ts'
import type { JobPorts, Order, Purchase } from '../order.ts'
import { downloadResult, recordStored } from './deliver.ts'

/** Most further downloads of an unreadable result. */
const mostFurtherDownloads = 2

/**
 * Opens a result in the vault. If the result cannot be read, downloads it again, because the download may have been
 * damaged. Each download asks the service for a new redirect, and sends only GET requests.
 *
 * Every copy stays in the vault, under its own hash. A readable copy is recorded as the result; until then the first
 * copy counts.
 *
 * @throws Errors of disk and records. If the service does not return the file, this function does not throw.
 */
export async function openOrFetchAgain(
  ports: JobPorts,
  order: Order,
  recorded: string,
  bytes: Uint8Array,
): Promise<Pick<Purchase, 'sha256' | 'fault'>> {
  const why = ports.faultOf(order.request, bytes)
  if (why === undefined) return { sha256: recorded }
  const { id } = order.request
  const view = await ports.journal.read(order.hash)
  const { completed, accepted } = view.submission
  const unread = (again: string): Pick<Purchase, 'sha256' | 'fault'> => ({ sha256: recorded, fault: { why, again } })
  if (!completed) return unread('No record says where it can be downloaded again.')
  const others = new Set<string>()
  for (let turn = 0; turn < mostFurtherDownloads; turn++) {
    ports.onProgress({ id, phase: 'downloading', message: 'again: the file could not be read' })
    const next = await tryDownload(ports, accepted?.executionId, completed.downloadUrl)
    if (typeof next === 'string') return unread(`It could not be fetched again: ${next}`)
    const sha256 = await ports.vault.put(next)
    if (sha256 === recorded) return unread('It was fetched again, and the service gives the same bytes.')
    if (ports.faultOf(order.request, next) === undefined) {
      await recordStored(ports, order, view, sha256, next.length)
      ports.warn(`${id}: the file could not be read (${why}) It was fetched again, for free. The damaged copy is kept as ${recorded}.`)
      return { sha256 }
    }
    others.add(sha256)
  }
  return unread(`It was fetched ${mostFurtherDownloads} times more, and no copy can be read; all are kept (${[...others].join(', ')}).`)
}

/** Returns the file, or the reason why the service does not return it. */
async function tryDownload(ports: JobPorts, executionId: string | undefined, downloadUrl: string): Promise<Uint8Array | string> {
  try {
    return (await downloadResult(ports.client, executionId, downloadUrl, ports.signal)).bytes
  } catch (error) {
    ports.signal.throwIfAborted()
    if (error instanceof SpritewrightError) return error.message
    throw error
  }
}
