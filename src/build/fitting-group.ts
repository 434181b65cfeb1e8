import type { PageFormat } from '../../atlas/index.ts'
import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

/** What a kept group is asked to be. */
export interface ExpectedGroup {
  readonly name: string
  /** `sprite/animation` of each of its animations. */
  readonly animations: readonly string[]
  /** Largest first. */
  readonly scales: readonly number[]
  /** Of its pages, then of their alternates. */
  readonly encodings: readonly PageFormat[]
}

/** Whether a group is the one that is expected, and whole: its frames lie on its pages, and its animations are played of its frames. */
export function isGroupOf({ atlases, quality }: BuiltGroup, expected: ExpectedGroup): boolean {
  const ids = new Set(expected.animations.map((name) => name.replace('/', '.')))
  return (
    atlases.map(({ scale }) => scale).join() === expected.scales.join() &&
    atlases.every((atlas) => isAtlasOf(atlas, expected)) &&
    quality.every(({ id }) => ids.has(id))
  )
}

function isAtlasOf(atlas: BuiltAtlas, { name, animations, encodings }: ExpectedGroup): boolean {
  const lists = [atlas.pages, ...(atlas.alternates ?? [])]
  const frames = new Set(atlas.frames.map((frame) => frame.name))
  const known = new Set(animations)
  return (
    atlas.name === name &&
    lists.length === encodings.length &&
    lists.every((pages, at) => pages.length === atlas.pages.length && pages.every(({ extension }) => extension === encodings[at])) &&
    frames.size === atlas.frames.length &&
    atlas.frames.every((frame) => known.has(frame.name.slice(0, frame.name.lastIndexOf('/'))) && liesOnPage(frame, atlas.pages)) &&
    atlas.animations.map((animation) => animation.name).join() === [...known].sort().join() &&
    atlas.animations.every(
      (animation) =>
        animation.name.startsWith(`${animation.sprite}/`) &&
        animation.frames.length > 0 &&
        animation.frames.every((frame) => frames.has(frame.name) && frame.name.startsWith(`${animation.name}/`)),
    )
  )
}

/** Whether a frame lies on its page, and what is seen of it in the whole frame. */
function liesOnPage(frame: BuiltAtlas['frames'][number], pages: readonly BuiltPage[]): boolean {
  const { page, x, y, width, height, isTurned = false, offsetX, offsetY, sourceWidth, sourceHeight } = frame
  const place = pages[page]
  const [across, down] = isTurned ? [height, width] : [width, height]
  const isOnPage = place !== undefined && x + across <= place.width && y + down <= place.height
  return isOnPage && offsetX + width <= sourceWidth && offsetY + height <= sourceHeight
}

/** Whether the bytes of a page begin as files of its encoding do, and its type names that encoding. */
export function isPicture({ bytes, extension, contentType }: BuiltPage): boolean {
  const has = (text: string, at: number): boolean => Buffer.from(bytes.subarray(at, at + text.length)).toString('latin1') === text
  const begins: Readonly<Record<PageFormat, boolean>> = {
    png: has('\x89PNG\r\n\x1a\n', 0),
    webp: has('RIFF', 0) && has('WEBP', 8),
    avif: has('ftypavi', 4),
    ktx2: has('\xabKTX 20\xbb\r\n\x1a\n', 0),
  }
  return contentType === `image/${extension}` && begins[extension]
}
