import { SpritewrightError } from '../../errors.ts'
import type { ServiceClient } from '../../service/client.ts'

/**
 * Downloads a result from the address that was recorded when it was completed. If the service has another
 * address now (the embedded one takes a free port at every start), the execution is read for today's address.
 * A result is never requested from any other place than the service.
 *
 * @throws The errors of the client.
 * @throws `SW_WIRE` if today's address is not the service's own either.
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
