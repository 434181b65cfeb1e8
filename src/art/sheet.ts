import { basename, dirname, join } from 'node:path'
import { type AsepriteTag, type Bitmap, cutSheetFrame, parseSheetAtlas, readPicture, type SheetFrame } from '../../atlas/index.ts'
import type { Disk } from '../host/disk.ts'
import { decodeText } from '../host/project-style.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import { groupByName, stemOf } from './names.ts'
import { type Art, type ArtSequence, plainPlayback, readAgain, readSourceFile, sourceError, statSource, withFile } from './source.ts'
import { toTagged } from './tags.ts'

/** Largest JSON of a sheet, in bytes. */
const maximumJsonBytes = 16 << 20

/**
 * Reads a sheet with its JSON, in the forms of Aseprite and TexturePacker (hash or array). The tags and times of
 * Aseprite are kept. Without tags, frames are named like files in a folder.
 *
 * @throws `SW_SOURCE` for another JSON, a missing sheet, or two pictures of one name.
 */
export async function readSheet(disk: Disk, file: string, bytes: Uint8Array): Promise<Art> {
  const text = bytes.length > maximumJsonBytes ? '' : decodeText(bytes)
  const atlas = parseSheetAtlas(text)
  if (!atlas) throw sourceError(file, 'a JSON of a sheet by Aseprite or TexturePacker', 'another one', 'Export it again as hash or array.')
  const named = basename((atlas.image ?? '').replaceAll('\\', '/')) || `${stemOf(file)}.png`
  const sheet = join(dirname(file), named)
  if (!(await statSource(disk, sheet)))
    throw sourceError(file, `its sheet ${JSON.stringify(named)} beside it`, 'none', 'Export both into one folder.')
  const sha256 = hashOf(await readSourceFile(disk, sheet))
  const cut = async (parts: readonly SheetFrame[]): Promise<readonly Bitmap[]> => {
    const pixels = await readAgain(disk, sheet, sha256)
    return withFile(sheet, async () => {
      const whole = await readPicture(pixels)
      return parts.map((part) => cutSheetFrame(whole, part))
    })
  }
  const { tags, durations } = asepriteParts(JSON.parse(text))
  const digestOf = (parts: readonly SheetFrame[]): string => hashOf(sha256, JSON.stringify(parts))
  const groups = durations
    ? undefined
    : groupByName(atlas.frames, () => file).map(
        ({ name, isPicture, items }): ArtSequence => ({
          name,
          isPicture,
          frames: items.length,
          ...plainPlayback,
          sha256: digestOf(items),
          read: () => cut(items),
        }),
      )
  const sequences =
    groups ??
    (await withFile(file, () =>
      toTagged(tags, durations ?? [], (from, to) => {
        const parts = atlas.frames.slice(from, to + 1)
        return { sha256: digestOf(parts), read: () => cut(parts) }
      }),
    ))
  return { sequences, files: [file, sheet] }
}

/** Tags and times of the frames, if Aseprite wrote the JSON. */
function asepriteParts(json: { readonly frames: object; readonly meta?: { readonly frameTags?: unknown } }): {
  readonly tags: readonly AsepriteTag[]
  readonly durations?: readonly number[]
} {
  const durations = Object.values(json.frames).map((frame: { readonly duration?: unknown }) => frame.duration)
  if (!durations.every((ms) => typeof ms === 'number' && ms > 0)) return { tags: [] }
  const list = Array.isArray(json.meta?.frameTags) ? (json.meta.frameTags as readonly unknown[]) : []
  const tags = list.flatMap((tag) => toTag(tag, durations.length) ?? [])
  return { tags, durations: durations as readonly number[] }
}

const directions: readonly AsepriteTag['direction'][] = ['forward', 'reverse', 'pingpong', 'pingpong-reverse']

function toTag(value: unknown, frames: number): AsepriteTag | undefined {
  const { name, from, to, direction: way = 'forward', repeat = 0 } = (value ?? {}) as Readonly<Record<string, unknown>>
  const isFrame = (index: unknown): index is number => Number.isInteger(index) && (index as number) >= 0 && (index as number) < frames
  const direction = directions.find((one) => one === String(way).replace('_', '-'))
  if (typeof name !== 'string' || !isFrame(from) || !isFrame(to) || from > to || !direction) return undefined
  return { name, from, to, direction, repeat: Number(repeat) || 0 }
}
