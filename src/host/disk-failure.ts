import { dirname } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import { tempTargetOf } from './publish.ts'

/** Calls of the file system whose errors have no path, as Node names them. Sockets read, write and close as well. */
const pathless = 'close fchmod fchown fdatasync fstat fsync ftruncate futime read scandir uv_cwd write'.split(' ')
const ofSockets = /^(?:ECONN|EPIPE|EHOST|ENET|ETIMEDOUT)/

/** What to do, by call and code. */
const remedies: readonly (readonly [which: RegExp, advice: string])[] = [
  [/^watch (?:ENOSPC|EMFILE|ENFILE)$/, 'Raise fs.inotify.max_user_watches and max_user_instances, or set CHOKIDAR_USEPOLLING=1.'],
  [/ (?:ENOSPC|EDQUOT)$/, 'Make room on the disk and run the command again: nothing that was paid for is lost.'],
  [/ (?:EACCES|EPERM|EROFS)$/, 'Make it writable for you and run the command again.'],
  [/ (?:EMFILE|ENFILE)$/, 'Too many files are open on this machine: close programs, or raise the limit (ulimit -n).'],
  [/^/, 'Check that path and its disk, and run the command again: nothing that was paid for is lost.'],
]

/**
 * Converts an error that a disk or its driver caused, whatever code it has, to `SW_DISK` with its path and an
 * advice. Returns `undefined` for any other error.
 */
export function toDiskFailure(error: unknown): SpritewrightError | undefined {
  const { code = '', syscall = '', path, message } = (error ?? {}) as NodeJS.ErrnoException
  const isOfDisk = path ? /^(?!spawn|connect|listen)./.test(syscall) : pathless.includes(syscall) && !ofSockets.test(code)
  if (!isOfDisk) return undefined
  // A temporary file is gone by now, and nobody knows it.
  const words = path && tempTargetOf(path) ? message.replace(/, \w+ '.*$/s, `, a file in ${JSON.stringify(dirname(path))}`) : message
  const [, advice] = remedies.find(([which]) => which.test(`${syscall} ${code}`)) ?? []
  return new SpritewrightError('SW_DISK', {
    message: `${words}. ${advice}`,
    facts: { reason: code, operation: syscall, ...(path ? { path } : {}) },
    cause: error,
  })
}
