import { creditsWords, formatCredits, usdWords } from '../../credit/credits.ts'
import { count } from '../../project/states.ts'
import type { LedgerGroup, LedgerGrouping, LedgerLine, LedgerReport, LedgerRequest, LedgerVerification } from '../../workshop.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { toCsvText } from '../view/csv.ts'
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

const origins: Readonly<Record<LedgerLine['origin'], string>> = {
  here: '',
  elsewhere: 'bought elsewhere',
  unverified: 'unknown signer',
}

const plurals: Readonly<Record<string, string>> = { agrees: 'agree', differs: 'differ' }

/**
 * `spritewright ledger`: prints held, settled and restored credits line by line, for each sprite or group, and in
 * total. `--verify` compares them with the service. Exit code 1 if they differ.
 */
export async function ledger(context: CommandContext, args: CommandArgs): Promise<number> {
  const { parts, printer, withWorkshop } = context
  const asked = readRequest(args)
  const isCsv = args.flag('csv')
  const isChosen = isCsv || Object.values(asked).some((one) => one !== undefined)
  if (isCsv && printer.isJson) throw usageError('Expected one of --csv and --json, found both. Leave one out.')
  if (args.flag('verify') && isChosen)
    throw usageError('Expected --verify without --since, --until, --by and --csv, because it compares every line. Leave the others out.')
  if (args.flag('verify')) return verify(context)
  const report = await withWorkshop((workshop) => workshop.ledger({ ...asked, isTeam: true, withUsd: isChosen }, parts.signal))
  printer.report(toDocument(report))
  if (isCsv) {
    printer.raw(toCsv(report, asked.by))
    return 0
  }
  printReport(printer, report, asked)
  for (const [id, before] of uncertainBalances(report))
    printer.line(`  ${id}: the balance before it was sent was ${before}. `, ink('dim', "Today's: npx spritewright ledger --verify"))
  if (report.lines.length > 0) printer.hint(ink('dim', 'Times are UTC.'))
  return 0
}

const groupings: readonly LedgerGrouping[] = ['person', 'project', 'month', 'sprite']

/** @throws `SW_USAGE` for a time or a group in another form. */
function readRequest(args: CommandArgs): Pick<LedgerRequest, 'since' | 'until' | 'by'> {
  const asked = args.text('by')
  const by = groupings.find((one) => one === asked)
  if (asked !== undefined && by === undefined)
    throw usageError(`Expected --by with one of ${groupings.join(', ')}, found ${JSON.stringify(asked)}.`)
  const [since, until] = [readDate(args, 'since')?.from, readDate(args, 'until')?.to]
  if (since !== undefined && until !== undefined && since >= until)
    throw usageError('Expected --until not to be before --since, found an earlier time. Change one of them.')
  return { since, until, by }
}

/** The first moment of a day or month in UTC, and the first moment after it. */
function readDate(args: CommandArgs, name: string): { readonly from: number; readonly to: number } | undefined {
  const text = args.text(name)
  if (text === undefined) return undefined
  const [year = 0, month = 1, day] = text.split('-').map(Number)
  const from = Date.UTC(year, month - 1, day ?? 1)
  // The text of another day, like 2026-02-30, is not that of this moment.
  if (/^\d{4}-\d\d(-\d\d)?$/.test(text) && new Date(from).toISOString().startsWith(text))
    return { from, to: day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1) }
  throw usageError(`Expected --${name} with a day or a month, like 2026-11-30 or 2026-11, found ${JSON.stringify(text)}.`)
}

/** A line for each group, or for each purchase. */
function toCsv({ groups, lines }: LedgerReport, by: LedgerGrouping | undefined): string {
  const toRow = (values: object): ReadonlyMap<string, string> =>
    new Map(
      Object.entries(values).map(([key, value]) => [key, typeof value === 'bigint' ? formatCredits(value) : `${value ?? ''}`] as const),
    )
  if (by)
    return toCsvText(
      [by, ...sums, 'usd'],
      (groups ?? []).map(({ name, ...rest }) => toRow({ ...rest, [by]: name })),
    )
  return toCsvText(
    lineColumns,
    lines.map((line) => toRow({ ...line, at: line.at === 0 ? '' : toIso(line.at) })),
  )
}

const sums = ['settled', 'held', 'restored', 'uncertain', 'elsewhere', 'unverified'] as const
const lineColumns = [
  ...['at', 'project', 'id', 'take', 'attempt', 'state', 'credits', 'usd', 'person', 'approvedBy', 'given', 'decision'],
  ...['origin', 'executionId', 'hash'],
]

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
  const compared = checks.map(({ line: { id, hash, attempt, executionId }, ...check }) => ({ id, hash, attempt, executionId, ...check }))
  printer.report({ ...toDocument(found), checks: compared })
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

function printReport(printer: Printer, report: LedgerReport, { since, until, by = 'sprite' }: LedgerRequest = {}): void {
  if (report.repaired > 0) printer.note(`${count(report.repaired, 'movement')} written into ledger.jsonl again, from the journal.`)
  if (report.lines.length === 0) {
    printer.line(since === undefined && until === undefined ? 'Nothing is bought yet.' : 'Nothing was bought in that time.')
    return
  }
  if (report.groups) printSums(printer, by, report.groups)
  else {
    printLines(printer, report.lines)
    const sprites = report.sprites.map((one) => ({ ...one, name: one.sprite }))
    if (sprites.length > 1) {
      printer.line()
      printSums(printer, by, sprites)
    }
  }
  printer.line()
  printer.line(
    'Settled ',
    ink('bold', creditsWords(report.settled)),
    report.usd === undefined ? '' : `${usdWords(report.usd)} at today's rate`,
    ` · held ${formatCredits(report.held)} · restored ${formatCredits(report.restored)}`,
  )
  if (report.elsewhere > 0n) printer.line(`Bought elsewhere, as the lock file says, not in these sums: ${creditsWords(report.elsewhere)}.`)
  if (report.unverified)
    printer.line(ink('red', `Told by keys that this machine does not trust, not in these sums: ${creditsWords(report.unverified)}.`))
  if (report.uncertain > 0n)
    printer.line(ink('red', `At most ${creditsWords(report.uncertain)} more may have been spent: an answer never came.`))
}

function printLines(printer: Printer, lines: readonly LedgerLine[]): void {
  printer.table(
    ['when', 'project', 'what', 'state', right('credits'), right('attempt'), 'approved', 'where', 'execution'],
    lines.map((line): Ink[] => [
      line.at === 0 ? '' : ink('dim', toIso(line.at).slice(0, 16).replace('T', ' ')),
      line.project ?? '',
      ink('bold', line.take === undefined ? line.id : `${line.id} · take ${line.take}`),
      ink(styles[line.state], stateWords(line)),
      formatCredits(line.credits),
      line.attempt > 1 ? `${line.attempt}` : '',
      [line.person ?? line.approvedBy?.slice(0, 8), line.given, line.shell && "in an agent's shell"].filter(Boolean).join(' '),
      origins[line.origin],
      ink('dim', line.executionId ?? ''),
    ]),
  )
}

function stateWords({ decision, isPicture, state }: LedgerLine): string {
  // If the charge, or its absence, is known, it is shown instead of "given up".
  if (decision === 'abandon' && (state === 'uncertain' || state === 'held')) return 'given up'
  return isPicture ? pictureStates[state] : state
}

function printSums(printer: Printer, title: string, rows: readonly LedgerGroup[]): void {
  const cell = (amount = 0n): string => (amount === 0n ? '' : formatCredits(amount))
  printer.table(
    [title, ...sums.map(right), right('USD')],
    rows.map((one): Ink[] => [ink('bold', one.name), ...sums.map((sum) => cell(one[sum])), one.usd ?? '']),
  )
}

function toDocument(report: LedgerReport): ReportDocument {
  return { ...report, lines: report.lines.map((line) => ({ ...line, at: line.at === 0 ? null : toIso(line.at) })) }
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
