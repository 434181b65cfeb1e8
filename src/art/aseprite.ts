import { type AsepriteInfo, asepriteInfo, readAseprite } from '../../atlas/index.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import { toPlainName } from './names.ts'
import { type Art, type ArtBox, type ArtSequence, withFile } from './source.ts'
import { toTagged } from './tags.ts'

/**
 * Reads a native Aseprite file: an animation for each tag, with times and directions. The first slice with a pivot
 * gives the anchor, and the first slice with a middle gives the borders, both with their values in the first frame.
 * Every other slice is a box.
 *
 * @throws `SW_SOURCE` for a file that is damaged, or cannot be drawn exactly.
 */
export async function readAsepriteArt(file: string, bytes: Uint8Array): Promise<Art> {
  const info = await withFile(file, () => asepriteInfo(bytes))
  const sha256 = hashOf(bytes)
  const sequences = await withFile(file, () =>
    toTagged(info.tags, info.durations, (from, to) => ({
      sha256: hashOf(sha256, `${from} ${to}`),
      read: () => withFile(file, () => readAseprite(bytes, {}, { from, to }).frames.map(({ bitmap }) => bitmap)),
      ...boxesOf(info, from, to),
    })),
  )
  return { sequences, files: [file], ...anchorOf(info), ...bordersOf(info) }
}

function anchorOf({ width, height, slices }: AsepriteInfo): Pick<Art, 'anchor'> {
  const [key] = slices.flatMap(({ keys }) => keys.find(({ pivot }) => pivot) ?? [])
  if (!key?.pivot) return {}
  return { anchor: { x: (key.x + key.pivot.x) / width, y: (key.y + key.pivot.y) / height } }
}

/** Borders are counted from the canvas, not from the slice. */
function bordersOf({ width, height, slices }: AsepriteInfo): Pick<Art, 'borders'> {
  const [key] = slices.flatMap(({ keys }) => keys.find(({ center }) => center) ?? [])
  if (!key?.center) return {}
  const { center } = key
  const [left, top] = [key.x + center.x, key.y + center.y]
  const [right, bottom] = [width - left - center.width, height - top - center.height]
  return [left, top, right, bottom].every((side) => side >= 0) ? { borders: { left, top, right, bottom } } : {}
}

/** The boxes of a run of frames. A key of a slice counts until the next one; a slice without an area is hidden. */
function boxesOf({ width, height, slices }: AsepriteInfo, from: number, to: number): Pick<ArtSequence, 'boxes'> {
  const boxes = new Map<string, ArtBox[][]>()
  for (const { name, keys } of slices) {
    const plain = toPlainName(name)
    if (plain === '' || keys.some(({ pivot, center }) => pivot ?? center)) continue
    const ordered = [...keys].sort((a, b) => a.frame - b.frame)
    const frames = boxes.get(plain) ?? Array.from({ length: to - from + 1 }, () => [])
    boxes.set(plain, frames)
    for (const [at, own] of frames.entries()) {
      const key = ordered.findLast(({ frame }) => frame <= from + at)
      if (!key) continue
      // A slice may reach beyond the canvas.
      const [left, top] = [Math.max(0, key.x), Math.max(0, key.y)]
      const [wide, high] = [Math.min(width, key.x + key.width) - left, Math.min(height, key.y + key.height) - top]
      if (wide > 0 && high > 0) own.push([left / width, top / height, wide / width, high / height])
    }
  }
  return boxes.size > 0 ? { boxes: Object.fromEntries(boxes) } : {}
}
