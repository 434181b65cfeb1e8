import { type AtlasData, type SpriteUpdate, withVariants } from './data.ts'

// Shared code of both engines for swapping art in a running game.

/**
 * Whether a version of PixiJS can swap in place. Before 8.1, sprites do not notice a change of their texture.
 * Before 8.8, they draw the old page of a texture that has moved to another one.
 */
export function canSwapIn(pixi: string): boolean {
  return Number(/^8\.(\d+)/.exec(pixi)?.[1] ?? Infinity) >= 8
}

/** All fields that make pictures and their frames. The other fields are about playback. */
export function layoutOf({ pages, frames, turned, mirrored, borders, outlines, boxes, pixelArt }: AtlasData): string {
  return JSON.stringify([pages, frames, turned, mirrored, borders, outlines, boxes, pixelArt])
}

/**
 * The keys of atlases that an update leaves without frames: those of specs that are gone, and of variants that a spec
 * no longer has.
 *
 * @param keys Keys that the page has loaded. Others may be among them.
 */
export function goneKeys({ sprites, gone = [] }: SpriteUpdate, keys: Iterable<string>): readonly string[] {
  const owners = new Set([...gone, ...sprites.map(({ name }) => name)])
  const kept = new Set(withVariants(sprites).map(({ texture }) => texture))
  return [...keys].filter((key) => owners.has(key.split('.')[0] as string) && !kept.has(key))
}

/**
 * Passes on a value under a key. Resolves when this value, or a later value of the key, has been processed.
 */
export type Push<T> = (key: string, value: T) => Promise<void>

/**
 * Processes the newest value of each key, one at a time for each key, so that the last value wins. A value is
 * skipped if a later one arrives while it waits.
 *
 * @param work Handles its own failures. It may end early if `isOvertaken` returns true.
 */
export function createNewest<T>(work: (value: T, isOvertaken: () => boolean) => Promise<void>): Push<T> {
  const waiting = new Map<string, { readonly value: T }>()
  const running = new Map<string, Promise<void>>()
  const run = async (key: string): Promise<void> => {
    for (let next = waiting.get(key); next; next = waiting.get(key)) {
      waiting.delete(key)
      await work(next.value, () => waiting.has(key))
    }
    running.delete(key)
  }
  return (key, value) => {
    waiting.set(key, { value })
    const started = running.get(key) ?? run(key)
    running.set(key, started)
    return started
  }
}

/**
 * Fetches a picture and decodes it as an element, because pixels uploaded from an element are exact in every
 * encoding.
 *
 * @throws if the browser cannot show the picture.
 */
export async function fetchImage(url: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.src = url
  await image.decode().catch((cause: unknown) => {
    throw new Error(`Expected a picture at ${url}, found none that the browser shows.`, { cause })
  })
  return image
}

/** The place of an object in the animation that it plays. */
export interface Place {
  /** Index of the shown frame, from 0. */
  readonly index: number
  /** Names of all frames, in playing order. */
  readonly frames: readonly string[]
}

/**
 * Finds the frame at which an object continues in a new list: the frame that it shows if the list has it, or
 * else the one at the same relative position.
 *
 * @param frames Names of the new list, in playing order.
 * @returns An index into `frames`; 0 if there are none.
 */
export function goOnAt({ index, frames: before }: Place, frames: readonly string[]): number {
  const share = before.length > 1 ? index / (before.length - 1) : 0
  const far = Math.min(Math.max(0, frames.length - 1), Math.round(share * Math.max(0, frames.length - 1)))
  const shown = before[index]
  if (shown === undefined || frames[index] === shown) return shown === undefined ? far : index
  // A frame may occur several times, there and back.
  const same = frames.flatMap((name, at) => (name === shown ? [at] : []))
  return same.sort((a, b) => Math.abs(a - far) - Math.abs(b - far))[0] ?? far
}

/** Maximum number of names in a warning. */
const namesShown = 12

/** Warns once about gone frames that the game may still hold. */
export function warnOfGone(atlas: string, names: readonly string[]): void {
  if (names.length === 0) return
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : ''
  console.warn(
    `[spritewright] frames of "${atlas}" are gone and show the missing-texture picture: ${names.slice(0, namesShown).join(', ')}${more}`,
  )
}
