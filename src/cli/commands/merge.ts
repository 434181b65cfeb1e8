import { isAbsolute, join, relative, resolve } from 'node:path'
import { howToChoose, mergeLockFiles, resolveLockConflict, splitLock } from '../../workshop/merge.ts'
import { type CommandArgs, usageError } from '../arguments.ts'
import type { CommandContext } from '../context.ts'

/**
 * `spritewright merge`: resolves the merge conflict in the lock file. With three files, the command is git's merge
 * driver: `merge %O %A %B`. Exit code 1 means that a person must resolve some entries.
 */
export async function merge({ parts: { host }, printer, root }: CommandContext, { flag, names }: CommandArgs): Promise<number> {
  const sides = (['ours', 'theirs'] as const).filter((name) => flag(name))
  if (sides.length > 1) throw usageError('Expected --ours or --theirs, found both.')
  const [side] = sides
  if (flag('split')) {
    if (side || names.length > 0) throw usageError('Expected --split alone. Resolve conflicts first.')
    const path = join(root, 'sprites.lock.json')
    const hasRest = await splitLock(host, path)
    printer.document({ file: path, conflicts: [], resolved: false })
    printer.line('  sprites.lock/ gets the entries, a file for each sprite. Now: git add --all "sprites.lock*"')
    if (hasRest)
      printer.hint('sprites.lock.json keeps what it has. If no branch from before is open, run the command again: it moves the rest.')
    else printer.hint('sprites.lock.json stays, without entries: earlier versions of spritewright stop at it.')
    return 0
  }
  if (names.length === 0 || side) {
    const path = join(root, 'sprites.lock.json')
    const { files, left } = await resolveLockConflict(host, path, side && { side, ids: names })
    printer.document({ file: path, conflicts: left, resolved: files.length > 0 && left.length === 0 })
    if (left.length > 0) {
      printer.warn(
        `${left.join(', ')}: left. No option drops a purchase: if each side has its own execution, keep one entry by hand, and note the execution of the other.`,
      )
      return 1
    }
    printer.line(
      files.length > 0
        ? `  Resolved. Check the change, then: git add ${files.map((file) => relative(root, file)).join(' ')}`
        : '  sprites.lock.json and sprites.lock/ have no merge conflict.',
    )
    return 0
  }
  const [base, ours, theirs, ...more] = names.map((name) => (isAbsolute(name) ? name : resolve(host.workingFolder, name)))
  if (base === undefined || ours === undefined || theirs === undefined || more.length > 0)
    throw usageError(`Expected no file or three (merge BASE OURS THEIRS), found ${names.length}.`, { names })
  const conflicts = await mergeLockFiles(host, { base, ours, theirs })
  printer.document({ file: ours, conflicts, resolved: conflicts.length === 0 })
  if (conflicts.length > 0) printer.warn(`Both sides changed ${conflicts.join(', ')} in the lock file. ${howToChoose}.`)
  return conflicts.length === 0 ? 0 : 1
}
