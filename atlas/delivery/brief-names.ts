/** With more characters a name fills a line of the terminal. */
const MAX_CHARACTERS = 80

/** A name from outside as a message shows it: its beginning, if it is long. */
export function briefName(name: string): string {
  return name.length <= MAX_CHARACTERS ? name : `${name.slice(0, MAX_CHARACTERS - 1)}…`
}

/** The first names of a list as a message shows it, and how many more there are. Empty for an empty list. */
export function briefNames(names: readonly string[], most: number = 10): string {
  const shown = names.slice(0, most).map(briefName).join(', ')
  return names.length <= most ? shown : `${shown} and ${names.length - most} more`
}
