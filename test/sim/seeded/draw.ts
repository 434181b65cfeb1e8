import type { DiskFault } from '../../kit/fault-disk.ts'
import type { Chance } from './chance.ts'
import { seededChance } from './chance.ts'
import { type NetFault, netOutcomes, requestKinds } from './net.ts'
import type { Action, EditField, Fate, Fault, KeptName, MachineIndex, Plan, SpriteChoice, Step } from './plan.ts'

const minute = 60_000
const hour = 60 * minute

/** Around the ends of the replay window and of the service's memory. */
const longWaits = [9 * minute, 11 * minute, 29 * minute, 31 * minute, 3 * hour, 26 * hour]

/** Kinds of trouble. Each seed has only a few of them, so that none hides another for ever. */
const troubles = [
  'kill',
  'power',
  'net',
  'disk',
  'interrupt',
  'meanwhile',
  'together',
  'git',
  'edit',
  'key',
  'price',
  'capability',
  'clock',
  'vault',
  'clean',
  'journals',
  'recover',
  'adopt',
  'failures',
  'questions',
  'longWaits',
] as const
type Trouble = (typeof troubles)[number]

/**
 * How likely a seed has a kind of trouble. Listed are kinds that make worlds large, or that people seldom
 * cause.
 */
const rarely: { readonly [Name in Trouble]?: number } = { journals: 0.1, adopt: 0.2, git: 0.3 }

/** Draws everything that will happen to a world. The same seed gives the same plan. */
export function drawPlan(seed: number | string): Plan {
  const chance = seededChance(seed)
  const on = new Set<Trouble>(troubles.filter((name) => chance.is(rarely[name] ?? 0.5)))
  const budget = chance.is(0.12) ? chance.pick(['4', '6', '12', '40']) : undefined
  const machines = budget === undefined && (on.has('git') || on.has('adopt')) ? 2 : 1
  const stills = chance.fork('stills')
  const sprites = Array.from({ length: chance.pick([1, 1, 1, 1, 1, 1, 2, 2, 2, 3]) }, (): SpriteChoice => {
    const animations = chance.is(0.15) ? 2 : 1
    const reference = chance.is(0.2) ? 'chain' : 'picture'
    return { animations, reference: stills.is(0.2) ? 'stills' : reference }
  })
  const draw = new Drawer(chance.fork('steps'), on, machines, sprites.length, budget !== undefined)
  return {
    seed: String(seed),
    sprites,
    machines,
    hasShared: machines === 2 && chance.is(0.6),
    hasLinks: chance.is(0.85),
    isSlow: on.has('together') || chance.is(0.1),
    budget,
    steps: draw.steps(chance.whole(3, 7)),
    fates: draw.fates(),
  }
}

class Drawer {
  readonly #chance: Chance
  readonly #on: ReadonlySet<Trouble>
  readonly #machines: 1 | 2
  readonly #sprites: number
  readonly #hasBudget: boolean

  constructor(chance: Chance, on: ReadonlySet<Trouble>, machines: 1 | 2, sprites: number, hasBudget: boolean) {
    this.#chance = chance
    this.#on = on
    this.#machines = machines
    this.#sprites = sprites
    this.#hasBudget = hasBudget
  }

  steps(count: number): Step[] {
    const steps: Step[] = []
    if (!this.#hasBudget) steps.push(this.#step(0, [{ do: 'approve', machine: 0 }]))
    if (this.#machines === 2 && this.#chance.is(0.4)) steps.push(this.#step(1, [{ do: 'sync', machine: 0, conflicts: 'both' }]))
    for (let index = steps.length; index < count; index++) {
      // After trouble, another event before the next try is more interesting.
      const hasTrouble = steps
        .at(-1)
        ?.faults.some(({ fault }) => fault.fault === 'kill' || (fault.fault === 'net' && fault.on === 'submit'))
      steps.push(this.#step(index, this.#actions(hasTrouble ? 0.3 : 0.6)))
    }
    return steps
  }

  fates(): Plan['fates'] {
    const fates: { id: string; execution: number; fate: Fate }[] = []
    for (let execution = 1; execution <= 8; execution++) {
      const fate = this.#fate()
      if (fate) fates.push({ id: `e${execution}`, execution, fate })
    }
    return fates
  }

  #fate(): Fate | undefined {
    const chance = this.#chance
    if (this.#on.has('failures') && chance.is(0.25))
      return { fate: 'fails', retryable: chance.is(0.6), stage: chance.pick(['admission', 'job']) }
    if (this.#on.has('questions') && chance.is(0.25)) return { fate: 'asks', asset: chance.is(0.2) }
    if (chance.is(0.2)) return { fate: 'takes', ms: chance.pick([5_000, 20_000, 3 * minute, 12 * minute]) }
    return undefined
  }

  #machine(): MachineIndex {
    return this.#machines === 2 && this.#chance.is(0.45) ? 1 : 0
  }

  #step(index: number, actions: readonly Action[]): Step {
    const faults: Fault[] = []
    for (const [run, action] of actions.entries()) if (isWork(action)) faults.push(...this.#faults(run, action))
    return { id: String(index), actions, faults: faults.map((fault, number) => ({ id: `${index}.${number}`, fault })) }
  }

  /** @param work How likely a process is. */
  #actions(work: number): readonly Action[] {
    const chance = this.#chance
    const machine = this.#machine()
    if (chance.is(work)) {
      if (this.#on.has('together') && chance.is(0.4)) return [this.#work(machine), this.#work(this.#machine())]
      return [this.#work(machine)]
    }
    const other = this.#others(machine)
    return [chance.pick(other)()]
  }

  /** An action that opens a workshop. */
  #work(machine: MachineIndex): Action {
    const chance = this.#chance
    const sprite = this.#sprites > 1 && chance.is(0.25) ? { sprite: chance.whole(0, this.#sprites - 1) } : {}
    const draw = chance.unit()
    if (draw < 0.62 || (this.#hasBudget && draw < 0.85)) return { do: 'build', machine, ...sprite }
    if (draw < 0.85) {
      const adopt = this.#on.has('adopt') && chance.is(0.4)
      return { do: 'approve', machine, ...sprite, ...(chance.is(0.2) ? { max: 'more' } : {}), ...(adopt ? { adopt: 'unchecked' } : {}) }
    }
    if (draw < 0.92) return { do: 'answer', machine }
    return { do: 'look', machine }
  }

  /** Other actions that may happen in this seed. Waiting and approving may happen in all seeds. */
  #others(machine: MachineIndex): (() => Action)[] {
    const chance = this.#chance
    const has = (trouble: Trouble, ...draws: (() => Action)[]): (() => Action)[] => (this.#on.has(trouble) ? draws : [])
    const conflicts = (): 'ours' | 'theirs' | 'both' => chance.pick(['ours', 'theirs', 'both', 'both'])
    const wait = (): Action => ({ do: 'wait', ms: chance.pick(this.#on.has('longWaits') ? longWaits : [5_000, 2 * minute]) })
    return [
      wait,
      ...has('longWaits', wait, wait, wait),
      ...(this.#hasBudget ? [] : [(): Action => ({ do: 'approve', machine })]),
      ...(this.#machines === 2
        ? has(
            'git',
            () => ({ do: 'sync', machine, conflicts: conflicts() }),
            () => ({ do: 'sync', machine, conflicts: conflicts() }),
            () => ({ do: 'commit', machine, conflicts: conflicts() }),
            () => ({ do: 'pull', machine, conflicts: conflicts() }),
            () => ({ do: 'checkout', machine, back: chance.whole(1, 3) }),
          )
        : []),
      ...has('edit', () => ({
        do: 'edit',
        machine,
        sprite: chance.whole(0, this.#sprites - 1),
        field: chance.pick<EditField>(['prompt', 'prompt', 'frames', 'take', 'animations', 'reference']),
      })),
      ...has('key', () => ({ do: 'rotateKey', machine, revokes: chance.is(0.5) })),
      ...has(
        'price',
        () => ({ do: 'price', percent: chance.pick([50, 90, 110, 150, 400]) }),
        () => ({ do: 'priceVersion' }),
      ),
      ...has('capability', () => ({ do: 'capability', has: chance.is(0.4) })),
      ...has('clock', () => ({ do: 'clockBack', machine, ms: chance.pick([2_000, 5 * minute, 2 * hour]) })),
      ...has('power', () => ({ do: 'powerCut', machine, kept: this.#kept() })),
      ...has(
        'vault',
        () => ({ do: 'deleteObject', machine, pick: chance.whole(0, 9) }),
        () => ({ do: 'rotObject', machine, pick: chance.whole(0, 9), bit: chance.whole(0, 20_000), shared: chance.is(0.4) }),
      ),
      ...has(
        'clean',
        () => ({ do: 'clean', machine }),
        () => ({ do: 'deleteCache', machine }),
      ),
      ...has('journals', () => ({ do: 'deleteJournals', machine })),
      ...has('recover', () => ({ do: 'recover', machine, decision: chance.pick(['replay', 'replay', 'abandon']) })),
    ]
  }

  #kept(): KeptName {
    return this.#chance.pick(['nothing', 'everything', 'some', 'some'])
  }

  #faults(run: number, action: Action): Fault[] {
    const chance = this.#chance
    const faults: Fault[] = []
    if (this.#on.has('kill') && chance.is(0.6)) {
      const power = this.#on.has('power') && chance.is(0.5) ? { power: this.#kept() } : {}
      const place = chance.is(0.5) ? { submission: chance.is(0.8) ? 1 : 2 } : { at: Math.ceil(chance.unit() ** 1.3 * 180) }
      faults.push({ fault: 'kill', run, ...place, moment: chance.pick(['before', 'during', 'after']), ...power })
    }
    for (let more = this.#on.has('net') ? chance.whole(0, 2) : 0; more > 0; more--) faults.push({ fault: 'net', run, ...drawNet(chance) })
    if (this.#on.has('disk') && chance.is(0.35))
      faults.push({ fault: 'disk', run, ...(chance.is(0.1) ? { shared: true } : {}), ...drawDisk(chance) })
    if (this.#on.has('interrupt') && chance.is(0.2)) faults.push({ fault: 'interrupt', run, request: chance.whole(1, 14) })
    if (this.#on.has('meanwhile') && action.do === 'build' && chance.is(0.4)) {
      const machine = 'machine' in action ? action.machine : 0
      const events = this.#others(machine)
        .map((draw) => draw())
        .filter(isMeanwhile)
      if (events.length > 0) faults.push({ fault: 'meanwhile', run, request: chance.whole(1, 14), event: chance.pick(events) })
    }
    return faults
  }
}

/** Whether an action is a process of spritewright, in which something can go wrong. */
export function isWork(action: Action): boolean {
  return ['build', 'approve', 'answer', 'recover', 'look'].includes(action.do)
}

/** Whether an action can happen while a process runs. */
function isMeanwhile(action: Action): boolean {
  return [
    'commit',
    'pull',
    'sync',
    'edit',
    'rotateKey',
    'price',
    'priceVersion',
    'capability',
    'clockBack',
    'deleteObject',
    'rotObject',
  ].includes(action.do)
}

function drawNet(chance: Chance): NetFault {
  const on = chance.pick([...requestKinds, 'submit', 'submit', 'submit', 'answer'] as const)
  return {
    on,
    at: chance.is(0.8) ? 1 : chance.whole(2, 4),
    times: chance.is(0.75) ? 1 : chance.pick([2, 3, 8, 1000]),
    outcome: chance.pick(netOutcomes.filter((outcome) => on !== 'download' || outcome !== 'garbage')),
    size: chance.whole(0, 400),
  }
}

function drawDisk(chance: Chance): DiskFault {
  const code = chance.pick(['ENOSPC', 'ENOSPC', 'EIO', 'EXDEV', 'EACCES', 'EMFILE'] as const)
  const path = chance.is(0.6)
    ? { path: chance.pick(['submissions', 'results', 'sprites.lock', 'ledger', 'journals', 'uploads', 'limits', 'shared']) }
    : {}
  const at = { at: chance.is(0.5) ? chance.whole(1, 4) : chance.whole(1, 60), times: chance.is(0.6) ? 1 : chance.pick([2, 5, 100_000]) }
  switch (code) {
    case 'ENOSPC':
      return { call: ['writeTemp', 'append', 'makeFolder'], code, ...path, ...at, ...(chance.is(0.7) ? { partly: chance.unit() } : {}) }
    case 'EIO':
      return { call: chance.pick(['read', 'writeTemp', 'sync', 'syncFolder', 'link', 'list'] as const), code, ...path, ...at }
    case 'EXDEV':
      return { call: chance.pick(['link', 'move'] as const), code, ...path, ...at }
    case 'EACCES':
      return { call: chance.pick(['read', 'writeTemp', 'makeFolder', 'move', 'list'] as const), code, ...path, ...at }
    case 'EMFILE':
      return { call: ['read', 'writeTemp', 'append', 'sync', 'list'], code, ...path, ...at }
  }
}
