import { errorCodes, SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { ServiceConnection } from '../../project/session.ts'
import { surveyWanted } from '../../project/survey.ts'
import { toWantedAnimations } from '../../project/wanted.ts'
import { groupBy, type SheetMemory } from '../../sheets/group.ts'
import type { BuiltAtlas, BuiltSprite } from '../../sheets/sheet.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Preview } from '../api/reports.ts'
import { assemble } from './sheets.ts'
import { partsOf, type SpritePart } from './sprite-memory.ts'

/** The result of one spec. */
export interface Made extends SpritePart {
  /** Missing if it could not be made. */
  readonly sprite?: BuiltSprite | undefined
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: NonNullable<Preview['sheets']['quality']>
}

/** Makes sprites for a dev server, and remembers the last sheet of each. */
export interface SpriteMaker {
  /** Returns a result for each spec. A spec with an error does not affect the others. */
  make(specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]>
  /** Pictures that specs name may have changed. */
  forgetPictures(): void
}

/** After this many sprites the cache is checked, and its oldest entries are removed if it is too large. */
const manySprites = 100

/** Creates a maker that has made nothing yet. */
export function createSpriteMaker(context: Context, connection: ServiceConnection): SpriteMaker {
  const memory: SheetMemory = new Map()
  let unchecked = 0
  let remembering = withRememberedPictures(context)
  const forgetPictures = (): void => {
    remembering = withRememberedPictures(context)
  }
  // The cache folder is not listed after every edit.
  const cache: Context['cache'] = { ...context.cache, finish: async () => {} }
  const tryAll = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    const wanted = await toWantedAnimations(remembering, { specs, errors: [] })
    const found = await surveyWanted(context, wanted, lock, { host: connection.host })
    const errors = [...found.errors]
    const sheets = await assemble(context, found, 'sprite', 'placeholder', {
      onOverrideFault: (fault) => errors.push(fault),
      memory,
      cache,
      // A shown sprite shows its quality flags too.
      isJudged: () => true,
    })
    // A sprite with an error is read again the next time.
    if (errors.length > 0) forgetPictures()
    return toMade(partsOf(specs, { ...found, errors }), sheets)
  }
  const tryEach = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    try {
      return await tryAll(specs, lock)
    } catch (error) {
      const [spec, ...others] = specs
      if (!spec) throw error
      forgetPictures()
      if (others.length === 0) {
        const nothing = { items: [], own: [], steps: [], lacksSteps: false, atlases: [], quality: [] }
        return [{ spec, ...nothing, errors: [toFault(spec, error)] }]
      }
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
    forgetPictures,
  }
}

function toMade(parts: readonly SpritePart[], { sprites, atlases, quality = [] }: Preview['sheets']): readonly Made[] {
  const spriteOfName = new Map(sprites.map((sprite) => [sprite.name, sprite]))
  const atlasesOfName = groupBy(atlases, ({ name }) => name)
  const qualityOfName = groupBy(quality, ({ id }) => spriteOf(id))
  return parts.map((part) => ({
    ...part,
    sprite: spriteOfName.get(part.spec.name),
    atlases: atlasesOfName.get(part.spec.name) ?? [],
    quality: qualityOfName.get(part.spec.name) ?? [],
  }))
}

/** Number of remembered pictures: those of the sprites in work. */
const fewPictures = 8

/** The same context, with a disk that remembers a few files. */
function withRememberedPictures(context: Context): Context {
  const { host } = context
  const { disk } = host
  return {
    ...context,
    host: { ...host, disk: { ...disk, stat: remember((path) => disk.stat(path)), read: remember((path) => disk.read(path)) } },
  }
}

/** Remembers the last used results of a function. */
function remember<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (key) => {
    const answer = known.get(key) ?? ask(key)
    known.delete(key)
    known.set(key, answer)
    const [oldest] = known.keys()
    if (known.size > fewPictures && oldest !== undefined) known.delete(oldest)
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
