import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { sha256 } from '../host/sha256.ts'
import type { Answer } from './exchange.ts'
import { addressError } from './failures.ts'
import { createHttpClient, type HttpClient, type HttpPorts } from './http-client.ts'

/** A bucket, with the prefix of its keys. */
export interface S3Address {
  readonly kind: 's3'
  readonly bucket: string
  /** Segments before every key; empty, or without a slash at either end. */
  readonly prefix: string
}

/**
 * Parses `s3://bucket/prefix`.
 *
 * @throws `SW_CONFIG` for any other text, e.g. with a key, a host or a query.
 */
export function parseS3Address(text: string): S3Address {
  const [, bucket, prefix] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-]+(?:\.+[\w-]+)*)*)\/?$/.exec(text) ?? []
  if (bucket !== undefined && prefix !== undefined) return { kind: 's3', bucket, prefix: prefix.slice(1) }
  throw addressError('s3://bucket/prefix (the endpoint and the credentials are variables of the environment)', 'something else')
}

/**
 * Makes a client with the credentials and the endpoint in the environment, from the usual variables of S3 tools.
 * With an endpoint, the bucket is in the path; for AWS itself, the bucket is in the host name.
 *
 * @throws `SW_CONFIG` if a variable is missing or not valid. No message contains the value of a variable.
 */
export function createS3Client(ports: HttpPorts, env: Host['env'], where: S3Address): HttpClient {
  const address = `s3://${[where.bucket, where.prefix].filter((part) => part !== '').join('/')}`
  const credentials = readCredentials(env, address)
  const region = readVariable(env, ['AWS_REGION', 'AWS_DEFAULT_REGION']) ?? 'us-east-1'
  const base = [readEndpoint(env, where.bucket, region), where.prefix].filter((part) => part !== '').join('/')
  return createHttpClient(ports, {
    address,
    base,
    adviceFor,
    sign: async (method, url, { body, headers }) => {
      const { AwsV4Signer } = await import('aws4fetch')
      const digest = sha256(body ?? '')
      const signer = new AwsV4Signer({
        ...credentials,
        method,
        region,
        service: 's3',
        url,
        // The signature covers the condition and the bytes, so a proxy can neither drop nor change them.
        headers: { ...headers, 'x-amz-content-sha256': digest },
        datetime: new Date(ports.clock.wall()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      })
      return Object.fromEntries((await signer.sign()).headers)
    },
  })
}

function adviceFor({ status, headers }: Answer, reason: string | undefined): string | undefined {
  const region = /^[a-z0-9-]{1,40}$/.exec(headers['x-amz-bucket-region'] ?? '')?.[0]
  if (status === 301 || reason === 'AuthorizationHeaderMalformed')
    return `Set AWS_REGION to the region of the bucket${region === undefined ? '' : `, ${region}`}.`
  if (reason === 'RequestTimeTooSkewed') return 'Set the clock of this machine.'
  if (status === 403)
    return 'Check the credentials in the environment. They need s3:GetObject, s3:PutObject, and s3:ListBucket: without it, a missing file is refused too.'
  return undefined
}

function readCredentials(env: Host['env'], address: string): { accessKeyId: string; secretAccessKey: string; sessionToken?: string } {
  const accessKeyId = readVariable(env, ['AWS_ACCESS_KEY_ID'])
  const secretAccessKey = readVariable(env, ['AWS_SECRET_ACCESS_KEY'])
  const sessionToken = readVariable(env, ['AWS_SESSION_TOKEN'])
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
  const missing = accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY'
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment for ${address}, found no ${missing}. Set both; files and profiles are not read.`,
    facts: { store: address, variable: missing },
  })
}

/** Returns scheme, host and path of the bucket. */
function readEndpoint(env: Host['env'], bucket: string, region: string): string {
  const endpoint = readVariable(env, ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'])
  // The wildcard certificate of AWS does not cover a bucket's name with dots.
  if (endpoint === undefined)
    return bucket.includes('.') ? `https://s3.${region}.amazonaws.com/${bucket}` : `https://${bucket}.s3.${region}.amazonaws.com`
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}/${bucket}`
  throw new SpritewrightError('SW_CONFIG', {
    message:
      'Expected AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL as https://host or http://host, without user name, query and fragment; found something else. Correct the variable.',
  })
}

/**
 * The first of these variables that is set. Its value goes into a header, so it must be one word.
 *
 * @throws `SW_CONFIG` for any other text. The message does not contain the value.
 */
function readVariable(env: Host['env'], names: readonly string[]): string | undefined {
  const name = names.find((one) => (env[one] ?? '').trim() !== '')
  const value = name && env[name]?.trim()
  if (value === undefined || value === '') return undefined
  const pattern = name?.includes('REGION') ? /^[a-z0-9-]{1,40}$/ : /^[\x21-\x7e]{1,8192}$/
  if (pattern.test(value)) return value
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${name} in the environment as one word of printable ASCII, found other characters in it. Set it again.`,
    facts: { variable: name },
  })
}
