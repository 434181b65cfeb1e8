import { creditsWords } from '../../credit/credits.ts'
import type { Host } from '../../host/host.ts'
import type { RecoverReport } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { askPersonInstead } from '../fence.ts'
import { ink } from '../view/ink.ts'
import { buildCommand, tellMake } from '../view/next.ts'
import type { Printer } from '../view/printer.ts'
import { createProgressDisplay } from '../view/progress-display.ts'

/** `spritewright recover NAME --replay | --abandon`: takes a person's decision about an unknown outcome. */
export async function recover(context: CommandContext, args: CommandArgs): Promise<number> {
  const { printer, parts, root, withWorkshop } = context
  const [name, ...more] = args.names
  const isReplay = args.flag('replay')
  if (name === undefined || more.length > 0 || isReplay === args.flag('abandon')) {
    throw usageError(
      'Expected one name and one decision: npx spritewright recover hero.walk --replay (send the same bytes again), or --abandon (give it up).',
    )
  }
  const asked = await askPersonInstead(context, args, 'recover')
  if (asked !== undefined) return asked
  const display = createProgressDisplay(parts.host, printer)
  try {
    const report = await withWorkshop((workshop) =>
      workshop.recover({ name, decision: isReplay ? 'replay' : 'abandon', onProgress: display.listener }, parts.signal),
    )
    display.stop()
    printer.document(report)
    tellDecided(printer, report, isReplay)
    await tellFollowing(printer, report, isReplay, { host: parts.host, root })
    return 0
  } finally {
    display.stop()
  }
}

function tellDecided(printer: Printer, report: RecoverReport, isReplay: boolean): void {
  for (const { id, about, ceiling, balanceBefore } of report.decided) {
    const kept = about === 'answer' || ceiling === undefined ? '' : ` Its ceiling of ${creditsWords(ceiling)} stays counted as spent.`
    printer.line(ink('bold', id), isReplay ? ': sent again.' : `: given up.${kept}`)
    if (balanceBefore !== undefined) {
      const now = report.balance === undefined ? 'now: the service could not be asked' : `now: ${creditsWords(report.balance)}`
      printer.line(ink('dim', `  Balance before it was first sent: ${creditsWords(balanceBefore)}; ${now}.`))
    }
  }
  for (const { id, credits } of report.bought) printer.line(ink('green', 'bought '), ink('bold', id), ` for ${creditsWords(credits)}`)
}

async function tellFollowing(
  printer: Printer,
  { decided }: RecoverReport,
  isReplay: boolean,
  { host, root }: { readonly host: Host; readonly root: string },
): Promise<void> {
  const isAnswer = decided.every(({ about }) => about === 'answer')
  if (isReplay) await tellMake(printer, host, root, '')
  else if (isAnswer)
    printer.hint('Next: ', ink('bold', await buildCommand(host, root)), ', which shows whether the question is still open.')
  else printer.hint('To buy it: ', ink('bold', `npx spritewright approve ${decided[0]?.id ?? ''}`), ', then build.')
}
