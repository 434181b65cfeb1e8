import { describe, expect, test } from 'vitest'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { type FileRole, projectFiles } from '../../src/workshop/project-files.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

function filesOf(lock: Partial<LockFile> = {}, disk = new MemoryDisk()) {
  let texts = 'first'
  const files = projectFiles(
    {
      options: { root: '/game', store: { dir: '/game/.spritewright' } } as never,
      ownFiles: new Set(['/art/own.bin']) as never,
      lock: { path: '/game/sprites.lock.json', read: async () => ({ version: 1, animations: {}, ...lock }), readTexts: async () => texts },
      host: { disk },
    },
    '/other/my.config.ts',
  )
  return {
    files,
    disk,
    setTexts: (now: string): void => {
      texts = now
    },
  }
}

describe('the role of a file', () => {
  test.each<[role: FileRole | undefined, paths: readonly string[]]>([
    ['configuration', ['/other/my.config.ts', ...['ts', 'js', 'mjs', 'json'].map((ending) => `/game/spritewright.config.${ending}`)]],
    ['kept', ['/game/.spritewright/results', '/game/.spritewright/results/x.zip', '/game/.spritewright/results/a.png']],
    ['kept', ['/game/sprites.lock.json', '/game/sprites.lock/hero.json']],
    ['source', ['/game/sprites/hero.sprite.json', '/game/a/hero.sprite.yaml', '/game/art/hero.sprite.png', '/art/own.bin']],
    ['source', ['png', 'apng', 'jpg', 'jpeg', 'webp', 'gif', 'aseprite', 'ase', 'PNG'].map((ending) => `/game/x/y.${ending}`)],
    ['source', ['/game/hero.frames/walk.json', '/game/hero.frames/WALK.JSON']],
    [undefined, ['/game/.spritewright', '/game/.spritewright/checkout.json', '/game/.spritewright/uploads/a.png']],
    [undefined, ['/game/node_modules/x/hero.sprite.json', '/game/node_modules/x/y.png']],
    [undefined, ['/game/sub/spritewright.config.ts', '/game/spritewright.config.cjs', '/game/my.spritewright.config.ts']],
    [undefined, ['/game/src/main.ts', '/game/hero.frames/walk/0001.txt', '/game/hero.frames/sub/walk.json', '/game/own.bin']],
  ])('is %s for %j', (role, paths) => {
    const { files } = filesOf()
    expect(paths.map((path) => [path, files.roleOf(path)])).toEqual(paths.map((path) => [path, role]))
  })

  test('is that of the lock file for its file and those in its folder alone', () => {
    const { files } = filesOf()
    const all = [
      '/game/sprites.lock.json',
      '/game/sprites.lock/hero.json',
      '/game/sprites.lock',
      '/game/other.lock.json',
      '/sprites.lock.json',
    ]
    expect(all.map((path) => files.isLock(path))).toEqual([true, true, false, false, false])
    expect(files.results).toBe('/game/.spritewright/results')
  })
})

test('what is kept changes with a text of the lock file and with the name of a result, and with nothing else', async () => {
  const { files, disk, setTexts } = filesOf()
  const seen: string[] = []
  const look = async (): Promise<void> => void seen.push(await files.readKept())
  await look()
  setTexts('second')
  await look()
  disk.files.set('/game/.spritewright/results/a.zip', new Uint8Array(1))
  await look()
  disk.files.set('/game/.spritewright/results/a.zip', new Uint8Array(2))
  disk.files.set('/game/.spritewright/other/b.zip', new Uint8Array(2))
  await look()
  expect(seen.map((text) => seen.indexOf(text))).toEqual([0, 1, 2, 2])
})

test('the approvals of a person are those of all requests and steps, without those under standing ceilings', async () => {
  const approval = (at: string, given: string): LockEntry => ({ approval: { at, given } }) as unknown as LockEntry
  const animations = {
    'hero.walk': { a: approval('1', 'typed'), b: approval('2', 'standing'), c: {} as LockEntry },
    'hero.run': { d: approval('3', 'clicked') },
  }
  const steps = { e: approval('4', 'touched'), f: approval('5', 'standing') }
  const given = async (lock: Partial<LockFile>): Promise<unknown> =>
    [...(await filesOf(lock).files.readApprovals())].map((text) => JSON.parse(text).at)
  expect([await given({ animations, steps }), await given({ animations }), await given({})]).toEqual([['1', '3', '4'], ['1', '3'], []])
})
