import type { PersonRequest } from '../../workshop.ts'
import { ink } from './ink.ts'
import type { Printer } from './printer.ts'

/** Prints what programs ask the person to decide. Their texts are printed as text. */
export function printRequests(printer: Printer, requests: readonly PersonRequest[], now: number): void {
  for (const { verb, names, credits, why, from, at } of requests) {
    const minutes = Math.max(0, Math.round((now - at) / 60_000))
    const age = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
    const price = credits === undefined ? '' : `, about ${credits} credits`
    printer.line(ink('yellow', 'asked '), ink('bold', [verb, ...names].join(' ')), `${price}, ${age} ago, by ${asker[from]}:`)
    printer.line(`  “${why}”`)
  }
}

const asker: Readonly<Record<PersonRequest['from'], string>> = {
  mcp: 'a tool of an agent',
  shell: 'a command in the shell of an agent',
}
