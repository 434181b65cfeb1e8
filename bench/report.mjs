import { styleText } from 'node:util'

/**
 * A value beside its target.
 *
 * @param {'at most' | 'at least' | 'under'} kind
 */
export function check(name, value, kind, target) {
  const isMet = kind === 'at least' ? value >= target : kind === 'under' ? value < target : value <= target
  return { name, value, kind, target, isMet }
}

export function printTable(title, rows) {
  console.log(`\n${styleText('bold', title)}`)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [columns, ...rows.map((row) => columns.map((column) => format(row[column])))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at].length)))
  for (const line of cells)
    console.log(`  ${line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ')}`)
}

export function printChecks(checks) {
  for (const { name, value, kind, target, isMet } of checks) {
    const mark = isMet ? styleText('green', '✓') : styleText('red', '✗')
    console.log(`  ${mark} ${name}: ${format(value)}, ${kind} ${format(target)}`)
  }
}

function format(value) {
  if (value === undefined) return ''
  if (typeof value !== 'number') return String(value)
  if (Number.isInteger(value)) return String(value)
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3)
}
