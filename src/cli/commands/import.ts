import { relative, resolve } from 'node:path'
import { readPackage } from '../../options/config-files.ts'
import { findViteConfigs } from '../../options/vite-configs.ts'
import { importProjects } from '../../workshop/import/import.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { ink } from '../view/ink.ts'
import { packCommand } from '../view/next.ts'

/** `spritewright import`: writes specs from a project of another packer, and lists settings without an equivalent. */
export async function importSpecs({ parts, printer, root }: CommandContext, { flag, names }: CommandArgs): Promise<number> {
  if (names.length === 0) throw usageError('Expected a .tps, a .ftpp or a folder of AssetPack: npx spritewright import art/sheets.tps')
  const isDryRun = flag('dry-run')
  const paths = names.map((name) => resolve(parts.host.workingFolder, name))
  const { specs, left, atlas } = await importProjects(parts.host, { root, paths, isDryRun })
  printer.document({ files: specs.map(({ file }) => file), written: !isDryRun, left, atlas })
  for (const { file, text } of specs) {
    printer.line('  ', isDryRun ? '' : ink('green', '✓ '), relative(root, file).replaceAll('\\', '/'))
    if (isDryRun) for (const row of text.trimEnd().split('\n')) printer.line('    ', row)
  }
  if (Object.keys(atlas).length > 0) printer.line(`For the configuration: atlas: ${JSON.stringify(atlas)}`)
  if (left.length > 0) printer.line('Left to you:')
  for (const sentence of left) printer.line('  ', sentence)
  const { dependencies } = await readPackage(parts.host.disk, root)
  const lacksPlugin = dependencies.includes('vite') && !(await findViteConfigs(parts.host.disk, root)).some(({ hasPlugin }) => hasPlugin)
  if (lacksPlugin) printer.hint('Next: ', ink('bold', 'npx spritewright init'), ', which adds the plugin to Vite.')
  else printer.hint('Next: ', ink('bold', await packCommand(parts.host, root)))
  return 0
}
