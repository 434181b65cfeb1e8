import { homedir, hostname, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Clock, nodeClock } from './clock.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { nodeRepository, nodeTrackedFiles, type Repository, type TrackedFiles } from './git.ts'
import { type Glob, nodeGlob } from './glob.ts'
import { type ModuleLoader, nodeModuleLoader } from './modules/module-loader.ts'
import { type EncodeTexture, nodeTextures } from './modules/textures.ts'
import { type ConnectDatabase, nodeDatabase } from './net/database.ts'
import { nodeQueues, type OpenQueue } from './net/job-queue.ts'
import { type Net, nodeNet } from './net.ts'
import { nodeRandom, type Random } from './random.ts'
import { nodeRunCommand, type RunCommand } from './run-command.ts'
import { nodeTerminal, type Terminal } from './terminal.ts'

/** All parts of the world that the workshop may use. */
export interface Host {
  readonly clock: Clock
  readonly disk: Disk
  readonly glob: Glob
  readonly net: Net
  readonly random: Random
  readonly terminal: Terminal
  readonly loadModule: ModuleLoader
  readonly encodeTexture: EncodeTexture
  readonly connectDatabase: ConnectDatabase
  readonly openQueue: OpenQueue
  /**
   * Lists files that git tracks.
   *
   * @default nothing is tracked
   */
  readonly trackedFiles?: TrackedFiles
  /**
   * Commits of the project's repository.
   *
   * @default there is no repository
   */
  readonly repository?: Repository
  /**
   * Runs a program that the owner of this machine names.
   *
   * @default none is run
   */
  readonly runCommand?: RunCommand
  /** Environment variables, read only. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of this user's own state, outside every project. Not created before it is needed. */
  readonly stateFolder: string
  /** Folder for files without a better place. The system empties it now and then. */
  readonly tempFolder: string
  /** Folder that relative paths of a command line start from. */
  readonly workingFolder: string
  /** Id of this process, for leases. */
  readonly processId: number
  /**
   * Name of this machine, for people.
   *
   * @default unknown
   */
  readonly machineName?: string
}

/** This machine, through Node. */
export function nodeHost(): Host {
  const env = process.env
  return {
    clock: nodeClock(),
    disk: nodeDisk(),
    glob: nodeGlob(),
    net: nodeNet(env),
    random: nodeRandom(),
    terminal: nodeTerminal(),
    loadModule: nodeModuleLoader(),
    encodeTexture: nodeTextures(),
    connectDatabase: nodeDatabase(),
    openQueue: nodeQueues(),
    trackedFiles: nodeTrackedFiles(),
    repository: nodeRepository(),
    runCommand: nodeRunCommand(),
    env,
    stateFolder: stateFolder(env, homedir),
    tempFolder: tmpdir(),
    workingFolder: process.cwd(),
    processId: process.pid,
    machineName: hostname(),
  }
}

/**
 * Folder of this user's own state, outside every project. It is not created here.
 *
 * @param home Returns the user's home folder. Called only if no variable names another folder.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string): string {
  const named = [env.XDG_STATE_HOME, process.platform === 'win32' ? env.LOCALAPPDATA : undefined]
  // The XDG standard requires that a relative path is ignored.
  const state = named.find((folder) => folder !== undefined && isAbsolute(folder)) ?? join(home(), '.local', 'state')
  return join(state, 'spritewright')
}

/**
 * Versions of Node's zlib and of the processor. If either differs, the same pixels may deflate to different
 * bytes.
 */
export function zlibVersion(): string {
  return `${process.versions.zlib} ${process.arch}`
}
