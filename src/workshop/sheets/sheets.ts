import { hasCode, SpritewrightError } from '../../errors.ts'
import type { Shop } from '../../project/context.ts'
import type { PlanItem } from '../../project/plan.ts'
import type { Survey, Wish } from '../../project/survey.ts'
import type { TextureEncoder } from '../../sheets/encode.ts'
import { readDelivered } from '../../sheets/frames.ts'
import type { SheetPorts } from '../../sheets/group.ts'
import { createOverrideFinder, overrideFolder, type SpriteOverrides } from '../../sheets/overrides/overrides.ts'
import { type BuiltSheets, makeSheets, type SheetOptions } from '../../sheets/sheet.ts'
import type { DeliveryLayout, FrameSource, ResultSource, SheetInput } from '../../sheets/sources.ts'
import type { SpriteSpec } from '../../spec/spec.ts'
import { readLayout } from './layout-file.ts'
import { createStandIns } from './placeholders.ts'

/**
 * Makes the atlases of everything that was surveyed.
 *
 * @param unbought What becomes of what is not bought: a moving placeholder, or an error of its own (the caller has seen to it that nothing is missing).
 * @param over Takes the place of what sheets are made with otherwise. With `onOverrideFault` sprites whose touched-up frames do not fit are made without them; else that is thrown.
 */
export async function assemble(
  shop: Shop,
  found: Survey,
  grouping: 'group' | 'sprite',
  unbought: 'error' | 'placeholder',
  over: Partial<SheetPorts> = {},
): Promise<BuiltSheets> {
  const inputs = await toInputs(shop, found, unbought, over.onOverrideFault)
  return makeSheets(inputs, grouping, sheetOptions(shop), {
    cache: shop.cache,
    codec: shop.codec,
    encodeTexture: encoderOf(shop),
    layout: layoutOf(shop),
    earlier: grouping === 'group' ? await readLayout(shop) : undefined,
    warn: (message) => void (shop.warnings.includes(message) || shop.warnings.push(message)),
    ...over,
  })
}

/** How pages are made, the version of what encodes GPU textures too. */
export function sheetOptions({ options, textures }: Shop): SheetOptions {
  return { ...options.atlas, ...(textures ? { encoder: textures.version } : {}) }
}

function encoderOf({ host, textures }: Shop): TextureEncoder | undefined {
  return textures && ((picture, settings) => host.encodeTexture(textures.entry, picture, settings))
}

/** Every animation that was surveyed, with the place of its pictures and what lies over them. @throws `SW_OVERRIDE`, unless `onOverrideFault` takes it. */
export async function toInputs(
  shop: Shop,
  found: Survey,
  unbought: 'error' | 'placeholder',
  onOverrideFault?: SheetPorts['onOverrideFault'],
): Promise<readonly SheetInput[]> {
  const specs = new Set(found.items.map(({ spec }) => spec))
  const find = createOverrideFinder(shop.host.disk, specs.size === 1)
  const known = new Map<SpriteSpec, SpriteOverrides>()
  for (const spec of specs) known.set(spec, await findOverrides(find, spec, onOverrideFault))
  const standIns = createStandIns(shop, found, (item) =>
    readDelivered({ spec: item.spec, animation: item.animation, source: resultSource(shop, item) }, layoutOf(shop)),
  )
  const inputs: SheetInput[] = []
  for (const [index, item] of found.items.entries()) {
    const { spec, animation } = item
    const { animations, paths } = known.get(spec) as SpriteOverrides
    const standIn = (): Promise<FrameSource> => (unbought === 'error' ? refuse(item) : standIns.of(item, found.wishes[index] as Wish))
    const source = boughtSource(shop, item) ?? (await standIn())
    inputs.push({ spec, animation, source, overrides: animations.get(animation.name), overridePaths: paths })
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

/** How the configured service's deliveries are read, where its profile says so. */
export function layoutOf({ options: { service } }: Shop): DeliveryLayout | undefined {
  return typeof service === 'object' ? (service.profile as { readDelivery?: DeliveryLayout } | undefined)?.readDelivery : undefined
}

/** Where the pictures of a bought item come from. @throws `SW_INTERNAL` where it is not bought. */
export function resultSource(shop: Shop, item: PlanItem): ResultSource {
  return boughtSource(shop, item) ?? refuse(item)
}

function boughtSource(shop: Shop, { state, result, review, id }: PlanItem): ResultSource | undefined {
  if (state !== 'bought' || result === undefined) return undefined
  return {
    kind: 'result',
    sha256: result,
    review,
    read: async () => {
      const bytes = await shop.vault.read(result)
      if (bytes) return bytes
      throw new SpritewrightError('SW_VAULT', {
        message: `The paid result of "${id}" was damaged and has been set aside in ${shop.storeFolder}/quarantine. Run the command again: it is fetched anew from the service, for free. To look at all results: spritewright store verify`,
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
