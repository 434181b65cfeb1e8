/**
 * What the names in a folder of slots say. Nothing is read from inside a file, and no name is ever used twice.
 *
 * - `s3.g17`: somebody took slot 3 for the 17th time. Made exclusively, so each generation has one taker.
 * - `s3.g17.t5000.held`: its holder keeps it until 5000 at the latest.
 * - `s3.g17.t4000.rest`: its holder has given it back; it is free from 4000 on.
 *
 * Times are milliseconds of the monotonic clock, which all processes of one boot share.
 */
export interface SlotState {
  readonly slot: number
  /** The newest generation; 0 where the slot was never taken. Older ones say nothing any more. */
  readonly generation: number
  /** When it is free at the latest; null where its holder has not said (yet). */
  readonly freeAt: number | null
  readonly isGivenBack: boolean
}

const pattern = /^s(\d{1,6})\.g(\d{1,15})(?:\.t(\d{1,16})\.(held|rest))?$/

/** Name of a taken slot. */
export function claimName(slot: number, generation: number): string {
  return `s${slot}.g${generation}`
}

/** Name that says until when. */
export function timeName(claim: string, atMs: number, kind: 'held' | 'rest'): string {
  return `${claim}.t${Math.max(0, Math.ceil(atMs))}.${kind}`
}

/** The state of the slots 0 to `count - 1`; names that are not of this form are passed over. */
export function readSlots(names: readonly string[], count: number): SlotState[] {
  const slots: SlotState[] = Array.from({ length: count }, (_, slot) => ({ slot, generation: 0, freeAt: 0, isGivenBack: true }))
  for (const name of names) {
    const match = pattern.exec(name)
    const slot = Number(match?.[1] ?? Number.NaN)
    const before = slots[slot]
    if (match === null || before === undefined) continue
    const generation = Number(match[2])
    if (generation < before.generation) continue
    const isGivenBack = match[4] === 'rest'
    const now = { slot, generation, freeAt: match[3] === undefined ? null : Number(match[3]), isGivenBack }
    slots[slot] = generation > before.generation ? now : merge(before, now)
  }
  return slots
}

/** Two names of one generation: given back outweighs held, and of two times the later one holds. */
function merge(a: SlotState, b: SlotState): SlotState {
  if (a.isGivenBack !== b.isGivenBack) return a.isGivenBack ? a : b
  const freeAt = a.freeAt === null ? b.freeAt : Math.max(a.freeAt, b.freeAt ?? 0)
  return { ...a, freeAt }
}

/** Names of a slot's generations below `generation`. */
export function olderNames(names: readonly string[], slot: number, generation: number): string[] {
  return names.filter((name) => {
    const match = pattern.exec(name)
    return match !== null && Number(match[1]) === slot && Number(match[2]) < generation
  })
}
