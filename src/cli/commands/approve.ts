import { revokedWords, workerWords } from '../../credit/approval-words.ts'
import { creditsWords, sumCredits, sumUsd, usdWords } from '../../credit/credits.ts'
import { waysOfGiving, waysWords } from '../../credit/given.ts'
import { errorCodes } from '../../errors.ts'
import { count, countItems } from '../../project/states.ts'
import type { ApprovalLine, ApproveReport, ApproveRequest, StandingOffer } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import { answered, needTerminal } from '../asking.ts'
import type { CommandContext, ProgramParts } from '../context.ts'
import { askPersonInstead } from '../fence.ts'
import { refreshTypings } from '../typings.ts'
import { ink } from '../view/ink.ts'
import { adoptCommand, type NextProject, tellBuild } from '../view/next.ts'
import { creditsCell, priceCell } from '../view/plan.ts'
import type { Printer } from '../view/printer.ts'
import { printRequests } from '../view/requests.ts'
import { right } from '../view/table.ts'

/**
 * `spritewright approve`: shows prices, asks the person, and writes the ceilings. Exit code 3 if the person
 * says no.
 */
export async function approve(context: CommandContext, args: CommandArgs): Promise<number> {
  const { printer, parts, root, withWorkshop } = context
  const isSure = args.flag('yes')
  if (args.flag('revoke')) return revoke({ printer, withWorkshop }, args)
  const max = args.credits('max')
  const total = args.credits('total')
  const asked = await askPersonInstead(context, args, 'approve')
  if (asked !== undefined) return asked
  if (args.flag('standing')) return acceptStanding({ printer, parts, withWorkshop }, args)
  const request: ApproveRequest = {
    names: args.names,
    max,
    total,
    adopt: args.flag('adopt'),
    given: isSure ? 'unattended' : 'typed',
    confirm: async (lines, balance, worker) => {
      printLines(printer, lines, balance, isSure)
      if (worker) printer.line(workerWords(worker))
      return askPerson(parts, isSure, `${toSentence(lines)} Approve?`)
    },
  }
  const { report, asksWorker } = await withWorkshop(async (workshop) => {
    await refreshTypings({ parts, printer, root }, workshop)
    const requests = parts.host.terminal.canAsk ? await workshop.requests.list() : []
    printRequests(printer, requests, parts.host.clock.wall())
    const report = await workshop.approve(request, parts.signal)
    // One screen, one decision: a no is the answer to all that was asked there.
    if (!report.confirmed && args.names.length === 0)
      for (const { id, verb } of requests) if (verb === 'approve') await workshop.requests.remove(id)
    return { report, asksWorker: workshop.asksWorker }
  })
  printer.document({ ...report, total: sumCredits(report.approved.map((line) => line.ceiling)) })
  return report.confirmed ? tellApproved(printer, report, { host: parts.host, root, asksWorker }) : tellDeclined(printer)
}

/** `spritewright approve --revoke`: takes approvals back, and lists requests that were already sent. */
async function revoke({ printer, withWorkshop }: Pick<CommandContext, 'printer' | 'withWorkshop'>, args: CommandArgs): Promise<number> {
  if (['adopt', 'standing', 'yes'].some((name) => args.flag(name)) || args.text('max') !== undefined || args.text('total') !== undefined)
    throw usageError('Expected approve --revoke alone, or with names: it takes approvals back.')
  const report = await withWorkshop((workshop) => workshop.revoke(args.names))
  printer.document(report)
  for (const words of revokedWords(report)) printer.line(words)
  if (report.revoked.length > 0) printer.hint('Commit sprites.lock*.')
  return 0
}

/**
 * `spritewright approve --standing`: shows the limits of the configuration's standing ceilings, asks, and stores a
 * yes in the state folder.
 */
async function acceptStanding(
  { printer, parts, withWorkshop }: Pick<CommandContext, 'printer' | 'parts' | 'withWorkshop'>,
  args: CommandArgs,
): Promise<number> {
  const [other] = args.names
  if (other !== undefined || args.flag('adopt') || args.text('max') !== undefined || args.text('total') !== undefined)
    throw usageError('Expected approve --standing alone: it accepts the ceilings that the configuration has.')
  const isSure = args.flag('yes')
  const { offer, confirmed } = await withWorkshop((workshop) =>
    workshop.acceptStanding(
      {
        confirm: async (shown) => {
          printStanding(printer, shown)
          const { accept = waysOfGiving, acceptedWays = waysOfGiving } = shown
          const isWider = accept.some((way) => !acceptedWays.includes(way))
          if (isWider && !parts.host.terminal.canAsk)
            throw usageError('Expected a terminal to ask at: only a person lets more ways of approving count. Nothing was accepted.')
          return askPerson(parts, isSure && !isWider, 'Accept these standing ceilings?')
        },
      },
      parts.signal,
    ),
  )
  printer.document({ ...offer, confirmed })
  if (!confirmed) return tellDeclined(printer)
  printer.line(ink('green', '✓'), ' Accepted for this project on this machine. Other ceilings, or another service, need another yes.')
  return 0
}

function printStanding(printer: Printer, offer: StandingOffer): void {
  const { ceilings, acceptedTotal, accept, acceptedWays, missing, service, total } = offer
  printer.line(toStandingWords(ceilings))
  if (acceptedTotal !== undefined && acceptedTotal !== ceilings.total)
    printer.line(`This replaces the total that you accepted before: ${creditsWords(acceptedTotal)}.`)
  if (accept !== undefined || acceptedWays !== undefined) printer.line(`Approvals count that are ${waysWords(accept ?? waysOfGiving)}.`)
  if (acceptedWays !== undefined) printer.line(`This replaces the ways that count here so far: ${waysWords(acceptedWays)}.`)
  printer.line(`Where: ${service.host} (${service.keyMode} key).`)
  if (missing.length === 0) printer.line('Nothing is missing now.')
  else printer.line(`Missing now, ${creditsWords(total)} by estimate: ${missing.map(({ id }) => id).join(', ')}.`)
}

/** Describes the limits of standing ceilings in one or two sentences. */
function toStandingWords({ perSprite, perRun, total }: StandingOffer['ceilings']): string {
  if (perSprite === undefined) {
    const limit = total === undefined ? 'has no limit in all' : `may cost at most ${creditsWords(total)} in all`
    return `Builds may buy nothing without an approval of its own. What you approve ${limit}.`
  }
  const limits = [
    perRun === undefined ? 'any number of sprites in a run' : `at most ${creditsWords(perRun)} a run`,
    total === undefined ? 'without an end' : `at most ${creditsWords(total)} in all`,
  ].join(', ')
  return `Builds may buy, without asking, every sprite that costs up to ${creditsWords(perSprite)}: ${limits}.`
}

function printLines(printer: Printer, lines: readonly ApprovalLine[], balance: bigint, isSure: boolean): void {
  printer.table(
    ['animation', right('price'), right('ceiling'), 'prompt'],
    lines.map((line) => [
      ink('bold', line.id),
      priceCell({ credits: line.quote, usd: line.usd }),
      creditsCell(line.ceiling),
      ink('dim', line.prompt.replaceAll('\n', ' · ')),
    ]),
  )
  printer.line()
  for (const warning of new Set(lines.flatMap((line) => line.warning ?? []))) printer.warn(warning)
  if (isSure) printer.hint(toSentence(lines))
  const usd = usdWords(sumUsd(lines.map((line) => line.usd)))
  printer.hint(
    `Balance: ${creditsWords(balance)}. Prices are estimates${usd && `, in all${usd}`}; a price above its ceiling is never paid.`,
  )
}

/** Describes the approval in one sentence. */
function toSentence(lines: readonly ApprovalLine[]): string {
  const total = sumCredits(lines.map((line) => line.ceiling))
  return `A build may hold and spend up to ${creditsWords(total)} for ${countLines(lines)}, each bought once.`
}

/** Counts animations and pictures, and steps if there are any. */
function countLines(lines: readonly ApprovalLine[]): string {
  const steps = lines.filter((line) => line.id.includes('#')).length
  const items = countItems(
    lines.length - steps,
    lines.map((request) => ({ request })),
  )
  return steps === 0 ? items : `${items} and ${count(steps, 'step')}`
}

async function askPerson(parts: ProgramParts, isSure: boolean, question: string): Promise<boolean> {
  needTerminal(parts, isSure, '. Nothing was approved. See the prices with: npx spritewright plan')
  return isSure || answered(await parts.ask(question), 'Nothing was approved.')
}

/**
 * Prints the approved and the unapproved requests.
 *
 * @returns The exit code of the next build: an approval of somebody else stops that build before it sends anything,
 * and an undecided purchase makes it fail.
 */
async function tellApproved(printer: Printer, report: ApproveReport, project: NextProject): Promise<number> {
  const total = sumCredits(report.approved.map((line) => line.ceiling))
  const { others, undecided } = report
  const isOpen = others.length + undecided.length > 0
  if (report.approved.length === 0) printer.line(isOpen ? 'Nothing was approved.' : 'Nothing needs an approval.')
  else
    printer.line(ink('green', '✓'), ` Approved ${countLines(report.approved)}, at most ${creditsWords(total)}. Written to the lock file.`)
  const before = report.untouched.filter((id) => !others.includes(id) && !undecided.includes(id))
  if (before.length > 0) printer.hint(ink('dim', `Bought or approved before: ${before.join(', ')}`))
  if (undecided.length > 0)
    printer.hint(
      `Not approved, because each waits for a decision first: ${undecided.join(', ')}. Pull sprites.lock* from the checkout that sent it. If there is none: `,
      ink('bold', `npx spritewright recover ${undecided[0] ?? ''} --replay`),
      ', or --abandon',
    )
  if (others.length > 0)
    printer.hint(
      `Approved, but not by you: ${others.join(', ')}. To take it over, after making sure that it was not bought elsewhere: `,
      ink('bold', adoptCommand(others)),
    )
  if (others.length === 0 && (report.approved.length > 0 || !isOpen)) await tellBuild(printer, project)
  if (report.approved.length > 0 && !project.asksWorker) printer.hint('Commit sprites.lock*.')
  if (undecided.length > 0) return errorCodes.SW_UNCERTAIN.exit
  return others.length > 0 ? errorCodes.SW_BUYER.exit : 0
}

function tellDeclined(printer: Printer): number {
  printer.line('Nothing was approved.')
  return 3
}
