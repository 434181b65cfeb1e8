/** Random numbers from a seed. The same seed gives the same numbers on every machine. */
export interface Chance {
  /** From 0 (included) to 1 (excluded). */
  unit(): number
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number
  /**
   * `true` in `share` of all cases.
   *
   * @param share 0 to 1.
   */
  is(share: number): boolean
  /** One of several choices, all equally likely. */
  pick<T>(choices: readonly T[]): T
  /** A separate source of random numbers. Draws from it do not change the draws from this one. */
  fork(name: string): Chance
}

/**
 * Random numbers from a seed.
 *
 * @param seed Any number or text.
 */
export function seededChance(seed: number | string): Chance {
  const text = String(seed)
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, hashText(text)]
  // sfc32: small, fast, and good enough for tests.
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) next()
  const unit = (): number => next() / 0x1_0000_0000
  return {
    unit,
    whole: (from, to) => from + Math.floor(unit() * (to - from + 1)),
    is: (share) => unit() < share,
    pick: (choices) => choices[Math.floor(unit() * choices.length)] as (typeof choices)[number],
    fork: (name) => seededChance(`${text}/${name}`),
  }
}

/** FNV-1a over UTF-16 units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 0
}
