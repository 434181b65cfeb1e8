import { relative, resolve } from 'node:path'
import { type CommandArgs, usageError } from '../arguments.ts'
import { answered } from '../asking.ts'
import type { CommandContext } from '../context.ts'
import { refreshTypings } from '../typings.ts'
import { ink } from '../view/ink.ts'

/** `spritewright new`: writes a spec for a picture. Asks for the prompt if the command line has none. */
export async function newSprite({ parts, printer, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const [name, path, ...more] = args.names
  if (name === undefined || path === undefined || more.length > 0)
    throw usageError('Expected a name and a picture: npx spritewright new hero drawings/hero.png --prompt "a small knight"')
  const { disk, terminal, workingFolder } = parts.host
  const file = resolve(workingFolder, path)
  const stat = await disk.stat(file)
  if (!stat || stat.isFolder) throw usageError(`Expected a picture at ${JSON.stringify(path)}, found ${stat ? 'a folder' : 'nothing'}.`)
  const given = args.text('prompt')
  const isAsked = given === undefined && terminal.canAsk
  const prompt = isAsked
    ? answered(await parts.askText(`What is ${name}? The service draws from this description.`), 'Nothing was written.')
    : given
  if (!prompt) throw usageError('Expected a description of the sprite, typed or as --prompt "…", found none. Nothing was written.')
  const picture = await disk.read(file)
  const made = await withWorkshop(async (workshop) => {
    const written = await workshop.createSprite({ name, prompt, picture })
    await refreshTypings({ parts, printer, root }, workshop)
    return written
  })
  const files = [made.file, made.picture].map((one) => relative(root, one).replaceAll('\\', '/'))
  printer.document({ name, files })
  for (const one of files) printer.line('  ', ink('green', '✓'), ` ${one}`)
  printer.hint('It has one animation, "idle". Write more into the spec.')
  printer.hint('Next: ', ink('bold', `npx spritewright plan ${name}`), ', which shows the price and spends nothing.')
  return 0
}
