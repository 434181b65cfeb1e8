/**
 * Random numbers from 0 up to 1 that depend only on the seed (mulberry32).
 *
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const between = (low, high) => low + (high - low) * next()
  return {
    next,
    between,
    /** Whole number, both ends included. */
    whole: (low, high) => Math.floor(between(low, high + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
  }
}
