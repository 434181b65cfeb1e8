import { SpritewrightError } from '../../errors.ts'
import type { RecoverReport } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'
import { creditsWords } from '../view/plan.ts'
import type { Printer } from '../view/printer.ts'
import { createProgressDisplay } from '../view/progress-display.ts'

/** `spritewright recover NAME --replay | --abandon`: takes a person's decision about an unknown outcome. */
export async function recover({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, ...more] = args.names
  const isReplay = args.flag('replay')
  if (name === undefined || more.length > 0 || isReplay === args.flag('abandon')) {
    throw new SpritewrightError('SW_USAGE', {
      message:
        'Expected one name and one decision: npx spritewright recover hero.walk --replay (send the same bytes again), or --abandon (give it up).',
    })
  }
  const display = createProgressDisplay(parts.host, printer)
  try {
    const report = await withWorkshop((workshop) =>
      workshop.recover({ name, decision: isReplay ? 'replay' : 'abandon', onProgress: display.listener }, parts.signal),
    )
    display.stop()
    printer.document(report)
    tellDecided(printer, report, isReplay)
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
  const isAnswer = report.decided.every(({ about }) => about === 'answer')
  if (isReplay) printer.hint('Next: ', ink('bold', 'npx spritewright build'), ', which makes the atlases.')
  else if (isAnswer) printer.hint('Next: ', ink('bold', 'npx spritewright build'), ', which shows whether the question is still open.')
  else printer.hint('To buy it: ', ink('bold', `npx spritewright approve ${report.decided[0]?.id ?? ''}`), ', then build.')
}
