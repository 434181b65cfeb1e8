import { type Bitmap, type Canvas, noteDigest, pictureDigest } from '../../atlas/index.ts'
import type { BuildCache } from './cache.ts'
import type { KeptMember } from './cache-schema.ts'
import { frameNumber, type Opened } from './frames.ts'
import { toReport, unpackSequence } from './sequence-cache.ts'
import type { SheetInput } from './sources.ts'

/**
 * The frames of a result as an earlier build has cut them, where nothing is another that has a say in what they are: the result need not be opened. Undefined where not all that are played were kept, or
 * they are damaged.
 *
 * @param kept Of the same frames, see `framesKey`.
 */
export async function recallFrames({ animation }: SheetInput, { key, head }: KeptMember, cache: BuildCache): Promise<Opened | undefined> {
  const { delivered, quality, warnings } = head
  if (delivered === undefined) return undefined
  const lead = head.sequence.name
  const nameOf = (index: number): string => `${lead}/${frameNumber(index)}`
  const played = animation.use ?? Array.from({ length: delivered }, (_, index) => index)
  const names = new Set(head.sequence.frames.map(({ frame }) => frame.name))
  if (!played.every((index) => names.has(nameOf(index)))) return undefined
  const bytes = await cache.read(key)
  const kept = bytes && unpackSequence(bytes, lead)
  if (!kept) return undefined
  const cut = new Map(toReport(kept.head, kept.pixels).sequence.frames.map((frame) => [frame.name, frame]))
  const frames = new Array<Bitmap>(delivered)
  const canvases = new Array<Canvas>(delivered)
  const used = played.map((index) => ({ index, ...cut.get(nameOf(index))! }))
  const pictures = new Set(used.map(({ bitmap }) => bitmap))
  const isSparse = 2 * [...pictures].reduce((sum, { data }) => sum + data.length, 0) < bytes.length
  for (const { index, bitmap, canvas } of used) {
    if (!canvas) return undefined
    // A view on a file keeps all of it in memory.
    frames[index] = isSparse ? copyOf(bitmap) : bitmap
    canvases[index] = canvas
  }
  const { play, loop, yoyo } = head.sequence
  const isPlayedAlike = loop === animation.loop && yoyo === animation.yoyo && play.join() === played.map(nameOf).join()
  return { frames, canvases, touched: new Set(), warnings, ...(quality && isPlayedAlike ? { quality } : {}) }
}

function copyOf(bitmap: Bitmap): Bitmap {
  const copy = { ...bitmap, data: bitmap.data.slice() }
  noteDigest(copy, pictureDigest(bitmap))
  return copy
}
