import { SpritewrightError } from '../errors.ts'

/** A JSON document: its value, and its text, from which exact decimals are read. */
export interface JsonBody {
  readonly text: string
  readonly value: unknown
}

/** Longest JSON document that is read, in bytes. */
export const maximumJsonBytes: number = 1024 * 1024
const maximumDepth = 64

/**
 * Reads bytes as one JSON document: valid UTF-8, at most 1 MiB, nested at most 64 deep. `__proto__` members
 * are dropped.
 *
 * @param what Names the document in errors, e.g. `the balance`.
 * @param hide Replaces secrets in every text of the document.
 * @throws `SW_WIRE` for anything else. The message quotes none of the bytes.
 */
export function parseJson(bytes: Uint8Array, what: string, hide: (text: string) => string = (text) => text): JsonBody {
  if (bytes.length > maximumJsonBytes) throw notJson(what, `${bytes.length} bytes`, `at most ${maximumJsonBytes} bytes of JSON`)
  let text: string
  try {
    text = hide(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    // The decoder's own error adds nothing to this message.
    throw notJson(what, 'bytes that are not UTF-8')
  }
  return { text, value: parseJsonText(text, what, hide) }
}

/** Like {@link parseJson}, from a text. */
export function parseJsonText(text: string, what: string, hide: (text: string) => string = (text) => text): unknown {
  if (depthOf(text) > maximumDepth) throw notJson(what, `JSON nested more than ${maximumDepth} deep`)
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__' || hide(key) !== key) return undefined
      return typeof value === 'string' ? hide(value) : value
    })
  } catch {
    // V8's message quotes the text, which may contain secrets.
    throw notJson(what, text.trim() === '' ? 'an empty body' : 'a body that is no JSON document')
  }
}

function notJson(what: string, found: string, expected = 'a JSON document'): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected ${expected} for ${what}, found ${found}. If this repeats, check the service's address.`,
    facts: { what, found },
  })
}

/** Nesting depth of a text that may not be JSON. It is exact enough to limit recursion. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === 0x5c) at++
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}

const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs

/**
 * The raw text of a member of the outermost object, e.g. `2.40` or `"2.40"`. If a name is repeated, the last
 * member counts, as in `JSON.parse`.
 *
 * @param text A document that {@link parseJson} has read.
 * @returns Null if the member is missing, or is an object or array.
 */
export function rawMember(text: string, name: string): string | null {
  let depth = 0
  let found: string | null = null
  let previous = ''
  let beforePrevious = ''
  for (const [token] of text.matchAll(tokenPattern)) {
    if (depth === 1 && previous === ':' && beforePrevious.startsWith('"') && JSON.parse(beforePrevious) === name) {
      found = token === '{' || token === '[' ? null : token
    }
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    beforePrevious = previous
    previous = token
  }
  return found
}
