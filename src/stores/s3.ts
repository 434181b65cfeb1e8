import { hasCode } from '../errors.ts'
import type { Host } from '../host/host.ts'
import type { BlobStore, StoredObject } from './blob-store.ts'
import { type Answer, isEqual, listBounds, recordBounds, withTries } from './exchange.ts'
import { checkName, storeError, unsafeStore } from './failures.ts'
import { blobsOver } from './http-blobs.ts'
import { type HttpClient, type HttpPorts, isDone, reasonOf } from './http-client.ts'
import type { RecordStore, StoredFile } from './record-store.ts'
import { createS3Client, type S3Address } from './s3-client.ts'

/**
 * Opens a bucket for records. With `If-None-Match: *`, only one of several writers succeeds.
 *
 * If an answer leaves the outcome open (409, 412, 5xx, none at all), a read decides: our bytes can only be from an
 * earlier try of ours. If there is no file, the write is tried again, four times in all.
 *
 * @throws `SW_CONFIG` if the environment has no credentials.
 */
export function openS3Records(ports: HttpPorts, env: Host['env'], where: S3Address): RecordStore {
  const client = createS3Client(ports, env, where)
  const read = async (name: string): Promise<StoredFile | undefined> => {
    const work = `read ${name}`
    const answer = await client.send(work, 'GET', name, recordBounds, { headers: { 'cache-control': 'no-cache' } })
    if (isMissing(answer)) return undefined
    if (answer.status !== 200) throw client.refusal(work, answer)
    return { bytes: answer.bytes, ageMs: ageOf(answer, client.address) }
  }
  const write = async (name: string, body: Uint8Array): Promise<'mine' | 'taken'> => {
    const failure = await tryWrite(client, name, body)
    if (failure === undefined) return 'mine'
    const found = await read(name).catch((error: unknown) => {
      throw hasCode(error, 'SW_STORE') ? failure : error
    })
    if (found === undefined) throw failure
    return isEqual(found.bytes, body) ? 'mine' : 'taken'
  }
  return {
    address: client.address,
    putIfAbsent: async (name, bytes) => {
      checkName(name)
      return withTries(ports, () => write(name, bytes))
    },
    get: async (name) => {
      checkName(name)
      return withTries(ports, () => read(name))
    },
    close: async () => {},
  }
}

/**
 * Writes a file if its name is free.
 *
 * @returns `undefined` if the file was written; an error if the outcome is open.
 */
async function tryWrite(client: HttpClient, name: string, body: Uint8Array): Promise<Error | undefined> {
  const work = `write ${name}`
  let answer: Answer
  try {
    answer = await client.send(work, 'PUT', name, recordBounds, { body, headers: { 'if-none-match': '*' } })
  } catch (error) {
    return error as Error
  }
  if (isDone(answer)) return undefined
  if (answer.status === 501 || reasonOf(answer) === 'NotImplemented')
    throw unsafeStore(client.address, `the answer ${answer.status} to If-None-Match`, { status: answer.status })
  const refusal = client.refusal(work, answer)
  if (refusal.facts.mayPass === true) return refusal
  throw refusal
}

/**
 * Opens a bucket for results, which are below `cas/`.
 *
 * @throws `SW_CONFIG` if the environment has no credentials.
 */
export function openS3Blobs(ports: HttpPorts, env: Host['env'], where: S3Address): BlobStore {
  const bucket = createS3Client(ports, env, { ...where, prefix: '' })
  const list = (): Promise<readonly StoredObject[]> => listObjects(ports, bucket, where.prefix === '' ? 'cas/' : `${where.prefix}/cas/`)
  return { ...blobsOver(ports, createS3Client(ports, env, where), isMissing), list }
}

async function listObjects(ports: HttpPorts, bucket: HttpClient, prefix: string): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = []
  const work = `list ${prefix}`
  for (let after = prefix; ; ) {
    const query = new URLSearchParams({ 'list-type': '2', prefix, 'start-after': after })
    const text = await withTries(ports, async () => {
      const answer = await bucket.send(work, 'GET', `?${query}`, listBounds)
      if (answer.status === 200) return new TextDecoder().decode(answer.bytes)
      throw bucket.refusal(work, answer)
    })
    const before = after
    for (const [file] of text.matchAll(/<Contents>.*?<\/Contents>/gs)) {
      const field = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(file)?.[1] ?? ''
      after = field('Key')
      const sha256 = after.slice(prefix.length)
      const facts = { bytes: Number(field('Size')), writtenMs: Date.parse(field('LastModified')) }
      if (after.startsWith(prefix) && /^[0-9a-f]{64}$/.test(sha256)) objects.push({ sha256, ...facts })
    }
    if (text.includes('<IsTruncated>false</IsTruncated>')) return objects
    if (after <= before) throw storeError({ address: bucket.address, work, found: 'an answer without an end or a next page' })
  }
}

/** Whether the bucket has no such file. A 404 of a proxy, or for a missing bucket, does not count. */
function isMissing(answer: Answer): boolean {
  return answer.status === 404 && reasonOf(answer) === 'NoSuchKey'
}

/**
 * Milliseconds since a file was written, at most two seconds too many: both headers are whole seconds of the
 * store's own clock.
 *
 * @throws `SW_STORE_UNSAFE` if one of the headers is missing.
 */
function ageOf({ headers }: Answer, address: string): number {
  const [now, written] = [headers.date, headers['last-modified']].map((text) => Date.parse(text ?? ''))
  if (Number.isFinite(now) && Number.isFinite(written)) return (now as number) - (written as number) + 1000
  throw unsafeStore(address, 'an answer without the headers Date and Last-Modified')
}
