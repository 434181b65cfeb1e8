import { createHash, createHmac } from 'node:crypto'

/** A request as it arrived. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The parts of an `Authorization` header. */
export interface Authorization {
  readonly accessKey: string
  /** `20130524` */
  readonly day: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

/** Parses the header. Returns `undefined` for any other text. */
export function parseAuthorization(header: string | undefined): Authorization | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
  const [, accessKey, day, region, service, names, signature] = form.exec(header ?? '') ?? []
  if (!accessKey || !day || !region || !service || !names || !signature) return undefined
  return { accessKey, day, region, service, signedHeaders: names.split(';'), signature }
}

/**
 * The signature that a request should have, written from the specification of AWS Signature Version 4 for S3,
 * so that it does not agree with a client's library by using it.
 */
export function signatureOf({ method, target, headers }: SignedRequest, secret: string, by: Omit<Authorization, 'signature'>): string {
  const [path = '', query = ''] = target.split('?')
  const canonical = [
    method,
    path
      .split('/')
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join('/'),
    query === ''
      ? ''
      : query
          .split('&')
          .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
          .sort()
          .join('&'),
    ...by.signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    by.signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? '',
  ].join('\n')
  const scope = [by.day, by.region, by.service, 'aws4_request'].join('/')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'] ?? '', scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [by.day, by.region, by.service, 'aws4_request'].reduce<Buffer>((last, part) => hmac(last, part), Buffer.from(`AWS4${secret}`))
  return hmac(key, text).toString('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
