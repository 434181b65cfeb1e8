import { resolve } from 'node:path'
import type { WarmRun } from '../warm/stamp.ts'

/** A run of the command line, as far as its outcome may rest on it. */
export interface CommandRun extends Pick<WarmRun, 'env' | 'program'> {
  /** What follows `spritewright`. */
  readonly argv: readonly string[]
  readonly workingFolder: string
}

const keyName = 'SPRITEWRIGHT_API_KEY'

/** A run whose like may have left a stamp; undefined for another command than `build`, and for an API key that is no key. */
export function toWarmRun({ argv, workingFolder, env, program }: CommandRun): WarmRun | undefined {
  const key = env[keyName]?.trim() ?? ''
  if (argv[0] !== 'build' || (key !== '' && !/^[\x21-\x7e]{1,4096}$/.test(key))) return undefined
  return { asked: [argv, workingFolder], cache: cacheFolder(argv, workingFolder), env, key, program }
}

/** The folder of what can be made again, in the project that the arguments name. What is wrong with them keeps any stamp from being made. */
function cacheFolder(argv: readonly string[], workingFolder: string): string {
  const at = argv.findIndex((argument) => argument === '--root' || argument.startsWith('--root='))
  const named = argv[at]?.startsWith('--root=') ? argv[at]?.slice('--root='.length) : at < 0 ? undefined : argv[at + 1]
  return resolve(workingFolder, named ?? '.', 'node_modules', '.cache', 'spritewright')
}
