import { Broken, checkAll } from './check.ts'
import { type Index, Judge, unexpected } from './judge.ts'
import type { Death, Ending } from './machine.ts'
import type { SpriteName } from './project.ts'
import { type Cell, nobody, noteApproval, type Row } from './table.ts'

/** Actions of a person, and events. Each changes the world and the table, and compares them. */
export class Play extends Judge {
  /** Builds. If that ends well, builds again; the second build must make no request (I10). */
  async build(machine: Index, options: { readonly death?: Death; readonly isFrozen?: boolean } = {}): Promise<Ending<unknown>> {
    const { isFrozen = false, death } = options
    const [start, posts] = [this.now(machine), this.posts()]
    const wanted = this.project.wanted(machine)
    const ending = await this.run(machine, (workshop) => workshop.build({ buyOnly: true, frozen: isFrozen }), death)
    if (isFrozen && this.posts() !== posts) throw new Broken('a frozen build submitted something')
    if (ending.how === 'died') {
      this.doubt(machine, start)
      return ending
    }
    if (ending.how === 'refused') this.compare(machine, wanted, ending.refusals, isFrozen)
    else this.compareDone(machine, wanted, isFrozen)
    await this.look(machine)
    if (ending.how === 'refused') return ending
    const missing = wanted.find(({ cells, isPicture }) => !isPicture && !cells[machine].isDone)
    if (missing) throw new Broken(`a build was done, and "${missing.name}" is not bought`)
    await this.#buildAgain(machine)
    return ending
  }

  /**
   * Approves, or takes approvals over.
   *
   * @param options `isGenerous`: with a credit to spare.
   */
  async approve(
    machine: Index,
    sprites: readonly SpriteName[],
    options: { readonly adopt?: boolean; readonly isGenerous?: boolean; readonly death?: Death } = {},
  ): Promise<void> {
    const { adopt = false, isGenerous = false, death } = options
    const max = isGenerous ? this.world.price(false) + 10_000n : undefined
    const wanted = this.project.wanted(machine, sprites)
    const request = { names: sprites, adopt, given: 'typed' as const, confirm: async () => true, ...(max === undefined ? {} : { max }) }
    const ending = await this.run(machine, (workshop) => workshop.approve(request), death)
    const buyer = this.table.identities[machine]
    if (ending.how === 'refused') throw unexpected('approve', ending.refusals)
    if (ending.how === 'died') {
      const isOpen = ({ isDone, approvals }: Cell): boolean =>
        !isDone && [...approvals].some((one) => adopt || one === buyer || one === nobody)
      for (const row of wanted.filter(({ cells }) => isOpen(cells[machine])))
        noteApproval(row, machine, buyer, max ?? this.world.price(row.isPicture), false)
      return
    }
    this.table.namesLost[machine].clear()
    const approved = new Map(
      ending.value.approved.flatMap(({ id, ceiling }) => this.project.named(machine, id).map((row) => [row, ceiling])),
    )
    for (const row of wanted) {
      const { isDone, approvals } = row.cells[machine]
      const mustBe = !isDone && approvals.size === 1 && approvals.has(nobody) && !this.isHeard(row)
      if (mustBe && !approved.has(row)) throw new Broken(`approve left "${row.name}" out, which nobody has approved`)
      if (isDone && approved.has(row)) throw new Broken(`approve asks for "${row.name}" again, which is bought`)
    }
    for (const [row, ceiling] of approved) noteApproval(row, machine, buyer, ceiling, true)
  }

  /** Decides about a submission whose outcome cannot be known. */
  async recover(machine: Index, sprite: SpriteName, decision: 'replay' | 'abandon', death?: Death): Promise<void> {
    const start = this.now(machine)
    const wanted = this.project.wanted(machine, [sprite]).filter(({ cells }) => !cells[machine].isDone)
    if (decision === 'replay') for (const row of wanted) this.table.allowReplay(row, machine, start, this.world.wire.seen(row.name).firstAt)
    const ending = await this.run(machine, (workshop) => workshop.recover({ name: sprite, decision }), death)
    if (ending.how === 'refused') {
      const isIdle = ending.refusals.every(({ code }) => code === 'SW_USAGE')
      const mustDecide = wanted.some(({ cells }) => cells[machine].waits === 'decision')
      if (isIdle && mustDecide) throw unexpected(`recover --${decision}, where a build had asked for a decision,`, ending.refusals)
      if (isIdle) return
      for (const { cells } of wanted) cells[machine].waits = 'no'
      this.compare(machine, wanted, ending.refusals)
    }
    if (ending.how === 'died') {
      this.doubt(machine, start)
      if (decision === 'abandon') for (const row of wanted) this.table.giveUp(row, machine, 'maybe')
      return
    }
    for (const { id, about } of ending.how === 'done' ? ending.value.decided : []) {
      for (const row of this.project.named(machine, id)) {
        row.cells[machine].waits = 'no'
        if (decision === 'abandon' && about !== 'answer') this.table.giveUp(row, machine, 'yes')
      }
    }
    if (decision === 'replay') await this.look(machine)
  }

  /** Answers the question of a sprite. */
  async answer(machine: Index, sprite: SpriteName, text: string, death?: Death): Promise<void> {
    const start = this.now(machine)
    const row = this.project.sheet(machine, sprite)
    const { doubt, waits } = row.cells[machine]
    const ending = await this.run(machine, (workshop) => workshop.answer({ name: sprite, text }), death)
    if (ending.how === 'refused') {
      if (waits === 'answer' && doubt === undefined && !row.isAnswered) throw unexpected('answer', ending.refusals)
      const refusals = ending.refusals.filter(({ code }) => code !== 'SW_USAGE')
      return this.compare(machine, [row], refusals)
    }
    if (ending.how === 'died') this.doubt(machine, start)
    row.isAnswered = true
    for (const cell of row.cells) if (cell.waits === 'answer') cell.waits = 'no'
  }

  /** Deletes one of the results that `prune` lists. It must never list one that a spec needs. */
  async prune(machine: Index, choice: number): Promise<void> {
    const pruned: string[] = []
    const ending = await this.run(machine, async ({ store }) => {
      const { lines } = await store.prune({ names: [], confirm: async () => false })
      const line = lines[choice % Math.max(1, lines.length)]
      if (!line) return
      await store.prune({ names: [line.name], confirm: async () => true })
      pruned.push(line.name)
    })
    if (ending.how === 'refused' && ending.refusals.some(({ code }) => code !== 'SW_USAGE'))
      throw unexpected('store prune', ending.refusals)
    const needed = this.project.wanted(machine)
    for (const row of this.table.rows()) {
      const cell = row.cells[machine]
      if (cell.kept === undefined || !pruned.includes(cell.kept)) continue
      if (needed.includes(row)) throw new Broken(`store prune took the result of "${row.name}" away, which a spec asks for`)
      cell.kept = undefined
    }
  }

  /** Carries one machine's lock file and specs to the other, like commit, push and pull. */
  carry(from: Index, to: Index): void {
    const { locks, machines } = this.world
    for (const name of locks.carry(machines[from], machines[to])) this.table.carry(this.table.row(name), from, to)
    this.project.carry(from, to)
  }

  /** Deletes what a person may delete: only the records, or everything in their folder. */
  erase(machine: Index, which: 'first' | 'second' | 'both', isAll: boolean): void {
    const owner = this.world.machines[machine]
    const second = owner.copyFolder()
    for (const copy of which === 'both' ? (['first', 'second'] as const) : [which]) {
      const folder = copy === 'first' ? '/game/.spritewright' : second
      if (folder !== undefined) owner.disk.erase(isAll ? folder : `${folder}/submissions`)
      if (isAll) this.table.loseName(machine, copy, which === 'both')
      if (isAll && copy === 'first') for (const { cells } of this.table.rows()) cells[machine].kept = undefined
      if (this.table.loseRecords(machine, copy)) this.world.wire.forget(owner)
    }
  }

  /** Deletes everything that can be made again. */
  eraseCache(machine: Index): void {
    this.world.machines[machine].disk.erase('/game/node_modules')
  }

  async #buildAgain(machine: Index): Promise<void> {
    const { requests } = this.world.sim.service
    const wanted = this.project.wanted(machine)
    const own = this.table.identities[machine]
    const isOpen = (row: Row, { isDone, doubt, approvals }: Cell): boolean =>
      !isDone && (doubt !== undefined || (this.isHeard(row) && approvals.has(own)))
    // A build asks the service about a request of an earlier spec that is still in flight.
    const mustBeSilent = !this.table.rows().some((row) => !wanted.includes(row) && isOpen(row, row.cells[machine]))
    const before = requests().at(-1)?.number
    const ending = await this.run(machine, (workshop) => workshop.build({ buyOnly: true }))
    if (ending.how === 'refused') throw unexpected('a build right after "done"', ending.refusals)
    this.counts.secondBuilds++
    if (!mustBeSilent) return
    this.counts.silentBuilds++
    if (requests().at(-1)?.number !== before) throw new Broken('a build right after "done" made a request (I10)')
  }

  /** Called after every command. */
  check(): void {
    checkAll(this.table, this.world)
  }
}
