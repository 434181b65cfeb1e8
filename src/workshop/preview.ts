import { createSheetMemory } from '../build/memory.ts'
import type { BuiltAtlas, BuiltSprite } from '../build/sheet.ts'
import { errorCodes, SpritewrightError } from '../errors.ts'
import type { SpecScan } from '../spec/scan.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import type { LockFile } from '../vault/lockfile.ts'
import { isAbout, staleOf } from './changed-specs.ts'
import type { Workshop } from './counter.ts'
import type { Preview } from './preview-report.ts'
import type { SessionKeeper } from './session.ts'
import { assemble } from './sheets.ts'
import type { Shop } from './shop.ts'
import { createSpecBook } from './spec-book.ts'
import { surveyWishes, toWishes } from './survey.ts'

/** What was made of one spec. */
interface Made {
  readonly spec: SpriteSpec
  /** Missing where it could not be made. */
  readonly sprite?: BuiltSprite | undefined
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: NonNullable<Preview['sheets']['quality']>
  readonly errors: readonly SpritewrightError[]
}

/** What was shown last, and what it was put together from. */
interface Shown {
  readonly scan: SpecScan
  readonly made: readonly Made[]
  readonly preview: Preview
}

/** Sprites made before the cache is looked over again. */
const manySprites = 100

/** Remembers what it has shown, so that a saved spec costs as much as that one sprite, and a sprite nothing before it is asked for, however many others there are. */
export function createPreviewer(shop: Shop, keeper: SessionKeeper): Workshop['preview'] {
  const book = createSpecBook(shop)
  const makeAll = createMaker(shop, keeper)
  const made = new Map<string, Made>()
  let lock: LockFile | undefined
  let shown: Shown | undefined
  return async (changed, wanted) => {
    const scan = await book.read(shown && changed)
    const stale = staleOf(scan.specs, lock && changed)
    if (stale === 'all') {
      made.clear()
      lock = undefined
    } else for (const name of stale) made.delete(name)
    lock ??= await shop.lock.read()
    const asked = wanted ? scan.specs.filter(({ name }) => wanted.has(name)) : scan.specs
    // What could not be made is tried again: its cause may lie where nobody looks.
    const due = asked.filter((spec) => made.get(spec.name)?.spec !== spec || made.get(spec.name)?.errors.length !== 0)
    for (const { name } of due) made.delete(name)
    for (const one of await makeAll(due, lock)) made.set(one.spec.name, one)
    const now = asked.flatMap(({ name }) => made.get(name) ?? [])
    shown = toShown(scan, now, shown)
    return shown.preview
  }
}

/** Makes sprites from their specs. One that cannot be made does not keep the others from it. */
function createMaker(shop: Shop, keeper: SessionKeeper): (specs: readonly SpriteSpec[], lock: LockFile) => Promise<readonly Made[]> {
  const memory = createSheetMemory()
  let unchecked = 0
  const make = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    const wishes = await toWishes(shop, { specs, errors: [] })
    const found = await surveyWishes(shop, wishes, lock, { host: keeper.host })
    const errors = [...found.errors]
    const over = { memory, cache: { ...shop.cache, finish: async () => {} } }
    const {
      sprites,
      atlases,
      quality = [],
    } = await assemble(shop, found, 'sprite', 'placeholder', new Set(), (fault) => errors.push(fault), over)
    const others = errors.filter((error) => !specs.some((spec) => isAbout(spec, error)))
    return specs.map((spec, at) => ({
      spec,
      sprite: sprites.find(({ name }) => name === spec.name),
      atlases: atlases.filter(({ name }) => name === spec.name),
      quality: quality.filter(({ id }) => id.slice(0, id.lastIndexOf('.')) === spec.name),
      // A picture that cannot be read may be that of several.
      errors: [...errors.filter((error) => isAbout(spec, error)), ...(at === 0 ? others : [])],
    }))
  }
  const tryEach = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    try {
      return await make(specs, lock)
    } catch (error) {
      const [spec, ...others] = specs
      if (!spec) throw error
      if (others.length === 0) return [{ spec, atlases: [], quality: [], errors: [toFault(spec, error)] }]
      const all: Made[] = []
      for (const one of specs) all.push(...(await tryEach([one], lock)))
      return all
    }
  }
  return async (specs, lock) => {
    if (specs.length === 0) return []
    const made = await tryEach(specs, lock)
    unchecked += specs.length
    if (unchecked >= manySprites) {
      unchecked = 0
      await shop.cache.finish()
    }
    return made
  }
}

/** What keeps a sprite from being made, with its spec. @throws what is no refusal, but a mistake. */
function toFault({ file }: SpriteSpec, error: unknown): SpritewrightError {
  const { code, facts, message } = error as { code?: unknown; facts?: object; message: string }
  if (typeof code !== 'string') throw error
  const isOurs = error instanceof SpritewrightError && Object.hasOwn(errorCodes, code)
  return new SpritewrightError(isOurs ? error.code : 'SW_BUILD', { message, facts: { file, ...facts }, cause: error })
}

/** The very same as before where nothing has been made anew. */
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
