import { isAbsolute, join, resolve } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { mergeLockFiles, resolveLockConflict } from '../../workshop/merge.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'

/**
 * `spritewright merge`: resolves the merge conflict in the lock file. With three files it is git's merge
 * driver: `merge %O %A %B`. Exit code 1 says that entries are left for a person.
 */
export async function merge({ parts: { host }, printer, root }: CommandContext, { names }: CommandArgs): Promise<number> {
  if (names.length === 0) {
    const path = join(root, 'sprites.lock.json')
    const hadConflict = await resolveLockConflict(host, path)
    printer.document({ file: path, conflicts: [], resolved: hadConflict })
    printer.line(
      hadConflict ? '  Resolved. Look at the change, then: git add sprites.lock.json' : '  sprites.lock.json has no merge conflict.',
    )
    return 0
  }
  const [base, ours, theirs, ...more] = names.map((name) => (isAbsolute(name) ? name : resolve(host.workingFolder, name)))
  if (base === undefined || ours === undefined || theirs === undefined || more.length > 0)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected no file or three (merge BASE OURS THEIRS), found ${names.length}.`,
      facts: { names },
    })
  const conflicts = await mergeLockFiles(host, { base, ours, theirs })
  printer.document({ file: ours, conflicts, resolved: conflicts.length === 0 })
  if (conflicts.length > 0) printer.warn(`Both sides changed ${conflicts.join(', ')} in sprites.lock.json. Keep one side of each.`)
  return conflicts.length === 0 ? 0 : 1
}
