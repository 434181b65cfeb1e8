import { expect, vi } from 'vitest'
import { formatCredits } from '../../src/credit/credits.ts'

/** Number of elements that a failure shows: the last ones. */
const shownAtMost = 20

/**
 * Expects so many charges, holds or requests. Unlike `toHaveLength`, a failure lists them, one a line: a charge
 * with its request, execution and credits.
 */
export const expectCount: (found: readonly unknown[], count: number) => void = vi.defineHelper((found, count) => {
  const lines = found.slice(-shownAtMost).map((one) => `\n  ${typeof one === 'string' ? one : toJson(one)}`)
  expect(found.length, `expected ${count}, found ${found.length}:${lines.join('')}\n`).toBe(count)
})

/** JSON, with amounts as credits. */
function toJson(one: unknown): string {
  return JSON.stringify(one, (_key, value: unknown) => (typeof value === 'bigint' ? formatCredits(value) : value))
}
