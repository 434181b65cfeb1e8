import { formatCredits } from '../../credit/credits.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { LockStore } from '../../vault/lock-store.ts'
import type { ProjectFacts, ProjectMemory } from './project-memory.ts'

/** The parts of a project that {@link rememberProject} uses. */
export interface RememberPorts {
  readonly options: Pick<ResolvedOptions, 'approval'>
  readonly memory: ProjectMemory
  readonly lock: Pick<LockStore, 'read'>
  readonly warnings: string[]
}

/**
 * Remembers that a run works here that may buy. A total above the remembered one needs a person: until then the
 * remembered one limits, and a warning says so.
 */
export async function rememberProject(ports: RememberPorts): Promise<ProjectFacts | undefined> {
  const { options, memory, lock, warnings } = ports
  const { total } = options.approval
  const facts = await memory.keep(await lock.read(), total)
  if (facts?.total === undefined || (total !== undefined && total <= facts.total)) return facts
  const warning = `approval.total ${total === undefined ? 'is gone from the configuration' : `of the configuration is ${formatCredits(total)} now`}; it was ${formatCredits(facts.total)} here, which still limits. See what changes, and accept it: npx spritewright approve --standing`
  if (!warnings.includes(warning)) warnings.push(warning)
  return facts
}
