import { dirname, join } from 'node:path'
import { type EngineFormat, type FormatName, formats, type OutputFile, variantsOf } from '../../../atlas/index.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { inParallel } from '../../host/in-parallel.ts'
import { replaceFile, replaceLightly } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { sha256 } from '../../host/sha256.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { BuiltSheets } from '../sheet.ts'
import { pageFiles, toEncoded, writeFormat } from './further-formats.ts'
import { toProjectTypings, toSpecTypings, toSpriteDeclarations, typingsFile, typingsMark } from './typings.ts'

/**
 * Makes the files of a project's output folder: the pages and the engines' data, `sprites.d.ts`, and a
 * complete folder for each further format. Equal sheets give equal bytes.
 *
 * @param engines Formats whose data is beside the pages.
 * @param further Formats by name, or of the project. A format that is also an engine's is not written again.
 * @throws `SW_CONFIG` if a format of the project throws, or does not return a list of files inside its
 * folder.
 */
export async function toOutput(
  built: BuiltSheets,
  engines: readonly FormatName[],
  further: readonly (FormatName | EngineFormat)[],
): Promise<readonly OutputFile[]> {
  const sheets = { ...built, atlases: built.atlases.flatMap((atlas) => [atlas, ...variantsOf(atlas)]) }
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
 * Writes the typings of specs beside them, or all into one file. Removes typings beside deleted specs; with one file,
 * removes all typings beside specs. Returns the paths that changed.
 *
 * @throws `SW_CONFIG` if the one file exists and spritewright did not write it.
 */
export async function writeTypings(
  ports: { disk: Disk; random: Random },
  specs: readonly SpriteSpec[],
  file?: string,
): Promise<readonly string[]> {
  if (file !== undefined && (await ports.disk.stat(file)) && !(await isOurs(ports.disk, file)))
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected the option "typings" to name a new file, found ${file}, which spritewright did not write. Name another.`,
      facts: { file },
    })
  const texts =
    file === undefined
      ? specs.map((spec) => [typingsFile(spec.file), toSpecTypings(spec)] as const)
      : [[file, toProjectTypings(specs)] as const]
  // A watcher of the folder reads all of it again for each new file, unless many come at once. So several
  // files are written at once, and without a sync, because a file that a crash tears is written again.
  const changed = await inParallel(texts, ([path, text]) => writeChanged(ports, path, new TextEncoder().encode(text), replaceLightly))
  const written = texts.flatMap(([path], index) => (changed[index] ? [path] : []))
  return [...written, ...(await removeStale(ports.disk, specs, file !== undefined))]
}

/**
 * Removes typings whose spec is gone from folders of specs, if their first line shows that spritewright wrote
 * them.
 *
 * @param isAll Whether typings of existing specs are removed too.
 */
async function removeStale(disk: Disk, specs: readonly SpriteSpec[], isAll: boolean): Promise<readonly string[]> {
  const removed: string[] = []
  for (const folder of new Set(specs.map(({ file }) => dirname(file)))) {
    const names = await disk.list(folder)
    const there = new Set(isAll ? [] : names)
    for (const name of names) {
      const spec = /^(.+\.sprite)\.d\.(json|yaml|yml)\.ts$/.exec(name)
      const path = join(folder, name)
      if (!spec || there.has(`${spec[1]}.${spec[2]}`) || !(await isOurs(disk, path))) continue
      await disk.remove(path)
      removed.push(path)
    }
  }
  return removed
}

async function isOurs(disk: Disk, path: string): Promise<boolean> {
  return new TextDecoder().decode(await disk.read(path)).startsWith(typingsMark)
}

/**
 * Writes a file, completely or not at all, unless it has these bytes already.
 *
 * @returns Whether the file was written.
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
