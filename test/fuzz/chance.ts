/** Random choices. The same seed gives the same choices on every machine. */
export interface Chance {
  /** A whole number from 0 to `below - 1`. */
  under(below: number): number
  /** `true` with this probability, 0 to 1. */
  is(probability: number): boolean
  pick<T>(from: readonly T[]): T
  bytes(count: number): Uint8Array
}

/** @see Mulberry32, a generator of 32 bits of state. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const under = (below: number): number => Math.floor(next() * below)
  return {
    under,
    is: (probability) => next() < probability,
    pick: (from) => from[under(from.length)]!,
    bytes: (count) => Uint8Array.from({ length: count }, () => under(256)),
  }
}

/** Values at which readers often fail, for a field of this many bits. */
export function oddValue(chance: Chance, bits: 8 | 16 | 32, honest: number): number {
  const top = 2 ** bits - 1
  const odd = [
    0,
    1,
    top,
    top - 1,
    2 ** (bits - 1),
    honest + 1,
    honest - 1,
    honest * 2,
    chance.under(top),
    honest ^ (1 << chance.under(bits - 1)),
  ]
  return Math.abs(Math.trunc(chance.pick(odd))) % (top + 1)
}

/** Damages bytes as a bad disk, a bad line or an attacker might: flips, cuts, repeats, swaps, insertions. */
export function damage(chance: Chance, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes
  const at = chance.under(bytes.length)
  const length = 1 + chance.under(Math.min(64, bytes.length - at))
  const kind = chance.under(6)
  if (kind === 0) return bytes.map((value, index) => (index === at ? value ^ (1 << chance.under(8)) : value))
  if (kind === 1) return bytes.slice(0, at)
  if (kind === 2) return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + length)])
  if (kind === 3) return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at, at + length), ...bytes.subarray(at)])
  if (kind === 4) return Uint8Array.from([...bytes.subarray(0, at), ...chance.bytes(length), ...bytes.subarray(at)])
  return bytes.map((value, index) => (index >= at && index < at + length ? chance.under(256) : value))
}
