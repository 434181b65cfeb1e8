import { basename, join, relative, resolve, sep } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import type { ModuleLoader } from '../host/modules/module-loader.ts'
import { decodeText, encodingOf } from '../host/project-style.ts'
import { createDocument, type Fault, type Place, placeInText } from '../spec/document.ts'
import { parseJsonText } from '../spec/json-text.ts'
import { defaultReplayWindow } from './schema.ts'
import { parseDuration } from './values.ts'

/** Ports that {@link loadConfig} uses. */
export interface ConfigPorts {
  readonly disk: Disk
  readonly loadModule: ModuleLoader
}

/** A project's configuration. Its options are not validated yet; `resolveOptions` does that. */
export interface LoadedConfig {
  /** Absolute path; absent if the project has no config file. */
  readonly file?: string
  /** The default export, or the JSON value. An empty object if there is no file. */
  readonly options: unknown
  /** Names of all dependencies in `package.json`, sorted by code unit. Empty if there is none. */
  readonly dependencies: readonly string[]
  /** `name` of `package.json`; absent if there is none. */
  readonly projectName?: string
}

/** Names of config files. A project has at most one of them. */
export const configNames: readonly string[] = ['ts', 'js', 'mjs', 'json'].map((ending) => `spritewright.config.${ending}`)

/**
 * Finds and loads `spritewright.config.{ts,js,mjs,json}` in the root, and reads the names of the project's
 * dependencies.
 *
 * @param explicit Path of a requested config file, from the root.
 * @throws `SW_CONFIG` if the requested file is missing, if there are two files, or if one is broken or
 * throws; `SW_DISK` if one cannot be read.
 */
export async function loadConfig(ports: ConfigPorts, root: string, explicit?: string): Promise<LoadedConfig> {
  const project = await readPackage(ports.disk, root)
  const file = explicit === undefined ? await findConfig(ports.disk, root) : resolve(root, explicit)
  if (file === undefined) return { options: {}, ...project }
  const stat = await ports.disk.stat(file)
  if (!stat || stat.isFolder) {
    throw configError(file, `Expected a config file at ${showPath(root, file)}, found ${stat ? 'a folder' : 'nothing'}. Check --config.`)
  }
  if (!file.endsWith('.json')) return { file, options: await runModule(ports, root, file), ...project }
  const options = await readJson(ports.disk, root, file)
  refuseWideWindow(root, file, options)
  return { file, options, ...project }
}

/**
 * Refuses a longer window in a JSON config. With it, a change of mere data would send a submission that needs
 * a person's decision. A JSON config may shorten the window. A config program is free, because it can do more
 * than that anyway.
 */
function refuseWideWindow(root: string, file: string, options: unknown): void {
  const window = (options as { readonly replayWindow?: unknown } | null)?.replayWindow
  if (typeof window !== 'string' || (parseDuration(window) ?? 0) <= (parseDuration(defaultReplayWindow) ?? 0)) return
  throw configError(
    file,
    `Expected a replayWindow of at most ${defaultReplayWindow} in ${showPath(root, file)}, found ${window}. A longer one belongs into spritewright.config.mjs.`,
  )
}

async function findConfig(disk: Disk, root: string): Promise<string | undefined> {
  const found: string[] = []
  for (const name of configNames) if (await disk.stat(join(root, name))) found.push(name)
  if (found.length > 1) {
    const message = `Expected one config file, found ${found.join(' and ')}. Remove all but one, or name one with --config.`
    throw new SpritewrightError('SW_CONFIG', { message, facts: { files: found } })
  }
  return found[0] === undefined ? undefined : join(root, found[0])
}

async function runModule(ports: ConfigPorts, root: string, file: string): Promise<unknown> {
  const encoding = encodingOf(await ports.disk.read(file))
  if (encoding !== 'utf-8') throw configError(file, `Expected ${showPath(root, file)} in UTF-8, found ${encoding}. Save it as UTF-8.`)
  let value: unknown
  try {
    value = await ports.loadModule(file)
  } catch (cause) {
    const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw configError(file, `Expected ${showPath(root, file)} to run, found that it throws ${said}`, cause)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const found = typeof value === 'function' ? 'a function' : value === undefined ? 'nothing' : `a value of type ${typeof value}`
  throw configError(file, `Expected ${showPath(root, file)} to have defineConfig({ ... }) as its default export, found ${found}.`)
}

/** What the project's `package.json` says; nothing if there is none. */
export async function readPackage(disk: Disk, root: string): Promise<Pick<LoadedConfig, 'dependencies' | 'projectName'>> {
  const file = join(root, 'package.json')
  if (!(await disk.stat(file))) return { dependencies: [] }
  const value = (await readJson(disk, root, file)) as Readonly<Record<string, unknown>> | null
  const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].map((field) => value?.[field])
  const found = lists.flatMap((list) => (typeof list === 'object' && list !== null ? Object.keys(list) : []))
  const name = value?.name
  return { dependencies: [...new Set(found)].sort(), ...(typeof name === 'string' && name !== '' ? { projectName: name } : {}) }
}

async function readJson(disk: Disk, root: string, file: string): Promise<unknown> {
  const text = await readText(disk, root, file)
  const parsed = parseJsonText(text)
  if ('broken' in parsed) throw jsonError(root, file, parsed.broken, placeInText(text, parsed.broken.offset ?? 0))
  const document = createDocument(text, parsed.root)
  const fault = document.faults[0]
  // Other tools own package.json. Only its names are read, so its other content is not checked.
  if (fault && basename(file) !== 'package.json') throw jsonError(root, file, fault, document.placeOf(fault))
  return document.value
}

async function readText(disk: Disk, root: string, file: string): Promise<string> {
  try {
    return decodeText(await disk.read(file))
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    throw new SpritewrightError('SW_DISK', { message: `Expected to read ${showPath(root, file)}, found ${code}.`, facts: { file }, cause })
  }
}

function jsonError(root: string, file: string, fault: Fault, place: Place): SpritewrightError {
  const { line, column } = place
  return new SpritewrightError('SW_CONFIG', {
    message: `${showPath(root, file)}:${line}:${column} expected ${fault.expected}, found ${fault.found}`,
    facts: { file, line, column, expected: fault.expected, found: fault.found },
  })
}

function configError(file: string, message: string, cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_CONFIG', { message, facts: { file }, cause })
}

function showPath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}
