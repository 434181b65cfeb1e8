import type { Credentials } from './credentials.ts'

/** Whether bytes hold the API key: plain, in base64 (at any of the three alignments), URL-encoded or JSON-escaped. */
export function containsKey(credentials: Credentials, bytes: Uint8Array): boolean {
  if (credentials.key === undefined) return false
  const key = credentials.key.reveal()
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return formsOf(key).some((form) => haystack.includes(form))
}

function formsOf(key: string): readonly string[] {
  const forms = new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])
  for (const lead of ['', '\0', '\0\0']) {
    // Only the characters that the key alone decides: the first and last ones mix with what stands beside it.
    const encoded = Buffer.from(lead + key)
      .toString('base64')
      .replace(/=+$/, '')
    const inner = encoded.slice(lead.length === 0 ? 0 : lead.length + 1, -1)
    if (inner.length >= 12) forms.add(inner).add(inner.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...forms]
}
