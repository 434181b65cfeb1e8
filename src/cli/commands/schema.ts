import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { toJsonText } from '../view/printer.ts'

/** `spritewright schema`: the JSON Schema of a spec on stdout, the same with and without `--json`. */
export async function schema({ printer, parts }: CommandContext, _args: CommandArgs): Promise<number> {
  printer.raw(`${toJsonText(await parts.specSchema())}\n`)
  return 0
}
