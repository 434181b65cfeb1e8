import { formatCredits } from '../credit/credits.ts'
import type { Context } from './context.ts'
import type { ProjectFacts } from './trust/project-memory.ts'

/**
 * Records in the project's memory that a run works here that may buy. A person must accept a total above the
 * remembered one. Until then the remembered total is the limit, and a warning says so.
 */
export async function rememberProject({ options, memory, lock, warn }: Context): Promise<ProjectFacts | undefined> {
  const { total } = options.approval
  const facts = await memory.keep(await lock.read(), total)
  if (facts?.total === undefined || (total !== undefined && total <= facts.total)) return facts
  warn(
    `approval.total ${total === undefined ? 'is gone from the configuration' : `of the configuration is ${formatCredits(total)} now`}; it was ${formatCredits(facts.total)} here, which still limits. See what changes, and accept it: npx spritewright approve --standing`,
  )
  return facts
}
