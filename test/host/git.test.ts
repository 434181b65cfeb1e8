import { mkdtemp, readFile, rm } from 'node:fs/promises'
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
