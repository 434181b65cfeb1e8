import { type Ink, inkWidth } from './ink.ts'

/** A column: its heading and its alignment. */
export interface Column {
  readonly title: string
  /** @default 'left' */
  readonly align?: 'left' | 'right'
}

/**
 * Formats an aligned table, with two spaces between columns and dimmed headings. A column of empty cells is
 * left out.
 *
 * @param rows One cell for each column.
 */
export function layTable(columns: readonly Column[], rows: readonly (readonly Ink[])[]): Ink[][] {
  const kept = columns.map((_, index) => index).filter((index) => rows.some((row) => inkWidth([row[index] ?? '']) > 0))
  const widths = new Map(
    kept.map((index) => [index, Math.max(inkWidth([columns[index]?.title ?? '']), ...rows.map((row) => inkWidth([row[index] ?? ''])))]),
  )
  const heading: Ink[] = columns.map((column) => ({ text: column.title, style: 'dim' }))
  return [heading, ...rows].map((row) => {
    const line: Ink[] = []
    kept.forEach((index, position) => {
      const cell = row[index] ?? ''
      const gap = ' '.repeat((widths.get(index) ?? 0) - inkWidth([cell]))
      const isLast = position === kept.length - 1
      const lead = position === 0 ? '' : '  '
      if (columns[index]?.align === 'right') line.push(lead + gap, cell)
      else line.push(lead, cell, isLast ? '' : gap)
    })
    return trimEnd(line)
  })
}

/** Trailing blanks would be copied along with a line. */
function trimEnd(line: Ink[]): Ink[] {
  const end = line.findLastIndex((piece) => (typeof piece === 'string' ? piece : piece.text).trim() !== '')
  return line.slice(0, end + 1)
}
