import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeRepository } from '../../src/host/git.ts'
import { git } from '../kit/studio.ts'

const names = ['sprites.lock.json', 'sprites.lock/*.json']
const hash = (digit: string): string => digit.repeat(64)

let folder: string
let clone: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-git-'))
  clone = join(folder, 'clone')
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'origin.git')
  await git(folder, 'clone', '-q', join(folder, 'origin.git'), 'clone')
  await git(clone, 'checkout', '-q', '-b', 'main')
  await commit('0')
  await git(clone, 'push', '-q', 'origin', 'main')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Writes a lock file that names a result. */
async function write(digit: string, path = 'sprites.lock.json', root = clone): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), `{\n  "sha256": "${hash(digit)}"\n}\n`)
}

async function commit(digit: string, path?: string, root?: string): Promise<void> {
  await write(digit, path, root)
  await git(root ?? clone, 'add', '-A')
  await git(root ?? clone, 'commit', '-qm', digit)
}

/** The digits of the hashes that are found. */
const digits = async (): Promise<string> =>
  [...(await nodeRepository().hashesIn(clone, names))]
    .map((found) => found[0])
    .sort()
    .join('')

describe('the hashes in the lock files of a repository', () => {
  test('are those of every commit: branches, tags, stashes, the index, and what was thrown away', async () => {
    await commit('1')
    await git(clone, 'checkout', '-q', '-b', 'other', 'main~')
    await commit('2', 'games/a/sprites.lock/hero.json')
    await git(clone, 'tag', '-a', '-m', 'release', 'v1')
    await git(clone, 'checkout', '-q', 'main')
    await git(clone, 'branch', '-qD', 'other')
    for (const digit of ['3', '4']) {
      await write(digit)
      await git(clone, 'stash', '-q')
    }
    await commit('5')
    await git(clone, 'reset', '-q', '--hard', 'HEAD~')
    await write('6')
    await git(clone, 'add', '-A')
    expect(await digits()).toBe('0123456')
  })

  test('are those of both sides of a merge that kept one side', async () => {
    await git(clone, 'checkout', '-q', '-b', 'side')
    await commit('1')
    await git(clone, 'checkout', '-q', 'main')
    await commit('2')
    await git(clone, 'merge', '-q', '-s', 'ours', '-m', 'merge', 'side')
    await git(clone, 'branch', '-qD', 'side')
    await git(clone, 'reflog', 'expire', '--expire=all', '--all')
    expect(await digits()).toBe('012')
  })

  test('are those of every ref of every remote, which the clone did not know, and of those that the remote has no more', async () => {
    const other = join(folder, 'other')
    await git(folder, 'clone', '-q', join(folder, 'origin.git'), 'other')
    const pushAs = async (digit: string, ref: string): Promise<void> => {
      await commit(digit, undefined, other)
      await git(other, 'push', '-q', 'origin', `HEAD:${ref}`)
    }
    await pushAs('1', 'refs/heads/gone')
    await git(clone, 'fetch', '-q')
    await git(other, 'push', '-q', 'origin', ':gone')
    await git(other, 'reset', '-q', '--hard', 'origin/main')
    await pushAs('2', 'refs/heads/next')
    await pushAs('3', 'refs/pull/7/head')
    await git(clone, 'config', 'fetch.prune', 'true')
    expect(await digits()).toBe('0123')
    expect(await git(clone, 'branch', '-r')).toContain('origin/gone')
  })

  test('are not taken from a folder of another name with the same files', async () => {
    await commit('1', 'backup/hero.json')
    await commit('1', 'sprites.lock/hero.json')
    await commit('2', 'other/hero.json')
    expect(await digits()).toBe('01')
  })

  test.each<[string, () => Promise<unknown>]>([
    ['a remote that does not answer', () => git(clone, 'remote', 'add', 'away', join(folder, 'nowhere.git'))],
    ['a branch that is broken', () => writeFile(join(clone, '.git/refs/heads/broken'), 'no commit\n')],
    ['a branch whose commit is missing', () => writeFile(join(clone, '.git/refs/heads/broken'), `${'1'.repeat(40)}\n`)],
    [
      'an object that is missing',
      async () => {
        const object = await git(clone, 'rev-parse', 'main:sprites.lock.json')
        await rm(join(clone, '.git/objects', object.slice(0, 2), object.slice(2)))
      },
    ],
    [
      'a pointer of Git LFS',
      async () => {
        await writeFile(join(clone, 'sprites.lock.json'), `version https://git-lfs.github.com/spec/v1\noid sha256:${hash('1')}\nsize 3\n`)
        await git(clone, 'commit', '-qam', 'lfs')
      },
    ],
    [
      'a shallow clone',
      async () => {
        await commit('1')
        await git(clone, 'push', '-q', 'origin', 'main')
        await rm(clone, { recursive: true })
        await git(folder, 'clone', '-q', '--depth', '1', `file://${join(folder, 'origin.git')}`, 'clone')
      },
    ],
    ['no repository', () => rm(join(clone, '.git'), { recursive: true })],
  ])('are not known with %s', async (_, spoil) => {
    await spoil()
    await expect(digits()).rejects.toThrow()
  })
})
