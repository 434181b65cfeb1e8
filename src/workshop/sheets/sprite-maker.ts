import { errorCodes, SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { surveyWanted } from '../../project/survey.ts'
import { toWantedAnimations } from '../../project/wanted.ts'
import type { SheetMemory } from '../../sheets/group.ts'
import type { BuiltAtlas, BuiltSprite } from '../../sheets/sheet.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Preview } from '../api/reports.ts'
import { isAbout } from './changed-specs.ts'
import { assemble } from './sheets.ts'

/** The result of one spec. */
export interface Made {
  readonly spec: SpriteSpec
  /** Missing if it could not be made. */
  readonly sprite?: BuiltSprite | undefined
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: NonNullable<Preview['sheets']['quality']>
  readonly errors: readonly SpritewrightError[]
}

/** Makes sprites for a dev server, and remembers the last sheet of each. */
export interface SpriteMaker {
  /** Returns a result for each spec. A spec with an error does not affect the others. */
  make(specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]>
  /** Records, or pictures that specs name, may have changed. */
  forgetRecords(): void
}

/** After this many sprites the cache is checked, and its oldest entries are removed if it is too large. */
const manySprites = 100

/** Creates a maker that has made nothing yet. */
export function createSpriteMaker(context: Context, connection: ServiceConnection): SpriteMaker {
  const memory: SheetMemory = new Map()
  let unchecked = 0
  /** Answers of the journal, the vault and the disk are valid until they change. */
  let remembering = withRememberedRecords(context)
  const forgetRecords = (): void => {
    remembering = withRememberedRecords(context)
  }
  // The cache folder is not listed after every edit.
  const cache: Context['cache'] = { ...context.cache, finish: async () => {} }
  const tryAll = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    const found = await surveyWanted(remembering, await toWantedAnimations(remembering, { specs, errors: [] }), lock, {
      host: connection.host,
    })
    const errors = [...found.errors]
    const sheets = await assemble(context, found, 'sprite', 'placeholder', {
      onOverrideFault: (fault) => errors.push(fault),
      memory,
      cache,
      // A shown sprite shows its quality flags too.
      isJudged: () => true,
    })
    // A sprite with an error is read again the next time.
    if (errors.length > 0) forgetRecords()
    return toMade(specs, sheets, errors)
  }
  const tryEach = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    try {
      return await tryAll(specs, lock)
    } catch (error) {
      const [spec, ...others] = specs
      if (!spec) throw error
      forgetRecords()
      if (others.length === 0) return [{ spec, atlases: [], quality: [], errors: [toFault(spec, error)] }]
      const all: Made[] = []
      for (const one of specs) all.push(...(await tryEach([one], lock)))
      return all
    }
  }
  return {
    make: async (specs, lock) => {
      if (specs.length === 0) return []
      const made = await tryEach(specs, lock)
      unchecked += specs.length
      if (unchecked >= manySprites) {
        unchecked = 0
        await context.cache.finish()
      }
      return made
    },
    forgetRecords,
  }
}

function toMade(specs: readonly SpriteSpec[], sheets: Preview['sheets'], errors: readonly SpritewrightError[]): readonly Made[] {
  const { sprites, atlases, quality = [] } = sheets
  const others = errors.filter((error) => !specs.some((spec) => isAbout(spec, error)))
  return specs.map((spec, at) => ({
    spec,
    sprite: sprites.find(({ name }) => name === spec.name),
    atlases: atlases.filter(({ name }) => name === spec.name),
    quality: quality.filter(({ id }) => spriteOf(id) === spec.name),
    // Several sprites may share an unreadable picture.
    errors: [...errors.filter((error) => isAbout(spec, error)), ...(at === 0 ? others : [])],
  }))
}

/** Number of remembered pictures: those of the sprites in work. */
const fewPictures = 8

/** The same context, with records that are read once each, and with a disk that remembers a few files. */
function withRememberedRecords(context: Context): Context {
  const { journal, vault, host } = context
  const { disk } = host
  return {
    ...context,
    host: {
      ...host,
      disk: { ...disk, stat: remember((path) => disk.stat(path), fewPictures), read: remember((path) => disk.read(path), fewPictures) },
    },
    journal: { ...journal, read: remember((hash) => journal.read(hash)) },
    vault: { ...vault, has: remember((sha256) => vault.has(sha256)) },
  }
}

/**
 * Remembers the results of a function.
 *
 * @param most Number of results to keep: the last used ones.
 */
function remember<T>(ask: (key: string) => Promise<T>, most: number = Number.POSITIVE_INFINITY): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (key) => {
    const answer = known.get(key) ?? ask(key)
    known.delete(key)
    known.set(key, answer)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return answer
  }
}

/**
 * The refusal that keeps a sprite from being made, with its spec.
 *
 * @throws Any error that is no refusal but a mistake.
 */
function toFault({ file }: SpriteSpec, error: unknown): SpritewrightError {
  const { code, facts, message } = error as { code?: unknown; facts?: object; message: string }
  if (typeof code !== 'string') throw error
  const isOurs = error instanceof SpritewrightError && Object.hasOwn(errorCodes, code)
  return new SpritewrightError(isOurs ? error.code : 'SW_BUILD', { message, facts: { file, ...facts }, cause: error })
}
