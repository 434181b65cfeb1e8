import { hasCode, SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { layoutOf } from '../../project/opener.ts'
import type { PlanItem } from '../../project/plan.ts'
import type { Survey } from '../../project/survey.ts'
import type { WantedAnimation } from '../../project/wanted.ts'
import type { TextureEncoder } from '../../sheets/encode.ts'
import { readDelivered } from '../../sheets/frames.ts'
import type { SheetPorts } from '../../sheets/group.ts'
import { createOverrideFinder, overrideFolder, type SpriteOverrides } from '../../sheets/overrides/overrides.ts'
import { type BuiltSheets, makeSheets, type SheetOptions } from '../../sheets/sheet.ts'
import type { FrameSource, ResultSource, SheetInput } from '../../sheets/sources.ts'
import { filesOf, sequenceOf } from '../../sprite-spec/own-art.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { readLayout } from './layout-file.ts'
import { createPlaceholderMaker } from './placeholders.ts'

/**
 * Makes the atlases of everything in a survey.
 *
 * @param unbought Treatment of animations that are not bought: a moving placeholder, or an error. (The caller
 *   has checked that nothing is missing.)
 * @param over Replaces ports of the sheets, and says whether mirrored frames can be drawn. With `onOverrideFault`, a sprite whose overrides do not fit is
 *   made without them. Without it, that error is thrown.
 */
export async function assemble(
  context: Context,
  found: Survey,
  grouping: 'group' | 'sprite',
  unbought: 'error' | 'placeholder',
  { canMirror, ...over }: Partial<SheetPorts> & Pick<SheetOptions, 'canMirror'> = {},
): Promise<BuiltSheets> {
  const inputs = await toInputs(context, found, unbought, over.onOverrideFault)
  return makeSheets(
    inputs,
    grouping,
    { ...sheetOptions(context), canMirror },
    {
      cache: context.cache,
      codec: context.codec,
      encodeTexture: encoderOf(context),
      layout: layoutOf(context),
      earlier: grouping === 'group' ? await readLayout(context) : undefined,
      warn: context.warn,
      ...over,
    },
  )
}

/** The options of pages, with the version of the encoder of GPU textures. */
export function sheetOptions({ options, textures }: Context): SheetOptions {
  return { ...options.atlas, ...(textures ? { encoder: textures.version } : {}) }
}

function encoderOf({ host, textures }: Context): TextureEncoder | undefined {
  return textures && ((picture, settings) => host.encodeTexture(textures.entry, picture, settings))
}

/**
 * Every animation of a survey, with the source of its pictures and its overrides.
 *
 * @throws `SW_OVERRIDE`, unless `onOverrideFault` takes it.
 */
export async function toInputs(
  context: Context,
  found: Survey,
  unbought: 'error' | 'placeholder',
  onOverrideFault?: SheetPorts['onOverrideFault'],
): Promise<readonly SheetInput[]> {
  const specs = new Set(found.items.map(({ spec }) => spec))
  const find = createOverrideFinder(context.host.disk, specs.size === 1)
  const known = new Map<SpriteSpec, SpriteOverrides>()
  for (const spec of specs) known.set(spec, await findOverrides(find, spec, onOverrideFault))
  const standIns = createPlaceholderMaker(context, found, (item) =>
    readDelivered({ spec: item.spec, animation: item.animation, source: resultSource(context, item) }, layoutOf(context)),
  )
  const inputs: SheetInput[] = []
  const made = new Map<SpriteSpec, SheetInput[]>()
  const add = (input: SheetInput): void => {
    const { spec, source } = input
    const peers = made.get(spec) ?? []
    made.set(spec, peers)
    const isShown = source.kind !== 'placeholder'
    const whole = { ...input, peers, ...(spec.size?.kind === 'figure' && isShown ? { bases: [...peers] } : {}) }
    inputs.push(whole)
    if (isShown) peers.push(whole)
  }
  for (const [index, item] of found.items.entries()) {
    const { spec, animation } = item
    const { animations, paths } = known.get(spec) as SpriteOverrides
    const standIn = (): Promise<FrameSource> =>
      unbought === 'error' ? refuse(item) : standIns.of(item, found.wanted[index] as WantedAnimation)
    const bought = boughtSource(context, item)
    const older = bought || unbought === 'error' ? undefined : await supersededInput(context, item)
    const own = { spec, overrides: animations.get(animation.name), overridePaths: [...paths, ...filesOf(spec)] }
    add(older ? { ...own, ...older } : { ...own, animation, source: bought ?? (await standIn()) })
  }
  for (const { spec, animation } of found.own) {
    const { sha256, read } = sequenceOf(spec, animation)
    add({ spec, animation, source: { kind: 'own', sha256, read }, overridePaths: filesOf(spec) })
  }
  return inputs
}

async function findOverrides(
  find: (spec: SpriteSpec) => Promise<SpriteOverrides>,
  spec: SpriteSpec,
  onOverrideFault: SheetPorts['onOverrideFault'],
): Promise<SpriteOverrides> {
  try {
    return await find(spec)
  } catch (error) {
    if (!onOverrideFault || !hasCode(error, 'SW_OVERRIDE')) throw error
    onOverrideFault(error)
    return { animations: new Map(), paths: [overrideFolder(spec)] }
  }
}

/**
 * The source of the pictures of a bought item.
 *
 * @throws `SW_INTERNAL` if it is not bought.
 */
export function resultSource(context: Context, item: PlanItem): ResultSource {
  return boughtSource(context, item) ?? refuse(item)
}

function boughtSource(context: Context, { state, result, review, id }: PlanItem): ResultSource | undefined {
  return state !== 'bought' || result === undefined ? undefined : storedSource(context, id, result, review)
}

/**
 * The result that was bought before an animation was changed. It is shown until the new one is there. If it has
 * another number of frames, it plays all of them, each in its default time.
 */
export async function supersededInput(
  context: Context,
  { id, animation, superseded }: Pick<PlanItem, 'id' | 'animation' | 'superseded'>,
): Promise<Pick<SheetInput, 'animation' | 'source'> | undefined> {
  if (!superseded || !(await context.vault.has(superseded.sha256))) return undefined
  const { sha256, frames, review } = superseded
  const { use: _use, durations: _durations, ...rest } = animation
  return {
    animation: frames === animation.frames ? animation : { ...rest, frames },
    source: { ...storedSource(context, id, sha256, review), isSuperseded: true },
  }
}

function storedSource(context: Context, id: string, result: string, review: PlanItem['review']): ResultSource {
  return {
    kind: 'result',
    sha256: result,
    review,
    read: async () => {
      const bytes = await context.vault.read(result)
      if (bytes) return bytes
      throw new SpritewrightError('SW_VAULT', {
        message: `The paid result of "${id}" was damaged and has been set aside in "${context.storeFolder}/quarantine". npx spritewright build fetches it again from the service, for free. To look at all results: npx spritewright store verify`,
        facts: { id, result },
      })
    },
  }
}

function refuse({ id, state }: PlanItem): never {
  throw new SpritewrightError('SW_INTERNAL', {
    message: `Expected "${id}" to be bought by now, found it ${state}. Please report this.`,
    facts: { id },
  })
}
