/**
 * Reads a service's base URL: `http:` or `https:`, without name, password, query or fragment, and without
 * `$`: a variable in an address is never expanded, so it would be sent as it is written.
 *
 * @returns The URL without a slash at its end; undefined for anything else. The text may hold a secret, so callers must not show it.
 */
export function parseBaseUrl(text: string): string | undefined {
  if (text.includes('$') || !URL.canParse(text.trim())) return undefined
  const url = new URL(text.trim())
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol)) return undefined
  return url.href.replace(/\/+$/, '')
}

/** What {@link parseBaseUrl} takes, in words. */
export const baseUrlWords: string = 'a base URL like https://api.example.com, without name, password, query, fragment or `$`'
