import {
  type Bitmap,
  blit,
  createBitmap,
  drawOverEarlier,
  encodeMoving,
  fitSize,
  makeContactSheet,
  scaleFrames,
} from '../../atlas/index.ts'
import type { Context } from '../project/context.ts'
import { supersededBy } from '../project/last-purchase.ts'
import { layoutOf } from '../project/opener.ts'
import type { ServiceConnection } from '../project/session.ts'
import { survey, throwAll } from '../project/survey.ts'
import { readGamePixels } from '../sheets/cache/true-pixels.ts'
import type { SheetInput } from '../sheets/sources.ts'
import { findEntry, type LockFile } from '../vault/lockfile.ts'
import type { PlanPictures } from './api/reports.ts'
import { supersededInput, toInputs } from './sheets/sheets.ts'
import { commitDisk, readCommittedLock } from './worker/committed-order.ts'

const endings = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const

/** Largest file of a change, in bytes. Comments show it without a click. */
const mostBytes = 400_000
/** Longest side of a frame in it, in pixels. A frame gets smaller before frames are left out. */
const largestCell = 160
const smallestCell = 64

/**
 * Draws what a change makes of bought animations, and finds the pictures from which new ones would be made. Changed are
 * animations that are not bought, and those that were bought since the remote's default branch; without a remote, those
 * that replace an earlier purchase. The service is not asked.
 *
 * @returns One entry for each changed animation that has either, in the order of the plan.
 * @throws `SW_DELIVERY` for a result that cannot be read.
 */
export async function drawPlanPictures(
  context: Context,
  connection: ServiceConnection,
  names: readonly string[],
): Promise<readonly PlanPictures[]> {
  const found = await survey(context, names, { host: connection.host })
  throwAll(found.errors)
  const inputs = await toInputs(context, found, 'placeholder', () => {})
  const base = await readBaseLock(context)
  const all: PlanPictures[] = []
  for (const [at, item] of found.items.entries()) {
    const { id, spec, hash = '', request, state } = item
    const isBought = state === 'bought'
    const { superseded } = isBought ? supersededBy(request, hash, found.lock, connection.host) : item
    if (isBought && (base ? findEntry(base, id, hash)?.result : !superseded)) continue
    const earlier = await supersededInput(context, { ...item, superseded })
    // A touched-up frame belongs to the frames that are shown now.
    const before = earlier && (isBought ? { ...earlier, spec } : inputs[at])
    const change = await drawChange(context, id, before, isBought ? inputs[at] : undefined)
    const { picture } = found.wanted[at]!
    const reference = !isBought && picture && { file: `${id}.reference.${endings[picture.contentType]}`, bytes: picture.bytes }
    if (change || reference) all.push({ id, ...(change ? { change } : {}), ...(reference ? { reference } : {}) })
  }
  return all
}

/** The lock file of the remote's default branch, as of the last fetch. Returns `undefined` if it is not known. */
async function readBaseLock(context: Context): Promise<LockFile | undefined> {
  const { host, options } = context
  const [tip] = (await host.repository?.tipsOf(options.root, [])) ?? []
  const lock = tip === undefined ? undefined : await readCommittedLock(context, commitDisk(context, tip)).catch(() => undefined)
  return lock && Object.keys(lock.animations).length > 0 ? lock : undefined
}

interface Step {
  readonly bitmap: Bitmap
  readonly ms: number
}

async function drawChange(context: Context, id: string, before?: SheetInput, after?: SheetInput): Promise<PlanPictures['change']> {
  const read = async (input: SheetInput | undefined): Promise<readonly Step[]> => (input ? readSteps(context, input) : [])
  const [old, now] = [await read(before), await read(after)]
  const all = [...new Set([...old, ...now].map(({ bitmap }) => bitmap))]
  if (all.length === 0) return undefined
  const largest = { width: Math.max(...all.map(({ width }) => width)), height: Math.max(...all.map(({ height }) => height)) }
  const size = { kind: 'longest', px: Math.min(largestCell, Math.max(largest.width, largest.height)) } as const
  const { width, height } = fitSize(largest.width, largest.height, size)
  const fitted = await scaleFrames(all, size, false, largest)
  const canvases = new Map(fitted.map((frame, at) => [all[at]!, onCanvas(frame, width, height)]))
  const steps = Array.from({ length: Math.max(old.length, now.length) }, (_, at) => {
    const shown = [old, now].flatMap((list) => list[at % list.length] ?? [])
    const cells = shown.map(({ bitmap }) => canvases.get(bitmap)!)
    const [earlier, frame] = cells
    return { cells: earlier && frame ? [...cells, drawOverEarlier(frame, earlier)] : cells, ms: shown.at(-1)!.ms }
  })
  const shows = before && after ? (['before', 'after', 'onion'] as const) : ([before ? 'before' : 'after'] as const)
  return { file: `${id}.webp`, bytes: await encodeWithin(steps), shows }
}

/** The frames of an animation as they are played once, at their delivered size. */
async function readSteps(context: Context, input: SheetInput): Promise<readonly Step[]> {
  const { durations, fps, use, yoyo } = input.animation
  const { cache, codec } = context
  const { frames, indices } = await readGamePixels(input, false, { cache, codec, layout: layoutOf(context) })
  const steps = (use ?? indices).map((index, at) => ({
    bitmap: frames[indices.indexOf(index)] as Bitmap,
    ms: durations?.[at] ?? 1000 / fps,
  }))
  return yoyo ? [...steps, ...steps.slice(1, -1).reverse()] : steps
}

/** Puts a frame at the bottom middle of a larger canvas, where figures stand. */
function onCanvas(frame: Bitmap, width: number, height: number): Bitmap {
  const canvas = createBitmap(width, height)
  blit(canvas, frame, Math.floor((width - frame.width) / 2), height - frame.height)
  return canvas
}

/** Encodes cells side by side: first smaller, then with fewer steps, until the file is small enough. */
async function encodeWithin(all: readonly { readonly cells: readonly Bitmap[]; readonly ms: number }[]): Promise<Uint8Array> {
  for (let [cell, stride] = [largestCell, 1]; ; ) {
    const shown = all.filter((_, at) => at % stride === 0)
    const times = shown.map((_, at) => Math.round(all.slice(at * stride, (at + 1) * stride).reduce((sum, { ms }) => sum + ms, 0)))
    const sheets = shown.map(({ cells }) => makeContactSheet(cells, { columns: cells.length, cell }))
    const bytes = await encodeMoving(sheets, times)
    if (bytes.length <= mostBytes || stride >= all.length) return bytes
    if (cell > smallestCell) cell = Math.max(smallestCell, Math.floor(cell * Math.min(0.9, Math.sqrt(mostBytes / bytes.length))))
    else stride *= 2
  }
}
