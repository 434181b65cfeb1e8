import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Workshop } from '../../../src/index.ts'

/** A file of the panel's page. */
export interface PanelFile {
  readonly bytes: Uint8Array
  readonly contentType: string
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * The folder of the built page, seen from this module: from the sources, from the package's entry, from a
 * chunk of it.
 */
const places = import.meta.url.endsWith('.ts') ? ['../../../dist/plugin/panel'] : ['../panel', '../../plugin/panel']

/**
 * Reads a file of the built panel.
 *
 * @param name Relative, with forward slashes, without `..`.
 * @returns `undefined` if there is no such file, or if the panel was not built.
 */
export async function readPanelFile({ disk }: Workshop['host'], name: string): Promise<PanelFile | undefined> {
  const contentType = contentTypes[extname(name)]
  if (contentType === undefined) return undefined
  for (const place of places) {
    const path = join(fileURLToPath(new URL(place, import.meta.url)), name)
    if ((await disk.stat(path))?.isFolder === false) return { bytes: await disk.read(path), contentType }
  }
  return undefined
}
