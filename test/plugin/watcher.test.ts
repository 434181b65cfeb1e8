import { EventEmitter } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ViteDevServer } from 'vite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchLockFile, watchProject } from '../../plugin/dev/watcher.ts'
import type { ProjectFiles } from '../../src/index.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-watcher-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/**
 * Watches the results by a server whose own watcher hears nothing.
 *
 * @param watch The option `server.watch`.
 */
function watchResults(watch: { readonly usePolling?: boolean; readonly interval?: number } | null): {
  readonly heard: Promise<readonly string[] | undefined>
  readonly count: () => number
  close(): void
} {
  const watcher = Object.assign(new EventEmitter(), { add: () => {}, options: watch ?? {} })
  const server = { watcher, config: { server: { watch } } } as unknown as ViteDevServer
  const files = { results: join(root, 'results'), roleOf: () => 'kept' } as unknown as ProjectFiles
  let count = 0
  let close = (): void => {}
  const heard = new Promise<readonly string[] | undefined>((resolve) => {
    close = watchProject(server, root, files, async (_isStale, changed) => {
      count++
      resolve(changed)
    })
  })
  return { heard, count: () => count, close }
}

test('a result that comes in is seen by the watcher that the server is told to use: by polling', async () => {
  const { heard, count, close } = watchResults({ usePolling: true, interval: 10 })
  await mkdir(join(root, 'results'))
  // What was there at the first look of a poll is no news, and nobody is told when that was.
  for (let results = 0; count() === 0; results++) await writeFile(join(root, `results/${results}.zip`), 'new')
  expect(await heard).toEqual([join(root, 'results')])
  close()
})

test('a result that comes in is not watched for if the server is told to watch nothing', async () => {
  await mkdir(join(root, 'results'))
  const none = watchResults(null)
  const one = watchResults({})
  await writeFile(join(root, 'results/new.zip'), 'new')
  expect(await one.heard).toEqual([join(root, 'results/new.zip')])
  expect(none.count()).toBe(0)
  for (const each of [none, one]) each.close()
})

describe('a change that the watcher of the server tells', () => {
  const roles: Readonly<Record<string, string>> = {
    '/game/a.sprite.json': 'spec',
    '/game/b.png': 'picture',
    '/game/config.ts': 'configuration',
  }

  /** A server without a real watcher, and the calls of `refresh` with their ends. */
  function serve() {
    const watcher = Object.assign(new EventEmitter(), { add: () => {}, options: {} })
    const errors: string[] = []
    const logger = { info: () => {}, warn: () => {}, error: (line: string) => void errors.push(line) }
    const server = { watcher, restart: vi.fn(async () => {}), config: { server: { watch: null }, logger } } as unknown as ViteDevServer
    const calls: { readonly changed: readonly string[] | undefined; isStale(): boolean; end(error?: Error): void }[] = []
    watchProject(server, '/game', { results: '', roleOf: (path: string) => roles[path] } as unknown as ProjectFiles, (isStale, changed) => {
      return new Promise<void>((resolve, reject) => calls.push({ changed, isStale, end: (error) => (error ? reject(error) : resolve()) }))
    })
    const tell = (event: string, path: string, details?: object) => watcher.emit(details ? 'raw' : 'all', event, path, details)
    const settle = async (): Promise<void> => void (await new Promise(setImmediate))
    return { server, watcher, calls, tell, settle, errors }
  }

  test('is read with all that comes meanwhile in one more call, and after an error everything is', async () => {
    const { calls, tell, settle, errors } = serve()
    tell('change', '/game/a.sprite.json')
    expect(calls[0]?.isStale()).toBe(false)
    for (const path of ['/game/b.png', '/game/a.sprite.json', '/game/b.png']) tell('change', path)
    expect([calls.length, calls[0]?.isStale()]).toEqual([1, true])
    calls[0]?.end()
    await settle()
    tell('change', '/game/b.png')
    calls[1]?.end(new Error('no preview'))
    await settle()
    calls[2]?.end()
    await settle()
    tell('change', '/game/b.png')
    const [one, two] = [['/game/a.sprite.json'], ['/game/b.png', '/game/a.sprite.json']]
    expect(calls.map(({ changed }) => changed)).toEqual([one, two, undefined, ['/game/b.png']])
    expect(errors).toEqual([expect.stringContaining('no preview')])
  })

  test('is one of a file of the project, told by itself or in its folder, and no folder or other file', async () => {
    const { calls, tell, server } = serve()
    tell('addDir', '/game/b.png')
    tell('unlinkDir', '/game/b.png')
    tell('change', '/game/other.txt')
    tell('change', 'x', { watchedPath: '/game' })
    expect(calls).toEqual([])
    tell('change', 'b.png', { watchedPath: '/game' })
    expect(calls[0]?.changed).toEqual(['/game/b.png'])
    expect(server.restart).not.toHaveBeenCalled()
    tell('change', '/game/config.ts')
    expect([calls.length, vi.mocked(server.restart).mock.calls.length]).toEqual([1, 1])
  })

  test('is one of the lock file by its path alone, or in its folder', () => {
    const { server, tell } = serve()
    const look = vi.fn()
    watchLockFile(server, '/game', { isLock: (path) => path === '/game/sprites.lock.json' }, look)
    tell('change', '/game/b.png')
    tell('change', '', { watchedPath: '/game' })
    expect(look).not.toHaveBeenCalled()
    tell('change', '/game/sprites.lock.json')
    tell('change', 'sprites.lock.json', { watchedPath: '/game' })
    tell('change', '', { watchedPath: '/game/sprites.lock.json' })
    expect(look).toHaveBeenCalledTimes(3)
  })
})
