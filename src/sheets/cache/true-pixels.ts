import { findTruePixels, type TruePixels } from '../../../atlas/index.ts'
import { buildKey } from '../../sprite-spec/key.ts'
import { type OpenedFrames, openFrames, type PlayedFrames, readPlayed } from '../frames.ts'
import type { SheetInput } from '../sources.ts'
import { type AnimationPorts, formatVersion } from './cache.ts'
import { packFile, unpackFile } from './packed-file.ts'
import { readTruePixelsHead } from './schema.ts'

/**
 * Everything that decides the grid and the palette of a sprite, as a part of cache keys. `null` if the spec does not
 * ask for true pixels.
 */
export function truePixelsInputs(input: SheetInput): unknown {
  const { truePixels, paletteFile } = input.spec
  if (!truePixels) return null
  const { grid, palette, alpha } = truePixels
  const sources = peersOf(input).map(({ source, animation, overrides }) => [source.sha256, animation.frames, overrides?.key ?? null])
  return [grid ?? null, paletteFile?.colours ?? palette ?? null, alpha ?? null, isMeasured(truePixels) ? sources : null]
}

/**
 * Reads the used frames of an animation as the game plays them, with the true pixels of its sprite. A missing grid is
 * a warning of the sprite's first animation.
 *
 * @param isJudged Whether the quality of bought frames is checked.
 * @throws As `readPlayed`.
 */
export async function readGamePixels(input: SheetInput, isJudged: boolean, ports: AnimationPorts): Promise<PlayedFrames> {
  const { spec, animation } = input
  const truePixels = await readTruePixels(input, ports)
  const opened = measured.get(input)
  measured.delete(input)
  const played = await readPlayed(input, { layout: ports.layout, isJudged, truePixels, opened })
  const isMissed = spec.truePixels?.grid === 'find' && !truePixels?.grid && peersOf(input)[0]?.animation === animation
  return isMissed ? { ...played, warnings: [...played.warnings, missedGrid(spec.file)] } : played
}

/** Frames of a sprite that was measured, in true pixels, until each animation takes its own: they are read once. */
const measured = new WeakMap<SheetInput, OpenedFrames>()

/** Finds the grid and the palette of a sprite over all of its frames. They are measured once, and cached. */
async function readTruePixels(input: SheetInput, { cache, codec = '', layout }: AnimationPorts): Promise<TruePixels | undefined> {
  const { truePixels: wanted, paletteFile } = input.spec
  if (!wanted) return undefined
  const key = buildKey({ formatVersion, codec, kind: 'true pixels', inputs: truePixelsInputs(input) })
  const file = await cache.read(key)
  const cached = file && unpackFile(file, readTruePixelsHead)?.head
  if (cached) return cached
  const peers = isMeasured(wanted) ? peersOf(input) : []
  const opened: OpenedFrames[] = []
  for (const peer of peers) opened.push(await openFrames(peer, layout))
  const palette = paletteFile?.colours ?? (wanted.palette as number | undefined)
  const { truePixels, frames } = findTruePixels(
    opened.flatMap((one) => one.frames),
    { grid: wanted.grid, palette, isHard: wanted.alpha === 'hard' },
  )
  let from = 0
  for (const [at, peer] of peers.entries()) {
    const end = from + opened[at]!.frames.length
    if (peer.source.kind !== 'placeholder') measured.set(peer, { ...opened[at]!, frames: frames.slice(from, end) })
    from = end
  }
  await cache.write(key, ...packFile(truePixels, []))
  return truePixels
}

/** Without a measure, no animation depends on another one. */
function isMeasured({ grid, palette }: NonNullable<SheetInput['spec']['truePixels']>): boolean {
  return grid !== undefined || typeof palette === 'number'
}

function peersOf(input: SheetInput): readonly SheetInput[] {
  return input.peers ?? [input]
}

function missedGrid(file: string): string {
  return `${file}: expected cells of 4 to 32 pixels in the frames (pixelArt.grid), found no regular grid. The frames keep their pixels. Set the width of a cell, or take "grid" out.`
}
