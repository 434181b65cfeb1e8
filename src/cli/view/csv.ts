import { escapeText } from '../../host/terminal.ts'

/**
 * Formats CSV as in RFC 4180, with a first line of names.
 *
 * @param rows Texts by column. A missing one is empty.
 */
export function toCsvText(columns: readonly string[], rows: readonly ReadonlyMap<string, string>[]): string {
  const toLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`
  return [columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? ''))].map(toLine).join('')
}

/** A spreadsheet would compute a cell that begins like a formula, in some languages also with full-width characters. */
function csvCell(text: string): string {
  const safe = escapeText(text).replace(/^(?=[=+\-@＝＋－＠])/, "'")
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
