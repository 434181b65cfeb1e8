import { join } from 'node:path'
import { decodeText } from '../../host/project-style.ts'
import { replaceFile } from '../../host/publish.ts'
import type { Context } from '../../project/context.ts'
import { formatLayout, type Layout, parseLayout, toLayout } from '../../sheets/layout.ts'
import type { BuiltSheets } from '../../sheets/sheet.ts'
import type { BuildRequest } from '../api/reports.ts'

/**
 * The layout file. It is committed beside the lock file if `atlas.stable` is set, and packing depends on it.
 */
const fileName = 'sprites.layout.json'

/**
 * Reads the layout that a build starts from.
 *
 * @returns Undefined if no stable layout is wanted.
 * @throws `SW_LAYOUT`
 */
export async function readLayout({ host, options }: Context): Promise<Layout | undefined> {
  if (options.atlas.stable !== true) return undefined
  const text = await readText(host.disk, join(options.root, fileName))
  return text === undefined ? new Map() : parseLayout(text, fileName)
}

/**
 * Writes the layout of a build of the whole project for the next one. It writes nothing if no one commits its
 * files: `--frozen`, CI. Such a build needs no new layout file: packing again from the committed one gives the
 * same pages.
 */
export async function keepLayout({ host, options }: Context, sheets: BuiltSheets, { frozen, buyOnly }: BuildRequest): Promise<void> {
  if (options.atlas.stable !== true || frozen === true || buyOnly === true || options.isCi) return
  const path = join(options.root, fileName)
  const text = formatLayout(toLayout(sheets.atlases))
  if ((await readText(host.disk, path)) === text) return
  await replaceFile(host.disk, host.random, path, new TextEncoder().encode(text))
}

async function readText(disk: Context['host']['disk'], path: string): Promise<string | undefined> {
  if (!(await disk.stat(path))) return undefined
  return decodeText(await disk.read(path))
}
