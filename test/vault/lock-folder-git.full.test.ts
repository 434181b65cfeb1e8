import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeDisk } from '../../src/host/disk.ts'
import { nodeRandom } from '../../src/host/random.ts'
import { lockPathOf } from '../../src/vault/lock-parts.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import type { LockEntry, LockFile } from '../../src/vault/lockfile.ts'
import { resolveLockConflict, splitLock } from '../../src/workshop/merge.ts'
import { byLevel } from '../level.ts'

/** How often branches come together, for each way and each number of sprites. */
const rounds = byLevel({ quick: 1, full: 10, long: 100 })
// Flushes are left out: nothing crashes here.
const host = { disk: { ...nodeDisk(), sync: async () => {}, syncFolder: async () => {} }, random: nodeRandom() }
const folder = mkdtempSync(join(tmpdir(), 'spritewright-lock-folder-'))
const path = join(folder, 'sprites.lock.json')
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  GIT_EDITOR: 'true',
}
afterAll(() => rmSync(folder, { recursive: true }))

/** Random whole numbers under a limit, the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (state >>> 8) % limit
  }
}
const random = numbers(1)

/** Runs git without a merge driver and without anybody's settings. Returns whether it succeeded. */
function git(...args: string[]): boolean {
  const { status, error } = spawnSync('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', ...args], {
    cwd: folder,
    env,
    stdio: 'ignore',
  })
  if (error) throw error
  return status === 0
}

function must(...args: string[]): void {
  if (!git(...args)) throw new Error(`Expected git ${args.join(' ')} to succeed.`)
}

type Change = readonly [id: string, hash: string, entry: LockEntry]
let made = 0

const approved = (prompt: string): LockEntry => ({
  service: { host: 'api.example.com', keyMode: 'test', apiVersion: '1' },
  asked: { prompt, frames: 8, take: 1 },
  approval: { ceiling: '2.4', priceVersion: 'v1', buyer: 'b', at: '2026-01-01T00:00:00Z' },
})

const bought = (entry: LockEntry): LockEntry => ({
  ...entry,
  execution: { id: `e${++made}`, conversation: null },
  result: { sha256: made.toString(16).padStart(64, 'd'), bytes: made },
})

/** Animations of new sprites with names of any place in the alphabet; some have a paid step. */
function newSprites(count: number, isBought: boolean): Change[] {
  return Array.from({ length: count }).flatMap(() => {
    const name = `${String.fromCharCode(97 + random(26))}${random(1_000)}-${++made}`
    const one = (id: string): Change => {
      const entry = approved(name)
      return [id, (++made).toString(16).padStart(64, 'a'), isBought ? bought(entry) : entry]
    }
    return random(8) === 0 ? [one(`${name}.walk`), one(`${name}#1`)] : [one(`${name}.walk`)]
  })
}

const write = (changes: readonly Change[]): Promise<void> =>
  createLockStore(host, path).changeAll(changes.map(([id, hash, entry]) => ({ id, hash, change: () => entry })))

const commit = (): void => {
  must('add', '-A')
  must('commit', '-qm', 'x')
}

/** Entries by name and hash. A step has only its hash. */
const entriesOf = ({ animations, steps = {} }: LockFile): Record<string, LockEntry> =>
  Object.fromEntries(
    [...Object.entries(animations), ['#', steps] as const].flatMap(([id, requests]) =>
      Object.entries(requests).map(([hash, entry]) => [`${id} ${hash}`, entry] as const),
    ),
  )

const toEntries = (changes: readonly Change[]): Record<string, LockEntry> =>
  Object.fromEntries(changes.map(([id, hash, entry]) => [`${id.includes('#') ? '#' : id} ${hash}`, entry]))

/** The hashes of all entries in all files that no other file continues. */
function hashesInFiles(): readonly string[] {
  const files = [path, ...readdirSync(join(folder, 'sprites.lock')).map((name) => join(folder, 'sprites.lock', name))]
  return files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^ +"([0-9a-f]{64})": \{/gm)].map(([, hash]) => hash as string))
}

/** Begins the repository again: a project whose base has 30 bought and 30 approved sprites, in one file. */
async function begin(): Promise<Change[]> {
  rmSync(folder, { recursive: true })
  execFileSync('mkdir', [folder])
  must('init', '-q', '-b', 'main')
  const base = [...newSprites(30, true), ...newSprites(30, false)]
  await write(base)
  commit()
  return base
}

/** Makes a branch with new sprites, bought or only approved, which also buys some approved sprites of the base. */
async function branch(name: string, from: string, count: number, waiting: Change[]): Promise<Change[]> {
  must('checkout', '-q', '-B', name, from)
  const taken = waiting.splice(random(Math.max(1, waiting.length)), random(4)).map(([id, hash, entry]): Change => [id, hash, bought(entry)])
  const changes = [...newSprites(count, random(2) === 0), ...taken]
  await write(changes)
  commit()
  return changes
}

const operations = {
  merge: () => git('merge', '-q', '--no-edit', 'b'),
  rebase: () => git('rebase', '-q', 'b'),
  'cherry-pick': () => git('cherry-pick', 'b'),
  octopus: () => git('merge', '-q', '--no-edit', 'b', 'c'),
}

/** Brings branches together again and again. Returns how many times git stopped at a conflict. */
async function bringTogether(count: number, base: readonly Change[], operation: keyof typeof operations): Promise<number> {
  let conflicts = 0
  for (let round = 0; round < rounds; round++) {
    const waiting = base.filter(([, , entry]) => !entry.execution)
    const changes = [...base]
    for (const name of operation === 'octopus' ? ['c', 'b', 'a'] : ['b', 'a']) changes.push(...(await branch(name, 'main', count, waiting)))
    if (!operations[operation]()) {
      conflicts++
      must('reset', '-q', '--hard')
      git('rebase', '--abort')
      continue
    }
    expect(entriesOf(await createLockStore(host, path).read())).toEqual(toEntries(changes))
  }
  return conflicts
}

test('branches with 1, 5 and 20 new sprites each come together without a driver, a conflict, a loss or a double', {
  timeout: 1_200_000,
}, async () => {
  const base = await begin()
  await splitLock(host, path)
  await splitLock(host, path)
  commit()
  const conflicts: Record<string, number> = {}
  for (const count of [1, 5, 20])
    for (const operation of Object.keys(operations) as (keyof typeof operations)[]) {
      conflicts[`${operation} ${count}`] = await bringTogether(count, base, operation)
      const hashes = hashesInFiles()
      expect(new Set(hashes).size).toBe(hashes.length)
    }
  expect(conflicts).toEqual(Object.fromEntries(Object.keys(conflicts).map((name) => [name, 0])))
})

test('the same branches conflict in one file, so this test can fail', { timeout: 600_000 }, async () => {
  const base = await begin()
  expect(await bringTogether(20, base, 'merge')).toBe(rounds)
})

test('branches from before the folder, which write the old file, merge into it without a conflict or a loss', {
  timeout: 1_200_000,
}, async () => {
  const base = await begin()
  must('branch', 'before')
  await splitLock(host, path)
  commit()
  for (let round = 0; round < rounds; round++) {
    const waiting = base.filter(([, , entry]) => !entry.execution)
    const count = [1, 5, 20][round % 3] as number
    const old = await branch('b', 'before', count, waiting)
    expect(readFileSync(path, 'utf8')).not.toContain('a newer spritewright')
    const ours = await branch('a', 'main', count, waiting)
    expect(git('merge', '-q', '--no-edit', 'b')).toBe(true)
    const all = toEntries([...base, ...old, ...ours])
    expect(entriesOf(await createLockStore(host, path).read())).toEqual(all)
    expect(readFileSync(path, 'utf8').split('\n')[1]).toContain('a newer spritewright is needed')
    // What is left is moved, each entry once.
    await splitLock(host, path)
    expect(entriesOf(await createLockStore(host, path).read())).toEqual(all)
    const hashes = hashesInFiles()
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashes).toHaveLength(Object.keys(all).length)
    must('reset', '-q', '--hard')
    must('clean', '-qfd')
  }
})

test('a branch from before that meets the moved entries conflicts once; merge resolves it and loses nothing', async () => {
  const base = await begin()
  must('branch', 'before')
  await splitLock(host, path)
  await splitLock(host, path)
  commit()
  const waiting = base.filter(([, , entry]) => !entry.execution)
  const old = await branch('b', 'before', 5, waiting)
  const ours = await branch('a', 'main', 5, waiting)
  expect(git('merge', '-q', '--no-edit', 'b')).toBe(false)
  const all = toEntries([...base, ...old, ...ours])
  expect(entriesOf(await createLockStore(host, path).read())).toEqual(all)
  expect(await resolveLockConflict(host, path)).toEqual({ files: [path], left: [] })
  await splitLock(host, path)
  expect(entriesOf(await createLockStore(host, path).read())).toEqual(all)
  const [id, hash] = old[0] as Change
  expect(readFileSync(lockPathOf(path, id, hash), 'utf8')).toContain(hash)
  expect(hashesInFiles()).toHaveLength(Object.keys(all).length)
})
