import { formatCredits } from '../credit/credits.ts'
import { isPlayable, waysWords } from '../credit/given.ts'
import type { Context } from './context.ts'
import type { ProjectFacts } from './trust/project-memory.ts'

/**
 * Records in the project's memory that a run works here that may buy. A person must accept a total above the
 * remembered total, or more ways of giving. Until then the remembered limits stay in force, and a warning says so.
 */
export async function rememberProject({ options, memory, lock, warn }: Context): Promise<ProjectFacts | undefined> {
  const { total } = options.approval
  const accept = options.approvalAccept
  const facts = await memory.keep(await lock.read(), { total, accept })
  const ways = facts?.accept
  if (ways && (accept === undefined || accept.some((way) => !ways.includes(way))))
    warn(
      `approval.accept ${accept === undefined ? 'is gone from the configuration' : `of the configuration is ${accept.join(', ')} now`}; here it was ${waysWords(ways)}, which still counts. ${isPlayable(ways) ? 'See what changes, and accept it: npx spritewright approve --standing' : 'docs/agents.md, "Only touched approvals", says how a person ends this'}`,
    )
  if (facts?.total === undefined || (total !== undefined && total <= facts.total)) return facts
  warn(
    `approval.total ${total === undefined ? 'is gone from the configuration' : `of the configuration is ${formatCredits(total)} now`}; it was ${formatCredits(facts.total)} here, which is still the limit. Check the change, and accept it: npx spritewright approve --standing`,
  )
  return facts
}
