import { nameOf } from './lock.ts'
import { picture } from './results.ts'
import type { Row, Table } from './table.ts'
import type { ModelWorld } from './world.ts'

/** Sprites that a run may have. */
export const spriteNames = ['hero', 'slime', 'tower'] as const
export type SpriteName = (typeof spriteNames)[number]

/** The two possible prompts of each sprite. `[ask]` in the slime's makes the service ask. */
const prompts: Readonly<Record<SpriteName, readonly [string, string]>> = {
  hero: ['a hero', 'a hero with a hat'],
  slime: ['a slime', 'a slime [ask]'],
  tower: ['a tower that sways', 'a tower that falls'],
}
const chainText = 'a tower, side view'

/** The current content of a spec. */
export interface SpecState {
  readonly variant: 0 | 1
  readonly take: number
}

/** The specs of both machines, and the rows of the model that belong to them. */
export class Project {
  readonly specs: readonly [Map<SpriteName, SpecState>, Map<SpriteName, SpecState>] = [new Map(), new Map()]
  /** Sprite and spec that asked for a row. */
  readonly #asked = new Map<Row, readonly [SpriteName, SpecState]>()
  readonly #world: ModelWorld
  readonly #table: Table

  /** @param variants The first prompt of each sprite. */
  constructor(world: ModelWorld, table: Table, variants: ReadonlyMap<SpriteName, 0 | 1>) {
    this.#world = world
    this.#table = table
    for (const machine of [0, 1] as const) for (const [sprite, variant] of variants) this.edit(machine, sprite, { variant, take: 1 })
  }

  sprites(machine: 0 | 1): readonly SpriteName[] {
    return [...this.specs[machine].keys()]
  }

  /** Writes a spec. */
  edit(machine: 0 | 1, sprite: SpriteName, state: SpecState): void {
    const { disk } = this.#world.machines[machine]
    this.specs[machine].set(sprite, state)
    this.sheet(machine, sprite)
    const reference = sprite === 'tower' ? { steps: [{ text: chainText }] } : `./${sprite}.png`
    const walk = { frames: 7, ...(state.take > 1 ? { take: state.take } : {}) }
    if (sprite !== 'tower') disk.put(`/game/sprites/${sprite}.png`, picture(100 + spriteNames.indexOf(sprite)))
    disk.put(
      `/game/sprites/${sprite}.sprite.json`,
      JSON.stringify({ reference, prompt: prompts[sprite][state.variant], animations: { walk } }),
    )
  }

  /** Gives the receiver the sender's specs. */
  carry(from: 0 | 1, to: 0 | 1): void {
    for (const [sprite, state] of this.specs[from]) this.edit(to, sprite, { ...state })
  }

  /** The row of a sprite's animation under its current spec. */
  sheet(machine: 0 | 1, sprite: SpriteName): Row {
    const { variant, take } = this.specs[machine].get(sprite) as SpecState
    const prompt = `${prompts[sprite][variant]}\nwalk`
    const row = this.#table.row(nameOf({ prompt, take }), { isPicture: false, isAsking: prompt.includes('[ask]') })
    this.#asked.set(row, [sprite, { variant, take }])
    return row
  }

  /** Makes a spec ask again for a row that some spec asked for before. */
  ask(machine: 0 | 1, row: Row): void {
    const [sprite, state] = this.#asked.get(row) ?? []
    if (sprite && state) this.edit(machine, sprite, { ...state })
  }

  /**
   * Rows that the specs of a machine, or of some sprites, need. A step is needed only while its animation is
   * not bought.
   */
  wanted(machine: 0 | 1, sprites: readonly SpriteName[] = this.sprites(machine)): readonly Row[] {
    return sprites.flatMap((sprite) => {
      const sheet = this.sheet(machine, sprite)
      return sprite === 'tower' && !sheet.cells[machine].isDone ? [this.#step(), sheet] : [sheet]
    })
  }

  /**
   * The rows that an id in a message means on a machine. Returns none if the id belongs to an earlier spec.
   */
  named(machine: 0 | 1, id: string): readonly Row[] {
    if (id === 'tower#1') return [this.#step()]
    const sprite = id.split('.')[0] as SpriteName
    return this.specs[machine].has(sprite) ? [this.sheet(machine, sprite)] : []
  }

  #step(): Row {
    return this.#table.row(nameOf({ prompt: chainText }), { isPicture: true, isAsking: false })
  }
}
