import { SpritewrightError } from '../../errors.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'

/**
 * `spritewright forget NAME`: deletes the conversations at the service, after asking. Exit code 3 if the
 * person says no.
 */
export async function forget({ printer, parts, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, ...more] = args.names
  if (name === undefined || more.length > 0)
    throw new SpritewrightError('SW_USAGE', { message: 'Expected one name: npx spritewright forget hero' })
  const isSure = args.flag('yes')
  if (!isSure && !parts.host.terminal.canAsk) {
    throw new SpritewrightError('SW_USAGE', {
      message: 'Expected --yes, since there is no terminal to ask at: the service deletes for good.',
      facts: { option: '--yes' },
    })
  }
  let isDeclined = false
  const confirm = async (ids: readonly string[]): Promise<boolean> => {
    if (isSure) return true
    const said = await parts.ask(`The service deletes all it has of ${ids.join(', ')}, for good. The paid results here stay. Delete?`)
    if (said === undefined) throw new SpritewrightError('SW_INTERRUPTED', { message: 'Interrupted. Nothing was deleted.' })
    isDeclined = !said
    return said
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
