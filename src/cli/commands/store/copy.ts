import { count } from '../../../project/states.ts'
import type { CopyReport } from '../../../workshop.ts'
import type { CommandContext } from '../../context.ts'
import { createCounter } from '../../view/counter.ts'
import { ink } from '../../view/ink.ts'
import type { Printer } from '../../view/printer.ts'
import { shortHash, sizeWords } from './list.ts'

/**
 * `spritewright store push [names…]`: copies missing results to the shared store. Exit code 1 if a result is
 * damaged here.
 */
export async function push(context: CommandContext, names: readonly string[]): Promise<number> {
  const { printer } = context
  const report = await copy(context, 'push', names)
  tellCopied(printer, report)
  if (report.lacking.length === 0) return 0
  tellLacking(printer, report, 'damaged here and moved to quarantine')
  printer.hint('Next: ', ink('bold', 'npx spritewright store verify'), ', which fetches them again, free of charge.')
  return 1
}

/**
 * `spritewright store pull [names…]`: copies missing results to the project. Exit code 1 if a wanted result
 * is in neither store.
 */
export async function pull(context: CommandContext, names: readonly string[]): Promise<number> {
  const { printer } = context
  const report = await copy(context, 'pull', names)
  tellCopied(printer, report)
  const isShort = report.lacking.some((one) => one.isUsed)
  if (report.lacking.length > 0) tellLacking(printer, report, 'not in the shared store, or damaged there')
  if (isShort) printer.hint('Next: ', ink('bold', 'npx spritewright store verify'), ', which asks the service for them, free of charge.')
  return isShort ? 1 : 0
}

async function copy({ parts, printer, withWorkshop }: CommandContext, way: 'push' | 'pull', names: readonly string[]): Promise<CopyReport> {
  const counter = createCounter(parts.host, printer, 'results')
  return withWorkshop((workshop) => workshop.store[way](names, parts.signal, counter.tell)).finally(counter.stop)
}

function tellCopied(printer: Printer, report: CopyReport): void {
  printer.report(report)
  const before = report.present > 0 ? `; ${report.present} were there` : ''
  printer.line(
    ink('green', '✓'),
    ` ${count(report.copied.length, 'result')} copied to ${report.folder}, ${sizeWords(report.bytes)}${before}.`,
  )
}

function tellLacking(printer: Printer, report: CopyReport, why: string): void {
  printer.line(ink('yellow', `${count(report.lacking.length, 'result')} ${why}:`))
  for (const { sha256, ids } of report.lacking) printer.line('  ', ink('bold', shortHash(sha256)), `  ${ids.join(', ')}`)
}
