import { approverWords } from '../../credit/approval-words.ts'
import { formatCredits, isAboveCeiling } from '../../credit/credits.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { PlanItem, PlanReport, PlanState, PlanStep } from '../../workshop.ts'
import { type Ink, ink, type Style } from './ink.ts'
import type { Printer } from './printer.ts'

const stateStyles: Readonly<Record<PlanState, Style>> = {
  bought: 'green',
  lost: 'yellow',
  approved: 'cyan',
  running: 'cyan',
  question: 'yellow',
  uncertain: 'red',
  failed: 'red',
  missing: 'yellow',
}

/** One row of a plan: an animation, or a paid step of a reference chain. */
export type PlanRow = PlanItem | PlanStep

/** All rows of a report. Steps come first, because they are bought first. */
export function rowsOf(report: PlanReport): readonly PlanRow[] {
  return [...report.steps, ...report.items]
}

/** Number of frames of an animation; empty for a step. */
export function framesCell(row: PlanRow): string {
  return 'animation' in row ? `${row.animation.frames}` : ''
}

/** The name of a state, in its colour. */
export function inkState(state: PlanState): Ink {
  return ink(stateStyles[state], state)
}

/** Whether it has an approval that does not count here. It stops a build before anything is sent. */
export function isNotYours({ approval }: PlanRow): boolean {
  return approval !== undefined && approval.verdict !== 'valid'
}

/**
 * Whether a person has to approve it before a build can buy it. After a failure, the earlier approval does not
 * count any more.
 */
export function needsApproval(item: PlanRow): boolean {
  if (item.state === 'failed') return item.undecided === undefined
  return item.state === 'missing' || (item.state === 'approved' && isTooDear(item))
}

/** Whether today's price is more than the approved ceiling. */
export function isTooDear(item: PlanRow): boolean {
  return item.quote !== undefined && item.ceiling !== undefined && isAboveCeiling(item.quote.credits, item.ceiling)
}

/** Whether a build would fetch or buy it in its present state. */
export function isForBuild(item: PlanRow): boolean {
  return item.state === 'lost' || item.state === 'running' || (item.state === 'approved' && item.quote !== undefined && !isTooDear(item))
}

/** Why an animation is not bought, in a few words; empty if it is bought. */
export function whyNotBought(item: PlanRow): string {
  if (item.state === 'lost') return `bought, not here; ${item.note ?? 'fetched again free of charge'}`
  if (item.note !== undefined) return item.note
  if (item.state === 'bought') return ''
  if (item.state === 'question') return item.question ? `asks: ${item.question.text}` : 'waits for an answer'
  if (item.state === 'uncertain') return 'sent, and never answered'
  if (item.state === 'running') return 'the service works on it'
  const reason = approvalWords(item) ?? reasonOf(item)
  if (item.state === 'failed') return `the last attempt failed (${reason})`
  return isTooDear(item) ? `${reason}; above its ceiling` : reason
}

/** Who approved it, and how; undefined if nobody did. */
function approvalWords({ approval }: PlanRow): string | undefined {
  if (approval === undefined) return undefined
  const { verdict, given } = approval
  if (verdict === 'valid') return given === undefined ? 'approved' : `approved (${given})`
  const words = `approved ${approverWords(approval, verdict)}`
  if (verdict === 'given') return `${words}, which SPRITEWRIGHT_APPROVALS does not allow here`
  return `${words}${verdict === 'other' ? ', not by you' : ''}; take it over with approve --adopt`
}

function reasonOf(item: PlanRow): string {
  if ('sprites' in item) return `${item.request.operation} for ${item.sprites.join(', ')}`
  if (item.changed.length === 0) return 'first purchase'
  const changed = `${item.changed.join(', ')} changed`
  return item.superseded ? `${changed}; what was bought before plays on` : changed
}

/** The JSON form of an animation, for scripts: no picture data, amounts as decimal texts. */
export function toItemDocument(item: PlanItem): Readonly<Record<string, unknown>> {
  return {
    id: item.id,
    sprite: item.spec.name,
    animation: item.animation.name,
    file: item.spec.file,
    state: item.state,
    frames: item.animation.frames,
    take: item.animation.take,
    hash: item.hash,
    ceiling: item.ceiling,
    approval: item.approval,
    quote: item.quote,
    changed: item.changed,
    executionId: item.executionId,
    question: item.question,
    review: item.review,
    result: item.result,
    note: item.note,
  }
}

/** The JSON form of a report. */
export function toPlanDocument(report: PlanReport): Readonly<Record<string, unknown>> {
  return {
    items: report.items.map(toItemDocument),
    steps: report.steps.map(({ request, ...step }) => ({ ...step, operation: request.operation, prompt: request.prompt })),
    total: report.total,
    balance: report.balance,
    service: report.service,
    quality: report.quality,
    warnings: report.warnings,
  }
}

/** `2.4`, or a dash if there is no amount. */
export function creditsCell(amount: bigint | undefined): string {
  return amount === undefined ? '–' : formatCredits(amount)
}

/**
 * `1 frame`, `2 frames`.
 *
 * @param plural For nouns whose plural is not the noun with an s.
 */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}

/** Says that the project has no spec, where it was looked for, and how to get one. */
export function printNoSpec(printer: Printer, { root, specs }: Pick<ResolvedOptions, 'root' | 'specs'>): void {
  printer.line(`No animations: no spec was found in ${JSON.stringify(root)} (${specs.join(', ')}).`)
  printer.hint('Next: ', ink('bold', 'npx spritewright init'), ', which writes a first one.')
}
