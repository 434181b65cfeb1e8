import { count } from '../../../project/states.ts'
import type { ResultState, StoredResult, StoreReport } from '../../../workshop.ts'
import type { CommandContext } from '../../context.ts'
import { type Ink, ink, type Style } from '../../view/ink.ts'
import type { Printer } from '../../view/printer.ts'
import { right } from '../../view/table.ts'

const states: Readonly<Record<ResultState | 'quarantined', { readonly words: string; readonly style: Style }>> = {
  used: { words: 'used', style: 'green' },
  take: { words: 'another take', style: 'cyan' },
  superseded: { words: 'superseded', style: 'yellow' },
  unknown: { words: 'unknown', style: 'dim' },
  quarantined: { words: 'damaged', style: 'red' },
}

/** The state of a result, as coloured text. */
export function inkResultState(state: ResultState | 'quarantined'): Ink {
  return ink(states[state].style, states[state].words)
}

/** The first digits of a hash, enough to name a result. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 12)
}

/** The shown part of a name in the store: `HASH`, or `HASH.MARK` of a damaged copy. */
export function shortName(name: string): string {
  const [hash = '', ...mark] = name.split('.')
  return [shortHash(hash), ...mark].join('.')
}

/**
 * `spritewright store ls [names…]`: lists every paid result, its use and its place. The service is not asked.
 */
export async function list({ printer, withWorkshop }: CommandContext, names: readonly string[]): Promise<number> {
  const report = await withWorkshop((workshop) => workshop.store.list(names))
  printer.report(report)
  if (report.results.length === 0 && report.quarantined.length === 0) {
    printer.line('No results: nothing was bought yet.')
    return 0
  }
  printResults(printer, report)
  tellSum(printer, report)
  return 0
}

function printResults(printer: Printer, report: StoreReport): void {
  printer.table(
    ['result', right('size'), 'state', 'for', right('take'), 'where'],
    [
      ...report.results.map((result) => [
        ink('bold', shortHash(result.sha256)),
        result.bytes === undefined ? '' : sizeWords(result.bytes),
        inkResultState(result.state),
        namesOf(result),
        [...new Set(result.uses.flatMap((use) => use.take ?? []))].join(', '),
        result.places.length > 0 ? result.places.join(', ') : ink('yellow', 'not here'),
      ]),
      ...report.quarantined.map((copy) => [
        ink('bold', shortName(copy.name)),
        sizeWords(copy.bytes),
        inkResultState('quarantined'),
        '',
        '',
        `quarantine (${copy.place})`,
      ]),
    ],
  )
}

function namesOf(result: StoredResult): string {
  return [...new Set(result.uses.map((use) => use.id))].join(', ')
}

function tellSum(printer: Printer, { results, quarantined, othersInShared }: StoreReport): void {
  const here = results.filter((result) => result.places.length > 0)
  const sum = (some: readonly StoredResult[]): string => sizeWords(some.reduce((bytes, result) => bytes + (result.bytes ?? 0), 0))
  const damaged = quarantined.length > 0 ? `, ${count(quarantined.length, 'damaged copy', 'damaged copies')} set aside` : ''
  const others = othersInShared > 0 ? `; ${othersInShared} more in the shared store are of other projects` : ''
  printer.line()
  printer.line(`${count(here.length, 'result')} here, ${sum(here)}${damaged}${others}.`)
  const lost = results.filter((result) => result.state === 'used' && result.places.length === 0)
  if (lost.length > 0)
    printer.hint(
      'Next: ',
      ink('bold', 'npx spritewright store verify'),
      `, which fetches ${lost.length} that are not here again, free of charge.`,
    )
  const idle = here.filter((result) => result.state === 'superseded' && result.places.includes('project'))
  if (idle.length > 0)
    printer.hint(
      `${count(idle.length, 'result')} that no spec asks for, ${sum(idle)}: `,
      ink('bold', 'npx spritewright store prune'),
      ' shows how to delete them.',
    )
}

/**
 * Formats a number of bytes for people: `312 B`, `4.2 kB`, `1.8 MB`. It counts in thousands, as file managers
 * do.
 */
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
