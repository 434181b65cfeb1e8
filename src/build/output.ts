import { dirname, join } from 'node:path'
import { type EncodedAtlas, formats, type OutputFile, pageFile } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { replaceFile } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { sha256 } from '../vault/objects.ts'
import type { BuiltAtlas, BuiltSheets } from './sheet.ts'
import { toSpriteDeclarations, toSpriteTypings, typingsFile, typingsMark } from './typings.ts'

/** An atlas as the formats take it, its pages under their file names. */
function toEncoded(atlas: BuiltAtlas): EncodedAtlas {
  const { name, scale, pixelArt, frames, animations } = atlas
  return {
    atlas: { name, scale, pixelArt, frames, animations, pages: [] },
    pages: atlas.pages.map((page, index) => ({
      file: pageFile(atlas, index, page.extension),
      bytes: page.bytes,
      width: page.width,
      height: page.height,
    })),
  }
}

/**
 * The files of a project's output folder: pages, each format's data, and `sprites.d.ts`. Pure: equal sheets give equal bytes.
 *
 * @param names Formats to write, each once.
 * @throws `SW_CONFIG` for a format that is not known.
 */
export function toOutput(sheets: BuiltSheets, names: readonly string[]): readonly OutputFile[] {
  const encoded = sheets.atlases.map(toEncoded)
  const files = new Map<string, Uint8Array>()
  for (const page of encoded.flatMap((atlas) => atlas.pages)) files.set(page.file, page.bytes)
  for (const name of names) {
    const format = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined
    if (!format) {
      const known = Object.keys(formats).sort().join(', ')
      throw new SpritewrightError('SW_CONFIG', {
        message: `Expected "formats" to name formats among ${known}, found ${JSON.stringify(name)}.`,
        facts: { format: name },
      })
    }
    for (const file of format.write(encoded)) files.set(file.file, file.bytes)
  }
  files.set('sprites.d.ts', new TextEncoder().encode(toSpriteDeclarations(sheets)))
  return [...files].map(([file, bytes]) => ({ file, bytes })).sort((a, b) => (a.file < b.file ? -1 : 1))
}

/** Writes the typings of every sprite beside its spec, and removes those that it wrote for specs that are gone from the same folders. Answers the paths that changed. */
export async function writeTypings(ports: { disk: Disk; random: Random }, sheets: BuiltSheets): Promise<readonly string[]> {
  const written: string[] = []
  for (const sprite of sheets.sprites) {
    const path = typingsFile(sprite.file)
    if (await writeChanged(ports, path, new TextEncoder().encode(toSpriteTypings(sprite, sheets)))) written.push(path)
  }
  return [...written, ...(await removeStale(ports, sheets))]
}

/** Typings whose spec is not there any more, in the folders of specs, where their first line says that they are ours. */
async function removeStale(ports: { disk: Disk }, sheets: BuiltSheets): Promise<readonly string[]> {
  const removed: string[] = []
  for (const folder of new Set(sheets.sprites.map((sprite) => dirname(sprite.file)))) {
    const names = await ports.disk.list(folder)
    for (const name of names) {
      const spec = /^(.+\.sprite)\.d\.(json|yaml|yml)\.ts$/.exec(name)
      if (!spec || names.includes(`${spec[1]}.${spec[2]}`)) continue
      const path = join(folder, name)
      if (!new TextDecoder().decode(await ports.disk.read(path)).startsWith(typingsMark)) continue
      await ports.disk.remove(path)
      removed.push(path)
    }
  }
  return removed
}

async function writeChanged(ports: { disk: Disk; random: Random }, path: string, bytes: Uint8Array): Promise<boolean> {
  const stat = await ports.disk.stat(path)
  if (stat?.bytes === bytes.length && sha256(await ports.disk.read(path)) === sha256(bytes)) return false
  await replaceFile(ports.disk, ports.random, path, bytes)
  return true
}

/** Writes files into a folder, each whole or not at all; one whose bytes are there already is left alone. */
export async function writeOutput(
  ports: { disk: Disk; random: Random },
  folder: string,
  files: readonly OutputFile[],
): Promise<readonly string[]> {
  for (const { file, bytes } of files) await writeChanged(ports, join(folder, file), bytes)
  return files.map(({ file }) => file)
}
