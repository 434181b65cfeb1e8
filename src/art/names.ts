import { basename, extname } from 'node:path'
import { sourceError } from './source.ts'

/** Items of one name: numbered items are an animation, a single item is a picture. */
export interface NamedGroup<T> {
  readonly name: string
  readonly isPicture: boolean
  /** Sorted by number. */
  readonly items: readonly T[]
}

/** `walk_01`, `walk 3`, `walk-0003`, `walk12`: a name and the number of a frame. */
const numbered = /^(.*?[^\d _.-])[ _.-]*(\d{1,9})$/

/** A picture of a source. */
interface NamedPicture {
  /** Path relative to the source, with forward slashes, with or without an ending. */
  readonly name: string
  /** Missing for a still picture. */
  readonly animation?: object
}

/** Names on a sheet may have no ending, but dots: `button.normal`. */
const pictureEnding = /\.(?:png|jpe?g|webp|gif|apng|bmp|tga|psd|svg|ase|aseprite)$/i

/**
 * Groups pictures by {@link namedByPath}: `walk_01` and `walk_02` are the animation `walk`, `sword` is a picture.
 * In a folder, `walk/0001` is a frame of the animation `walk`. An animated picture is an animation with its whole
 * name.
 *
 * @param fileOf The file of a picture, for errors.
 * @returns In the order of the items.
 * @throws `SW_SOURCE` for different paths that give one name: `a/b.png` and `a-b.png`.
 */
export function groupByName<T extends NamedPicture>(items: readonly T[], fileOf: (item: T) => string): readonly NamedGroup<T>[] {
  const groups = new Map<string, { readonly item: T; readonly number: number; readonly name: string }[]>()
  const first = new Map<string, T>()
  for (const item of items) {
    const path = namedByPath(item.name)
    const { group, number, name } = item.animation ? wholeName(path) : toNumbered(path)
    const key = name === group ? group : `${group} ${number}`
    const other = first.get(key)
    if (other) throw sourceError(fileOf(item), `one picture of the name ${JSON.stringify(key)}`, `${other.name} too`, 'Rename one of them.')
    first.set(key, item)
    const members = groups.get(group)
    if (members) members.push({ item, number, name })
    else groups.set(group, [{ item, number, name }])
  }
  return [...groups].map(([group, members]) => {
    const [first, second] = members
    const animated = second && members.find(({ item }) => item.animation)
    if (animated) {
      const other = animated === first ? second : first!
      throw sourceError(fileOf(animated.item), `one animation of the name "${group}"`, `${other.item.name} too`, 'Rename one of them.')
    }
    const isPicture = members.length === 1 && first!.name !== ''
    const sorted = members.sort((a, b) => a.number - b.number)
    return { name: isPicture ? first!.name : group, isPicture, items: sorted.map(({ item }) => item) }
  })
}

/**
 * The name of a picture in a folder or on a sheet: the folders and the file, joined by `-`, which also
 * replaces every run of characters that a name cannot have. `ui/icons/sword (big).png` is
 * `ui-icons-sword-big`. Frames that are named by a number, or by their folder and a number, are named by their
 * folders: `hero/walk/0001.png` and `hero/walk/walk_1.png` are `hero-walk/1`.
 *
 * @param path Path relative to the source, with forward slashes.
 */
function namedByPath(path: string): string {
  const folders = path.split('/').slice(0, -1)
  const stem = basename(path).replace(pictureEnding, '')
  const [, word, digits] = /^(.*?)[ _.-]*(\d{1,9})$/.exec(stem) ?? []
  const isFrame = folders.length > 0 && digits !== undefined && (word === '' || word === folders.at(-1))
  return isFrame ? `${toName(folders.join('-'))}/${digits}` : toName([...folders, stem].join('-'))
}

/** The plain name, or the unchanged text if no character is left, as in another script. Such a name is refused later. */
function toName(text: string): string {
  return toPlainName(text) || text
}

/** A text with `-` in place of every run of characters that a name cannot have; empty if nothing is left. */
export function toPlainName(text: string): string {
  return text
    .replace(/[^\w-]+$/, '')
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^[_-]+/, '')
}

function wholeName(path: string): ReturnType<typeof toNumbered> {
  const name = path.replace('/', '-')
  return { group: name, number: 0, name }
}

/** Splits a name and its number. The name is empty for a frame in a folder that is named by a number alone. */
function toNumbered(path: string): { readonly group: string; readonly number: number; readonly name: string } {
  const parts = path.split('/')
  const stem = parts.at(-1) as string
  const folder = parts.at(-2)
  if (folder !== undefined && /^\d+$/.test(stem)) return { group: folder, number: Number(stem), name: '' }
  const [, group, digits] = numbered.exec(stem) ?? []
  return group === undefined ? { group: stem, number: 0, name: stem } : { group, number: Number(digits), name: stem }
}

/** The name of a file without folders and ending. */
export function stemOf(file: string): string {
  return basename(file, extname(file))
}
