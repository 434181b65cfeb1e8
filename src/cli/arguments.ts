import { type Credits, isCreditsText, parseCredits } from '../credit/credits.ts'
import { type ErrorFacts, SpritewrightError } from '../errors.ts'

/** The parsed arguments of a command: names and options, all as typed texts. */
export interface CommandArgs {
  /** `sprite` or `sprite.animation`; empty means all. */
  readonly names: readonly string[]
  /** Whether a switch is on. */
  flag(name: string): boolean
  /** The value of an option; undefined if it was not given. */
  text(name: string): string | undefined
  /** An amount above 0. @throws `SW_USAGE` unless it is a decimal with at most four places. */
  credits(name: string): Credits | undefined
  /** A TCP port, 0 to 65535. @throws `SW_USAGE` for any other value. */
  port(name: string): number | undefined
}

/**
 * Creates readers for parsed options.
 *
 * @param options By name without dashes: `true` for a switch, a text for a value.
 */
export function createArgs(names: readonly string[], options: Readonly<Record<string, string | boolean>>): CommandArgs {
  const text = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    names,
    text,
    flag: (name) => options[name] === true,
    credits: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      const amount = isCreditsText(value) ? parseCredits(value, `--${name}`) : 0n
      if (amount > 0n) return amount
      throw wrongValue(name, value, 'an amount of credits above 0 with at most four decimals, like 2.4')
    },
    port: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      const port = /^\d{1,5}$/.test(value) ? Number(value) : 65_536
      if (port <= 65_535) return port
      throw wrongValue(name, value, 'a port from 0 to 65535')
    },
  }
}

function wrongValue(name: string, found: string, expected: string): SpritewrightError {
  const message = `Expected --${name} to be ${expected}, found ${JSON.stringify(found)}.`
  return usageError(message, { option: `--${name}`, expected, found })
}

/** The error for a command line that cannot be followed. */
export function usageError(message: string, facts?: ErrorFacts): SpritewrightError {
  return new SpritewrightError('SW_USAGE', { message, facts })
}
