import type { Credits } from '../../credit/credits.ts'
import type { Context } from '../../project/context.ts'
import { askQuotes } from '../../project/quotes.ts'
import type { ServiceConnection, Session } from '../../project/session.ts'
import { groupBy } from '../../sheets/group.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import { readAccounts, sumsOf, toReport } from './accounts.ts'
import type { LedgerGroup, LedgerGrouping, LedgerLine, LedgerReport, LedgerRequest } from './report.ts'

/** Longest wait for a worker that tells the rate of USD, in milliseconds. The ledger needs no worker. */
const rateWaitMs = 5000

/** Reads the ledger, and chooses, groups and prices its lines. */
export async function reportAccounts(
  context: Context,
  connection: ServiceConnection,
  { isTeam, since, until, by, withUsd }: LedgerRequest,
  signal: AbortSignal,
): Promise<LedgerReport> {
  const whole = await readAccounts(context, isTeam)
  const lines = whole.lines.filter(({ at }) => (since === undefined || at >= since) && (until === undefined || at < until))
  const warnings = [...whole.warnings]
  const undated = since === undefined ? 0 : whole.lines.filter(({ at }) => at === 0).length
  if (undated > 0) warnings.push(`Purchases without a recorded time are left out: ${undated}. npx spritewright ledger shows them.`)
  let toUsd: ToUsd = () => undefined
  const isPriced = lines.some(({ state }) => state === 'settled')
  // Play money has no price.
  if (withUsd && isPriced && context.options.service !== 'embedded') {
    try {
      toUsd = await readRate(await connection.open(signal, rateWaitMs), signal)
    } catch (error) {
      signal.throwIfAborted()
      warnings.push(`USD are missing, because nobody told the rate: ${(error as Error).message}`)
    }
  }
  const priced = lines.map((line) => (line.state === 'settled' ? { ...line, usd: toUsd(line.credits) } : line))
  const report = { ...whole, ...toReport(withUsd ? priced : lines), warnings }
  return { ...report, usd: toUsd(report.settled), ...(by ? { groups: groupLines(lines, by, toUsd) } : {}) }
}

/** Turns credits into USD. `undefined` for play money. */
export type ToUsd = (credits: Credits) => string | undefined

/** Asks the service for the rate. Any price has it. */
export async function readRate(session: Session, signal: AbortSignal): Promise<ToUsd> {
  const quotes = askQuotes(session, signal)
  await quotes.ofSheet(session.capabilities.minimumFrames ?? 12, 'remove')
  return (credits) => quotes.usd([{ credits }])
}

/** Groups lines, in the order of the groups' names. Pure. */
export function groupLines(lines: readonly LedgerLine[], by: LedgerGrouping, toUsd: ToUsd = () => undefined): readonly LedgerGroup[] {
  const projects = new Set(lines.map(({ project }) => project))
  // Two projects may each have a sprite of one name.
  const spriteName = ({ id, project = unknown }: LedgerLine): string => (projects.size > 1 ? `${project}: ${spriteOf(id)}` : spriteOf(id))
  const nameOf: Readonly<Record<LedgerGrouping, (line: LedgerLine) => string>> = {
    // Two people may have one name, so the key decides.
    person: ({ approvedBy = unknown }) => approvedBy,
    project: ({ project = unknown }) => project,
    month: ({ at }) => (at === 0 ? unknown : new Date(at).toISOString().slice(0, 7)),
    sprite: spriteName,
  }
  const groups = [...groupBy(lines, nameOf[by])].sort(([a], [b]) => (a < b ? -1 : 1))
  return groups.map(([name, own]) => {
    const sums = sumsOf(own)
    const person = by === 'person' ? own[0]?.person : undefined
    return { name: person === undefined ? name : `${person} (${name.slice(0, 8)})`, ...sums, usd: toUsd(sums.settled) }
  })
}

const unknown = 'unknown'
