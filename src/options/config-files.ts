import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import type { ModuleLoader } from '../host/modules/module-loader.ts'
import { decodeText, encodingOf } from '../host/project-style.ts'
import { isInside } from '../host/real-path.ts'
import { createDocument, type Fault, type Place, placeInText } from '../sprite-spec/document.ts'
import { parseJsonText } from '../sprite-spec/json-text.ts'
import { defaultReplayWindow, type Engine, publishedLimits } from './schema.ts'
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
  /** The default export, or the JSON value; an empty object without a config file. */
  readonly options: unknown
  /** Names of all dependencies in the nearest `package.json`, sorted by code unit. Empty if there is none. */
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
  const options = file.endsWith('.json') ? await readJson(ports.disk, root, file) : await runModule(ports, root, file)
  await refuseWide(ports.disk, root, file, options as LooseOptions)
  return { file, options, ...project }
}

/** Options that are not validated yet. */
type LooseOptions = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> | null

/**
 * Refuses options that a file must not set. No file of a project may store records or write types outside of it. A
 * file of data (JSON) may neither lengthen the replay window nor raise the limits above the service's. A config
 * program may do both, because it can do more anyway.
 */
async function refuseWide(disk: Disk, root: string, file: string, options: LooseOptions): Promise<void> {
  const refuse = (expected: string, found: unknown, where = 'spritewright.config.mjs'): never => {
    throw configError(file, `Expected ${expected} in ${showPath(root, file)}, found ${found}. That belongs into ${where}.`)
  }
  const paths: Readonly<Record<string, unknown>> = { 'store.dir': options?.store?.dir, typings: options?.typings }
  for (const [name, path] of Object.entries(paths))
    if (typeof path === 'string' && (await isElsewhere(disk, root, resolve(root, path))))
      refuse(
        `${name} to be inside the project, and not behind a link,`,
        JSON.stringify(path),
        'the options of the Vite plugin or of createWorkshop',
      )
  if (!file.endsWith('.json')) return
  const window: unknown = options?.replayWindow
  if (typeof window === 'string' && (parseDuration(window) ?? 0) > (parseDuration(defaultReplayWindow) ?? 0))
    refuse(`a replayWindow of at most ${defaultReplayWindow}`, window)
  if (options?.service?.profile !== undefined) refuse('no service.profile, because JSON has no functions,', 'one')
  for (const [name, limit] of Object.entries(publishedLimits)) {
    const value = Number(options?.limits?.[name] ?? limit)
    // A shorter window allows more requests.
    if (name === 'windowMs' ? value < limit : value > limit) refuse(`limits.${name} of ${limit}, or a stricter one,`, value)
  }
}

async function isElsewhere(disk: Disk, root: string, folder: string): Promise<boolean> {
  if (folder === root || !isInside(root, folder)) return folder !== root
  return (await disk.links(dirname(folder))).includes(basename(folder)) || isElsewhere(disk, root, dirname(folder))
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
  const bytes = await ports.disk.read(file)
  const encoding = encodingOf(bytes)
  if (encoding !== 'utf-8') throw configError(file, `Expected ${showPath(root, file)} in UTF-8, found ${encoding}. Save it as UTF-8.`)
  let value: unknown
  try {
    value = await ports.loadModule(file)
  } catch (cause) {
    const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw configError(file, `Expected ${showPath(root, file)} to run, found that it throws ${said}`, cause)
  }
  // The options of a file that exports nothing would all be the defaults.
  const isBare = !/\bexports?\b/.test(decodeText(bytes))
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isBare) return value
  const found = typeof value === 'function' ? 'a function' : value === undefined || isBare ? 'nothing' : `a value of type ${typeof value}`
  throw configError(file, `Expected ${showPath(root, file)} to have defineConfig({ ... }) as its default export, found ${found}.`)
}

/**
 * Whether a game uses PixiJS: by its engine, or else by its dependencies. If the dependencies name no engine or
 * several, the config file decides.
 *
 * @param engine Option `engine`; `undefined` if it is not set.
 */
export async function usesPixi(ports: ConfigPorts, root: string, engine: Engine | undefined): Promise<boolean> {
  const { dependencies } = await readPackage(ports.disk, root)
  const hasPixi = dependencies.includes('pixi.js')
  const isOpen = engine === undefined && dependencies.includes('phaser') === hasPixi
  const named: unknown = isOpen ? ((await loadConfig(ports, root)).options as LooseOptions)?.engine : engine
  return named === undefined ? hasPixi : named === 'pixi'
}

/** The dependencies in the nearest `package.json`, from the root upwards, and the name in the root's own. */
export async function readPackage(disk: Disk, root: string): Promise<Pick<LoadedConfig, 'dependencies' | 'projectName'>> {
  const file = join(root, 'package.json')
  if (!(await disk.stat(file))) return { dependencies: dirname(root) === root ? [] : (await readPackage(disk, dirname(root))).dependencies }
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
  // Other tools own package.json. Only its names are read, and nothing else in it is checked.
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
