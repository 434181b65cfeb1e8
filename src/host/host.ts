import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Clock, nodeClock } from './clock.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { nodeTrackedFiles, type TrackedFiles } from './git.ts'
import { type Glob, nodeGlob } from './glob.ts'
import { type ModuleLoader, nodeModuleLoader } from './module-loader.ts'
import { type Net, nodeNet } from './net.ts'
import { nodeRandom, type Random } from './random.ts'
import { nodeTerminal, type Terminal } from './terminal.ts'
import { type EncodeTexture, nodeTextures } from './textures.ts'

/** Everything of the world that the workshop may touch. */
export interface Host {
  readonly clock: Clock
  readonly disk: Disk
  readonly glob: Glob
  readonly net: Net
  readonly random: Random
  readonly terminal: Terminal
  readonly loadModule: ModuleLoader
  readonly encodeTexture: EncodeTexture
  /** Asks git. @default nothing is tracked */
  readonly trackedFiles?: TrackedFiles
  /** Environment variables, read only. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of this user's own state, outside every project; not made before it is needed. */
  readonly stateFolder: string
  /** Folder for what has no better place, emptied by the system now and then. */
  readonly tempFolder: string
  /** Folder that relative paths of a command line start from. */
  readonly workingFolder: string
  /** Id of this process, for leases. */
  readonly processId: number
}

/** This machine, as Node sees it. */
export function nodeHost(): Host {
  const env = process.env
  return {
    clock: nodeClock(),
    disk: nodeDisk(),
    glob: nodeGlob(),
    net: nodeNet(),
    random: nodeRandom(),
    terminal: nodeTerminal(),
    loadModule: nodeModuleLoader(),
    encodeTexture: nodeTextures(),
    trackedFiles: nodeTrackedFiles(),
    env,
    stateFolder: stateFolder(env, homedir),
    tempFolder: tmpdir(),
    workingFolder: process.cwd(),
    processId: process.pid,
  }
}

/**
 * Folder of this user's own state, outside every project. It is not made.
 *
 * @param home Answers the user's folder. Called only if no variable names another one.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string): string {
  const named = [env.XDG_STATE_HOME, process.platform === 'win32' ? env.LOCALAPPDATA : undefined]
  // The XDG standard says to ignore a relative path.
  const state = named.find((folder) => folder !== undefined && isAbsolute(folder)) ?? join(home(), '.local', 'state')
  return join(state, 'spritewright')
}

/** The zlib of this Node and the processor. Another of either may deflate the same pixels to other bytes. */
export function zlibVersion(): string {
  return `${process.versions.zlib} ${process.arch}`
}
