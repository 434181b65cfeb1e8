import { EventEmitter } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ViteDevServer } from 'vite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchProject } from '../../plugin/dev/watcher.ts'
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
