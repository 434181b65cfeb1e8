import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeRepository } from '../../src/host/git.ts'
import { createGitObjects, type GitFiles, remoteLines } from '../kit/git-objects.ts'
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
  const ssh = `[core]\nsshCommand = "env > '${seen}'; false"\n`
  createGitObjects(join(folder, '.git'), ssh + remoteLines('origin', 'ssh://git.example.invalid/game.git'))
  await expect(nodeRepository().fetch(folder)).rejects.toThrow(/fetch/)
  const lines = (await readFile(seen, 'utf8')).split('\n')
  const names = lines.map((line) => line.split('=')[0])
  expect(names.filter((name) => Object.hasOwn(secrets, name ?? ''))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['PATH', ...Object.keys(others)]))
  expect(lines).toEqual(expect.arrayContaining(['GIT_TERMINAL_PROMPT=0', 'GIT_OPTIONAL_LOCKS=0']))
})

test('a fetch learns the branches and the default branch that the remote has now, forgets those that are gone, takes no tag and runs no hook', async () => {
  const [origin, clone] = [join(folder, 'origin.git'), join(folder, 'clone')]
  const there = createGitObjects(origin)
  const main = there.commit('refs/heads/main', { a: '1' })
  const trunk = there.commit('refs/heads/trunk', { a: '2' }, main)
  const old = there.commit('refs/heads/old', { a: '3' }, main)
  for (const ref of ['refs/heads/same', 'refs/tags/v1']) there.put(ref, `${main}\n`)
  const here = createGitObjects(join(clone, '.git'), remoteLines('origin', origin))
  here.put('hooks/reference-transaction', `#!/bin/sh\necho ran > '${folder}/ran'\n`)
  chmodSync(join(clone, '.git/hooks/reference-transaction'), 0o755)
  const repository = nodeRepository()
  expect([await repository.tipsOf(clone, []), await repository.head(clone)]).toEqual([[], undefined])
  await repository.fetch(clone)
  expect(await repository.tipsOf(clone, [])).toEqual([main])
  expect(await repository.tipsOf(clone, ['main', 'none', 'same', 't*k'])).toEqual([main, trunk])
  expect([...(await repository.tipsWith(clone, main))].sort()).toEqual([main, trunk, old].sort())
  there.put('HEAD', 'ref: refs/heads/trunk\n')
  rmSync(join(origin, 'refs/heads/old'))
  await repository.fetch(clone)
  expect(await repository.tipsOf(clone, [])).toEqual([trunk])
  expect([await repository.tipsOf(clone, ['old']), await repository.tipsWith(clone, trunk)]).toEqual([[], [trunk]])
  expect([existsSync(join(clone, '.git/refs/tags/v1')), existsSync(join(folder, 'ran'))]).toEqual([false, false])
})

test('a folder is named from the root of its repository, also through a link, and its files of a commit are read whole, without links and folders', async () => {
  const clone = join(folder, 'clone')
  const [art, linked] = [join(clone, 'game/art'), join(folder, 'linked')]
  const files = { 'a.json': 'one\n\ntwo', 'b c.json': '', 'é.json': 'z\n' }
  const inArt = { ...files, 'link.json': '->a.json', 'deep/d.json': 'd' }
  const all = Object.fromEntries(Object.entries(inArt).map(([name, text]) => [`game/art/${name}`, text]))
  const head = createGitObjects(join(clone, '.git')).commit('refs/heads/main', { ...all, 'game/artist.json': 'x' })
  mkdirSync(art, { recursive: true })
  symlinkSync(join(clone, 'game'), linked)
  const repository = nodeRepository()
  expect(await repository.head(clone)).toBe(head)
  expect([await repository.inside(art), await repository.inside(linked), await repository.inside(clone)]).toEqual(['game/art', 'game', ''])
  const texts = async (path: string, from = linked): Promise<unknown> =>
    [...(await repository.readFolder(from, head, path))].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])
  expect(await texts(join(linked, 'art'))).toEqual(Object.entries(files))
  expect([await texts(join(linked, 'none')), await texts(join(art, 'deep'), clone)]).toEqual([[], [['d.json', 'd']]])
  expect(await repository.read(linked, head, join(linked, 'art/a.json'))).toEqual(new TextEncoder().encode(files['a.json']))
  expect(await repository.read(linked, head, join(linked, 'art/none.json'))).toBeUndefined()
  await expect(repository.readFolder(linked, '1'.repeat(40), art)).rejects.toThrow()
  await expect(repository.readFolder(folder, head, art)).rejects.toThrow('no repository')
})

const lockFiles = ['sprites.lock.json', 'sprites.lock/*.json']

test('the hashes in the lock files are those of all commits that anybody has or had, here and at each remote, and of what is staged', async () => {
  const lock = (digit: string): string => `{\n  "sha256": "${digit.repeat(64)}", "next": "${digit.repeat(63)}f"\n}\n`
  const only = (digit: string, path = 'sprites.lock.json'): GitFiles => ({ [path]: lock(digit) })
  const [origin, fork, clone] = [join(folder, 'origin.git'), join(folder, 'fork.git'), join(folder, 'clone')]
  const there = createGitObjects(origin)
  there.commit('refs/heads/next', only('1'))
  there.commit('refs/pull/7/head', only('2'))
  const forked = createGitObjects(fork)
  forked.tag('refs/tags/v1', forked.commit('refs/heads/main', only('3')))
  const remotes = remoteLines('origin', origin) + remoteLines('fork', fork)
  const here = createGitObjects(join(clone, '.git'), `[log]\nshowRoot = false\n[fetch]\nprune = true\n${remotes}`)
  const first = here.commit('refs/heads/main', only('4'))
  const side = here.commit('refs/heads/side', { ...only('4'), ...only('5', 'games/a/sprites.lock/hero.json') }, first)
  const others = { 'backup/hero.json': lock('0'), 'sprites.lock/deep/x.json': lock('0') }
  const second = here.commit('refs/heads/main', { ...only('6'), ...others }, first)
  // This merge has what none of its parents has.
  const merge = here.commit('refs/heads/main', { ...only('7'), ...others }, second, side)
  // What was thrown away is known by its reflog alone; what is replaced, by its own name.
  here.put('logs/HEAD', `${'0'.repeat(40)} ${here.commit('refs/heads/lost', only('8'))} a <a@example.invalid> 1 +0000\tlost\n`)
  rmSync(join(clone, '.git/refs/heads/lost'))
  here.put(`refs/replace/${here.commit('refs/tags/v0', only('9'))}`, `${merge}\n`)
  here.put(`refs/replace/${here.blob(lock('7'))}`, `${here.blob(lock('4'))}\n`)
  here.put('refs/remotes/origin/gone', `${merge}\n`)
  mkdirSync(join(clone, 'games'))
  await git(clone, 'update-index', '--add', '--cacheinfo', `100644,${here.blob(lock('a'))},games/sprites.lock.json`)
  const found = await nodeRepository().hashesIn(join(clone, 'games'), lockFiles)
  expect([...found].sort()).toEqual([...'123456789a'].flatMap((digit) => [digit.repeat(64), `${digit.repeat(63)}f`]).sort())
  expect(existsSync(join(clone, '.git/refs/remotes/origin/gone'))).toBe(true)
  here.put('shallow', `${merge}\n`)
  await expect(nodeRepository().hashesIn(clone, lockFiles)).rejects.toThrow('unshallow')
})

test('the hashes are not known if a version of a lock file is no JSON, or is missing', async () => {
  const here = createGitObjects(join(folder, '.git'))
  const pointer = 'version https://git-lfs.github.com/spec/v1\n'
  const first = here.commit('refs/heads/main', { 'sprites.lock.json': pointer })
  here.commit('refs/heads/main', { 'sprites.lock.json': '{}' }, first)
  await expect(nodeRepository().hashesIn(folder, lockFiles)).rejects.toThrow('no JSON')
  const id = here.blob(pointer)
  rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)))
  await expect(nodeRepository().hashesIn(folder, lockFiles)).rejects.toThrow(`${id} missing`)
})
