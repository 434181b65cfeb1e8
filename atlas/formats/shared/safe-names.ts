/**
 * Gives each name a spelling of its own: a second of one spelling (also where only the case differs) gets a number. The same names in the same order give the
 * same spellings.
 *
 * @param separator Stands between a spelling and its number.
 * @returns By the original name.
 */
export function toUniqueNames(names: Iterable<string>, spell: (name: string) => string, separator: string): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  const unique = new Map<string, string>()
  for (const name of names) {
    if (unique.has(name)) continue
    const spelled = spell(name)
    let free = spelled
    for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${spelled}${separator}${count}`
    taken.add(free.toLowerCase())
    unique.set(name, free)
  }
  return unique
}

/** Names that Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * Names as paths without an ending: slashes make folders, and no part is empty, leads out of the folder, or is one that some system cannot hold.
 *
 * @returns By the original name.
 */
export function toSafePaths(names: Iterable<string>): ReadonlyMap<string, string> {
  return toUniqueNames(names, (name) => name.split('/').map(toSafePart).join('/'), '-')
}

function toSafePart(part: string): string {
  const spelled = part.replace(/[^A-Za-z0-9_-]/g, '-')
  return spelled === '' || DEVICE.test(spelled) ? `_${spelled}` : spelled
}
