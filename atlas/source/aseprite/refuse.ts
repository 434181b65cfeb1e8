import { AtlasError } from '../../errors.ts'

/**
 * Throws for a file that cannot be read exactly.
 *
 * @param rule Stable name of the broken rule.
 * @param message What was expected, what was found and, if the artist can mend it, what to do.
 * @throws {AtlasError} `SW_ASEPRITE`, always.
 */
export function refuseAseprite(rule: string, message: string, facts: Readonly<Record<string, unknown>> = {}): never {
  throw new AtlasError('SW_ASEPRITE', { message: `The Aseprite file breaks the rule "${rule}": ${message}`, facts: { rule, ...facts } })
}
