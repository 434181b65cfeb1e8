import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServedRequest, ServedResponse } from '../../host/server.ts'
import type { Ground } from '../executions/ground.ts'
import { Refusal, splitPath } from '../http/http.ts'
import type { ExecutionRecord } from '../store/records.ts'

/** Signed links on an origin of their own, which takes no key. */
export type Assets = ReturnType<typeof createAssets>

/**
 * Creates links over a store. Their secret is made once for each folder, so links survive a restart.
 *
 * @param url The assets origin.
 */
export function createAssets({ store, clock, random, options: { linkMs } }: Ground, url: string) {
  const known = store.table('secret').get('signing')?.value
  const secret = known ?? Buffer.from(random.bytes(32)).toString('hex')
  if (known === undefined) store.commit([['secret', 'signing', { value: secret }]])
  const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('hex')
  return {
    /**
     * Signed URL of an execution's delivery, valid for `linkMs`.
     *
     * @throws {Refusal} `resource_not_found` before the delivery.
     */
    link: ({ id, delivery }: ExecutionRecord): string => {
      if (delivery === null) throw new Refusal('resource_not_found', 'There is nothing to download yet.')
      const signed = `/deliveries/${id}?expires=${clock.wall() + linkMs}`
      return `${url}${signed}&signature=${sign(signed)}`
    },
    /**
     * Answers the assets origin: 200 with the bytes for a valid link, 403 for a wrong or expired one, 404 for a
     * deleted file, 400 for a request with credentials.
     */
    serve: async ({ method, path, headers }: ServedRequest): Promise<ServedResponse> => {
      if (headers.authorization !== undefined) return plain(400, 'Expected no credentials here: they belong to the API origin alone.')
      const { segments, query } = splitPath(path)
      const [folder, id = ''] = segments
      const expires = query.get('expires') ?? ''
      const isGood = folder === 'deliveries' && isSame(query.get('signature') ?? '', sign(`/deliveries/${id}?expires=${expires}`))
      if (method !== 'GET' || !isGood) return plain(403, 'Expected a link that the service has signed.')
      if (clock.wall() >= Number(expires)) return plain(403, 'This link has expired. Ask the API for a new one.')
      const execution = store.table('execution').get(id)
      if (execution === undefined || execution.isDeleted || execution.delivery === null) return plain(404, 'This was deleted.')
      const { sha256, contentType } = execution.delivery
      const body = await store.bytes(sha256)
      return {
        status: 200,
        headers: {
          'content-type': contentType,
          'content-length': String(body.length),
          'cache-control': 'private, no-store',
          etag: `"${sha256}"`,
        },
        body,
      }
    },
  }
}

function isSame(found: string, expected: string): boolean {
  return /^[0-9a-f]{64}$/.test(found) && timingSafeEqual(Buffer.from(found), Buffer.from(expected))
}

function plain(status: number, text: string): ServedResponse {
  const body = new TextEncoder().encode(`${text}\n`)
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(body.length) }, body }
}
