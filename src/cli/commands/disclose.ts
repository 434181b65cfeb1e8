import { join, resolve } from 'node:path'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { toFailures } from '../failure.ts'
import { disclosureForms, originFailure, printDisclosure, toDocument } from '../view/disclosure.ts'
import { defaultOut } from './build/build.ts'

/**
 * `spritewright disclose`: shows where every shipped frame comes from, for a person, as CSV or JSON, or as texts for
 * the forms of shops. Exit code 1 if a frame has no origin. The service is not asked.
 */
export async function disclose({ printer, parts, root, withWorkshop }: CommandContext, args: CommandArgs): Promise<number> {
  const asked = [args.flag('csv') && 'csv', args.flag('texts') && 'txt', printer.isJson && 'json'].filter((form) => form !== false)
  if (asked.length > 1) throw usageError('Expected one of --csv, --texts and --json, found several. Leave the others out.')
  const out = args.text('out')
  const folder = resolve(root, out ?? defaultOut)
  // Every build writes this file.
  const isBuilt = (await parts.host.disk.stat(join(folder, 'sprites.d.ts'))) !== undefined
  if (out !== undefined && !isBuilt)
    throw usageError(`Expected the output folder of a build, found none at ${folder}. Make it: npx spritewright build --out ${out}`)
  const found = await withWorkshop((workshop) => workshop.disclose(isBuilt ? folder : undefined))
  printer.report(toDocument(found))
  const form = disclosureForms.get(asked[0] ?? '')
  if (form && !printer.isJson) printer.raw(form(found))
  else printDisclosure(printer, found)
  const failure = originFailure(found)
  if (!failure) return 0
  printer.failures(toFailures(failure))
  return failure.exitCode
}
