import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeRepository } from '../../src/host/git.ts'
import { git } from '../kit/studio.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spritewright-git-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

test('I7: a program that git starts gets no key and no password of ours, and what a remote may need', async () => {
  const secrets = {
    SPRITEWRIGHT_API_KEY: 'a',
    SPRITEWRIGHT_SIGNING_KEY: 'b',
    SPRITEWRIGHT_REDIS_PASSWORD: 'c',
    PGPASSWORD: 'd',
    GIT_INDEX_FILE: 'e',
  }
  const others = { AWS_SECRET_ACCESS_KEY: 'f', SSH_AUTH_SOCK: 'g' }
  for (const [name, value] of Object.entries({ ...secrets, ...others })) vi.stubEnv(name, value)
  const seen = join(folder, 'seen')
  await git(folder, 'init', '-q')
  await git(folder, 'remote', 'add', 'origin', 'ssh://git.example.invalid/game.git')
  await git(folder, 'config', 'core.sshCommand', `env > '${seen}'; false`)
  await expect(nodeRepository().fetch(folder)).rejects.toThrow(/fetch/)
  const names = (await readFile(seen, 'utf8')).split('\n').map((line) => line.split('=')[0])
  expect(names.filter((name) => Object.hasOwn(secrets, name ?? ''))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['PATH', 'GIT_TERMINAL_PROMPT', ...Object.keys(others)]))
})

test('a fetch learns the default branch that the remote has now, also in a clone that never knew one', async () => {
  const [remote, clone] = [join(folder, 'origin.git'), join(folder, 'clone')]
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'origin.git')
  await git(folder, 'clone', '-q', remote, 'clone')
  await git(clone, 'checkout', '-q', '-b', 'main')
  await git(clone, 'commit', '-q', '--allow-empty', '-m', 'first')
  await git(clone, 'push', '-q', 'origin', 'HEAD:main')
  await git(clone, 'commit', '-q', '--allow-empty', '-m', 'second')
  await git(clone, 'push', '-q', 'origin', 'HEAD:trunk')
  const [first, second] = [await git(clone, 'rev-parse', 'main~'), await git(clone, 'rev-parse', 'main')]
  const repository = nodeRepository()
  expect(await repository.tipsOf(clone, [])).toEqual([])
  await repository.fetch(clone)
  expect(await repository.tipsOf(clone, [])).toEqual([first])
  await git(remote, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
  await repository.fetch(clone)
  expect(await repository.tipsOf(clone, [])).toEqual([second])
  expect(await repository.tipsOf(clone, ['main', 'none'])).toEqual([first])
})

test('a folder is named from the root of its repository, its files of a commit are read without links and folders, and branches that are gone are forgotten', async () => {
  const [clone, art] = [join(folder, 'clone'), join(folder, 'clone/game/art')]
  await git(folder, 'init', '-q', '--bare', '-b', 'main', 'origin.git')
  await git(folder, 'clone', '-q', join(folder, 'origin.git'), 'clone')
  await mkdir(join(art, 'deep'), { recursive: true })
  for (const name of ['a.json', 'b c.json', 'deep/d.json']) await writeFile(join(art, name), name)
  await symlink('a.json', join(art, 'link.json'))
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-q', '-m', 'first')
  await git(clone, 'push', '-q', 'origin', 'HEAD:main', 'HEAD:old')
  const repository = nodeRepository()
  const head = (await repository.head(clone)) ?? ''
  expect([await repository.inside(art), await repository.inside(clone)]).toEqual(['game/art', ''])
  const files = await repository.readFolder(join(clone, 'game'), head, art)
  expect([...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])).toEqual([
    ['a.json', 'a.json'],
    ['b c.json', 'b c.json'],
  ])
  expect(await repository.tipsOf(clone, ['old'])).toEqual([head])
  await git(join(folder, 'origin.git'), 'branch', '-D', 'old')
  await repository.fetch(clone)
  expect([await repository.tipsOf(clone, ['old']), await repository.tipsWith(clone, head)]).toEqual([[], [head]])
})
