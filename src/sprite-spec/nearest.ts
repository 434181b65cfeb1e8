/**
 * Finds the name that the author probably intended. Upper and lower case count as the same.
 *
 * @returns The nearest name, or the first of equally near ones. Undefined if more than two letters (a third
 *   of a long name) differ.
 */
export function nearestName(found: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(found.length / 3)) + 1
  for (const name of names) {
    const distance = name.startsWith(found) && found.length >= 2 ? 1 : editDistance(found.toLowerCase(), name.toLowerCase())
    // A short word is near to every word, so at least half of its letters must be right.
    if (distance < least && distance <= name.length / 2) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

/**
 * Words for a name that is not known: what was expected, and the nearest name, or the first 20 names.
 *
 * @param what E.g. `the name of a picture of this sprite`.
 */
export function knownWords(what: string, found: string, names: readonly string[]): string {
  const near = nearestName(found, names)
  return `${what} (${near === undefined ? names.slice(0, 20).join(', ') || 'it has none' : `did you mean "${near}"?`})`
}

/** Counts the letters to insert, remove, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const now = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      let cost = Math.min(last[column]! + 1, now[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwap) cost = Math.min(cost, before[column - 2]! + 1)
      now.push(cost)
    }
    before = last
    last = now
  }
  return last[to.length]!
}
