import { createHash, hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Script } from 'node:vm'
import type { CodeFiles } from './code-files.ts'

/** What a program in files of CommonJS is started with. */
export interface KeptCodeOptions {
  readonly files: CodeFiles
  /** Folder for what is compiled, absolute; undefined where nothing is kept. It is run, so a folder in which others may write is not used. */
  readonly folder: string | undefined
  /** What the program is started for, and under which options of V8: other runs compile other parts of it, or otherwise. */
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
 * Kept code stands under a key of its source, the source's place (which it names in errors) and its use, and is led by a digest of key and code; V8 refuses what another version or other options have made.
 *
 * @param entry Absolute path of its first file. All of them are ASCII.
 */
export function startProgram<Exports>(entry: string, options: KeptCodeOptions): StartedProgram<Exports> {
  const { files, use, now } = options
  const folder = options.folder !== undefined && files.isOwn(options.folder) ? options.folder : undefined
  const others = createRequire(entry)
  const modules = new Map<string, { exports: unknown }>()
  const unkept = new Map<string, Script>()
  const keyOf = (file: string, source: Uint8Array): string =>
    hash('sha256', JSON.stringify([process.version, process.arch, use, file, hash('sha256', source)]))
  const placeOf = (key: string): string => join(folder as string, `${key}.code`)
  const compile = (file: string): Script => {
    const source = files.readBytes(file)
    if (!source) throw missing(file)
    const key = keyOf(file, source)
    const cachedData = folder === undefined ? undefined : unseal(key, files.readBytes(placeOf(key)))
    const text = `(function (exports, require, module, __filename, __dirname, __import) {${toView(source).toString('latin1')}\n})`
    const script = new Script(text, { filename: file, ...(cachedData ? { cachedData } : {}) })
    if (!cachedData || script.cachedDataRejected) unkept.set(key, script)
    return script
  }
  const load = (file: string): unknown => {
    const known = modules.get(file)
    if (known) return known.exports
    const module = { exports: {} }
    const require = (id: string): unknown => (id.startsWith('.') ? load(resolve(dirname(file), id)) : others(id))
    const run = compile(file).runInThisContext()
    modules.set(file, module)
    try {
      run(module.exports, require, module, file, dirname(file), importModule)
    } catch (error) {
      modules.delete(file)
      throw error
    }
    return module.exports
  }
  return {
    exports: load(entry) as Exports,
    keep: (nameTemp) => {
      if (unkept.size === 0 || folder === undefined) return
      for (const ending of ['.code', '.tmp']) files.removeOld(folder, ending, now - longestMs)
      for (const [key, script] of unkept) {
        const code = script.createCachedData()
        files.write(placeOf(key), nameTemp(placeOf(key)), Buffer.concat([digestOf(key, code), code]))
      }
    },
  }
}

/** As Node names it where it finds a part of a program no more: it is not whole, or was replaced while it ran. */
function missing(file: string): Error {
  return Object.assign(new Error(`Cannot find module '${file}'`), { code: 'MODULE_NOT_FOUND' })
}

/** Packages and absolute URLs. */
function importModule(specifier: string): Promise<unknown> {
  return import(specifier)
}

/** What was kept under a key; undefined where there is nothing, or something else. */
function unseal(key: string, bytes: Uint8Array | undefined): Buffer | undefined {
  if (!bytes) return undefined
  const code = toView(bytes.subarray(headBytes))
  return digestOf(key, code).equals(bytes.subarray(0, headBytes)) ? code : undefined
}

function digestOf(key: string, code: Uint8Array): Buffer {
  return createHash('sha256').update(key).update(code).digest()
}

function toView(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
