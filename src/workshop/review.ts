import { type Bitmap, encodePage, encodePng, makeReviewSheet, type ReviewedAnimation, resize } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import { inParallel } from '../host/in-parallel.ts'
import type { Context } from '../project/context.ts'
import { layoutOf } from '../project/opener.ts'
import type { PlanItem } from '../project/plan.ts'
import type { ServiceConnection } from '../project/session.ts'
import { count } from '../project/states.ts'
import { type Survey, survey, throwAll } from '../project/survey.ts'
import { readGamePixels } from '../sheets/cache/true-pixels.ts'
import { readDelivered } from '../sheets/frames.ts'
import { createOverrideFinder } from '../sheets/overrides/overrides.ts'
import { type AnimationQuality, isClosedLoop } from '../sheets/quality.ts'
import { readQuality } from '../sheets/sheet.ts'
import { frameNumber, nameInSprite } from '../sprite-spec/spec.ts'
import type { FrameFile, ReviewOptions, ReviewReport } from './api/reports.ts'
import { itemOfTake } from './live/delivered.ts'
import { resultSource, sheetOptions, toInputs } from './sheets/sheets.ts'

/**
 * Opens the bought results of a name and draws their frames for a person's review. The service is not asked.
 *
 * @throws `SW_USAGE` for an unknown name. `SW_MISSING` if nothing of it is bought and stored here.
 *   `SW_DELIVERY` for a result that cannot be read. `SW_OVERRIDE` for an override that does not fit.
 */
export async function review(
  context: Context,
  connection: ServiceConnection,
  name: string,
  { takes, within }: ReviewOptions = {},
): Promise<ReviewReport> {
  const { found, bought, missing } = await findBought(context, connection, name, takes)
  const layout = layoutOf(context)
  // True pixels are found over all animations of a sprite.
  const inputs = await toInputs(context, found, 'placeholder', () => {})
  const animations: ReviewedAnimation[] = []
  const pictures: ReviewedAnimation[] = []
  const quality: AnimationQuality[] = []
  const find = createOverrideFinder(context.host.disk)
  for (const item of bought) {
    const { spec, animation } = item
    const { animations: touched } = await find(spec)
    const source = resultSource(context, item)
    const peers = inputs.find((input) => input.spec.name === spec.name)?.peers
    const input = { spec, animation, source, overrides: touched.get(animation.name), peers }
    const played = await readGamePixels(input, true, { cache: context.cache, codec: context.codec, layout })
    const own = played.quality as AnimationQuality
    quality.push(own)
    const faults = new Map<number, string[]>()
    for (const { fault, frames } of own.flags) for (const index of frames) faults.set(index, [...(faults.get(index) ?? []), fault])
    const list = animation.isPicture ? pictures : animations
    if (spec.truePixels) list.push(asDelivered(item.id, await readDelivered(input, layout), played.indices))
    list.push({
      title: `${item.id}${takes ? ` - take ${animation.take}` : ''} - ${played.frames.length} frames - ${animation.fps} fps`,
      frames: played.frames,
      captions: played.indices.map((index) => [
        animation.isPicture ? nameInSprite(spec, animation) : `${index}`,
        ...(played.touched.has(index) ? ['by hand'] : []),
        ...new Set(faults.get(index)),
      ]),
      flagged: played.indices.flatMap((index, at) => (faults.has(index) ? [at] : [])),
      isClosed: isClosedLoop(animation),
    })
  }
  const sheet = makeReviewSheet([...animations, ...(pictures.length > 0 ? [sideBySide(name, pictures)] : [])])
  return {
    name,
    animations: quality,
    missing,
    picture: within ? await encodeWithin(sheet, within) : encodePng(sheet),
    warnings: context.warnings,
  }
}

/** The frames before they became true pixels, to compare. */
function asDelivered(id: string, frames: readonly Bitmap[], indices: readonly number[]): ReviewedAnimation {
  const shown = indices.map((index) => frames[index] as Bitmap)
  const captions = indices.map((index) => [`${index}`])
  return { title: `${id} - as delivered`, frames: shown, captions, flagged: [], isClosed: false, arePictures: true }
}

/** Encodes a picture as WebP, smaller until it is within both limits. */
async function encodeWithin(sheet: Bitmap, { sidePx, bytes }: NonNullable<ReviewOptions['within']>): Promise<Uint8Array> {
  const { width, height } = sheet
  for (let side = sidePx; ; side = Math.floor(side * 0.8)) {
    const [across, down] = [width, height].map((px) => Math.max(1, Math.round(px * Math.min(1, side / Math.max(width, height)))))
    const small = await resize(sheet, across as number, down as number, 'lanczos')
    const encoded = await encodePage(small, { format: 'webp', lossless: false })
    if (encoded.length <= bytes || side < 16) return encoded
  }
}

/** Pictures, of one frame each, as one part of the sheet. */
function sideBySide(name: string, pictures: readonly ReviewedAnimation[]): ReviewedAnimation {
  return {
    title: `${name} - ${count(pictures.length, 'picture')}`,
    frames: pictures.flatMap(({ frames }) => frames),
    captions: pictures.flatMap(({ captions }) => captions),
    flagged: pictures.flatMap(({ flagged }, at) => (flagged.length > 0 ? [at] : [])),
    isClosed: false,
    arePictures: true,
  }
}

/**
 * Opens the bought results of a name and returns all of their frames as delivered. The service is not asked.
 *
 * @throws As {@link review}, except for overrides, which are not read.
 */
export async function readOriginals(context: Context, connection: ServiceConnection, name: string): Promise<readonly FrameFile[]> {
  const { bought } = await findBought(context, connection, name)
  const files: FrameFile[] = []
  for (const item of bought) {
    const { spec, animation } = item
    const frames = await readDelivered({ spec, animation, source: resultSource(context, item) }, layoutOf(context))
    for (const [index, bitmap] of frames.entries())
      files.push({
        file: `${animation.isPicture ? nameInSprite(spec, animation) : `${animation.name}/${frameNumber(index)}`}.png`,
        bytes: encodePng(bitmap),
      })
  }
  return files
}

/** The bought animations of a name, and the ids of the others. */
async function findBought(
  context: Context,
  connection: ServiceConnection,
  name: string,
  takes?: readonly number[],
): Promise<{ found: Survey; bought: readonly PlanItem[]; missing: readonly string[] }> {
  const found = await survey(context, [name], { host: connection.host })
  throwAll(found.errors)
  if (takes && found.items.length !== 1)
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of one animation or picture to compare takes of, found ${JSON.stringify(name)}.`,
    })
  const items = takes ? await inParallel(takes, (take) => itemOfTake(context, connection, found, 0, take)) : found.items
  const bought = items.filter((item) => item.state === 'bought')
  if (bought.length === 0) throw notBought(name, items)
  return { found, bought, missing: items.filter((item) => item.state !== 'bought').map(({ id }) => id) }
}

function notBought(name: string, items: readonly PlanItem[]): SpritewrightError {
  const states = items.map(({ id, state }) => `${id} is ${state}`).join(', ')
  const isHere = items.some(({ state }) => state === 'lost')
  return new SpritewrightError('SW_MISSING', {
    message: `Expected bought frames of "${name}" to show, found none: ${states}. ${
      isHere
        ? 'Fetch them again, for free: npx spritewright store verify'
        : `Approve and buy them first: npx spritewright approve ${name}, then npx spritewright build ${name}`
    }`,
    facts: { name, states: Object.fromEntries(items.map(({ id, state }) => [id, state])) },
  })
}

/**
 * The quality of the bought frames of some animations: cached by the last build, or checked now. A result
 * that cannot be read is left out.
 */
export async function findQuality(context: Context, all: Survey, ids: ReadonlySet<string>): Promise<readonly AnimationQuality[]> {
  // A build reports errors of overrides.
  const inputs = await toInputs(context, all, 'placeholder', () => {})
  return readQuality(inputs, ids, sheetOptions(context), {
    cache: context.cache,
    codec: context.codec,
    layout: layoutOf(context),
  })
}
