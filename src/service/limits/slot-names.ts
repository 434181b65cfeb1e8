/**
 * The state of a slot, read from the file names of its folder. The files are empty, and no name is ever used
 * twice.
 *
 * - `s3.g17`: a process took slot 3 for the 17th time. The file is created exclusively, so each generation
 *   has one taker.
 * - `s3.g17.t5000.held`: the holder keeps the slot until 5000 at the latest.
 * - `s3.g17.t4000.rest`: the holder has released the slot, which is free from 4000 on.
 *
 * Times are milliseconds of the monotonic clock, which all processes of one boot share.
 */
export interface SlotState {
  readonly slot: number
  /** The newest generation; 0 if the slot was never taken. Older generations do not count. */
  readonly generation: number
  /** The latest time at which the slot is free; null if its holder has not written a time yet. */
  readonly freeAt: number | null
  readonly isGivenBack: boolean
}

const pattern = /^s(\d{1,6})\.g(\d{1,15})(?:\.t(\d{1,16})\.(held|rest))?$/

/** Name of the file that takes a slot. */
export function claimName(slot: number, generation: number): string {
  return `s${slot}.g${generation}`
}

/** Name of a file whose name contains the end of a claim or of its rest. */
export function timeName(claim: string, atMs: number, kind: 'held' | 'rest'): string {
  return `${claim}.t${Math.max(0, Math.ceil(atMs))}.${kind}`
}

/** Reads the state of the slots 0 to `count - 1`. Names in another form are ignored. */
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

/** Merges two names of one generation. A release wins over a claim, and the later of two times wins. */
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
