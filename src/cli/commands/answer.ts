import { resolve } from 'node:path'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { askPersonInstead } from '../fence.ts'
import { ink } from '../view/ink.ts'
import { buildCommand } from '../view/next.ts'

/**
 * `spritewright answer NAME TEXT`: answers the question of an execution, with a picture if the question asks for one.
 */
export async function answer(context: CommandContext, args: CommandArgs): Promise<number> {
  const { printer, parts, root, withWorkshop } = context
  const [name, ...words] = args.names
  if (name === undefined || words.length === 0) {
    throw usageError('Expected a name and an answer: npx spritewright answer hero.walk "with the left hand"')
  }
  const asked = await askPersonInstead(context, args, 'answer', [name])
  if (asked !== undefined) return asked
  const path = args.text('asset')
  const { disk, workingFolder } = parts.host
  const asset = path === undefined ? undefined : { path, bytes: await disk.read(resolve(workingFolder, path)) }
  const report = await withWorkshop((workshop) => workshop.answer({ name, text: words.join(' '), asset }, parts.signal))
  printer.document(report)
  printer.line('Answered ', ink('bold', report.id), `; the service continues as ${report.executionId}.`)
  printer.hint('Next: ', ink('bold', await buildCommand(parts.host, root)), ', which follows that execution. The answer costs nothing.')
  return 0
}
