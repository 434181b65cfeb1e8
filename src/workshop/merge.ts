import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { decodeText } from '../host/project-style.ts'
import { replaceFile } from '../host/publish.ts'
import { type LockChoice, type MergedLock, mergeLocks, readConflict, writeConflict } from '../vault/lock-merge.ts'
import { isLockPath, lockFolderOf } from '../vault/lock-parts.ts'
import { parseLockFile } from '../vault/lock-schema.ts'
import { createLockStore } from '../vault/lock-store.ts'
import { alsoField, formatLockFile } from '../vault/lockfile.ts'

export { howToChoose } from '../vault/lock-schema.ts'

/** The text of `sprites.lock.json` in a new project: only the mark by which each sprite gets a file in `sprites.lock/`. */
export const firstLockText: string = formatLockFile({ [alsoField]: true, version: 1, animations: {} })

type Ports = Pick<Host, 'disk' | 'random'>

/** The conflict that a lock file had. */
export interface ResolvedConflict {
  /** The files with a conflict. */
  readonly files: readonly string[]
  /** Ids of the entries that are left for a person, with conflict markers. */
  readonly left: readonly string[]
}

/**
 * Resolves the merge conflicts in the files of a lock file, and writes them.
 *
 * @param path Of `sprites.lock.json`; the other files are in the folder beside it.
 * @param choice Decides about entries that both sides changed.
 * @throws `SW_LOCKFILE` if both sides changed one entry and there is no choice, or if a side cannot be read;
 *   the files stay as they are. `SW_USAGE` if the choice names an entry without a conflict.
 */
export async function resolveLockConflict(host: Ports, path: string, choice?: LockChoice): Promise<ResolvedConflict> {
  const found = (await readFiles(host, path)).flatMap(([file, text]) => {
    const sides = readConflict(text)
    return sides ? [{ file, text, sides }] : []
  })
  const files = found.map(({ file }) => file)
  if (choice === undefined) {
    const resolved = found.map(({ file, text }) => [file, formatLockFile(parseLockFile(text, file))] as const)
    for (const [file, text] of resolved) await write(host, file, text)
    // What the files say together must be readable too.
    await createLockStore(host, path).read()
    return { files, left: [] }
  }
  const sides = found.map(({ file, sides: { ours, theirs } }) => [file, parseLockFile(ours, file), parseLockFile(theirs, file)] as const)
  const conflicts = sides.flatMap(([, ours, theirs]) => mergeLocks(ours, theirs).conflicts)
  const unknown = choice.ids.filter((id) => !conflicts.includes(id))
  if (unknown.length > 0)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected names of entries that both sides changed (${conflicts.join(', ') || 'there are none'}), found ${unknown.join(', ')}.`,
      facts: { unknown, conflicts },
    })
  const left: string[] = []
  for (const [file, ours, theirs] of sides) {
    const merged = mergeLocks(ours, theirs, undefined, choice)
    const reversed = mergeLocks(theirs, ours, undefined, { ...choice, side: choice.side === 'ours' ? 'theirs' : 'ours' })
    await writeMerged(host, file, merged, reversed)
    left.push(...merged.conflicts)
  }
  return { files, left }
}

/**
 * Begins `sprites.lock/`, or moves the entries of `sprites.lock.json` into it; see `LockStore.split`.
 *
 * @returns Whether `sprites.lock.json` has entries.
 */
export async function splitLock(host: Ports, path: string): Promise<boolean> {
  await createLockStore(host, path).split()
  const { animations, steps = {} } = parseLockFile(await read(host, path), path)
  return Object.keys({ ...animations, ...steps }).length > 0
}

/** @throws `SW_USAGE` if there is no lock file. */
async function readFiles(host: Ports, path: string): Promise<readonly (readonly [string, string])[]> {
  const folder = lockFolderOf(path)
  const files = (await host.disk.list(folder)).map((name) => join(folder, name)).filter((file) => isLockPath(path, file))
  if (files.length === 0 || (await host.disk.stat(path))) files.unshift(path)
  return Promise.all(files.map(async (file) => [file, await read(host, file)] as const))
}

/**
 * Merges lock files as git's merge driver does: three versions, of which ours is replaced by the result. The
 * version before both may be empty.
 *
 * @returns Ids of the entries that both sides changed. They stand in the result with conflict markers.
 * @throws `SW_LOCKFILE` if a version cannot be read; nothing is written then.
 */
export async function mergeLockFiles(host: Ports, paths: { base: string; ours: string; theirs: string }): Promise<readonly string[]> {
  const [base, ours, theirs] = await Promise.all([paths.base, paths.ours, paths.theirs].map((path) => read(host, path)))
  const before = base?.trim() === '' ? undefined : parseLockFile(base!, paths.base)
  const one = parseLockFile(ours!, paths.ours)
  const other = parseLockFile(theirs!, paths.theirs)
  const merged: MergedLock = mergeLocks(one, other, before)
  await writeMerged(host, paths.ours, merged, mergeLocks(other, one, before))
  return merged.conflicts
}

/** Writes a merged file. Its conflicts stand in it with markers, the entries of the other side below. */
async function writeMerged(host: Ports, path: string, { lock, conflicts }: MergedLock, reversed: MergedLock): Promise<void> {
  const text = formatLockFile(lock)
  if (conflicts.length > 0) return write(host, path, writeConflict({ ours: text, theirs: formatLockFile(reversed.lock) }))
  parseLockFile(text, path)
  await write(host, path, text)
}

async function read({ disk }: Ports, path: string): Promise<string> {
  if (await disk.stat(path)) return decodeText(await disk.read(path))
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a lock file at ${path}, found none.`,
    facts: { file: path },
  })
}

function write({ disk, random }: Ports, path: string, text: string): Promise<void> {
  return replaceFile(disk, random, path, new TextEncoder().encode(text))
}
