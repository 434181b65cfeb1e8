import { dirname, join } from 'node:path'
import { type EngineFormat, type FormatName, formats, type OutputFile } from '../../../atlas/index.ts'
import type { Disk } from '../../host/disk.ts'
import { inParallel } from '../../host/in-parallel.ts'
import { replaceFile, replaceLightly } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import type { SpriteSpec } from '../../spec/spec.ts'
import { sha256 } from '../../vault/objects.ts'
import type { BuiltSheets } from '../sheet.ts'
import { pageFiles, toEncoded, writeFormat } from './further-formats.ts'
import { toSpecTypings, toSpriteDeclarations, typingsFile, typingsMark } from './typings.ts'

/**
 * Makes the files of a project's output folder: the pages and the engines' data, `sprites.d.ts`, and a
 * complete folder for each further format. Equal sheets give equal bytes.
 *
 * @param engines Formats whose data is beside the pages.
 * @param further Formats by name, or of the project. A format that is one of the engines is not written
 * again.
 * @throws `SW_CONFIG` if a format of the project throws, or does not return a list of files inside its
 * folder.
 */
export async function toOutput(
  sheets: BuiltSheets,
  engines: readonly FormatName[],
  further: readonly (FormatName | EngineFormat)[],
): Promise<readonly OutputFile[]> {
  const files = new Map<string, Uint8Array>()
  for (const name of engines) {
    const encoded = sheets.atlases.map((atlas) => toEncoded(atlas, formats[name]))
    for (const { file, bytes } of [...pageFiles(encoded), ...formats[name].write(encoded)]) files.set(file, bytes)
  }
  for (const format of new Set(further)) {
    if (typeof format === 'string' && engines.includes(format)) continue
    for (const { file, bytes } of await writeFormat(format, sheets.atlases)) files.set(file, bytes)
  }
  files.set('sprites.d.ts', new TextEncoder().encode(toSpriteDeclarations(sheets)))
  return [...files].map(([file, bytes]) => ({ file, bytes })).sort((a, b) => (a.file < b.file ? -1 : 1))
}

/**
 * Writes the typings of specs beside them. In the same folders, removes typings of specs that are gone.
 * Returns the paths that changed.
 */
export async function writeTypings(ports: { disk: Disk; random: Random }, specs: readonly SpriteSpec[]): Promise<readonly string[]> {
  const texts = specs.map((spec) => [spec.file, toSpecTypings(spec)] as const)
  // A watcher of the folder reads all of it again for each new file, unless many come at once. So several
  // files are written at once, and without a sync, because a file that a crash tears is written again.
  const changed = await inParallel(texts, ([file, text]) =>
    writeChanged(ports, typingsFile(file), new TextEncoder().encode(text), replaceLightly),
  )
  const written = texts.flatMap(([file], index) => (changed[index] ? [typingsFile(file)] : []))
  return [...written, ...(await removeStale(ports, new Set(texts.map(([file]) => dirname(file)))))]
}

/**
 * Removes typings whose spec is gone from folders of specs, if their first line shows that spritewright wrote
 * them.
 */
async function removeStale(ports: { disk: Disk }, folders: ReadonlySet<string>): Promise<readonly string[]> {
  const removed: string[] = []
  for (const folder of folders) {
    const names = await ports.disk.list(folder)
    const there = new Set(names)
    for (const name of names) {
      const spec = /^(.+\.sprite)\.d\.(json|yaml|yml)\.ts$/.exec(name)
      if (!spec || there.has(`${spec[1]}.${spec[2]}`)) continue
      const path = join(folder, name)
      if (!new TextDecoder().decode(await ports.disk.read(path)).startsWith(typingsMark)) continue
      await ports.disk.remove(path)
      removed.push(path)
    }
  }
  return removed
}

/**
 * Writes a file, whole or not at all, unless it has these bytes already.
 *
 * @returns Whether it was written.
 */
export async function writeChanged(
  ports: { disk: Disk; random: Random },
  path: string,
  bytes: Uint8Array,
  replace: typeof replaceFile = replaceFile,
): Promise<boolean> {
  const stat = await ports.disk.stat(path)
  if (stat?.bytes === bytes.length && sha256(await ports.disk.read(path)) === sha256(bytes)) return false
  await replace(ports.disk, ports.random, path, bytes)
  return true
}
