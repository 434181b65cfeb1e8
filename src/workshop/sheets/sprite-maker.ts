import { errorCodes, SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import type { SessionKeeper } from '../../project/session.ts'
import { surveyWanted, toWantedAnimations } from '../../project/survey.ts'
import type { SheetMemory } from '../../sheets/group.ts'
import type { BuiltAtlas, BuiltSprite } from '../../sheets/sheet.ts'
import type { SpriteSpec } from '../../spec/spec.ts'
import type { LockFile } from '../../vault/lockfile.ts'
import type { Preview } from '../api/reports.ts'
import { isAbout } from './changed-specs.ts'
import { assemble } from './sheets.ts'

/** What was made of one spec. */
export interface Made {
  readonly spec: SpriteSpec
  /** Missing where it could not be made. */
  readonly sprite?: BuiltSprite | undefined
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: NonNullable<Preview['sheets']['quality']>
  readonly errors: readonly SpritewrightError[]
}

/** Makes sprites for a dev server, and remembers the last sheet of each. */
export interface SpriteMaker {
  /** One for each spec. One that cannot be made does not keep the others from it. */
  make(specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]>
  /** Papers, or pictures that specs name, may have changed. */
  forgetPapers(): void
}

/** After this many sprites the cache is checked, and its oldest entries are removed if it is too large. */
const manySprites = 100

/** Has made nothing yet. */
export function createSpriteMaker(context: Context, keeper: SessionKeeper): SpriteMaker {
  const memory: SheetMemory = new Map()
  let unchecked = 0
  /** What journal, vault and pictures have said holds until they change. */
  let papers = withRememberedPapers(context)
  const forgetPapers = (): void => {
    papers = withRememberedPapers(context)
  }
  // The folder is not listed after every edit.
  const cache: Context['cache'] = { ...context.cache, finish: async () => {} }
  const tryAll = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    const found = await surveyWanted(papers, await toWantedAnimations(papers, { specs, errors: [] }), lock, { host: keeper.host })
    const errors = [...found.errors]
    const sheets = await assemble(context, found, 'sprite', 'placeholder', {
      onOverrideFault: (fault) => errors.push(fault),
      memory,
      cache,
      // Whoever looks at a sprite is shown what is to be looked at.
      isJudged: () => true,
    })
    // What is wrong is looked at again the next time.
    if (errors.length > 0) forgetPapers()
    return toMade(specs, sheets, errors)
  }
  const tryEach = async (specs: readonly SpriteSpec[], lock: LockFile): Promise<readonly Made[]> => {
    try {
      return await tryAll(specs, lock)
    } catch (error) {
      const [spec, ...others] = specs
      if (!spec) throw error
      forgetPapers()
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
    forgetPapers,
  }
}

function toMade(specs: readonly SpriteSpec[], sheets: Preview['sheets'], errors: readonly SpritewrightError[]): readonly Made[] {
  const { sprites, atlases, quality = [] } = sheets
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

/** Pictures that are remembered: those of sprites that are being worked on. */
const fewPictures = 8

/** The same papers, each read once; and the same disk, of which a few files are. */
function withRememberedPapers(context: Context): Context {
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

/** @param most How many answers are kept: those that were asked for last. */
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

/** What keeps a sprite from being made, with its spec. @throws what is no refusal, but a mistake. */
function toFault({ file }: SpriteSpec, error: unknown): SpritewrightError {
  const { code, facts, message } = error as { code?: unknown; facts?: object; message: string }
  if (typeof code !== 'string') throw error
  const isOurs = error instanceof SpritewrightError && Object.hasOwn(errorCodes, code)
  return new SpritewrightError(isOurs ? error.code : 'SW_BUILD', { message, facts: { file, ...facts }, cause: error })
}
