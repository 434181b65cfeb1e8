import { type CommandArgs, usageError } from '../arguments.ts'
import { answered, needTerminal } from '../asking.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'

/**
 * `spritewright forget NAME`: asks, and then deletes the conversations at the service. Exit code 3 if the person
 * says no.
 */
export async function forget({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, ...more] = args.names
  if (name === undefined || more.length > 0) throw usageError('Expected one name: npx spritewright forget hero')
  const isSure = args.flag('yes')
  needTerminal(parts, isSure, ': the service deletes for good.')
  let isDeclined = false
  const confirm = async (ids: readonly string[]): Promise<boolean> => {
    if (isSure) return true
    const question = `The service deletes all it has of ${ids.join(', ')}, for good. The paid results here stay. Delete?`
    isDeclined = !answered(await parts.ask(question), 'Nothing was deleted.')
    return !isDeclined
  }
  const forgotten = await withWorkshop((workshop) => workshop.forget(name, confirm, parts.signal))
  printer.document({ forgotten })
  if (isDeclined) {
    printer.line('Nothing was deleted.')
    return 3
  }
  printer.line('Forgotten at the service: ', ink('bold', forgotten.join(', ')), '. The paid results here stay.')
  return 0
}
