import { creditsWords, formatCredits, sumCredits, usdWords } from '../../credit/credits.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { count, meaningOf, type Tone } from '../../project/states.ts'
import type { PlanItem, PlanReport, PlanStep } from '../../workshop.ts'
import { type Ink, ink, type Style } from './ink.ts'
import type { Printer, ReportDocument } from './printer.ts'

const toneStyles: Readonly<Record<Tone, Style>> = { good: 'green', busy: 'cyan', warn: 'yellow', bad: 'red', none: 'yellow' }

/** One row of a plan: an animation, or a paid step of a reference chain. */
export type PlanRow = PlanItem | PlanStep

/** All rows of a report. Steps come first, because they are bought first. */
export function rowsOf(report: PlanReport): readonly PlanRow[] {
  return [...report.steps, ...report.items]
}

/** One row for each sprite of own art: name, state, and contents. */
export function ownRows({
  own,
}: PlanReport): readonly { readonly name: string; readonly state: Ink; readonly frames: string; readonly from: Ink }[] {
  return own.map((spec) => ({
    name: spec.name,
    state: ink('green', 'own'),
    frames: String(framesOf(spec)),
    from: ink('dim', spec.reference.kind === 'own' ? spec.reference.path : ''),
  }))
}

function framesOf({ animations }: PlanReport['own'][number]): number {
  return animations.reduce((sum, { use, frames }) => sum + (use ? new Set(use).size : frames), 0)
}

/** Number of frames of an animation; empty for a step. */
export function framesCell(row: PlanRow): string {
  return 'animation' in row ? `${row.animation.frames}` : ''
}

/** The name of a row's state, in the state's colour. */
export function inkState(row: PlanRow): Ink {
  return ink(toneStyles[meaningOf(row).tone], row.state)
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
export function toPlanDocument(report: PlanReport): ReportDocument {
  return {
    items: report.items.map(toItemDocument),
    own: report.own.map((spec) => ({
      sprite: spec.name,
      file: spec.file,
      state: 'own',
      source: spec.art?.files[0],
      frames: framesOf(spec),
    })),
    mirrored: report.mirrored,
    steps: report.steps.map(({ request, ...step }) => ({ ...step, operation: request.operation, prompt: request.prompt })),
    total: report.total,
    usd: report.usd,
    balance: report.balance,
    service: report.service,
    quality: report.quality,
    error: report.failure,
    warnings: report.warnings,
  }
}

/** One line, or none: `2 mirror images save 4.8 credits: hero.left (of hero.right), …`. */
export function mirrorWords({ mirrored = [] }: PlanReport): readonly string[] {
  const saved = mirrored.flatMap(({ credits }) => credits ?? [])
  const ending = mirrored.length === 1 ? 's' : ''
  const savings = saved.length === 0 ? `cost${ending} nothing` : `save${ending} ${creditsWords(sumCredits(saved))}`
  const names = mirrored.slice(0, 8).map(({ id, of }) => `${id} (of ${of})`)
  const words = `${count(mirrored.length, 'mirror image')} ${savings}: ${[...names, ...(mirrored.length > 8 ? ['…'] : [])].join(', ')}`
  return mirrored.length > 0 ? [words] : []
}

/** `2.4`, or a dash if there is no amount. */
export function creditsCell(amount: bigint | undefined): string {
  return amount === undefined ? '–' : formatCredits(amount)
}

/** `2.4 ≈ 0.24 USD`: a price that is not binding. */
export function priceCell(quote: { readonly credits: bigint; readonly usd?: string | undefined } | undefined): string {
  return `${creditsCell(quote?.credits)}${usdWords(quote?.usd)}`
}

/** Prints that the project has no spec, the searched patterns, and the command that makes a spec. */
export function printNoSpec(printer: Printer, { root, specs }: Pick<ResolvedOptions, 'root' | 'specs'>): void {
  printer.line(`No animations: no spec was found in ${JSON.stringify(root)} (${specs.join(', ')}).`)
  printer.hint('Next: ', ink('bold', 'npx spritewright init'), ', which writes a first one.')
}
