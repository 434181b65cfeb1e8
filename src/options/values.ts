import type { Profile } from '../service/profile.ts'
import { nearestName } from '../sprite-spec/nearest.ts'

/** A service and its connection. */
export interface ServiceOptions {
  /**
   * Address of the service.
   *
   * @default `SPRITEWRIGHT_BASE_URL`
   */
  readonly baseUrl?: string | undefined
  /**
   * Queue through which a worker buys for machines without an API key: `redis://…`, `rediss://…` or
   * `postgres://…`, without a password.
   *
   * @default none
   */
  readonly queue?: string | undefined
  /** Differences of the service's wire format. */
  readonly profile?: Partial<Profile> | undefined
}

/**
 * Parses a service's base URL: `http:` or `https:`, without name, password, query or fragment, and without
 * `$`. A variable in an address is never expanded, so it would be sent as written.
 *
 * @returns The URL without a trailing slash; `undefined` for any other text. The text may contain a secret, so
 * callers must not show it.
 */
export function parseBaseUrl(text: string): string | undefined {
  if (text.includes('$') || !URL.canParse(text.trim())) return undefined
  const url = new URL(text.trim())
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) return undefined
  return url.href.replace(/\/+$/, '')
}

/** The addresses that {@link parseBaseUrl} accepts, in words. */
export const baseUrlWords: string = 'a base URL like https://api.example.com, without name, password, query, fragment or `$`'

/**
 * Parses `500ms`, `2s`, `10m`, `1h`, `1.5h` to milliseconds. Returns `undefined` for any other text, and above
 * 24 hours.
 */
export function parseDuration(duration: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(duration.trim())
  if (!match) return undefined
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 'ms' | 's' | 'm' | 'h']
  const ms = Math.round(Number(match[1]) * unitMs)
  return ms <= 24 * 3_600_000 ? ms : undefined
}

/** The allowed lives of approvals, in words. */
export const lifeWords: string = "a time from one hour to ten years like '12h' or '30d'"

/** Parses `30d`, `12h`, at least an hour and at most ten years, to milliseconds. Returns `undefined` for other texts. */
export function parseLife(text: string): number | undefined {
  const match = /^(\d{1,5})(d|h)$/.exec(text.trim())
  const hours = Number(match?.[1] ?? 0) * (match?.[2] === 'd' ? 24 : 1)
  return hours >= 1 && hours <= 87_600 ? hours * 3_600_000 : undefined
}

/**
 * Parses the address of a shared journal: `s3://…`, `postgres://…` without a password, or the path of a folder.
 *
 * @returns `undefined` for any other text. The text may contain a secret, so callers must not show it.
 */
export function parseJournalAddress(text: string): string | undefined {
  return parseStore(text, /^(?:s3|postgres):\/\/(?:[^:@/\s]+@)?[^@\s]+$/)
}

/** Parses the address of shared results: `s3://…`, `https://…` without a password, or the path of a folder. */
export function parseResultsAddress(text: string): string | undefined {
  return parseStore(text, /^(?:s3|https?):\/\/[^@\s?#]+$/)
}

function parseStore(text: string, url: RegExp): string | undefined {
  const address = text.trim()
  return address !== '' && (!address.includes('://') || url.test(address)) ? address : undefined
}

/** The addresses that {@link parseJournalAddress} accepts, in words. */
export const journalWords: string = 's3://bucket/prefix, postgres://host/database without a password, or the path of a folder'

/** The addresses that {@link parseResultsAddress} accepts, in words. */
export const resultsWords: string = 's3://bucket/prefix, https://host/path without a password, or the path of a folder'

/**
 * Checks the form of a queue's address. The code that opens the queue reads the parts of the address.
 *
 * @returns `undefined` for any other text. The text may contain a secret, so callers must not show it.
 */
export function parseQueueAddress(text: string): string | undefined {
  const address = text.trim()
  return /^(?:rediss?|postgres):\/\/[^@\s]+$/.test(address) ? address : undefined
}

/** The addresses that {@link parseQueueAddress} accepts, in words. */
export const queueWords: string = 'redis://host:port/number, rediss://… or postgres://host/database, without a user or a password'

/** Whether a value is certainly a misspelt `"embedded"`. Any other value may contain a secret. */
export function isLikeEmbedded(value: unknown): boolean {
  return typeof value === 'string' && nearestName(value, ['embedded']) !== undefined
}
