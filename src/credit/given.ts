/**
 * How an approval was given:
 *
 * - `touched`: by a touch of an authenticator that this machine knows.
 * - `typed`: at a question in a terminal.
 * - `clicked`: in the panel of a dev server that prints to a terminal.
 * - `unattended`: by `--yes`, or in the panel of a dev server whose output is no terminal.
 * - `standing`: by a build under ceilings that the person accepted once.
 */
export type Given = 'touched' | 'typed' | 'clicked' | 'unattended' | 'standing'

/** All ways of giving, in the order in which a person sees them. */
export const waysOfGiving: readonly Given[] = ['touched', 'typed', 'clicked', 'unattended', 'standing']

/** The ways of giving that both lists have. A missing list has all; returns `undefined` if both are missing. */
export function commonWays(one: readonly Given[] | undefined, other: readonly Given[] | undefined): readonly Given[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.filter((way) => other.includes(way))
}

/** Whether a program with a terminal of its own could give an approval in one of these ways. */
export function isPlayable(ways: readonly Given[]): boolean {
  return ways.some((way) => way === 'typed' || way === 'clicked' || way === 'unattended')
}

/** Lists ways of giving, in the order in which a person sees them. */
export function waysWords(ways: Iterable<Given>): string {
  const set = new Set(ways)
  return waysOfGiving.filter((way) => set.has(way)).join(', ') || 'none'
}
