import { sumCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { ApprovalLine, ApproveReport, ApproveRequest } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../ink.ts'
import { count, creditsCell, creditsWords } from '../plan-view.ts'
import type { Printer } from '../printer.ts'

/** `spritewright approve`: says what may be spent, asks, writes the ceilings. Exit code 3 when the person says no. */
export async function approve({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const isSure = args.flag('yes')
  if (!isSure && !parts.host.terminal.canAsk) {
    throw new SpritewrightError('SW_USAGE', {
      message: 'Expected --yes, since there is no terminal to ask at. See the prices first with: spritewright plan',
      facts: { option: '--yes' },
    })
  }
  const max = args.credits('max')
  const total = args.credits('total')
  const request: ApproveRequest = {
    names: args.names,
    ...(max === undefined ? {} : { max }),
    ...(total === undefined ? {} : { total }),
    adopt: args.flag('adopt'),
    confirm: async (lines, balance) => {
      printLines(printer, lines, balance, isSure)
      return isSure || (await askPerson(parts.ask, toQuestion(lines)))
    },
  }
  const report = await withWorkshop((workshop) => workshop.approve(request, parts.signal))
  printer.document({ ...report, total: sumCredits(report.approved.map((line) => line.ceiling)) })
  return report.confirmed ? tellApproved(printer, report, args.names) : tellDeclined(printer)
}

function printLines(printer: Printer, lines: readonly ApprovalLine[], balance: bigint, isSure: boolean): void {
  printer.table(
    [{ title: 'animation' }, { title: 'price', align: 'right' }, { title: 'ceiling', align: 'right' }],
    lines.map((line) => [ink('bold', line.id), creditsCell(line.quote), creditsCell(line.ceiling)]),
  )
  printer.line()
  if (isSure) printer.hint(toSentence(lines))
  printer.hint(`Balance: ${creditsWords(balance)}. Prices are estimates; a price above its ceiling is never paid.`)
}

/** What the approval means, in one sentence. */
function toSentence(lines: readonly ApprovalLine[]): string {
  const total = sumCredits(lines.map((line) => line.ceiling))
  return `A build may hold and spend up to ${creditsWords(total)} for ${countLines(lines)}, each bought once.`
}

/** Animations, and steps of references where there are any. */
function countLines(lines: readonly ApprovalLine[]): string {
  const steps = lines.filter((line) => line.id.includes('#')).length
  const animations = count(lines.length - steps, 'animation')
  return steps === 0 ? animations : `${animations} and ${count(steps, 'step')} of references`
}

function toQuestion(lines: readonly ApprovalLine[]): string {
  return `${toSentence(lines)} Approve?`
}

async function askPerson(ask: (question: string) => Promise<boolean | undefined>, question: string): Promise<boolean> {
  const answer = await ask(question)
  if (answer === undefined) throw new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted. Nothing was approved.' })
  return answer
}

function tellApproved(printer: Printer, report: ApproveReport, names: readonly string[]): number {
  const total = sumCredits(report.approved.map((line) => line.ceiling))
  const { others, undecided } = report
  const isOpen = others.length + undecided.length > 0
  if (report.approved.length === 0) printer.line(isOpen ? 'Nothing was approved.' : 'Nothing needs an approval.')
  else
    printer.line(
      ink('green', '✓'),
      ` Approved ${countLines(report.approved)}, at most ${creditsWords(total)}. Written to sprites.lock.json.`,
    )
  const before = report.untouched.filter((id) => !others.includes(id) && !undecided.includes(id))
  if (before.length > 0) printer.hint(ink('dim', `Bought or approved before: ${before.join(', ')}`))
  if (undecided.length > 0)
    printer.hint(
      `Not approved, since another approval leads nowhere before it is decided: ${undecided.join(', ')}. Pull sprites.lock.json from the checkout that sent it; where there is none: `,
      ink('bold', `spritewright recover ${undecided[0] ?? ''} --replay`),
      ', or --abandon',
    )
  if (others.length > 0)
    printer.hint(
      `Approved in another checkout, which is to buy it: ${others.join(', ')}. To take it over, after making sure that it was not bought there: `,
      ink('bold', `spritewright approve ${[...new Set(others.map(nameOf))].join(' ')} --adopt`),
    )
  printer.hint(
    'Next: ',
    ink('bold', ['spritewright build', ...names].join(' ')),
    ', which buys and makes the atlases. Commit sprites.lock.json.',
  )
  return 0
}

/** A step is approved with the sprite that needs it. */
function nameOf(id: string): string {
  return id.split('#')[0] ?? id
}

function tellDeclined(printer: Printer): number {
  printer.line('Nothing was approved.')
  return 3
}
