import type { TextureEncoder } from '../build/encode-sheet.ts'
import type { DeliveryLayout, FrameSource, SheetInput } from '../build/frames.ts'
import { createOverrideFinder, overrideFolder, type SpriteOverrides } from '../build/overrides.ts'
import type { PlanItem } from '../build/plan.ts'
import { type BuiltSheets, makeSheets, type SheetOptions } from '../build/sheet.ts'
import { hasCode, SpritewrightError } from '../errors.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import { readLayout } from './layout-file.ts'
import type { Shop } from './shop.ts'
import type { Survey, Wish } from './survey.ts'

/**
 * Makes the atlases of everything that was surveyed.
 *
 * @param unbought What becomes of what is not bought: a moving placeholder, or an error of its own (the caller has seen to it that nothing is missing).
 * @param bought Ids of what was bought just now: its frames are looked at. Of the others is told what is known.
 * @param onOverrideFault Takes what is wrong with frames touched up by hand: their sprites are then made without them. @default it is thrown
 */
export async function assemble(
  shop: Shop,
  found: Survey,
  grouping: 'group' | 'sprite',
  unbought: 'error' | 'placeholder',
  bought: ReadonlySet<string> = new Set(),
  onOverrideFault?: OverrideFault,
): Promise<BuiltSheets> {
  const inputs = await toInputs(shop, found, unbought, onOverrideFault)
  return makeSheets(inputs, grouping, sheetOptions(shop), {
    cache: shop.cache,
    encodeTexture: encoderOf(shop),
    layout: layoutOf(shop),
    earlier: grouping === 'group' ? await readLayout(shop) : undefined,
    onOverrideFault,
    isJudged: (id) => bought.has(id),
    warn: (message) => void (shop.warnings.includes(message) || shop.warnings.push(message)),
  })
}

/** Takes what is wrong with frames touched up by hand. */
type OverrideFault = (fault: SpritewrightError) => void

/** How pages are made, the version of what encodes them too. */
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
  onOverrideFault?: OverrideFault,
): Promise<readonly SheetInput[]> {
  const find = createOverrideFinder(shop.host.disk)
  const known = new Map<SpriteSpec, SpriteOverrides>()
  for (const { spec } of found.items) if (!known.has(spec)) known.set(spec, await findOverrides(find, spec, onOverrideFault))
  return found.items.map((item, index) => {
    const { spec, animation } = item
    const { animations, paths } = known.get(spec) as SpriteOverrides
    const source = sourceOf(shop, item, found.wishes[index] as Wish, unbought)
    return { spec, animation, source, overrides: animations.get(animation.name), overridePaths: paths }
  })
}

async function findOverrides(
  find: (spec: SpriteSpec) => Promise<SpriteOverrides>,
  spec: SpriteSpec,
  onOverrideFault: OverrideFault | undefined,
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

/** Where the pictures of an item come from. @throws `SW_INTERNAL` where it is not bought and must be. */
export function sourceOf(shop: Shop, item: PlanItem, wish: Wish, unbought: 'error' | 'placeholder'): FrameSource {
  const { result } = item
  if (item.state === 'bought' && result !== undefined) {
    return {
      kind: 'result',
      sha256: result,
      review: item.review,
      read: async () => {
        const bytes = await shop.vault.read(result)
        if (bytes) return bytes
        throw new SpritewrightError('SW_VAULT', {
          message: `The paid result of "${item.id}" was damaged and has been set aside in ${shop.storeFolder}/quarantine. Run the command again: it is fetched anew from the service, for free. To look at all results: spritewright store verify`,
          facts: { id: item.id, result },
        })
      },
    }
  }
  if (unbought === 'error')
    throw new SpritewrightError('SW_INTERNAL', {
      message: `Expected "${item.id}" to be bought by now, found it ${item.state}. Please report this.`,
      facts: { id: item.id },
    })
  const { picture } = wish
  return { kind: 'placeholder', sha256: picture?.sha256 ?? '', read: async () => picture?.bytes }
}
