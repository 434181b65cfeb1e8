import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'

/**
 * `spritewright cancel NAME`: cancels pictures in progress. Sprite executions cannot be cancelled: exit code
 * 4.
 */
export async function cancel({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, ...more] = args.names
  if (name === undefined || more.length > 0) throw usageError('Expected one name: npx spritewright cancel hero')
  const ended = await withWorkshop((workshop) => workshop.cancel(name, parts.signal))
  printer.document({ cancelled: ended })
  for (const { id, status } of ended) printer.line(ink('bold', id), `: ${status}`)
  return 0
}
