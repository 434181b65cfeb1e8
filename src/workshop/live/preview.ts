import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import type { SpecScan } from '../../sprite-spec/scan.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Workshop } from '../api/api.ts'
import type { Preview } from '../api/reports.ts'
import { staleOf } from '../sheets/changed-specs.ts'
import { createSpriteMaker, type Made } from '../sheets/sprite-maker.ts'
import type { SpecReader } from './spec-book.ts'

/** The last preview, and its parts. */
interface Shown {
  readonly scan: SpecScan
  readonly made: readonly Made[]
  readonly preview: Preview
}

/**
 * Creates a previewer. It remembers its last preview, so that a saved spec costs as much as one sprite. A
 * sprite costs nothing before it is asked for, however many others there are.
 */
export function createPreviewer(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['preview'] {
  const maker = createSpriteMaker(context, connection)
  const made = new Map<string, Made>()
  let lock: LockFile | undefined
  let shown: Shown | undefined
  return async (changed, wanted) => {
    const scan = await book.read(shown && changed)
    const stale = staleOf(scan.specs, lock && changed)
    // A file that no valid spec names now may be one that a spec named before, and will name again.
    if (stale === 'all' || changed?.some((path) => specName(path) === undefined)) maker.forgetRecords()
    if (stale === 'all') {
      made.clear()
      lock = undefined
    } else for (const name of stale) made.delete(name)
    // A sprite that shares its name, is broken or is gone is made again when it is valid again.
    const there = new Set(scan.specs.map(({ name }) => name))
    for (const name of made.keys()) if (!there.has(name)) made.delete(name)
    lock ??= await context.lock.read()
    const asked = wanted ? scan.specs.filter(({ name }) => wanted.has(name)) : scan.specs
    // Sprites with errors are made again each time: the cause may be in an unwatched file.
    const due = asked.filter((spec) => made.get(spec.name)?.spec !== spec || made.get(spec.name)?.errors.length !== 0)
    for (const { name } of due) made.delete(name)
    for (const one of await maker.make(due, lock)) made.set(one.spec.name, one)
    const now = asked.flatMap(({ name }) => made.get(name) ?? [])
    shown = toShown(scan, now, shown)
    return shown.preview
  }
}

/** Returns the identical object if nothing was made again. */
function toShown(scan: SpecScan, made: readonly Made[], before: Shown | undefined): Shown {
  const isSame = before?.scan === scan && before.made.length === made.length && before.made.every((one, at) => one === made[at])
  if (isSame) return before
  const quality = made.flatMap((one) => one.quality).sort((a, b) => (a.id < b.id ? -1 : 1))
  const sheets = { sprites: made.flatMap(({ sprite }) => sprite ?? []), atlases: made.flatMap(({ atlases }) => atlases), quality }
  return {
    scan,
    made,
    preview: { specs: scan.specs, sheets, errors: [...new Set([...scan.errors, ...made.flatMap(({ errors }) => errors)])] },
  }
}
