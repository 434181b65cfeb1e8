/**
 * Gives each name a unique spelling. If two spellings are equal, or differ only by case, the second gets a
 * number. The same names in the same order give the same spellings.
 *
 * @param separator Separates a spelling from its number.
 * @returns Spellings by original name.
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

/** Device names, reserved by Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * Converts names to paths without extension. Slashes make folders. No part is empty, is `..`, or is invalid
 * on some system.
 *
 * @returns Paths by original name.
 */
export function toSafePaths(names: Iterable<string>): ReadonlyMap<string, string> {
  return toUniqueNames(names, (name) => name.split('/').map(toSafePart).join('/'), '-')
}

function toSafePart(part: string): string {
  const spelled = part.replace(/[^A-Za-z0-9_-]/g, '-')
  return spelled === '' || DEVICE.test(spelled) ? `_${spelled}` : spelled
}
