import { join } from 'node:path'
import { z } from 'zod'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'
import { sha256 } from '../../host/sha256.ts'
import type { Credentials } from '../../options/credentials.ts'
import { baseUrlWords, parseBaseUrl } from '../../options/values.ts'
import { listOf } from './approvers.ts'

/**
 * Environment variable with addresses that may get the API key without a question. It is never read from a `.env`
 * file.
 */
const trustedHostsName = 'SPRITEWRIGHT_TRUSTED_HOSTS'

/** An address that a person has confirmed for a key. */
export interface TrustedHost {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string
  /** Fingerprint of the API key. */
  readonly key: string
  /** Time of the confirmation, ISO 8601. */
  readonly at: string
}

/** An API key with the address to which it would be sent, and the sources of both. */
export interface KeyRoute {
  readonly origin: string
  /** `environment`, the name of a `.env` file, or of the configuration. */
  readonly addressSource: string
  /** Fingerprint of the API key. */
  readonly key: string
  readonly keySource: string
  /**
   * `bound`: the key's own source, or the environment, names the address. `environment`: the environment
   * trusts the address. `confirmed`: a person has confirmed the address.
   */
  readonly trust: 'bound' | 'environment' | 'confirmed' | 'none'
}

const fileSchema = z.object({ hosts: z.array(z.object({ origin: z.string(), key: z.string(), at: z.string() })) })

/** Distinguishes API keys without revealing them: 64 bits of a hash. */
export function fingerprintOfKey(key: string): string {
  return sha256('spritewright api key 1', key).slice(0, 16)
}

/** The addresses that this user has confirmed, stored in the state folder. */
export interface TrustedHosts {
  list(): Promise<readonly TrustedHost[]>
  add(host: Pick<TrustedHost, 'origin' | 'key'>): Promise<void>
  /**
   * Removes an address and returns the number of removed entries.
   *
   * @param key Fingerprint.
   * @default every key
   */
  remove(origin: string, key?: string): Promise<number>
}

/** Opens the list of confirmed addresses. The file is read at each call, not before. */
export function openTrustedHosts({
  disk,
  random,
  clock,
  stateFolder,
}: Pick<Host, 'disk' | 'random' | 'clock' | 'stateFolder'>): TrustedHosts {
  const path = join(stateFolder, 'trusted-hosts.json')
  const list = async (): Promise<readonly TrustedHost[]> => {
    if (!(await disk.stat(path))) return []
    try {
      return fileSchema.parse(JSON.parse(new TextDecoder().decode(await disk.read(path)))).hosts
    } catch (cause) {
      throw new SpritewrightError('SW_CONFIG', {
        message: `Expected ${path} to list the addresses that you have confirmed, found something else. Remove it, and confirm them again.`,
        facts: { file: path },
        cause,
      })
    }
  }
  const write = (hosts: readonly TrustedHost[]): Promise<void> =>
    replaceFile(disk, random, path, new TextEncoder().encode(`${JSON.stringify({ hosts }, null, 2)}\n`))
  return {
    list,
    add: async ({ origin, key }) => {
      const others = (await list()).filter((one) => one.origin !== origin || one.key !== key)
      await write([...others, { origin, key, at: new Date(clock.wall()).toISOString() }])
    },
    remove: async (origin, key) => {
      const all = await list()
      const kept = all.filter((one) => one.origin !== origin || (key !== undefined && one.key !== key))
      if (kept.length < all.length) await write(kept)
      return all.length - kept.length
    },
  }
}

/**
 * Returns scheme, host and port of an address. A host without a scheme means https.
 *
 * @throws `SW_USAGE` for any other text.
 */
export function toOrigin(text: string): string {
  const url = parseBaseUrl(text.includes('://') ? text : `https://${text}`)
  if (url !== undefined) return new URL(url).origin
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected an address like api.example.com, or ${baseUrlWords}, found something else.`,
  })
}

/**
 * Decides whether the key may be sent to an address. It may if the address comes from the key's own source or from
 * the environment, or if the environment trusts the address. Any other address comes only from a file, and a person
 * has to confirm the address once.
 */
export async function routeOf(
  { env }: Pick<Host, 'env'>,
  book: TrustedHosts,
  address: { readonly baseUrl: string; readonly source: string },
  credentials: Required<Pick<Credentials, 'key' | 'keySource'>>,
): Promise<KeyRoute> {
  const { origin } = new URL(address.baseUrl)
  const key = fingerprintOfKey(credentials.key.reveal())
  const route = { origin, addressSource: address.source, key, keySource: credentials.keySource }
  if (address.source === 'environment' || address.source === credentials.keySource) return { ...route, trust: 'bound' }
  if (listOf(env[trustedHostsName]).some((one) => toOrigin(one) === origin)) return { ...route, trust: 'environment' }
  const isConfirmed = (await book.list()).some((one) => one.origin === origin && one.key === key)
  return { ...route, trust: isConfirmed ? 'confirmed' : 'none' }
}

/**
 * Checks a route before any request is sent.
 *
 * @throws `SW_UNTRUSTED_HOST` for a route that is not trusted.
 */
export function checkRoute(route: KeyRoute, isCi: boolean): void {
  if (route.trust !== 'none') return
  const { origin, addressSource, key, keySource } = route
  const advice = isCi
    ? `In CI, set SPRITEWRIGHT_BASE_URL or ${trustedHostsName} in the environment.`
    : `If that is your service, confirm it once: npx spritewright trust ${origin}. Or set SPRITEWRIGHT_BASE_URL beside the key, or ${trustedHostsName} in the environment.`
  throw new SpritewrightError('SW_UNTRUSTED_HOST', {
    message: `Expected the address of the service from the source of the API key, or one that you have confirmed. Found ${origin} in ${sourceWords(addressSource)}, and the key ${key} in ${sourceWords(keySource)}. Nothing was sent. ${advice}`,
    facts: { origin, addressSource, key, keySource },
  })
}

/** Describes a source in words: `the environment`, or the file's name. */
export function sourceWords(source: string): string {
  return source === 'environment' ? 'the environment' : source
}
