import { relative } from 'node:path'
import { count } from '../../project/states.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'

/** `spritewright types`: writes the typings of all specs. */
export async function types({ printer, root, withWorkshop }: CommandContext, _args: CommandArgs): Promise<number> {
  const written = (await withWorkshop((workshop) => workshop.writeTypings())).map((path) => relative(root, path))
  printer.document({ written })
  if (written.length === 0) printer.line('The typings are up to date.')
  else printer.line(ink('green', '✓'), ` ${count(written.length, 'file')}: ${written.join(', ')}`)
  return 0
}
