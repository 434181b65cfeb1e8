import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseAuthorization, signatureOf } from './sigv4.ts'

/** What the double does with one request instead of answering it. */
export interface S3Fault {
  /** Whether a write is carried out all the same. */
  readonly lands?: boolean
  /**
   * A status with the service's usual name for it; `silence` never answers; `cut` closes the connection;
   * `half` and `drip` send half a body and then close the connection, or wait for ever; `short` sends a whole answer
   * with half of the object.
   */
  readonly answer: 'short' | 403 | 404 | 409 | 412 | 429 | 500 | 503 | 'silence' | 'cut' | 'half' | 'drip'
}

/** A request that the double has accepted as signed. */
export interface S3Asked {
  readonly method: string
  readonly key: string
  readonly signedHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
}

/** How a double behaves. */
export interface S3Rules {
  /**
   * What it does with `If-None-Match: *`.
   *
   * @default 'kept'
   */
  readonly condition?: 'kept' | 'ignored' | 'refused'
  /** Milliseconds by which its clock is ahead. Read at each request. */
  readonly skewMs?: () => number
  /** Chooses what happens to a request. If it returns `undefined`, the double answers as usual. */
  readonly fault?: (asked: S3Asked) => S3Fault | undefined
  /** Headers that its answers lack, in lower case. */
  readonly without?: readonly string[]
  /**
   * Most files in a page of a listing.
   *
   * @default 1000
   */
  readonly pageLength?: number
  /** A token that every request must carry beside its signature. */
  readonly sessionToken?: string
}

/** A small S3 service on loopback, with one bucket `studio`. */
export interface S3Double {
  /** Variables that a client needs. */
  readonly env: Readonly<Record<string, string>>
  /** Files by key. */
  readonly files: Map<string, { readonly bytes: Uint8Array; readonly atMs: number }>
  readonly asked: S3Asked[]
  close(): Promise<void>
}

const bucket = 'studio'
const region = 'eu-test-1'
/** Credentials that AWS prints in its documentation. */
const accessKey = 'AKIAIOSFODNN7EXAMPLE'
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
/** The service refuses a request whose clock is further away. */
const longestSkewMs = 15 * 60_000

const names: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'SlowDown',
}

/**
 * Starts the double. It checks each signature by the specification, the digest of each body and the clock,
 * and it answers as AWS documents it.
 */
export async function startS3Double(rules: S3Rules = {}): Promise<S3Double> {
  const files: S3Double['files'] = new Map()
  const asked: S3Asked[] = []
  const now = (): number => Date.now() + (rules.skewMs?.() ?? 0)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const send = (status: number, headers: Record<string, string> = {}, bytes: Uint8Array = Buffer.alloc(0)): void => {
      const all = { date: new Date(now()).toUTCString(), 'content-length': String(bytes.length), ...headers }
      response.sendDate = false
      response.writeHead(status, Object.fromEntries(Object.entries(all).filter(([name]) => !rules.without?.includes(name))))
      response.end(request.method === 'HEAD' ? undefined : bytes)
    }
    const refuse = (status: number, code: string): void =>
      // AWS repeats what it got beside the code.
      send(
        status,
        { 'content-type': 'application/xml' },
        Buffer.from(
          `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message><AWSAccessKeyId>${accessKey}</AWSAccessKeyId></Error>`,
        ),
      )
    const wrong = faultOf(request, body)
    if (wrong) return refuse(...wrong)
    const [, ofBucket, key = ''] = /^\/([^/]+)\/([^?]+|\?.+)/.exec(request.url ?? '') ?? []
    if (ofBucket !== bucket) return refuse(404, 'NoSuchBucket')
    const method = request.method ?? ''
    const own: S3Asked = {
      method,
      key,
      signedHeaders: parseAuthorization(request.headers.authorization)?.signedHeaders ?? [],
      headers: request.headers,
    }
    asked.push(own)

    const file = files.get(key)
    const isConditional = request.headers['if-none-match'] === '*' && rules.condition !== 'ignored'
    const write = (): void => void files.set(key, { bytes: body, atMs: now() })
    const fault = rules.fault?.(own)
    if (fault) {
      if (fault.lands && method === 'PUT' && !(isConditional && files.has(key))) write()
      if (fault.answer === 'silence') return
      if (fault.answer === 'cut') return void request.socket.destroy()
      if (fault.answer === 'half' || fault.answer === 'drip') {
        const bytes = file?.bytes ?? Buffer.alloc(1000)
        response.writeHead(200, { 'content-length': String(bytes.length + 1), 'last-modified': new Date(now()).toUTCString() })
        response.write(bytes)
        if (fault.answer === 'half') response.destroy()
        return
      }
      if (fault.answer === 'short') return send(200, { 'last-modified': new Date(now()).toUTCString() }, file?.bytes.subarray(0, 9))
      return refuse(fault.answer, names[fault.answer] ?? '')
    }
    if (method === 'GET' && key.startsWith('?')) return send(200, { 'content-type': 'application/xml' }, Buffer.from(pageOf(key)))
    if (method === 'PUT') {
      if (isConditional && rules.condition === 'refused') return refuse(501, 'NotImplemented')
      if (isConditional && file) return refuse(412, 'PreconditionFailed')
      write()
      return send(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` })
    }
    if (method === 'DELETE') {
      files.delete(key)
      return send(204)
    }
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'MethodNotAllowed')
    if (!file) return refuse(404, 'NoSuchKey')
    send(200, { 'last-modified': new Date(file.atMs).toUTCString() }, file.bytes)
  }

  /** A page of the listing, as ListObjectsV2 gives it. */
  const pageOf = (query: string): string => {
    const asked = new URLSearchParams(query)
    const [prefix, after] = [asked.get('prefix') ?? '', asked.get('start-after') ?? '']
    const found = [...files].filter(([key]) => key.startsWith(prefix) && key > after).sort(([a], [b]) => (a < b ? -1 : 1))
    const page = found.slice(0, rules.pageLength ?? 1000).map(([key, { bytes, atMs }]) => {
      const times = `<LastModified>${new Date(atMs).toISOString()}</LastModified>`
      return `<Contents><Key>${key}</Key>${times}<ETag>&quot;0&quot;</ETag><Size>${bytes.length}</Size></Contents>`
    })
    const isTruncated = page.length < found.length
    return `<?xml version="1.0"?>\n<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${page.join('\n')}</ListBucketResult>`
  }

  /** Why a request is refused before it is read. */
  const faultOf = (request: IncomingMessage, body: Buffer): [number, string] | undefined => {
    const { headers, method = '', url: target = '' } = request
    const by = parseAuthorization(headers.authorization)
    if (by?.service !== 's3' || by.region !== region) return [400, 'AuthorizationHeaderMalformed']
    if (by.accessKey !== accessKey) return [403, 'InvalidAccessKeyId']
    const mustSign = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-') || name === 'if-none-match')]
    const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]))
    if (mustSign.some((name) => !by.signedHeaders.includes(name))) return [403, 'AccessDenied']
    if (by.signature !== signatureOf({ method, target, headers: flat }, secret, by)) return [403, 'SignatureDoesNotMatch']
    if (rules.sessionToken !== undefined && headers['x-amz-security-token'] !== rules.sessionToken) return [400, 'InvalidToken']
    if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) return [400, 'XAmzContentSHA256Mismatch']
    const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(String(headers['x-amz-date'])) ?? []
    const at = Date.parse(`${day?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`)
    if (day !== by.day || Math.abs(at - now()) > longestSkewMs) return [403, 'RequestTimeTooSkewed']
    return undefined
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    env: {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_REGION: region,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...(rules.sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: rules.sessionToken }),
    },
    files,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
