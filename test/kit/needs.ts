import { describe, test } from 'vitest'

/**
 * `describe` for tests that need something of this machine. If it is missing, they are skipped, and their name says
 * what is missing: the last lines of `npm test` count them by it.
 */
export function describeWith(isThere: boolean, what: string): (name: string, body: () => void) => void {
  return (name, body) => (isThere ? describe(name, body) : describe.skip(`${name} [needs ${what}]`, body))
}

/** The same for one test. */
export function testWith(isThere: boolean, what: string): (name: string, body: () => Promise<void> | void) => void {
  return (name, body) => (isThere ? test(name, body) : test.skip(`${name} [needs ${what}]`, body))
}
