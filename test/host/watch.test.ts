import { mkdirSync, renameSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insideStore, nodeWatchFiles, type WatchListeners, watchNames } from '../../src/host/watch.ts'

interface Heard {
  readonly told: ReadonlySet<string>
  readonly listeners: WatchListeners
  /** Waits until a path is told. */
  heard(path: string): Promise<void>
}

function hear(): Heard {
  const told = new Set<string>()
  let wake = (): void => {}
  return {
    told,
    listeners: {
      onChange: (path) => {
        told.add(path)
        wake()
      },
      onError: (error) => {
        throw error
      },
    },
    heard: async (path) => {
      while (!told.has(path)) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

/** Runs with variables in the environment, which chokidar reads when it begins to watch. */
async function withEnv<T>(variables: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, variables)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

test('of a store, results that come and go are told, and its records are not', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-watch-')))
  const at = (path: string): string => join(root, path)
  const records = at('.spritewright/submissions/request')
  for (const folder of [at('.spritewright/results'), records]) await mkdir(folder, { recursive: true })
  await writeFile(at('.spritewright/results/old.zip'), 'old')
  const { told, heard, listeners } = hear()
  const watcher = await nodeWatchFiles([root], listeners)
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

test('a watcher that is told to poll hears of results too, without any other change', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-poll-')))
  // No change of a watched file says that the folder is there now.
  const [root, results] = [join(base, 'game'), join(base, 'store/results')]
  await mkdir(root)
  const { told, heard, listeners } = hear()
  const polling = { CHOKIDAR_USEPOLLING: '1', CHOKIDAR_INTERVAL: '10' }
  const watcher = await withEnv(polling, () => nodeWatchFiles([root], listeners))
  watcher.addNames(results)
  try {
    await mkdir(results, { recursive: true })
    // What was there at the first look of a poll is no news, and nobody is told when that was.
    for (let round = 0; !told.has(results); round++) await writeFile(join(results, `${round}.zip`), 'new')
    await writeFile(join(root, 'hero.png'), 'a')
    await heard(join(root, 'hero.png'))
    expect(told).toEqual(new Set([results, join(root, 'hero.png')]))
  } finally {
    await watcher.close()
    await rm(base, { recursive: true, force: true })
  }
})

test('links in a circle are watched once, and links to other folders are followed', async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-links-')))
  const [root, other] = [join(base, 'game'), join(base, 'art')]
  for (const folder of [join(root, 'sprites'), other]) await mkdir(folder, { recursive: true })
  for (const [to, name] of [
    ['.', 'loop'],
    ['..', 'sprites/up'],
    [other, 'art'],
  ] as const)
    await symlink(to, join(root, name))
  const { told, heard, listeners } = hear()
  const watcher = await nodeWatchFiles([root], listeners)
  try {
    await writeFile(join(root, 'sprites/hero.png'), 'a')
    await heard(join(root, 'sprites/hero.png'))
    await writeFile(join(other, 'orc.png'), 'a')
    await heard(join(root, 'art/orc.png'))
    expect([...told].filter((path) => /loop|up/.test(path))).toEqual([])
  } finally {
    await watcher.close()
    await rm(base, { recursive: true, force: true })
  }
})

test.each<[string, readonly (readonly [to: string, name: string])[]]>([
  [
    'two folders',
    [
      ['../b', 'game/a/x'],
      ['../a', 'game/b/y'],
    ],
  ],
  [
    'three folders',
    [
      ['../b', 'game/a/x'],
      ['../c', 'game/b/y'],
      ['../a', 'game/c/z'],
    ],
  ],
  [
    'folders elsewhere',
    [
      ['../one', 'game/art'],
      ['../two', 'one/x'],
      ['../one', 'two/y'],
    ],
  ],
  [
    'a folder elsewhere that has the project in it',
    [
      ['../..', 'game/a/up'],
      ['game', 'again'],
    ],
  ],
  [
    'themselves',
    [
      ['self', 'game/self'],
      ['that', 'game/this'],
      ['this', 'game/that'],
    ],
  ],
])('links that lead to each other end no watch: %s (kind: one file, several names)', async (_, links) => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-links-')))
  const root = join(base, 'game')
  for (const folder of ['game/a', 'game/b', 'game/c', 'one', 'two']) await mkdir(join(base, folder), { recursive: true })
  for (const [to, name] of links) await symlink(to, join(base, name))
  const { told, heard, listeners } = hear()
  const errors: Error[] = []
  const watcher = await nodeWatchFiles([root], { ...listeners, onError: (error) => errors.push(error) })
  try {
    expect(errors).toEqual([])
    await writeFile(join(root, 'b/hero.png'), 'a')
    await heard(join(root, 'b/hero.png'))
    expect([...told].filter((path) => path.split('/').length > root.split('/').length + 4)).toEqual([])
  } finally {
    await watcher.close()
    await rm(base, { recursive: true, force: true })
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

test('a folder that is made anew is watched on, and after the end none is', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-watch-')))
  const results = join(root, 'results')
  await mkdir(results)
  const [{ told, listeners }, ended] = [hear(), hear()]
  const [watcher, closed] = [watchNames(results, listeners, {}), watchNames(results, ended.listeners, {})]
  try {
    closed.close()
    closed.look()
    renameSync(results, join(root, 'before'))
    mkdirSync(results)
    for (let at = 0; ![...told].some((path) => path.endsWith('.zip')); at++) await writeFile(join(results, `${at}.zip`), 'new')
    expect([...ended.told]).toEqual([])
  } finally {
    watcher.close()
    await rm(root, { recursive: true })
  }
})
