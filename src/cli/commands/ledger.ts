import { formatCredits } from '../../credit/credits.ts'
import type { LedgerLine } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { type Ink, ink, type Style } from '../ink.ts'
import { creditsWords } from '../plan-view.ts'

const styles: Readonly<Record<LedgerLine['state'], Style>> = { held: 'yellow', settled: 'green', restored: 'dim', uncertain: 'red' }

/** `spritewright ledger`: what was held, settled and restored, for each animation and attempt, and in total. */
export async function ledger({ printer, withWorkshop }: CommandContext, _args: CommandArgs): Promise<number> {
  const report = await withWorkshop((workshop) => workshop.ledger())
  printer.document({
    ...report,
    lines: report.lines.map((line) => ({ ...line, at: toIso(line.at) })),
  })
  if (report.lines.length === 0) {
    printer.line('Nothing was ever bought from here.')
    return 0
  }
  printer.table(
    [
      { title: 'when' },
      { title: 'animation' },
      { title: 'state' },
      { title: 'credits', align: 'right' },
      { title: 'attempt', align: 'right' },
      { title: 'execution' },
    ],
    report.lines.map((line): Ink[] => [
      ink('dim', toIso(line.at).slice(0, 16).replace('T', ' ')),
      ink('bold', line.id),
      ink(styles[line.state], line.state),
      formatCredits(line.credits),
      line.attempt > 1 ? `${line.attempt}` : '',
      ink('dim', line.executionId ?? ''),
    ]),
  )
  printer.line()
  printer.line(
    'Settled ',
    ink('bold', creditsWords(report.settled)),
    ` · held ${formatCredits(report.held)} · restored ${formatCredits(report.restored)}`,
  )
  if (report.uncertain > 0n)
    printer.line(ink('red', `At most ${creditsWords(report.uncertain)} more may have been spent: an answer never came.`))
  printer.hint(ink('dim', 'Times are UTC.'))
  return 0
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
