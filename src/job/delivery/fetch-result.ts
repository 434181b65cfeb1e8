import { SpritewrightError } from '../../errors.ts'
import type { ServiceClient } from '../../service/client.ts'

/**
 * Downloads a result by the address that was noted when it was completed. Where the service stands at another address by now (the embedded one takes a free port at every start),
 * the execution is asked for today's; a result is never asked for anywhere else than there.
 *
 * @throws What the client throws; `SW_WIRE` where today's address is not the service's own either.
 */
export async function downloadResult(
  client: Pick<ServiceClient, 'download' | 'execution'>,
  executionId: string | undefined,
  downloadUrl: string,
  signal?: AbortSignal,
): Promise<{ readonly bytes: Uint8Array }> {
  try {
    return await client.download(downloadUrl, signal)
  } catch (error) {
    const isElsewhere = error instanceof SpritewrightError && error.code === 'SW_WIRE' && error.facts.expectedOrigin !== undefined
    if (!isElsewhere || executionId === undefined) throw error
    const today = (await client.execution(executionId, signal)).assets[0]?.downloadUrl
    if (today === undefined || today === downloadUrl) throw error
    return client.download(today, signal)
  }
}
