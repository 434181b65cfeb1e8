import { join } from 'node:path'
import { replaceFile } from '../../host/publish.ts'
import type { Context } from '../../project/context.ts'
import { formatLayout, type Layout, parseLayout, toLayout } from '../../sheets/layout.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { BuildRequest } from '../api/reports.ts'

/** Committed beside the lock file, where `atlas.stable` is set; what is packed rests on it. */
const fileName = 'sprites.layout.json'

/** The layout that a build starts from; undefined where none is asked for. @throws `SW_LAYOUT` */
export async function readLayout({ host, options }: Context): Promise<Layout | undefined> {
  if (options.atlas.stable !== true) return undefined
  const text = await readText(host.disk, join(options.root, fileName))
  return text === undefined ? new Map() : parseLayout(text, fileName)
}

/**
 * Writes down where the frames of a build lie, for the next one. Not for a build that is given names, which sees a part of the project, nor for one whose files nobody commits: `--frozen`, CI.
 * Without it they pack the same again: a layout that was packed beside another stays as it is.
 */
export async function keepLayout(
  { host, options }: Context,
  sheets: BuiltSheets,
  { names = [], frozen, buyOnly }: BuildRequest,
): Promise<void> {
  if (options.atlas.stable !== true || names.length > 0 || frozen === true || buyOnly === true || options.isCi) return
  const path = join(options.root, fileName)
  const text = formatLayout(toLayout(sheets.atlases))
  if ((await readText(host.disk, path)) === text) return
  await replaceFile(host.disk, host.random, path, new TextEncoder().encode(text))
}

async function readText(disk: Context['host']['disk'], path: string): Promise<string | undefined> {
  if (!(await disk.stat(path))) return undefined
  return new TextDecoder().decode(await disk.read(path))
}
