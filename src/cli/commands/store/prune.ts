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
  service: 'the service has it now and gives it again for free, as long as it keeps it',
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
  needTerminal(parts, isSure || names.length === 0, '. See what may go with: npx spritewright store prune')
  const confirm = async (lines: readonly PruneLine[]): Promise<boolean> => {
    printLines(printer, lines)
    return isSure || answered(await parts.ask(`${toSentence(lines, fromShared)} Take away?`), 'Nothing was taken away.')
  }
  const request = { names, force: args.flag('force'), fromShared, confirm }
  const report = await withWorkshop((workshop) => workshop.store.prune(request, parts.signal))
  printer.document(report)
  if (names.length === 0) return tellListing(printer, report)
  if (!report.isDone) {
    printer.line('Nothing was taken away.')
    return 3
  }
  printer.line(ink('green', '✓'), ` Took away ${count(report.lines.length, 'file')}, ${sizeWords(report.bytes)} free.`)
  printer.hint(
    'sprites.lock.json keeps what was bought. A spec that asks for it again has it by ',
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
    printer.line('Every result that is here is asked for by a spec.')
    return 0
  }
  printLines(printer, lines)
  const sum = (some: readonly PruneLine[]): string => sizeWords(some.reduce((bytes, line) => bytes + line.bytes, 0))
  const superseded = lines.filter((line) => line.state === 'superseded')
  const names = [...new Set(superseded.flatMap((line) => line.ids))]
  printer.line(`${count(lines.length, 'file')} may go, ${sum(lines)}. Nothing was taken away.`)
  const shown = names.slice(0, 5).join(' ') + (names.length > 5 ? ' …' : '')
  if (superseded.length > 0)
    printer.hint(`What is superseded (${sum(superseded)}) goes by its name: `, ink('bold', `npx spritewright store prune ${shown}`))
  if (lines.length > superseded.length)
    printer.hint('Another take, what no lock entry names, and a damaged copy go by what stands under "result" alone.')
  printer.hint(ink('dim', 'Another branch may ask for what this one does not.'))
  return 0
}
