import { type Ink, inkWidth } from './ink.ts'

/** A column: its heading, or its heading above cells that are aligned to the right. */
export type Column = string | { readonly rightTitle: string }

/** A column of numbers, aligned to the right. */
export function right(rightTitle: string): Column {
  return { rightTitle }
}

/**
 * Formats an aligned table, with two spaces between columns and dimmed headings. A column of empty cells is omitted.
 * If lines would be too wide, the last cell of each row goes below its row, in as many lines as it needs.
 *
 * @param rows One cell for each column.
 * @param width Most characters of a line.
 * @default without a limit
 */
export function layTable(columns: readonly Column[], rows: readonly (readonly Ink[])[], width: number = Number.POSITIVE_INFINITY): Ink[][] {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column.rightTitle))
  const isRight = (index: number): boolean => typeof columns[index] === 'object'
  const kept = columns.map((_, index) => index).filter((index) => rows.some((row) => inkWidth([row[index] ?? '']) > 0))
  const widths = new Map(
    kept.map((index) => [index, Math.max(inkWidth([titles[index] ?? '']), ...rows.map((row) => inkWidth([row[index] ?? ''])))]),
  )
  const total = [...widths.values()].reduce((sum, own) => sum + own + 2, -2)
  const last = kept.at(-1) ?? 0
  const isBroken = total > width && kept.length > 1 && !isRight(last)
  const beside = isBroken ? kept.slice(0, -1) : kept
  const heading: Ink[] = titles.map((text) => ({ text, style: 'dim' }))
  return [heading, ...rows].flatMap((row) => {
    const line: Ink[] = []
    beside.forEach((index, position) => {
      const cell = row[index] ?? ''
      const gap = ' '.repeat((widths.get(index) ?? 0) - inkWidth([cell]))
      const isLast = position === beside.length - 1
      const lead = position === 0 ? '' : '  '
      if (isRight(index)) line.push(lead + gap, cell)
      else line.push(lead, cell, isLast ? '' : gap)
    })
    const below = isBroken && row !== heading ? wrapInk(row[last] ?? '', width - 2) : []
    return [trimEnd(line), ...below.map((piece): Ink[] => ['  ', piece])]
  })
}

/** Breaks a cell into lines at its spaces. A longer word stays whole. */
function wrapInk(cell: Ink, width: number): readonly Ink[] {
  const { text, style } = typeof cell === 'string' ? { text: cell, style: undefined } : cell
  const lines: string[] = []
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && inkWidth([longer]) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.map((line) => (style === undefined ? line : { text: line, style }))
}

/** Removes trailing blanks, which a person would copy along with a line. */
function trimEnd(line: Ink[]): Ink[] {
  const end = line.findLastIndex((piece) => (typeof piece === 'string' ? piece : piece.text).trim() !== '')
  return line.slice(0, end + 1)
}
