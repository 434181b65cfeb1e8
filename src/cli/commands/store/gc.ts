import { count } from '../../../project/states.ts'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { ink } from '../../view/ink.ts'
import { right } from '../../view/table.ts'
import { shortHash, sizeWords } from './list.ts'

/** A younger result may be of a purchase that is not committed yet, or of another machine's own journal. */
const youngDays = 30
const mostInLine = 50

/** `spritewright store gc --dry-run [folders…]`: lists results of the shared store that nothing names. Deletes nothing. */
export async function gc({ parts, printer, withWorkshop }: CommandContext, folders: readonly string[], args: CommandArgs): Promise<number> {
  if (!args.flag('dry-run'))
    throw usageError(
      'Expected --dry-run after "store gc", found none. It only lists: a person who knows all projects of the store decides, and deletes by the command that it prints.',
      { option: '--dry-run' },
    )
  const report = await withWorkshop((workshop) => workshop.store.unnamed(folders, parts.signal))
  const { store, clones, stored, results } = report
  printer.report(report)
  if (results.length > 0)
    printer.table(
      ['result', right('size'), right('days')],
      results.map(({ sha256, bytes, days }) => [ink('bold', shortHash(sha256)), sizeWords(bytes), `${days}`]),
    )
  const bytes = results.reduce((sum, one) => sum + one.bytes, 0)
  printer.line(`${results.length} of ${count(stored, 'result')} in ${store}, ${sizeWords(bytes)}, are named by nothing in:`)
  for (const clone of clones) printer.line(`  ${clone}`)
  const old = results.filter(({ days }) => days >= youngDays).map(({ sha256 }) => sha256)
  if (old.length === 0) return 0
  const more = old.length > mostInLine ? `, ${mostInLine} of ${old.length}` : ''
  printer.hint(`Give the folder of every other project of this store too. This deletes what is at least ${youngDays} days old${more}:`)
  printer.line(ink('bold', `npx spritewright store prune --shared ${old.slice(0, mostInLine).join(' ')}`))
  return 0
}
