import { maximumDepth } from './document.ts'

/** Any object that JSON gives. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether something is an object with fields: no list, and of no class. */
export function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * The value of a JSON text in which nothing is unusual, by the platform's own reader, which takes a fraction of the time of one that knows places.
 *
 * @returns Undefined for everything that {@link createDocument} would complain of, for comments and for trailing commas, and for some texts that are fine: those
 * are for the reader that knows places. Else what that reader gives, but for the order of names that are numbers.
 */
export function readPlainJson(text: string): { readonly value: unknown } | undefined {
  // Escaped characters may be halves of a pair, and two spellings of one name.
  if (text.includes('\\u') || /[\ud800-\udfff]/.test(text)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  // The platform's reader lets the last of several fields of one name win in silence: then there are fewer than the text has.
  return countFields(value, 0) === countNames(text) ? { value } : undefined
}

/** Fields of a value and of all that is in it; NaN where something is in it that the reader with places refuses. */
function countFields(value: unknown, depth: number): number {
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= maximumDepth) return Number.NaN
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countFields(item, depth + 1)
    return count
  }
  const fields = value as Fields
  for (const name of Object.keys(fields)) {
    if (name === '__proto__') return Number.NaN
    count += 1 + countFields(fields[name], depth + 1)
  }
  return count
}

/** How often a text that is JSON names a field: strings before a colon. */
function countNames(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    let end = text.indexOf('"', start + 1)
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
    let next = end + 1
    while (isBlank(text.charCodeAt(next))) next += 1
    if (text.charCodeAt(next) === 0x3a) count += 1
    start = text.indexOf('"', next)
  }
  return count
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
