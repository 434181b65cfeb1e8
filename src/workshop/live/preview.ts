import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import type { SpecScan } from '../../sprite-spec/scan.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import type { Workshop } from '../api/api.ts'
import type { Preview } from '../api/reports.ts'
import { createSpriteMaker, type Made } from '../sheets/sprite-maker.ts'
import { createSpriteMemory } from '../sheets/sprite-memory.ts'
import type { SpecReader } from './spec-book.ts'

/** The last preview, and its parts. */
interface Shown {
  readonly scan: SpecScan
  readonly made: readonly Made[]
  readonly preview: Preview
}

/**
 * Creates a previewer. It remembers its last preview, so that a saved spec or a purchase costs as much
 * as one sprite. A sprite costs nothing before it is asked for, however many others there are.
 */
export function createPreviewer(context: Context, connection: ServiceConnection, book: SpecReader): Workshop['preview'] {
  const maker = createSpriteMaker(context, connection)
  const memory = createSpriteMemory<Made>(context)
  let shown: Shown | undefined
  return async (changed, wanted) => {
    const scan = await book.read(shown && changed)
    // A file that no valid spec names now may be one that a spec named before, and will name again.
    if (!changed || changed.some((path) => specName(path) === undefined)) maker.forgetPictures()
    const { lock } = await memory.note(scan.specs, shown && changed)
    const asked = wanted ? scan.specs.filter(({ name }) => wanted.has(name)) : scan.specs
    memory.put(
      await maker.make(
        asked.filter((spec) => !memory.get(spec)),
        lock,
      ),
    )
    const now = asked.flatMap((spec) => memory.get(spec) ?? [])
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
