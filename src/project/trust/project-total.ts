import type { Credits } from '../../credit/credits.ts'
import { lowerTotal } from '../../credit/standing.ts'
import type { ProjectMemory } from './project-memory.ts'
import type { StandingFile } from './standing-file.ts'

/** The limit of all purchases of a project: the lowest of the configured, the accepted and the remembered total. */
export interface ProjectTotal {
  /** Returns `undefined` if neither the configuration nor the accepted ceilings have a total. */
  read(): Promise<Credits | undefined>
  /** The lower of two totals: the total that a person has accepted, and the remembered total. */
  accepted(): Promise<Credits | undefined>
  /** Advice for raising the total: a sentence without its full stop. */
  howToRaise(): Promise<string>
}

/**
 * Opens the limit of a project. Files are read at each call, not before.
 *
 * @param configured `approval.total` of the configuration.
 */
export function openProjectTotal(
  configured: Credits | undefined,
  standing: Pick<StandingFile, 'read'>,
  memory: Pick<ProjectMemory, 'read'>,
): ProjectTotal {
  const accepted = async (): Promise<Credits | undefined> => {
    const facts = await memory.read()
    // If the memory is damaged, no approval counts, so nothing new is sent.
    const remembered = facts === 'damaged' ? undefined : facts?.total
    return lowerTotal((await standing.read())?.ceilings.total, remembered)
  }
  return {
    // The accepted total limits too: a file of the project may lower the limit, but not raise it.
    read: async () => lowerTotal(configured, await accepted()),
    accepted,
    howToRaise: async () => {
      const limit = await accepted()
      if (limit === undefined || (configured !== undefined && configured < limit)) return 'Raise approval.total in spritewright.config'
      if (limit === configured) return 'Raise approval.total in spritewright.config and accept it (npx spritewright approve --standing)'
      return 'That total was accepted or used here before, so a change of the configuration alone does not raise it. Accept the present total of spritewright.config (npx spritewright approve --standing)'
    },
  }
}
