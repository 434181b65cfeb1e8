import { SpritewrightError } from '../errors.ts'

/** Longest id that goes into a path, in characters; the longest that a reply may name. */
const longestId = 200

/**
 * Turns an id into one segment of a path. Ids come from the service, from the lock file and from records, so
 * each is checked where it is used.
 *
 * @param what Names the id's owner in the error, e.g. `the execution`.
 * @returns The percent-encoded id.
 * @throws `SW_WIRE` for an empty or too long id, for control characters and half characters, and for `.` or
 * `..` as the id or between its slashes, however often they are percent-encoded: a URL or a proxy would
 * resolve them.
 */
export function toSegment(what: string, id: string): string {
  if (isSegment(id)) return encodeURIComponent(id)
  throw new SpritewrightError('SW_WIRE', {
    message: `Expected the id of ${what} as 1 to ${longestId} characters that name one part of a path, found ${JSON.stringify(id.slice(0, 60))}. Nothing was sent; if it is from sprites.lock.json, restore that file, else report it to the service.`,
    facts: { what, found: id.slice(0, longestId) },
  })
}

/** Whether {@link toSegment} takes an id. */
export function isSegment(id: string): boolean {
  if (id === '' || id.length > longestId) return false
  const plain = decoded(id)
  return !/[\p{Cc}\p{Cs}]/u.test(plain) && !plain.split(/[/\\]/).some((part) => part === '.' || part === '..')
}

/** Without percent-encodings, however many stand around one another: each round makes the text shorter. */
function decoded(text: string): string {
  const inner = text.replace(/%(?:u00)?([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return inner === text ? text : decoded(inner)
}
