import { join, resolve } from 'node:path'
import { creditsWords, usdWords } from '../../credit/credits.ts'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'
import { count, countItems, meaningOf, whyNotBought } from '../../project/states.ts'
import type { FrameFile, PlanPictures, PlanReport } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { toFailures } from '../failure.ts'
import { refreshTypings } from '../typings.ts'
import { type Ink, ink } from '../view/ink.ts'
import { type LinkedPictures, toPlanMarkdown } from '../view/markdown.ts'
import { type NextProject, tellMake, tellNext } from '../view/next.ts'
import {
  creditsCell,
  framesCell,
  inkState,
  mirrorWords,
  ownRows,
  type PlanRow,
  priceCell,
  printNoSpec,
  rowsOf,
  toPlanDocument,
} from '../view/plan.ts'
import type { Printer } from '../view/printer.ts'
import { right } from '../view/table.ts'

/** `spritewright plan`: shows bought and missing animations, prices, and the next command. Spends nothing. */
export async function plan({ printer, parts, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const asMarkdown = args.flag('markdown')
  if (asMarkdown && printer.isJson) throw usageError('Expected --markdown or --json, found both. Leave one out.')
  const folder = folderOfPictures(args)
  const [report, pictures, { asksWorker, options }] = await withWorkshop(async (workshop) => {
    await refreshTypings({ parts, printer, root }, workshop)
    const planned = await workshop.plan(args.names, parts.signal)
    return [planned, folder === undefined ? [] : await workshop.planPictures(args.names), workshop] as const
  })
  const approve = ['npx spritewright approve', ...args.names].join(' ')
  if (asMarkdown) {
    const linked =
      folder === undefined ? [] : await writePictures(parts.host, resolve(root, folder), args.text('pictures-url') ?? folder, pictures)
    printer.raw(toPlanMarkdown(report, approve + printer.place, linked))
    return tellFailure(printer, report)
  }
  printer.report(toPlanDocument(report))
  if (report.items.length === 0 && report.own.length === 0) {
    printNoSpec(printer, options)
    return 0
  }
  printTable(printer, report)
  if (report.failure) return tellFailure(printer, report)
  printer.line()
  printSums(printer, report)
  await printNext(printer, report, approve, { host: parts.host, root, asksWorker })
  return 0
}

/** Says why the plan has no prices. Returns the exit code. */
function tellFailure(printer: Printer, { failure }: PlanReport): number {
  if (!failure) return 0
  printer.failures(toFailures(failure))
  return failure.exitCode
}

/** @throws `SW_USAGE` for an option without the option that it needs, or for an address that would break its link. */
function folderOfPictures(args: CommandArgs): string | undefined {
  const folder = args.text('pictures')
  const url = args.text('pictures-url')
  if (folder !== undefined && !args.flag('markdown'))
    throw usageError('Expected --markdown beside --pictures, since only Markdown links them.')
  if (url !== undefined && folder === undefined)
    throw usageError('Expected --pictures FOLDER beside --pictures-url, which says where a reader finds it.')
  const address = url ?? folder
  if (address !== undefined && !/^[^\s<>"]+$/.test(address))
    throw usageError(
      `Expected a folder or an address without blanks, quotes, < and >, found ${JSON.stringify(address)}. Markdown could not link it.`,
    )
  return folder
}

/** Writes the pictures into a folder. Returns their addresses. */
async function writePictures(
  { disk, random }: Host,
  folder: string,
  url: string,
  all: readonly PlanPictures[],
): Promise<readonly LinkedPictures[]> {
  const write = async ({ file, bytes }: FrameFile): Promise<string> => {
    await replaceFile(disk, random, join(folder, file), bytes)
    return `${url.replaceAll('\\', '/').replace(/\/+$/, '')}/${file}`
  }
  const linked: LinkedPictures[] = []
  for (const { id, change, reference } of all)
    linked.push({ id, shows: change?.shows, change: change && (await write(change)), reference: reference && (await write(reference)) })
  return linked
}

function printTable(printer: Printer, report: PlanReport): void {
  printer.table(
    ['animation', 'state', right('frames'), right('price'), right('ceiling'), 'why'],
    rowsOf(report)
      .map((item) => [
        ink('bold', item.id),
        inkState(item),
        framesCell(item),
        item.state === 'bought' ? '' : priceCell(item.quote),
        ceilingCell(item),
        ink('dim', whyNotBought(item)),
      ])
      .concat(ownRows(report).map(({ name, state, frames, from }) => [ink('bold', name), state, frames, '', '', from])),
  )
}

function ceilingCell(item: PlanRow): Ink {
  if (item.state === 'bought') return ''
  const text = creditsCell(item.ceiling)
  return meaningOf(item).state === 'outpriced' ? ink('red', text) : text
}

function printSums(printer: Printer, report: PlanReport): void {
  const { items, steps, total, balance, service } = report
  const priced = items.filter((item) => item.quote !== undefined)
  if (priced.length > 0) {
    printer.line(
      `${priced.length} of ${countItems(items.length, items)}${stepWords(steps.filter((step) => step.quote !== undefined).length)} to buy: `,
      ink('bold', creditsWords(total)),
      usdWords(report.usd),
      ink('dim', ' (estimate, not binding)'),
    )
  }
  for (const words of mirrorWords(report)) printer.line(words)
  if (balance !== undefined) {
    const place = service ? ink('dim', ` (${service.keyMode} key at ${service.host})`) : ''
    printer.line('Balance: ', balance < total ? ink('red', creditsWords(balance)) : creditsWords(balance), place)
    if (balance < total) printer.line(ink('red', `The balance is ${creditsWords(total - balance)} short of the total.`))
  }
}

function stepWords(steps: number): string {
  return steps === 0 ? '' : ` and ${count(steps, 'step')}`
}

async function printNext(
  printer: Printer,
  report: PlanReport,
  command: string,
  project: NextProject & { readonly host: Host },
): Promise<void> {
  const rows = rowsOf(report)
  const waiting = rows.filter((row) => ['answer', 'decide'].includes(meaningOf(row).next))
  for (const row of waiting) printer.hint(ink('yellow', `${row.id} waits for you`), `: ${whyNotBought(row)}`)
  const pricing = { command, words: ', which asks first and takes these prices as ceilings.' }
  const lead = rows.length === 0 ? 'Nothing is to be bought. ' : 'Everything is bought. '
  if (rows.every((row) => row.state === 'bought')) await tellMake(printer, project.host, project.root, lead)
  else await tellNext(printer, rows, pricing, project)
}
