import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { Script } from 'node:vm'
import { folderOf, pathIn } from './paths.ts'
import type { WarmFiles } from './warm-files.ts'

/** What a program in files of CommonJS is started with. */
export interface KeptCodeOptions {
  readonly files: Pick<WarmFiles, 'readBytes' | 'write' | 'removeOld'>
  /** Folder for what is compiled: nobody else may write there, since it is run. */
  readonly folder: string
  /** What the program is started for: other runs compile other parts of it. */
  readonly use: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/** A program that was started. */
export interface StartedProgram<Exports> {
  readonly exports: Exports
  /**
   * Keeps what has been compiled of it so far, for the next start: about a seventh of a build is compiling. Does nothing where that start found everything.
   *
   * @param nameTemp Makes a name beside a path that nobody else writes under.
   */
  keep(nameTemp: (path: string) => string): void
}

/** Kept code that is older goes; what is still in use is made again, once a month. Milliseconds. */
const longestMs = 30 * 24 * 60 * 60 * 1000

/** Bytes of a SHA-256. */
const headBytes = 32

/**
 * Runs a program of several files of CommonJS, which name each other by relative paths, from what an earlier start has compiled of them. Where they import, they
 * say `__import`: code that was kept has lost what an `import()` needs.
 * Kept code stands under the digest of its source and is led by a digest of its own; V8 refuses what another version or other options have made.
 *
 * @param entry Absolute path of its first file. All of them are ASCII.
 */
export function startProgram<Exports>(entry: string, options: KeptCodeOptions): StartedProgram<Exports> {
  const { files, folder, use, now } = options
  const others = createRequire(entry)
  const modules = new Map<string, { exports: unknown }>()
  const unkept = new Map<string, Script>()
  const load = (file: string): unknown => {
    const known = modules.get(file)
    if (known) return known.exports
    const module = { exports: {} }
    modules.set(file, module)
    const bytes = files.readBytes(file)
    if (!bytes) throw new Error(`Expected ${file}, a part of spritewright, found nothing. Install the package again.`)
    const place = pathIn(folder, `${hash('sha256', `${process.version} ${process.arch} ${use} ${hash('sha256', bytes)}`)}.code`)
    const cachedData = readWhole(files.readBytes(place))
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname, __import) {${toView(bytes).toString('latin1')}\n})`,
      {
        filename: file,
        ...(cachedData ? { cachedData } : {}),
      },
    )
    if (!cachedData || script.cachedDataRejected) unkept.set(place, script)
    const require = (id: string): unknown => (id.startsWith('.') ? load(resolve(folderOf(file), id)) : others(id))
    script.runInThisContext()(module.exports, require, module, file, folderOf(file), importModule)
    return module.exports
  }
  return {
    exports: load(entry) as Exports,
    keep: (nameTemp) => {
      if (unkept.size === 0) return
      for (const ending of ['.code', '.tmp']) files.removeOld(folder, ending, now - longestMs)
      for (const [place, script] of unkept) {
        const code = script.createCachedData()
        files.write(place, nameTemp(place), Buffer.concat([hash('sha256', code, 'buffer'), code]))
      }
    },
  }
}

/** Packages and absolute URLs. */
function importModule(specifier: string): Promise<unknown> {
  return import(specifier)
}

/** What follows a head that is its digest; undefined where there is none, or it is torn. */
function readWhole(bytes: Uint8Array | undefined): Buffer | undefined {
  if (!bytes) return undefined
  const code = toView(bytes.subarray(headBytes))
  return hash('sha256', code, 'buffer').equals(bytes.subarray(0, headBytes)) ? code : undefined
}

function toView(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
