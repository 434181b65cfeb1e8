import type { Host } from '../../host/host.ts'
import { hasVitePlugin } from '../../options/vite-configs.ts'
import { meaningOf, type NextStep } from '../../project/states.ts'
import { ink } from './ink.ts'
import type { PlanRow } from './plan.ts'
import type { Printer } from './printer.ts'

/**
 * Returns the command that buys approved requests. With the Vite plugin, this command writes no atlases, because the
 * game would ship them twice.
 */
export async function buildCommand({ disk }: Pick<Host, 'disk'>, root: string): Promise<string> {
  return commandFor(await hasVitePlugin(disk, root))
}

/** Returns the command that shows or packs own art. It buys nothing. */
export async function packCommand({ disk }: Pick<Host, 'disk'>, root: string): Promise<string> {
  return (await hasVitePlugin(disk, root)) ? 'npx vite' : 'npx spritewright build'
}

function commandFor(hasPlugin: boolean): string {
  return hasPlugin ? 'npx spritewright build --buy-only' : 'npx spritewright build'
}

/** The project whose next command is printed. */
export interface NextProject {
  readonly host: Pick<Host, 'disk'>
  readonly root: string
  /** Whether a worker buys, which sees only pushed commits. */
  readonly asksWorker: boolean
}

/** Prints the command that buys approved requests, and the command that makes the atlases. */
export async function tellBuild(printer: Printer, { host, root, asksWorker }: NextProject): Promise<void> {
  const hasPlugin = await hasVitePlugin(host.disk, root)
  if (asksWorker) {
    const orders = hasPlugin
      ? ', which orders the purchases from the worker. A running dev server orders them by itself. The Vite plugin makes the atlases.'
      : ', which orders the purchases from the worker and makes the atlases.'
    printer.hint('Next: commit specs, pictures and sprites.lock*, and push. Then: ', ink('bold', commandFor(hasPlugin)), orders)
    return
  }
  const words = hasPlugin
    ? ', which buys approved animations. A running dev server buys them at once, and vite build does too. The Vite plugin makes the atlases.'
    : ', which buys approved animations and makes the atlases.'
  printer.hint('Next: ', ink('bold', commandFor(hasPlugin)), words)
}

/** Prints the command that makes the atlases after everything is bought. */
export async function tellMake(printer: Printer, { disk }: Pick<Host, 'disk'>, root: string, lead: string): Promise<void> {
  if (await hasVitePlugin(disk, root)) printer.hint(lead, 'The Vite plugin makes the atlases, free of charge.')
  else printer.hint(lead, 'Next: ', ink('bold', 'npx spritewright build'), ', which makes the atlases, free of charge.')
}

/** The command that answers an open question. */
export function answerCommand({ id, question }: PlanRow): string {
  return `npx spritewright answer ${id} "…"${question?.requiresAsset ? ' --asset FILE' : ''}`
}

/** The command that takes over approvals of others. A step is approved with the sprite that needs it. */
export function adoptCommand(ids: readonly string[]): string {
  return `npx spritewright approve ${[...new Set(ids.map((id) => id.split('#')[0]))].join(' ')} --adopt`
}

/** The command that leads to an approval, for rows without an approval. */
export interface PricingStep {
  readonly command: string
  readonly words: string
}

/** Prints the next command for unbought rows. A row that waits for a person comes before a build. */
export async function tellNext(printer: Printer, rows: readonly PlanRow[], pricing: PricingStep, project: NextProject): Promise<void> {
  const waitingFor = (next: NextStep): readonly PlanRow[] => rows.filter((row) => meaningOf(row).next === next)
  const [questions, decisions, others] = [waitingFor('answer'), waitingFor('decide'), waitingFor('adopt')]
  if (questions.length > 0)
    for (const row of questions) printer.hint('Next: ', ink('bold', answerCommand(row)), ', which answers its question.')
  else if (decisions.length > 0) for (const row of decisions) tellDecision(printer, row)
  else if (waitingFor('approve').length > 0) printer.hint('Next: ', ink('bold', pricing.command), pricing.words)
  else if (others.length > 0)
    printer.hint('Next: ', ink('bold', adoptCommand(others.map(({ id }) => id))), ', after making sure that it was not bought elsewhere.')
  else if (waitingFor('build').length > 0) await tellBuild(printer, project)
}

function tellDecision(printer: Printer, { id, undecided, isForeign }: PlanRow): void {
  const lead = undecided === 'conflict' ? 'Next: pull sprites.lock* from the checkout that sent it. If there is none: ' : 'Next: '
  const command = `npx spritewright recover ${id}`
  // Records that were not written with the user's key are never sent again.
  if (isForeign) printer.hint('Next: ', ink('bold', `${command} --abandon`), ', which gives up the purchase that its records describe.')
  else printer.hint(lead, ink('bold', `${command} --replay`), ', which sends the same bytes again, or --abandon, which gives it up.')
}
