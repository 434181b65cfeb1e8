/** How much of the suite runs: `npm test`, `npm run test:all`, `npm run sim`. */
export type Level = 'quick' | 'full' | 'long'

/**
 * The level of this run. It sets the counts here, and the files in `vitest.config.ts`.
 *
 * @default 'quick'
 */
export const level: Level = parseLevel(process.env.SPRITEWRIGHT_TESTS)

/** Chooses a count by the level of this run. */
export function byLevel<T>(counts: Readonly<Record<Level, T>>): T {
  return counts[level]
}

function parseLevel(word = ''): Level {
  if (word === '') return 'quick'
  if (word === 'quick' || word === 'full' || word === 'long') return word
  throw new Error(`Expected SPRITEWRIGHT_TESTS to be quick, full or long, found "${word}".`)
}
