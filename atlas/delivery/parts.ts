import { sniffFormat } from '../png/picture.ts'
import type { ArchiveEntry } from './archive.ts'
import type { DeliveryBudget } from './budget.ts'
import { briefName, briefNames } from './entry-name.ts'
import { parseSheetAtlas, type SheetAtlas } from './sheet-atlas.ts'

/** The entries of a delivery by their role. */
export interface DeliveryParts {
  /** Pictures in playing order; may be empty. */
  readonly frames: readonly ArchiveEntry[]
  readonly sheet?: ArchiveEntry | undefined
  readonly atlas?: { readonly entry: ArchiveEntry; readonly parsed: SheetAtlas } | undefined
  readonly preview?: ArchiveEntry | undefined
  readonly warnings: readonly string[]
}

/**
 * Sorts entries by their names and shapes.
 *
 * @throws {AtlasError} `SW_DELIVERY_LAYOUT` with the rule `too-much-work`.
 */
export function sortDelivery(entries: readonly ArchiveEntry[], budget: DeliveryBudget): DeliveryParts {
  const own = entries.filter((entry) => !isSystemFile(entry.name))
  const pictures = own.filter((entry) => sniffFormat(entry.bytes) !== undefined)
  const preview = own.find((entry) => isPreview(entry))
  const candidates = pictures.filter((entry) => !isPreview(entry))
  const atlas = findAtlas(own, budget)
  const sheet = findSheet(candidates, atlas?.parsed)
  const { frames, warnings } = findFrames(candidates.filter((entry) => entry !== sheet))
  return { frames, warnings, sheet, atlas, preview }
}

/**
 * Finds frames by their names alone: PNG pictures in a folder `frames` of the archive, in playing order.
 * Returns no frames if there are none; the contents then decide. It does not read any content.
 */
export function framesByName(entries: readonly ArchiveEntry[]): {
  readonly frames: readonly ArchiveEntry[]
  readonly warnings: readonly string[]
} {
  return findFrames(
    entries.filter(({ name }) => !isSystemFile(name) && /^frames\/[^/]+\.png$/i.test(name) && !/preview|thumb|sheet|atlas/i.test(name)),
  )
}

/** Files that operating systems leave in archives. */
function isSystemFile(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name)
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** The name in lower case, without folder and extension. */
function stemOf(name: string): string {
  return baseOf(name)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
}

/**
 * Splits a stem into its head and the number at its end. The pattern is anchored: a search for the number
 * would start again at each digit.
 */
function unnumbered(stem: string): { readonly head: string; readonly digits: string } {
  const [, head = '', digits = ''] = /^(.*\D)?(\d*)$/s.exec(stem) ?? []
  return { head, digits }
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1)
}

function isPreview(entry: ArchiveEntry): boolean {
  const isFilm = Buffer.from(entry.bytes.subarray(0, 4)).toString('latin1') === 'GIF8' || /\.(gif|apng|mp4|webm|mov)$/i.test(entry.name)
  return isFilm || /(^|[^a-z])(preview|thumb|thumbnail)/.test(stemOf(entry.name))
}

function findAtlas(entries: readonly ArchiveEntry[], budget: DeliveryBudget): DeliveryParts['atlas'] {
  for (const entry of entries) {
    // Any text that starts with a brace, whatever its name.
    const head = Buffer.from(entry.bytes.subarray(0, 16))
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (!head.startsWith('{')) continue
    const parsed = parseSheetAtlas(budget.json(entry.bytes, entry.name))
    budget.names(parsed?.frames ?? [])
    if (parsed !== undefined) return { entry, parsed: { ...parsed, frames: inNaturalOrder(parsed.frames) } }
  }
  return undefined
}

function findSheet(pictures: readonly ArchiveEntry[], atlas: SheetAtlas | undefined): ArchiveEntry | undefined {
  const named = atlas?.image === undefined ? undefined : baseOf(atlas.image.replaceAll('\\', '/')).toLowerCase()
  const byAtlas = pictures.find((entry) => baseOf(entry.name).toLowerCase() === named)
  if (byAtlas !== undefined) return byAtlas
  const byName = pictures.find(
    (entry) =>
      /^(sheet|sprite[-_ ]?sheet|atlas|texture)$/.test(stemOf(entry.name)) || /[-_ ](sheet|spritesheet|atlas)$/.test(stemOf(entry.name)),
  )
  if (byName !== undefined) return byName
  return atlas !== undefined && pictures.length === 1 ? pictures[0] : undefined
}

function findFrames(pictures: readonly ArchiveEntry[]): { frames: readonly ArchiveEntry[]; warnings: readonly string[] } {
  const inFolder = pictures.filter((entry) => /(^|\/)frames?\//i.test(entry.name))
  const byName = pictures.filter((entry) => /(^|[^a-z])frame/.test(stemOf(entry.name)))
  const chosen = inFolder.length > 0 ? inFolder : byName.length > 0 ? byName : longestRun(pictures)
  const frames = inNaturalOrder(chosen)
  const warnings: string[] = []
  const stems = new Set(frames.map((entry) => folderOf(entry.name) + unnumbered(stemOf(entry.name)).head))
  if (stems.size > 1)
    warnings.push(`The frames have ${stems.size} different names (${briefNames([...stems], 4)}); they are read as one animation.`)
  warnings.push(...gapWarnings(frames))
  return { frames, warnings }
}

/**
 * The largest group of pictures in one folder whose names differ only by a number at the end. One picture is
 * not a group.
 */
function longestRun(pictures: readonly ArchiveEntry[]): readonly ArchiveEntry[] {
  const groups = new Map<string, ArchiveEntry[]>()
  for (const entry of pictures) {
    const { head, digits } = unnumbered(stemOf(entry.name))
    if (digits === '') continue
    const key = folderOf(entry.name) + head
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  const longest = [...groups.values()].reduce<readonly ArchiveEntry[]>((best, group) => (group.length > best.length ? group : best), [])
  return longest.length > 1 ? longest : []
}

function gapWarnings(frames: readonly ArchiveEntry[]): readonly string[] {
  const numbers = frames.map((entry) => unnumbered(stemOf(entry.name)).digits).filter((digits) => digits !== '')
  if (numbers.length !== frames.length || frames.length === 0) return []
  const first = Number(numbers[0])
  const at = numbers.findIndex((digits, index) => Number(digits) !== first + index)
  return at < 0 ? [] : [`The frame numbers are not consecutive: expected ${first + at}, found "${briefName(frames[at]!.name)}".`]
}

/** Sorts by name and compares numbers as numbers: `frame_2` before `frame_10`. */
function inNaturalOrder<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  const split = items.map((item) => ({ item, parts: item.name.split(/(\d+)/) }))
  return split.sort((a, b) => compareNatural(a.parts, b.parts)).map(({ item }) => item)
}

// Without Intl: its order may differ between versions of Node.
function compareNatural(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!]
    if (x === y) continue
    if (i % 2 === 1) {
      const [m, n] = [BigInt(x), BigInt(y)]
      if (m !== n) return m < n ? -1 : 1
    }
    return x < y ? -1 : 1
  }
  return left.length - right.length
}
