import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insideStore, nodeWatchFiles } from '../../src/host/watch.ts'

test('of a store, results that come and go are told, and its records are not', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-watch-')))
  const at = (path: string): string => join(root, path)
  const records = at('.spritewright/submissions/request')
  for (const folder of [at('.spritewright/results'), records]) await mkdir(folder, { recursive: true })
  await writeFile(at('.spritewright/results/old.zip'), 'old')
  const told = new Set<string>()
  let wake = (): void => {}
  const onChange = (path: string): void => {
    told.add(path)
    wake()
  }
  const heard = async (path: string): Promise<void> => {
    while (!told.has(path)) await new Promise<void>((resolve) => (wake = resolve))
  }
  const watcher = await nodeWatchFiles([root], {
    onChange,
    onError: (error) => {
      throw error
    },
  })
  const results = at('.spritewright/results')
  watcher.addNames(results)
  try {
    await writeFile(join(records, '0001.json'), '{}')
    await writeFile(at('new.zip'), 'new')
    await rename(at('new.zip'), join(results, 'new.zip'))
    await heard(join(results, 'new.zip'))
    await rename(join(results, 'old.zip'), at('old.zip'))
    await heard(join(results, 'old.zip'))
    await heard(at('old.zip'))
    // `git clean` removes the folder, and a purchase makes another one and writes the lock file.
    await rm(at('.spritewright'), { recursive: true })
    await mkdir(results, { recursive: true })
    for (let round = 0; !told.has(join(results, 'again.zip')); round++) {
      await writeFile(join(results, 'again.zip'), `again ${round}`)
      await writeFile(at('sprites.lock.json'), `{"round":${round}}`)
      await new Promise(setImmediate)
    }
    expect([...told].filter((path) => path.includes('submissions'))).toEqual([])
  } finally {
    await watcher.close()
    await rm(root, { recursive: true, force: true })
  }
})

test.each([
  ['/game/.spritewright', false],
  ['/game/.spritewright/results/a.zip', true],
  ['/game/.spritewright/submissions', true],
  ['C:\\game\\.spritewright\\submissions\\a\\0001.json', true],
  ['/game/sprites/hero.sprite.json', false],
])('whether %s is a file of a store: %s', (path, isInside) => {
  expect(insideStore.test(path)).toBe(isInside)
})
