/** A number of bytes for people: `312 B`, `4.2 kB`, `1.8 MB`; thousands, as file managers count. */
export function sizeWords(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  let value = bytes
  let index = 0
  while (Math.round(value * 10) >= 10_000 && index < units.length - 1) {
    value /= 1000
    index++
  }
  return `${index === 0 ? value : value.toFixed(1)} ${units[index]}`
}
