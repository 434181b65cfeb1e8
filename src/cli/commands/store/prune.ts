import { count } from '../../../project/states.ts'
import type { PruneLine, PruneReport, Recovery } from '../../../workshop.ts'
import type { CommandArgs } from '../../arguments.ts'
import { answered, needTerminal } from '../../asking.ts'
import type { CommandContext } from '../../context.ts'
import { ink } from '../../view/ink.ts'
import type { Printer } from '../../view/printer.ts'
import { right } from '../../view/table.ts'
import { inkResultState, shortName, sizeWords } from './list.ts'

const recoveries: Readonly<Record<Recovery, string>> = {
  service: 'the service has it now and delivers it again for free, while it keeps the file',
  shared: 'the shared store keeps its copy; store pull brings it back',
  unasked: 'perhaps by its execution id: the service was not asked',
  copy: 'a good copy is here',
  none: 'nothing brings it back',
}

/**
 * `spritewright store prune [names…]`: lists results that no spec asks for. It asks, and then deletes the named
 * results. Exit code 3 if the person says no.
 */
export async function prune(context: CommandContext, names: readonly string[], args: CommandArgs): Promise<number> {
  const { parts, printer, withWorkshop } = context
  const isSure = args.flag('yes')
  const fromShared = args.flag('shared')
  needTerminal(parts, isSure || names.length === 0, '. To list the results that may be deleted: npx spritewright store prune')
  const confirm = async (lines: readonly PruneLine[]): Promise<boolean> => {
    printLines(printer, lines)
    return isSure || answered(await parts.ask(`${toSentence(lines, fromShared)} Delete?`), 'Nothing was deleted.')
  }
  const request = { names, force: args.flag('force'), fromShared, confirm }
  const report = await withWorkshop((workshop) => workshop.store.prune(request, parts.signal))
  printer.document(report)
  if (names.length === 0) return tellListing(printer, report)
  if (!report.isDone) {
    printer.line('Nothing was deleted.')
    return 3
  }
  printer.line(ink('green', '✓'), ` Deleted ${count(report.lines.length, 'file')}, ${sizeWords(report.bytes)} free.`)
  printer.hint(
    'The lock file keeps the purchase. If a spec asks for the result again, fetch it with ',
    ink('bold', 'npx spritewright build'),
    ', free of charge while the service keeps it.',
  )
  return 0
}

function printLines(printer: Printer, lines: readonly PruneLine[]): void {
  printer.table(
    ['result', right('size'), 'state', 'for', 'to have it again'],
    lines.map((line) => [
      ink('bold', shortName(line.name)),
      sizeWords(line.bytes),
      inkResultState(line.state),
      line.ids.join(', '),
      line.recovery === undefined ? '' : ink(line.recovery === 'none' ? 'red' : 'dim', recoveries[line.recovery]),
    ]),
  )
  printer.line()
}

function toSentence(lines: readonly PruneLine[], fromShared: boolean): string {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  const lost = lines.filter((line) => line.recovery === 'none').length
  const warning = lost > 0 ? ` ${lost} of them would be lost for good.` : ''
  const where = fromShared ? 'the shared store, which other projects may use' : 'the project'
  return `${count(lines.length, 'file')} of ${where}, ${sizeWords(bytes)}, that no spec asks for.${warning}`
}

function tellListing(printer: Printer, { lines }: PruneReport): number {
  if (lines.length === 0) {
    printer.line('A spec asks for every result that is here.')
    return 0
  }
  printLines(printer, lines)
  const sum = (some: readonly PruneLine[]): string => sizeWords(some.reduce((bytes, line) => bytes + line.bytes, 0))
  const superseded = lines.filter((line) => line.state === 'superseded')
  const names = [...new Set(superseded.flatMap((line) => line.ids))]
  printer.line(`${count(lines.length, 'file')} may be deleted, ${sum(lines)}. Nothing was deleted.`)
  const shown = names.slice(0, 5).join(' ') + (names.length > 5 ? ' …' : '')
  if (superseded.length > 0)
    printer.hint(`Delete superseded results (${sum(superseded)}) by name: `, ink('bold', `npx spritewright store prune ${shown}`))
  if (lines.length > superseded.length)
    printer.hint('Delete another take, a result without a lock entry and a damaged copy by the name under "result".')
  printer.hint(ink('dim', 'Another branch may still need these results.'))
  return 0
}
