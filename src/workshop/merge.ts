import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { stageFile } from '../host/publish.ts'
import { type MergedLock, mergeLocks, writeConflict } from '../vault/lock-merge.ts'
import { parseLockFile } from '../vault/lock-schema.ts'
import { formatLockFile } from '../vault/lockfile.ts'

type Ports = Pick<Host, 'disk' | 'random'>

/**
 * Resolves the merge conflict in a lock file, and writes it.
 *
 * @returns Whether the file had a conflict.
 * @throws `SW_LOCKFILE` if both sides changed one entry; the file stays as it is.
 */
export async function resolveLockConflict(host: Ports, path: string): Promise<boolean> {
  const text = await read(host, path)
  const resolved = formatLockFile(parseLockFile(text, path))
  if (!/^<{7}( |$)/m.test(text)) return false
  await write(host, path, resolved)
  return true
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
  const text = formatLockFile(merged.lock)
  const reverse = formatLockFile(mergeLocks(other, one, before).lock)
  await write(host, paths.ours, merged.conflicts.length === 0 ? text : writeConflict({ ours: text, theirs: reverse }))
  return merged.conflicts
}

async function read({ disk }: Ports, path: string): Promise<string> {
  if (await disk.stat(path)) return new TextDecoder().decode(await disk.read(path))
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected a lock file at ${path}, found none.`,
    facts: { file: path },
  })
}

async function write({ disk, random }: Ports, path: string, text: string): Promise<void> {
  const staged = await stageFile(disk, random, path, new TextEncoder().encode(text))
  await staged.commit()
}
