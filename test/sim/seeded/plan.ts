import type { DiskFault } from '../../kit/fault-disk.ts'
import type { NetFault } from './net.ts'

/** Which of the two machines. */
export type MachineIndex = 0 | 1

/** An action of a person or a program. */
export type Action =
  | { readonly do: 'build'; readonly machine: MachineIndex; readonly sprite?: number }
  | {
      readonly do: 'approve'
      readonly machine: MachineIndex
      readonly sprite?: number
      readonly max?: 'more'
      readonly adopt?: 'unchecked' | 'checked'
    }
  | { readonly do: 'answer'; readonly machine: MachineIndex }
  | { readonly do: 'recover'; readonly machine: MachineIndex; readonly decision: 'replay' | 'abandon' }
  | { readonly do: 'look'; readonly machine: MachineIndex }
  | { readonly do: 'edit'; readonly machine: MachineIndex; readonly sprite: number; readonly field: EditField }
  | { readonly do: 'commit' | 'pull'; readonly machine: MachineIndex; readonly conflicts: 'ours' | 'theirs' | 'both' }
  /** One machine pushes its lock file, and the other pulls it. */
  | { readonly do: 'sync'; readonly machine: MachineIndex; readonly conflicts: 'ours' | 'theirs' | 'both' }
  /** Restores the lock file of an earlier commit, `back` commits ago. */
  | { readonly do: 'checkout'; readonly machine: MachineIndex; readonly back: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'rotateKey'; readonly machine: MachineIndex; readonly revokes: boolean }
  | { readonly do: 'price'; readonly percent: number }
  | { readonly do: 'priceVersion' }
  | { readonly do: 'capability'; readonly has: boolean }
  | { readonly do: 'clockBack'; readonly machine: MachineIndex; readonly ms: number }
  /** The machine loses power while nothing runs. */
  | { readonly do: 'powerCut'; readonly machine: MachineIndex; readonly kept: KeptName }
  /** `git clean -fdx`: everything that is not committed. */
  | { readonly do: 'clean' | 'deleteCache' | 'deleteJournals'; readonly machine: MachineIndex }
  | { readonly do: 'deleteObject'; readonly machine: MachineIndex; readonly pick: number }
  | { readonly do: 'rotObject'; readonly machine: MachineIndex; readonly pick: number; readonly bit: number; readonly shared: boolean }

/**
 * The edited field of a spec. Each field has a few values, so that an edit may lead back to an earlier
 * request.
 */
export type EditField = 'prompt' | 'frames' | 'take' | 'animations' | 'reference'

/** The unsynced changes that survive a loss of power; `some` draws them. */
export type KeptName = 'nothing' | 'everything' | 'some'

/** A fault during a step, in the process of one of its actions. */
export type Fault =
  | {
      readonly fault: 'kill'
      readonly run: number
      /** At the n-th change of the disk. */
      readonly at?: number
      /**
       * At the n-th submission. `before`: when it is about to leave; the others: when its answer has arrived.
       */
      readonly submission?: number
      readonly moment: 'before' | 'during' | 'after'
      /** The whole machine goes down with it. */
      readonly power?: KeptName
    }
  | ({ readonly fault: 'net'; readonly run: number } & NetFault)
  | ({ readonly fault: 'disk'; readonly run: number; readonly shared?: boolean } & DiskFault)
  /** A person interrupts the process at its n-th request. */
  | { readonly fault: 'interrupt'; readonly run: number; readonly request: number }
  /** Something changes while the process runs, at its n-th request. */
  | { readonly fault: 'meanwhile'; readonly run: number; readonly request: number; readonly event: Action }

/** A step: one action, or two processes at once. */
export interface Step {
  /** Names the step in a list of parts to leave out. */
  readonly id: string
  readonly actions: readonly Action[]
  readonly faults: readonly { readonly id: string; readonly fault: Fault }[]
}

/** What the service does with its n-th execution. */
export type Fate =
  | { readonly fate: 'fails'; readonly retryable: boolean; readonly stage: 'admission' | 'job' }
  | { readonly fate: 'asks'; readonly asset: boolean }
  | { readonly fate: 'takes'; readonly ms: number }

/** How a sprite is made at the start. */
export interface SpriteChoice {
  readonly animations: number
  /**
   * `picture` shares one picture between the sprites that have it. `chain` shares one reference chain of paid
   * steps. `stills` makes pictures of that chain, and no animations.
   */
  readonly reference: 'picture' | 'chain' | 'stills'
}

/** Everything that happens to one world, decided before it begins. */
export interface Plan {
  readonly seed: string
  readonly sprites: readonly SpriteChoice[]
  readonly machines: 1 | 2
  readonly hasShared: boolean
  readonly hasLinks: boolean
  /** Whether disks and network take time, so that processes interleave. */
  readonly isSlow: boolean
  /** Credits of `approval.total`, for standing ceilings instead of approvals. */
  readonly budget: string | undefined
  readonly steps: readonly Step[]
  readonly fates: readonly { readonly id: string; readonly execution: number; readonly fate: Fate }[]
}

/** The plan in lines, one for each part that can be left out. */
export function listPlan(plan: Plan): string[] {
  const { sprites, machines, hasShared, hasLinks, isSlow, budget } = plan
  const lines = [`world ${JSON.stringify({ sprites, machines, hasShared, hasLinks, isSlow, budget })}`]
  for (const step of plan.steps) {
    lines.push(`${step.id.padEnd(5)} ${step.actions.map((action) => JSON.stringify(action)).join(' with ')}`)
    for (const { id, fault } of step.faults) lines.push(`${id.padEnd(5)}   ${JSON.stringify(fault)}`)
  }
  for (const { id, execution, fate } of plan.fates) lines.push(`${id.padEnd(5)} execution ${execution} ${JSON.stringify(fate)}`)
  return lines
}

/** Ids of all parts that can be left out: faults first, then steps. */
export function droppable(plan: Plan): string[] {
  return [
    ...plan.steps.flatMap((step) => step.faults.map(({ id }) => id)),
    ...plan.fates.map(({ id }) => id),
    ...plan.steps.map(({ id }) => id).reverse(),
  ]
}

/** The plan without some of its parts. The other parts keep their ids. */
export function withoutParts(plan: Plan, gone: ReadonlySet<string>): Plan {
  return {
    ...plan,
    steps: plan.steps.filter(({ id }) => !gone.has(id)).map((step) => ({ ...step, faults: step.faults.filter(({ id }) => !gone.has(id)) })),
    fates: plan.fates.filter(({ id }) => !gone.has(id)),
  }
}
