import { count, countItems, whyNotBought } from '../../project/states.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { printFlags } from '../view/frames.ts'
import { ink } from '../view/ink.ts'
import { tellNext } from '../view/next.ts'
import { creditsCell, inkState, ownRows, printNoSpec, rowsOf, toPlanDocument } from '../view/plan.ts'
import { right } from '../view/table.ts'

/**
 * `spritewright status`: shows the state of each animation, executions in flight, open questions and
 * suspicious frames. The service is not asked.
 */
export async function status({ printer, parts, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [report, requests, { asksWorker, options }] = await withWorkshop(
    async (workshop) => [await workshop.status(args.names), await workshop.requests.list(), workshop] as const,
  )
  printer.report({ ...toPlanDocument(report), requests })
  if (requests.length > 0)
    printer.line(
      `${count(requests.length, 'request')} ${requests.length === 1 ? 'waits' : 'wait'} for your decision: npx spritewright approve`,
    )
  if (report.items.length === 0 && report.own.length === 0) {
    printNoSpec(printer, options)
    return 0
  }
  printer.table(
    ['animation', 'state', right('ceiling'), 'execution', 'note'],
    rowsOf(report)
      .map((item) => [
        ink('bold', item.id),
        inkState(item),
        item.ceiling === undefined ? '' : creditsCell(item.ceiling),
        ink('dim', item.executionId ?? ''),
        ink('dim', whyNotBought(item)),
      ])
      .concat(ownRows(report).map(({ name, state, from }) => [ink('bold', name), state, '', '', from])),
  )
  printFlags(printer, report.quality ?? [])
  if (report.items.length === 0) return 0
  const bought = report.items.filter((item) => item.state === 'bought').length
  printer.line()
  const older = report.items.filter(({ superseded }) => superseded !== undefined).length
  printer.line(`${bought} of ${countItems(report.items.length, report.items)} bought${older > 0 ? `, ${older} as before a change` : ''}.`)
  const pricing = { command: 'npx spritewright plan', words: ', which asks the service what the rest would cost.' }
  await tellNext(printer, rowsOf(report), pricing, { host: parts.host, root, asksWorker })
  return 0
}
