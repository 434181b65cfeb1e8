import { sha256 as hashOf } from '../host/sha256.ts'
import type { BlobStore } from './blob-store.ts'
import { type Answer, blobBounds, readSettled, recordBounds, withTries } from './exchange.ts'
import { checkSha256 } from './failures.ts'
import { type HttpClient, type HttpMethod, type HttpPorts, isDone } from './http-client.ts'

/**
 * Makes a store of results that speaks HTTP: an object is `cas/<sha256>`. Wrong bytes are read again, and so is an
 * object that this process has written and does not find.
 *
 * @param isMissing Whether an answer says that the object does not exist.
 */
export function blobsOver(ports: HttpPorts, client: HttpClient, isMissing: (answer: Answer) => boolean): Omit<BlobStore, 'list'> {
  const written = new Set<string>()
  const ask = async (verb: string, method: HttpMethod, sha256: string, body?: Uint8Array): Promise<Answer | undefined> => {
    const key = `cas/${checkSha256(sha256)}`
    const work = `${verb} ${key}`
    return withTries(ports, async () => {
      const bounds = method === 'GET' || method === 'PUT' ? blobBounds : recordBounds
      const answer = await client.send(work, method, key, bounds, body ? { body } : {})
      if (isDone(answer)) return answer
      // The answer to HEAD has no body, so it cannot say whether the object or the bucket is missing.
      if (method !== 'PUT' && (isMissing(answer) || (method === 'HEAD' && answer.status === 404))) return undefined
      throw client.refusal(work, answer)
    })
  }
  return {
    address: client.address,
    get: (sha256) =>
      readSettled(
        ports.clock,
        async () => (await ask('read', 'GET', sha256))?.bytes,
        (bytes) => (bytes ? hashOf(bytes) !== sha256 : written.has(sha256)),
      ),
    has: (sha256) =>
      readSettled(
        ports.clock,
        async () => (await ask('find', 'HEAD', sha256)) !== undefined,
        (isThere) => !isThere && written.has(sha256),
      ),
    put: async (sha256, bytes) => {
      await ask('write', 'PUT', sha256, bytes)
      written.add(sha256)
    },
    remove: async (sha256) => {
      written.delete(sha256)
      await ask('remove', 'DELETE', sha256)
    },
  }
}
