import { type ErrorFacts, SpritewrightError } from './errors.ts'

/** Finds one API key in texts, in every form that a program usually gives it. */
export interface KeySearch {
  /** Whether a text or a file's bytes contain the key. */
  isIn(text: string | Uint8Array): boolean
  /** The text with `[API key]` in place of the key. */
  mask(text: string): string
}

/** A shorter key is not a secret, and its letters would match common words. */
const shortestSecret = 8

/**
 * Prepares the search for one key: plain, percent-encoded, escaped as in JSON or JavaScript, in hexadecimal,
 * and in base64 of either alphabet at any of its three alignments.
 *
 * In base64 the first and the last character may mix the key with its neighbours. `mask` does not replace
 * these two. Each contains at most four bits of the key.
 *
 * @param key Visible ASCII. Without a key, or with one of under eight characters, nothing is ever found.
 */
export function searchFor(key: string | undefined): KeySearch {
  if (key === undefined || key.length < shortestSecret) return { isIn: () => false, mask: (text) => text }
  const forms = [
    [...key].map((char, index) => spelled(char, index === 0 || key.includes('\\'))),
    [...Buffer.from(key).toString('hex')].map(eitherCase),
    ...[0, 1, 2].map((lead) => base64Form(key, lead)),
  ]
  const pattern = new RegExp(forms.map((form) => form.join('')).join('|'), 'g')
  return {
    // ASCII bytes are the same in Latin-1, which decodes every file.
    isIn: (text) => toText(text).search(pattern) >= 0,
    mask: (text) => text.replace(pattern, '[API key]'),
  }
}

/**
 * Throws if bytes that are about to be written contain the key.
 *
 * @param place The file, for the message.
 * @throws `SW_KEY_EXPOSED`
 */
export function refuseKey(search: KeySearch, bytes: string | Uint8Array, place: string): void {
  if (!search.isIn(bytes)) return
  throw new SpritewrightError('SW_KEY_EXPOSED', {
    message: `Expected to write ${place} without the API key, found the key in the new text. Nothing was written. Take the key out of specs and options; if it was ever committed, revoke it.`,
    facts: { file: place },
  })
}

/**
 * Throws if an address contains the key. Addresses are written to the lock file and to messages.
 *
 * @param what Names the address for the message.
 * @throws `SW_CONFIG`
 */
export function refuseKeyInAddress(search: KeySearch, address: string, what: string, facts: ErrorFacts): void {
  if (!search.isIn(address)) return
  throw new SpritewrightError('SW_CONFIG', {
    message: `Expected ${what} to be an address without the API key, found the key in it. Write the address alone; the key goes into a header.`,
    facts,
  })
}

function toText(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1')
}

/**
 * The characters of a key in base64 that depend on the key alone.
 *
 * @param lead Bytes before the key in its group of three.
 */
function base64Form(key: string, lead: number): string[] {
  const bits = 8 * (lead + key.length)
  const encoded = Buffer.from('\0'.repeat(lead) + key).toString('base64')
  return [...encoded.slice(Math.ceil((8 * lead) / 6), Math.floor(bits / 6))].map((char) => {
    const other = char === '+' ? '-' : char === '/' ? '_' : undefined
    return other === undefined ? char : `(?:${spelled(char, true)}|${spelled(other, true)})`
  })
}

/**
 * A pattern for one character: plain, percent-encoded, or escaped, each several times over.
 *
 * @param isBounded Whether repetitions are counted, up to those of three escapes. The first character needs it, so
 *   that a long run of backslashes cannot make the search quadratic, and so does a key that contains backslashes.
 *   A pattern that counts takes ten times as long to compile.
 */
function spelled(char: string, isBounded: boolean): string {
  const code = [...char.charCodeAt(0).toString(16).padStart(2, '0')].map(eitherCase).join('')
  const [upTo3, from1, from0] = isBounded ? ['{0,3}', '{1,4}', '{0,7}'] : ['*', '+', '*']
  const plain = char === '\\' ? '\\\\{1,8}' : /\w/.test(char) ? char : `\\\\${from0}\\x${char.charCodeAt(0).toString(16)}`
  return `(?:${plain}|%(?:25)${upTo3}${code}|\\\\${from1}(?:u00|x)${code})`
}

function eitherCase(digit: string): string {
  return /[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit
}
