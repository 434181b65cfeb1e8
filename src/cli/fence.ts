import { formatCredits, sumCredits } from '../credit/credits.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import { agentShell } from '../host/agent-shell.ts'
import { meaningOf } from '../project/states.ts'
import type { PersonRequest, Workshop } from '../workshop.ts'
import type { CommandArgs } from './arguments.ts'
import type { CommandContext } from './context.ts'
import { ink } from './view/ink.ts'
import { rowsOf } from './view/plan.ts'

/**
 * In the shell of a coding agent, writes a request to a person instead of acting, and says who decides and where.
 * `--i-am-a-person` lets the command act.
 *
 * @returns The exit code, 3, or 0 if nothing needs an approval. `undefined` if the command may act.
 */
export async function askPersonInstead(
  context: CommandContext,
  args: CommandArgs,
  verb: PersonRequest['verb'],
  names: readonly string[] = args.names,
): Promise<number | undefined> {
  const { parts, printer, commandLine, withWorkshop } = context
  const variable = fencedBy(context, args)
  if (variable === undefined) return undefined
  const why = `A coding agent (${variable}) ran: ${commandLine}`
  const asked = await withWorkshop(async (workshop) => {
    const price = verb === 'approve' && !args.flag('standing') ? await readPrice(workshop, names, parts.signal) : undefined
    const isNothing = price?.count === 0 && !args.flag('adopt') && args.text('max') === undefined
    return isNothing ? 'nothing' : add(workshop, { verb, names, why, from: 'shell', credits: price?.credits })
  })
  if (asked === 'nothing') {
    printer.document({ requested: null, reason: 'Nothing needs an approval.' })
    printer.line('Nothing needs an approval.')
    return 0
  }
  const isAdded = typeof asked === 'object'
  const outcome = isAdded
    ? `A request to a person was written${asked.credits === undefined ? '' : `, about ${asked.credits} credits`}. It is open for a day.`
    : asked
  const reason = `This shell belongs to a coding agent: ${variable}. Only a person decides with "${verb}", so nothing was done. ${outcome}`
  printer.document({ requested: isAdded ? asked : null, reason })
  printer.line(reason)
  printer.hint('A person decides in the panel of the dev server, or in a terminal of their own: ', ink('bold', commandLine))
  printer.hint('A person who works in this shell adds ', ink('bold', '--i-am-a-person'), '. The record says so.')
  return 3
}

/**
 * Refuses a command that buys at once, in the shell of a coding agent.
 *
 * @throws `SW_APPROVAL`, unless `--i-am-a-person` is given.
 */
export function refuseAgent(context: CommandContext, args: CommandArgs): void {
  const variable = fencedBy(context, args)
  if (variable === undefined) return
  throw new SpritewrightError('SW_APPROVAL', {
    message: `Expected a person, because --spend buys an execution at once; found the shell of a coding agent: ${variable}. Nothing was sent. Run the command in a terminal of your own, or add --i-am-a-person.`,
    facts: { variable },
  })
}

/** The variable that marks the shell of a coding agent; `undefined` in another shell, or if a person gives the command. */
function fencedBy({ parts }: CommandContext, args: CommandArgs): string | undefined {
  return args.flag('i-am-a-person') ? undefined : agentShell(parts.host.env)
}

/** Returns the request, or why it was not added. */
async function add({ requests }: Workshop, request: Omit<PersonRequest, 'id' | 'at'>): Promise<PersonRequest | string> {
  try {
    return await requests.add(request)
  } catch (error) {
    if (hasCode(error, 'SW_USAGE')) return error.message
    throw error
  }
}

/** Number and price of what needs an approval, or `undefined` if the service cannot be asked. A wrong name is an error. */
async function readPrice(
  workshop: Workshop,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly credits: string } | undefined> {
  try {
    const open = rowsOf(await workshop.plan(names, signal)).filter((row) => meaningOf(row).canBeApproved)
    const prices = new Map(open.map(({ hash, id, quote }) => [hash ?? id, quote?.credits ?? 0n]))
    return { count: prices.size, credits: formatCredits(sumCredits(prices.values())) }
  } catch (error) {
    if (signal.aborted || hasCode(error, 'SW_USAGE')) throw error
    return undefined
  }
}
