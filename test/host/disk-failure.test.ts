import { expect, test } from 'vitest'
import { toDiskFailure } from '../../src/host/disk-failure.ts'

/** An error of this call, with the code and the path that Node gives it. */
function failed(code: string, syscall: string, path?: string): Error {
  const message = `${code}: made up, ${syscall}${path === undefined ? '' : ` '${path}'`}`
  return Object.assign(new Error(message), { code, syscall, ...(path === undefined ? {} : { path }) })
}

test('an error of the disk names its path, its reason, its call and what to do', () => {
  const found = [
    failed('ENOSPC', 'watch', '/game'),
    failed('EMFILE', 'watch', '/game'),
    failed('ENOSPC', 'write'),
    failed('EDQUOT', 'open', '/game/a'),
    failed('EACCES', 'open', '/game/a'),
    failed('EPERM', 'rename', '/game/a'),
    failed('EROFS', 'mkdir', '/game'),
    failed('EMFILE', 'open', '/game/a'),
    failed('ENFILE', 'scandir'),
    failed('EIO', 'read'),
    failed('ENOENT', 'open', '/game/a'),
    failed('EXDEV', 'uv_cwd'),
  ].map((error) => {
    const { code, message, facts, cause } = toDiskFailure(error) ?? {}
    expect([code, cause]).toEqual(['SW_DISK', error])
    return `${message} ${JSON.stringify(facts)}`
  })
  expect(found).toMatchInlineSnapshot(`
    [
      "ENOSPC: made up, watch '/game'. Raise fs.inotify.max_user_watches and max_user_instances, or set CHOKIDAR_USEPOLLING=1. {"reason":"ENOSPC","operation":"watch","path":"/game"}",
      "EMFILE: made up, watch '/game'. Raise fs.inotify.max_user_watches and max_user_instances, or set CHOKIDAR_USEPOLLING=1. {"reason":"EMFILE","operation":"watch","path":"/game"}",
      "ENOSPC: made up, write. Make room on the disk and run the command again: nothing that was paid for is lost. {"reason":"ENOSPC","operation":"write"}",
      "EDQUOT: made up, open '/game/a'. Make room on the disk and run the command again: nothing that was paid for is lost. {"reason":"EDQUOT","operation":"open","path":"/game/a"}",
      "EACCES: made up, open '/game/a'. Make it writable for you and run the command again. {"reason":"EACCES","operation":"open","path":"/game/a"}",
      "EPERM: made up, rename '/game/a'. Make it writable for you and run the command again. {"reason":"EPERM","operation":"rename","path":"/game/a"}",
      "EROFS: made up, mkdir '/game'. Make it writable for you and run the command again. {"reason":"EROFS","operation":"mkdir","path":"/game"}",
      "EMFILE: made up, open '/game/a'. Too many files are open on this machine: close programs, or raise the limit (ulimit -n). {"reason":"EMFILE","operation":"open","path":"/game/a"}",
      "ENFILE: made up, scandir. Too many files are open on this machine: close programs, or raise the limit (ulimit -n). {"reason":"ENFILE","operation":"scandir"}",
      "EIO: made up, read. Check that path and its disk, and run the command again: nothing that was paid for is lost. {"reason":"EIO","operation":"read"}",
      "ENOENT: made up, open '/game/a'. Check that path and its disk, and run the command again: nothing that was paid for is lost. {"reason":"ENOENT","operation":"open","path":"/game/a"}",
      "EXDEV: made up, uv_cwd. Check that path and its disk, and run the command again: nothing that was paid for is lost. {"reason":"EXDEV","operation":"uv_cwd"}",
    ]
  `)
})

test.each([
  ['a program that cannot start', failed('ENOENT', 'spawn git', 'git')],
  ['a socket without a path', failed('ECONNRESET', 'read')],
  ['a closed pipe', failed('EPIPE', 'write')],
  ['a host that is gone', failed('EHOSTUNREACH', 'write')],
  ['a network that is gone', failed('ENETDOWN', 'write')],
  ['a slow network', failed('ETIMEDOUT', 'read')],
  ['a socket file', failed('ECONNREFUSED', 'connect', '/run/x.sock')],
  ['a taken address', failed('EADDRINUSE', 'listen', '/run/x.sock')],
  ['another call without a path', failed('EINVAL', 'getaddrinfo')],
  ['a plain error', new Error('x')],
  ['nothing', undefined],
  ['a text', 'EACCES'],
])('%s is no error of the disk', (_what, error) => {
  expect(toDiskFailure(error)).toBeUndefined()
})
