import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { warmFiles } from '../../src/host/warm-files.ts'
import { recordHost } from '../../src/warm/record.ts'
import { leaveStamp, type WarmRun, warmOutcome } from '../../src/warm/stamp.ts'

type Disk = ReturnType<typeof nodeHost>['disk']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spritewright-record-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const paths = fc.constantFrom('a', 'a/b', 'a/b/c', 'a/d')
const looks = fc.array(fc.record({ as: fc.constantFrom('list', 'stat'), path: paths }), { minLength: 1, maxLength: 6 })
/** What somebody else does, before a look or after all of them. */
const changes = fc.array(fc.record({ as: fc.constantFrom('folder', 'file', 'gone'), path: paths, before: fc.nat({ max: 6 }) }), {
  maxLength: 5,
})

function change({ as, path }: { readonly as: string; readonly path: string }): void {
  const place = join(folder, 'game', path)
  try {
    rmSync(place, { recursive: true, force: true })
    mkdirSync(as === 'file' ? dirname(place) : place, { recursive: true })
  } catch {
    // A file stands in the way, and stays.
    return
  }
  if (as === 'gone') rmSync(place, { recursive: true })
  if (as !== 'file') return
  writeFileSync(place, 'x')
  utimesSync(place, 1, 1)
}

async function look(disk: Disk, as: string, path: string): Promise<unknown> {
  const place = join(folder, 'game', path)
  try {
    if (as === 'list') return await disk.list(place)
    const found = await disk.stat(place)
    return found === undefined ? 'none' : found.isFolder ? 'folder' : found.bytes
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

test('where all is found as it was seen, the same looks have the same answers, whatever was changed between and after them', async () => {
  const files = warmFiles()
  const run: WarmRun = { asked: null, cache: join(folder, 'cache'), env: {}, key: '', program: [] }
  const stamp = join(folder, 'cache', 'a.stamp')
  let found = 0
  await fc.assert(
    fc.asyncProperty(looks, changes, async (asked, others) => {
      rmSync(join(folder, 'game'), { recursive: true, force: true })
      const host = nodeHost()
      const recorder = recordHost(host, files, { cache: run.cache })
      const seen: unknown[] = []
      for (const [at, { as, path }] of asked.entries()) {
        for (const other of others) if (other.before === at) change(other)
        seen.push(await look(recorder.host.disk, as, path))
      }
      recorder.settle(() => false)
      const sight = await recorder.toSight()
      if (!sight) return
      leaveStamp(files, stamp, { ...sight, outcome: 'the same' }, run, join(folder, 'cache', 'temp'))
      for (const other of others) if (other.before >= asked.length) change(other)
      if (warmOutcome(files, stamp, sight.at) === undefined) return
      found += 1
      const again: unknown[] = []
      for (const { as, path } of asked) again.push(await look(host.disk, as, path))
      expect(again).toEqual(seen)
    }),
    { numRuns: 500 },
  )
  expect(found).toBeGreaterThan(100)
})
