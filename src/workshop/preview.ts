import { dirname, extname, sep } from 'node:path'
import { byName } from '../build/layout.ts'
import { createSheetMemory } from '../build/memory.ts'
import { overrideFolder } from '../build/overrides.ts'
import type { BuiltSheets, BuiltSprite } from '../build/sheet.ts'
import { filesOf, SpritewrightError } from '../errors.ts'
import { specName } from '../spec/parser.ts'
import { readSpec, type SpecScan } from '../spec/scan.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import type { LockFile } from '../vault/lockfile.ts'
import type { Workshop } from './counter.ts'
import type { SessionKeeper } from './session.ts'
import { assemble } from './sheets.ts'
import type { Shop } from './shop.ts'
import { readWishes, surveyWishes, toWishes, type Wishes } from './survey.ts'

/** What was shown last. */
interface Shown {
  readonly sheets: BuiltSheets
  readonly errors: readonly SpritewrightError[]
  readonly lock: LockFile
}

/** Remembers what it has shown, so that a saved spec costs as much as that one sprite, however many others there are. */
export function createPreviewer(shop: Shop, keeper: SessionKeeper): Workshop['preview'] {
  const memory = createSheetMemory()
  let shown: Shown | undefined
  const make = async (asked: Wishes, lock: LockFile, isPart: boolean): Promise<Shown> => {
    const found = await surveyWishes(shop, asked, lock, { host: keeper.host })
    const errors = [...found.errors]
    // The cache is looked over when all of it was in use.
    const over = { memory, ...(isPart ? { cache: { ...shop.cache, finish: async () => {} } } : {}) }
    const sheets = await assemble(shop, found, 'sprite', 'placeholder', new Set(), (fault) => errors.push(fault), over)
    return { sheets, errors, lock }
  }
  return async (changed) => {
    const before = shown
    const files = before && changed && (await specsBehind(shop, before, changed))
    if (!before || !files) {
      shown = undefined
      shown = await make(await readWishes(shop), await shop.lock.read(), false)
    } else if (files.size > 0) {
      const part = await make(await toWishes(shop, await readThese(shop, files)), before.lock, true)
      shown = { ...merge(before, part, files), lock: before.lock }
    }
    const { sheets, errors } = shown as Shown
    return { sheets, errors }
  }
}

async function readThese({ host, options }: Shop, files: ReadonlySet<string>): Promise<SpecScan> {
  const specs: SpriteSpec[] = []
  const errors: SpritewrightError[] = []
  for (const file of [...files].sort()) {
    try {
      specs.push(await readSpec(host.disk, file, options.root))
    } catch (error) {
      if (!(error instanceof SpritewrightError)) throw error
      errors.push(error)
    }
  }
  return { specs, errors }
}

/** The specs that changed files are a part of; undefined where more than single specs may have changed. */
async function specsBehind(shop: Shop, { sheets, errors }: Shown, changed: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const sprites = new Map(sheets.sprites.map((sprite) => [sprite.file, sprite]))
  const broken = new Set(
    errors.flatMap((error) => (filesOf(error).length === 1 ? filesOf(error).filter((file) => specName(file) !== undefined) : [])),
  )
  const files = new Set<string>()
  for (const path of changed) {
    const isSpec = sprites.has(path) || broken.has(path)
    const users = isSpec ? [] : usersOf(path, sheets.sprites)
    if (isSpec && (await shop.host.disk.stat(path))) files.add(path)
    // A picture that a spec lacked may be this one.
    else if (isSpec || (users.length === 0 && (errors.length > 0 || !pictures.has(extname(path).toLowerCase())))) return undefined
    else for (const { file } of users) files.add(file)
  }
  const isEntangled = errors.some((error) => filesOf(error).length > 1 && filesOf(error).some((file) => files.has(file)))
  return isEntangled ? undefined : files
}

const pictures = new Set(['.png', '.jpg', '.jpeg', '.webp'])

function usersOf(picture: string, sprites: readonly BuiltSprite[]): readonly BuiltSprite[] {
  return sprites.filter((sprite) => sprite.picture === picture || `${dirname(picture)}${sep}`.startsWith(`${overrideFolder(sprite)}${sep}`))
}

/** What was made of some specs takes the place of what they were; all else stays the very same. */
function merge({ sheets, errors }: Shown, part: Shown, files: ReadonlySet<string>): Pick<Shown, 'sheets' | 'errors'> {
  const gone = new Set(sheets.sprites.flatMap(({ file, name }) => (files.has(file) ? [name] : [])))
  const fresh = new Set([...gone, ...part.sheets.sprites.map(({ name }) => name)])
  const folders = [...files].map((file) => `${file.replace(/\.sprite\.\w+$/, '.frames')}${sep}`)
  const isOf = (error: SpritewrightError): boolean =>
    filesOf(error).some((file) => files.has(file) || folders.some((folder) => `${file}${sep}`.startsWith(folder)))
  const rest = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] => all.filter(({ name }) => !fresh.has(name))
  return {
    sheets: {
      sprites: [...rest(sheets.sprites), ...part.sheets.sprites].sort(byName),
      // Sorting is stable: the scales of an atlas stay in their order.
      atlases: [...rest(sheets.atlases), ...part.sheets.atlases].sort(byName),
      quality: [
        ...(sheets.quality ?? []).filter(({ id }) => !fresh.has(id.slice(0, id.lastIndexOf('.')))),
        ...(part.sheets.quality ?? []),
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    },
    errors: [...errors.filter((error) => !isOf(error)), ...part.errors],
  }
}
