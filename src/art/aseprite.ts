import { type AsepriteInfo, asepriteInfo, readAseprite } from '../../atlas/index.ts'
import { type Art, digest, withFile } from './source.ts'
import { toTagged } from './tags.ts'

/**
 * Reads a native Aseprite file: an animation for each tag, with times and directions. The first slice with a pivot
 * gives the anchor, and the first slice with a middle gives the borders, both with their values in the first frame.
 *
 * @throws `SW_SOURCE` for a file that is damaged, or cannot be drawn exactly.
 */
export async function readAsepriteArt(file: string, bytes: Uint8Array): Promise<Art> {
  const info = await withFile(file, () => asepriteInfo(bytes))
  const sha256 = digest(bytes)
  const sequences = await withFile(file, () =>
    toTagged(info.tags, info.durations, (from, to) => ({
      sha256: digest(sha256, `${from} ${to}`),
      read: () => withFile(file, () => readAseprite(bytes, {}, { from, to }).frames.map(({ bitmap }) => bitmap)),
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
