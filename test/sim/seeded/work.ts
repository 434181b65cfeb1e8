import { errorCodes } from '../../../src/errors.ts'
import type { Options } from '../../../src/options/options.ts'
import { interruption } from '../../../src/workshop/interrupt.ts'
import { createWorkshop, type Workshop } from '../../../src/workshop.ts'
import type { Machine } from './machine.ts'
import { sharedFolder } from './machine.ts'
import type { Action, Fault } from './plan.ts'
import { picture, spriteName } from './project.ts'
import type { SeededWorld } from './world.ts'

/** The outcome of a process. */
export interface Outcome {
  /**
   * Codes of its errors: those of spritewright and of a failing disk, and `killed` if it died. Empty if all
   * went well.
   */
  readonly codes: readonly string[]
}

const options = { windowMs: 2_000, post: 10, get: 40, download: 10, activeJobs: 2, streams: 4 }

/**
 * Runs one process to its end, or to its death.
 *
 * @param meanwhile Called for each event that happens while it runs.
 */
export async function runProcess(
  world: SeededWorld,
  machine: Machine,
  faults: readonly Fault[],
  meanwhile: (action: Action) => void,
  job: (workshop: Workshop, signal: AbortSignal) => Promise<void>,
): Promise<Outcome> {
  const stop = new AbortController()
  const onRequest = (number: number): void => {
    for (const fault of faults) {
      if (fault.fault === 'interrupt' && fault.request === number) stop.abort(interruption())
      if (fault.fault === 'meanwhile' && fault.request === number) meanwhile(fault.event)
    }
  }
  const process = machine.start(faults, world.net, world.plan.isSlow, stop, onRequest)
  const own: Options = {
    limits: options,
    ...(world.plan.hasShared ? { store: { shared: sharedFolder } } : {}),
    ...(world.plan.budget === undefined ? {} : { approval: { perSprite: '1000', total: world.plan.budget } }),
  }
  const work = async (): Promise<readonly string[]> => {
    const workshop = await createWorkshop({ host: process.host, root: '/game', options: own })
    try {
      await job(workshop, stop.signal)
      return []
    } finally {
      await workshop.close()
    }
  }
  const codes = await Promise.race([work().catch((error: unknown) => codesOf(world, error)), process.died.then(() => ['killed'])])
  machine.ended(process)
  world.processes++
  world.injected += process.injected
  // A process that has ended must do nothing more.
  process.kill()
  return { codes }
}

/** The codes of an error and of all errors inside it. I7: none of them contains a key. */
function codesOf(world: SeededWorld, error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap((one) => codesOf(world, one))
  const { code, message, stack, facts } = error as { code?: unknown; message?: string; stack?: string; facts?: unknown }
  world.oracle.says(`${message}\n${stack}\n${JSON.stringify(facts)}`)
  world.log(`${code}: ${message}`)
  const isKnown = typeof code === 'string' && (Object.hasOwn(errorCodes, code) || /^E[A-Z]+$/.test(code))
  world.oracle.check('known errors', isKnown && code !== 'SW_INTERNAL', () => String(stack))
  return [String(code)]
}

/** The work of a machine for one action. */
export function workOf(
  world: SeededWorld,
  machine: Machine,
  action: Action,
): ((workshop: Workshop, signal: AbortSignal) => Promise<void>) | undefined {
  const names = 'sprite' in action && action.do !== 'edit' && action.sprite !== undefined ? [spriteName(action.sprite)] : []
  const onProgress = (progress: unknown): void =>
    world.oracle.says(JSON.stringify(progress, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
  switch (action.do) {
    case 'build':
      return async (workshop, signal) => {
        const { warnings } = await workshop.build({ names, buyOnly: true, onProgress, signal })
        world.oracle.says(warnings.join('\n'))
      }
    case 'approve':
      return (workshop, signal) => approve(world, machine, workshop, { names, hasMore: action.max === 'more', adopt: action.adopt }, signal)
    case 'answer':
      return (workshop, signal) => answerAll(workshop, signal)
    case 'recover':
      return (workshop, signal) => recoverAll(world, machine, workshop, action.decision, signal)
    case 'look':
      return async (workshop) => {
        await workshop.status()
        await workshop.ledger()
        await workshop.plan()
      }
    default:
      return undefined
  }
}

/** Approves everything that is asked, and reports it to the oracle. */
async function approve(
  world: SeededWorld,
  machine: Machine,
  workshop: Workshop,
  { names, hasMore, adopt }: { names: readonly string[]; hasMore: boolean; adopt: 'unchecked' | 'checked' | undefined },
  signal: AbortSignal,
): Promise<void> {
  const paid = world.paid(machine)
  const confirm: Parameters<Workshop['approve']>[0]['confirm'] = async (lines) => {
    // A spec may have been edited since the command read it, or right before. The person approves what the
    // command read.
    const all = [...paid, ...world.paid(machine)]
    const asked = lines.flatMap(({ id, ceiling }) => all.filter((one) => one.id === id).map(({ hash }) => ({ hash, ceiling })))
    for (const { hash, ceiling } of asked) {
      const grant = world.oracle.grant(hash)
      // A person who has checked that the other machine did not buy replaces it as buyer. A person who has
      // not checked may pay twice.
      if (adopt === 'checked') grant.buyers.clear()
      grant.buyers.add(String(machine.index))
      if (ceiling > grant.ceiling) grant.ceiling = ceiling
    }
    return true
  }
  await workshop.approve(
    { names, ...(hasMore ? { max: 200_000n } : {}), ...(adopt ? { adopt: true, given: 'typed' as const } : {}), confirm },
    signal,
  )
}

/** Answers every question that waits, with the same words for the same question. */
async function answerAll(workshop: Workshop, signal: AbortSignal): Promise<void> {
  const { items, steps } = await workshop.status()
  for (const { id, question } of [...steps, ...items]) {
    if (!question) continue
    const asset = question.requiresAsset ? { asset: { path: 'picture.png', bytes: picture } } : {}
    await workshop.answer({ name: id, text: 'to the left', ...asset }, signal)
  }
}

/** Decides about everything that waits for a decision. */
async function recoverAll(
  world: SeededWorld,
  machine: Machine,
  workshop: Workshop,
  decision: 'replay' | 'abandon',
  signal: AbortSignal,
): Promise<void> {
  for (const name of world.spritesOf(machine)) {
    for (const { hash } of world.paid(machine, name)) world.oracle.grant(hash).asked++
    try {
      await workshop.recover({ name, decision }, signal)
      world.decisions++
    } catch (error) {
      // No request of this sprite waits for a decision.
      if ((error as { code?: unknown }).code !== 'SW_USAGE') throw error
    }
  }
}
