import type { Context } from '../project/context.ts'
import { isNamed } from '../project/recovery/unasked.ts'
import type { PersonRequest } from '../project/requests.ts'
import { meaningOf } from '../project/states.ts'
import { survey } from '../project/survey.ts'

/**
 * Removes the open requests that a person's act has answered. The act is done, so this never fails.
 *
 * @param ids What was decided: ids of requests, or an address. `approve` has none: it ends the requests of which
 *   nothing needs an approval any more.
 */
export async function endRequests(context: Context, verb: PersonRequest['verb'], ids: readonly string[] = []): Promise<void> {
  const isAnswered = async ({ names }: PersonRequest): Promise<boolean> => {
    if (verb !== 'approve') return ids.some((id) => isNamed(names, id))
    const { items, steps } = await survey(context, names, {})
    return ![...items, ...steps].some((one) => meaningOf(one).canBeApproved)
  }
  for (const request of await context.requests.list().catch(() => []))
    if (request.verb === verb && (await isAnswered(request).catch(() => false))) await context.requests.remove(request.id).catch(() => {})
}
