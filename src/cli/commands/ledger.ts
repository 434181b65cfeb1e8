import { creditsWords, formatCredits, usdWords } from '../../credit/credits.ts'
import { count } from '../../project/states.ts'
import type { LedgerLine, LedgerReport, LedgerVerification } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { type Ink, ink, type Style } from '../view/ink.ts'
import type { Printer, ReportDocument } from '../view/printer.ts'
import { right } from '../view/table.ts'

const styles: Readonly<Record<LedgerLine['state'], Style>> = { held: 'yellow', settled: 'green', restored: 'dim', uncertain: 'red' }

/** Names of the states of a single picture. The service holds no credits for one. */
const pictureStates: Readonly<Record<LedgerLine['state'], string>> = {
  held: 'due',
  settled: 'charged',
  restored: 'not charged',
  uncertain: 'uncertain',
}

const verdicts = { agrees: 'green', gone: 'dim', unread: 'yellow', open: 'red', differs: 'red' } as const

const plurals: Readonly<Record<string, string>> = { agrees: 'agree', differs: 'differ' }

/**
 * `spritewright ledger`: prints held, settled and restored credits line by line, for each sprite, and in
 * total. `--verify` compares them with the service. Exit code 1 if they differ.
 */
export async function ledger(context: CommandContext, args: CommandArgs): Promise<number> {
  const { printer, withWorkshop } = context
  if (args.flag('verify')) return verify(context)
  const report = await withWorkshop((workshop) => workshop.ledger())
  printer.report(toDocument(report))
  printReport(printer, report)
  for (const [id, before] of uncertainBalances(report))
    printer.line(`  ${id}: the balance before it was sent was ${before}. `, ink('dim', "Today's: npx spritewright ledger --verify"))
  if (report.lines.length > 0) printer.hint(ink('dim', 'Times are UTC.'))
  return 0
}

async function verify({ parts, printer, withWorkshop }: CommandContext): Promise<number> {
  const found = await withWorkshop((workshop) =>
    workshop.verifyLedger(
      {
        onRead: (number, of) =>
          of > 20 && number % 20 === 1 ? printer.note(ink('dim', `Reading execution ${number} of ${of}`)) : undefined,
      },
      parts.signal,
    ),
  )
  const { balance, checks, host, isAgreed } = found
  printer.report({
    ...toDocument(found),
    checks: checks.map(({ line: { id, hash, attempt, executionId }, ...check }) => ({ id, hash, attempt, executionId, ...check })),
    balance,
    host,
    isAgreed,
  })
  printReport(printer, found)
  if (checks.length > 0) printChecks(printer, found)
  printer.line(`Balance at ${host}: ${creditsWords(balance)}.`)
  for (const [id, before] of uncertainBalances(found))
    printer.line(`  ${id}: balance before it was sent ${before}, now ${formatCredits(balance)}. That is evidence, no proof.`)
  return isAgreed ? 0 : 1
}

/** Names of purchases with an unknown outcome, each with the balance before it was sent. */
function uncertainBalances({ lines }: LedgerReport): readonly (readonly [id: string, balance: string])[] {
  return lines.flatMap(({ id, state, balanceBefore }) =>
    state === 'uncertain' && balanceBefore !== undefined ? [[id, formatCredits(balanceBefore)] as const] : [],
  )
}

function printChecks(printer: Printer, { checks }: LedgerVerification): void {
  printer.line()
  for (const { line, verdict, words } of checks.filter((check) => check.words !== ''))
    printer.line('  ', ink(verdicts[verdict], verdict), ' ', ink('bold', line.id), ` ${words}`)
  const counts = (['agrees', 'gone', 'unread', 'open', 'differs'] as const).flatMap((verdict) => {
    const found = checks.filter((check) => check.verdict === verdict).length
    return found === 0 ? [] : [`${found} ${found === 1 ? verdict : (plurals[verdict] ?? verdict)}`]
  })
  printer.line(`Compared with the service: ${counts.join(', ')}.`)
}

function printReport(printer: Printer, report: LedgerReport): void {
  if (report.repaired > 0) printer.note(`${count(report.repaired, 'movement')} written into ledger.jsonl again, from the journal.`)
  if (report.lines.length === 0) {
    printer.line('This checkout has bought nothing yet.')
    return
  }
  printLines(printer, report.lines)
  if (report.sprites.length > 1) printSprites(printer, report)
  printer.line()
  printer.line(
    'Settled ',
    ink('bold', creditsWords(report.settled)),
    report.usd === undefined ? '' : `${usdWords(report.usd)} at today's rate`,
    ` · held ${formatCredits(report.held)} · restored ${formatCredits(report.restored)}`,
  )
  if (report.elsewhere > 0n) printer.line(`Bought elsewhere, as the lock file says, not in these sums: ${creditsWords(report.elsewhere)}.`)
  if (report.uncertain > 0n)
    printer.line(ink('red', `At most ${creditsWords(report.uncertain)} more may have been spent: an answer never came.`))
}

function printLines(printer: Printer, lines: readonly LedgerLine[]): void {
  printer.table(
    ['when', 'what', 'state', right('credits'), right('attempt'), 'approved', 'where', 'execution'],
    lines.map((line): Ink[] => [
      line.at === 0 ? '' : ink('dim', toIso(line.at).slice(0, 16).replace('T', ' ')),
      ink('bold', line.take === undefined ? line.id : `${line.id} · take ${line.take}`),
      ink(styles[line.state], stateWords(line)),
      formatCredits(line.credits),
      line.attempt > 1 ? `${line.attempt}` : '',
      [line.given ?? '', line.shell ? "in an agent's shell" : ''].join(' ').trim(),
      line.origin === 'elsewhere' ? 'bought elsewhere' : '',
      ink('dim', line.executionId ?? ''),
    ]),
  )
}

function stateWords({ decision, isPicture, state }: LedgerLine): string {
  // If the charge, or its absence, is known, it is shown instead of "given up".
  if (decision === 'abandon' && (state === 'uncertain' || state === 'held')) return 'given up'
  return isPicture ? pictureStates[state] : state
}

function printSprites(printer: Printer, { sprites }: LedgerReport): void {
  const sums = ['settled', 'held', 'restored', 'uncertain', 'elsewhere'] as const
  const cell = (amount: bigint): string => (amount === 0n ? '' : formatCredits(amount))
  printer.line()
  printer.table(
    ['sprite', ...sums.map(right)],
    sprites.map((one): Ink[] => [ink('bold', one.sprite), ...sums.map((sum) => cell(one[sum]))]),
  )
}

function toDocument(report: LedgerReport): ReportDocument {
  const { elsewhere, held, lines, repaired, restored, settled, sprites, uncertain, usd, warnings } = report
  const dated = lines.map((line) => ({ ...line, at: line.at === 0 ? null : toIso(line.at) }))
  return { lines: dated, sprites, held, settled, usd, restored, uncertain, elsewhere, repaired, warnings }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
