import type { Workshop } from '../../../src/workshop.ts'
import { Broken, type Counts } from './check.ts'
import type { Death, Ending, Refusal } from './machine.ts'
import { Project, type SpriteName } from './project.ts'
import { type Doubt, permitted, type Row, Table } from './table.ts'
import type { ModelWorld } from './world.ts'

/** The machine that runs a command. */
export type Index = 0 | 1

/**
 * Compares the reports of processes with the table, and writes everything that is then certain into the
 * table.
 */
export class Judge {
  readonly world: ModelWorld
  readonly table: Table = new Table()
  readonly project: Project
  readonly counts: Counts
  /** How often the clock of each machine started anew. */
  readonly #boots: [number, number] = [0, 0]

  constructor(world: ModelWorld, variants: ReadonlyMap<SpriteName, 0 | 1>, counts: Counts) {
    this.world = world
    this.counts = counts
    this.project = new Project(world, this.table, variants)
    world.wire.onMaximum = (name, maximum) => {
      const { highest } = this.table.row(name)
      if (maximum > highest)
        world.wire.violations.push(`"${name}" was submitted with a maximum of ${maximum}, its ceiling is ${highest} (I2)`)
    }
  }

  /** Runs one command, and counts how it ended. */
  async run<T>(machine: Index, work: (workshop: Workshop) => Promise<T>, death?: Death): Promise<Ending<T>> {
    const ending = await this.world.machines[machine].run(work, death)
    if (ending.how === 'refused') {
      for (const { code } of ending.refusals) this.counts.refusals.set(code, (this.counts.refusals.get(code) ?? 0) + 1)
    }
    if (ending.how === 'died') {
      this.counts.kills++
      // The machine's name may not have reached its second place.
      this.table.namesLost[machine].add('second')
      if (death?.power !== undefined) {
        this.counts.powerCuts++
        this.#boots[machine]++
      }
    }
    return ending
  }

  /** The facts that a doubt about a submission sent from now on would refer to. */
  now(machine: Index): Doubt {
    return { since: this.world.now(), key: this.world.machines[machine].key, boot: this.#boots[machine] }
  }

  /** A process died, and may have left a submission without an answer. */
  doubt(machine: Index, start: Doubt): void {
    const own = this.table.identities[machine]
    for (const row of this.table.rows()) {
      const cell = row.cells[machine]
      if (!cell.isDone && (cell.approvals.has(own) || this.isHeard(row))) cell.doubt ??= start
    }
  }

  /** Each refusal must be permitted by the table for every request that it names. */
  compare(machine: Index, wanted: readonly Row[], refusals: readonly Refusal[], isFrozen = false): void {
    for (const { code, ids, message } of refusals) {
      const rows = ids.length > 0 ? ids.flatMap((id) => this.project.named(machine, id)) : wanted
      const permits = (row: Row): boolean => this.#codes(machine, row, isFrozen).has(code)
      const isFitting = rows.length > 0 && (ids.length > 0 ? rows.every(permits) : rows.some(permits))
      if (!isFitting)
        throw new Broken(`${code} of ${ids.join(', ') || 'nothing'}: ${message}\nexpected ${this.#words(machine, wanted, isFrozen)}`)
      for (const cell of rows.map(({ cells }) => cells[machine])) {
        // The clock that a restart set back will catch up some day. After that, no decision is needed any
        // more.
        const isForGood = cell.doubt === undefined || cell.doubt.boot === this.#boots[machine]
        if ((code === 'SW_CONFLICT' || code === 'SW_UNCERTAIN') && isForGood) cell.waits = 'decision'
        if (code === 'SW_QUESTION') cell.waits = 'answer'
      }
    }
  }

  /** Compares a build that said "done". A step is not needed if its animation is already under way. */
  compareDone(machine: Index, wanted: readonly Row[], isFrozen: boolean): void {
    const wrong = wanted.filter((row) => !row.isPicture && !this.#codes(machine, row, isFrozen).has('done'))
    if (wrong.length > 0) throw new Broken(`a build was done, expected ${this.#words(machine, wrong, isFrozen)}`)
  }

  /**
   * Records every request whose state is bought. From now on it must stay bought, without further questions.
   */
  async look(machine: Index): Promise<void> {
    const ending = await this.run(machine, (workshop) => workshop.status())
    if (ending.how !== 'done') throw new Broken('status did not answer')
    for (const { id, state, result } of [...ending.value.items, ...ending.value.steps]) {
      if (state !== 'bought') continue
      for (const { cells } of this.project.named(machine, id)) {
        const cell = cells[machine]
        cell.isDone = true
        cell.kept = result
        cell.doubt = undefined
        cell.givenUp = 'no'
        cell.waits = 'no'
        cell.lost.clear()
      }
    }
  }

  /** Whether the service has received any POST of a request. */
  isHeard(row: Row): boolean {
    return this.world.wire.seen(row.name).posts > 0
  }

  /** Number of submissions that the service has received. */
  posts(): number {
    return this.table.rows().reduce((sum, row) => sum + this.world.wire.seen(row.name).posts, 0)
  }

  #codes(machine: Index, row: Row, isFrozen: boolean): ReadonlySet<string> {
    const price = this.world.price(row.isPicture)
    const { since: now, ...rest } = this.now(machine)
    return permitted(this.table, row, { machine, now, ...rest, price, isHeard: this.isHeard(row), isFrozen })
  }

  #words(machine: Index, rows: readonly Row[], isFrozen: boolean): string {
    return rows.map((row) => `"${row.name}": ${[...this.#codes(machine, row, isFrozen)].join(' or ')}`).join('; ')
  }
}

/** A refusal that no state permits. */
export function unexpected(what: string, refusals: readonly Refusal[]): Broken {
  return new Broken(`${what} was refused: ${refusals.map(({ code, message }) => `${code} ${message}`).join('; ')}`)
}
