import { relative } from 'node:path'
import { z } from 'zod'
import { isToBuy, whyNotBought } from '../../../project/states.ts'
import type { FrameFlag, PlanItem } from '../../../workshop.ts'
import { rowsOf } from '../../view/plan.ts'
import type { Prices } from './prices.ts'
import { defineTool, maybe, nameList, type Tool, type ToolContext, text, toErrors } from './tool.ts'

/** Rows of one answer. An agent asks for the others by name. */
const mostRows = 100

const row = z.object({ id: text, state: text, why: maybe, file: maybe, prompt: maybe, frames: z.number().optional(), ceiling: maybe })
const priced = z.object({ id: text, state: text, credits: text, usd: maybe, purchase: maybe })
const total = z.object({ credits: text, usd: maybe, covers: text })
const prices = { total, balance: maybe, service: z.object({ host: text, keyMode: text }).optional() }

/** Prices as data. */
export const priceShape: z.ZodObject = z.object({ requests: z.array(priced), ...prices })
/** An error as data. */
export const errorShape: z.ZodType = z.object({ code: text, message: text }).optional()

/** States, faults, prices, spending and ceilings. */
export const sprites: Tool = defineTool({
  name: 'sprites',
  description:
    'Every sprite: state, file, prompt, ceiling, price if not bought, faults of bought frames; credits spent, ceilings, open requests to a person with their age in hours. With names: also their FREE values, defaults included. Start here.',
  input: z.strictObject({ names: nameList }),
  output: z.object({
    sprites: z.array(row.extend({ credits: maybe, usd: maybe, faults: z.array(text), free: z.record(text, z.unknown()).optional() })),
    left: z.number(),
    spent: z.object({ settled: text, held: text, uncertain: text }),
    ceilings: z.object({ perSprite: maybe, perRun: maybe, total: maybe }),
    requests: z.array(z.object({ verb: text, names: z.array(text), why: text, hours: z.number() })),
    priceError: errorShape,
    warnings: z.array(text),
  }),
  run: async ({ names }, context) => {
    const [report, { settled, held, uncertain }, open, ceilings] = await context.withWorkshop((workshop) =>
      Promise.all([workshop.status(names), workshop.ledger(), workshop.requests.list(), workshop.options.approval]),
    )
    const rows = rowsOf(report)
    const { requests = [], priceError } = rows.some(isToBuy) ? await findPrices(context, names) : {}
    const priceOf = new Map(requests.map(({ id, credits, usd }) => [id, { credits, usd }]))
    const shown = (file: string): string => relative(context.root, file).replaceAll('\\', '/')
    const faultsOf = (id: string): readonly string[] => {
      const flags = (report.quality ?? []).filter((one) => `${one.id}.`.startsWith(`${id}.`)).flatMap((one) => one.flags)
      return flags.map(faultWords)
    }
    const own = report.own.map(({ name, file }) => ({ id: name, state: 'own', file: shown(file), faults: faultsOf(name) }))
    const paid = rows.map((one) => ({
      id: one.id,
      state: one.state,
      why: whyNotBought(one),
      ...('spec' in one ? { file: shown(one.spec.file), frames: one.animation.frames } : {}),
      prompt: one.request.prompt,
      ceiling: one.ceiling,
      ...priceOf.get(one.id),
      faults: faultsOf(one.id),
      free: names.length > 0 && 'spec' in one ? freeValues(one) : undefined,
    }))
    const all = [...paid, ...own]
    const hoursSince = (at: number): number => Math.round((context.parts.host.clock.wall() - at) / 3_600_000)
    const waiting = open.map(({ verb, names: asked, why, at }) => ({ verb, names: namesOrAll(asked), why, hours: hoursSince(at) }))
    const spent = { settled, held, uncertain }
    const left = Math.max(0, all.length - mostRows)
    const warnings = report.warnings.slice(0, 20)
    return { data: { sprites: all.slice(0, mostRows), left, spent, ceilings, requests: waiting, priceError, warnings } }
  },
})

/** Prices of what is not bought. */
export const price: Tool = defineTool({
  name: 'price',
  description:
    "Today's price of each request that is not bought, in credits and USD, their total and the balance; purchase: first, or again after a PAID change. Estimates, not binding. Spends nothing.",
  input: z.strictObject({ names: nameList }),
  output: priceShape,
  run: async ({ names }, context) => ({ data: { ...(await withPurchases(context, names, await context.prices(names))) } }),
})

/** The FREE values of an animation and its sprite, in the form of the spec file. */
function freeValues({ spec, animation }: PlanItem): Readonly<Record<string, unknown>> {
  const { fps, loop, yoyo, durations, use, meant } = animation
  const { boxes, normals, variants, stabilize, trim, extrude, padding, scales, atlas } = spec
  const anchor = spec.anchor && [spec.anchor.x, spec.anchor.y]
  const borders = spec.borders && [spec.borders.left, spec.borders.top, spec.borders.right, spec.borders.bottom]
  const shapes = { size: sizeInFile(spec.size), anchor, borders, boxes, mirror: spec.mirrors, normals, variants }
  const ofSprite = { ...shapes, pixelArt: spec.truePixels ?? spec.pixelArt, stabilize, trim, extrude, padding, scales, atlas }
  return animation.isPicture ? ofSprite : { fps, loop, yoyo, durations, use, meant, ...ofSprite }
}

function sizeInFile(size: PlanItem['spec']['size']): unknown {
  if (size?.kind === 'box') return { width: size.width, height: size.height }
  return size?.kind === 'figure' ? { figure: size.px } : size?.px
}

/** The names of a request, for which an empty list means all; at most 50. */
export function namesOrAll(names: readonly string[]): readonly string[] {
  return names.length > 0 ? names.slice(0, 50) : ['all that is not bought']
}

/** A fault of some frames, in words. */
export function faultWords({ fault, frames, words }: FrameFlag): string {
  return `${fault}, frames ${frames.slice(0, 20).join(' ')}: ${words}`
}

/** Prices, or the error that there were none. */
export type FoundPrices = Partial<Prices> & { readonly priceError?: unknown }

/** Asks for prices. A failure becomes a part of the answer. */
export async function findPrices(context: ToolContext, names: readonly string[]): Promise<FoundPrices> {
  return context.prices(names).catch((error: unknown) => ({ priceError: toErrors(error)[0] }))
}

/** Adds whether an animation is bought for the first time, or again after a change. A step has no such mark. */
export async function withPurchases(context: ToolContext, names: readonly string[], found: FoundPrices): Promise<FoundPrices> {
  if (!found.requests?.length) return found
  const { items } = await context.withWorkshop((workshop) => workshop.status(names))
  const purchaseOf = new Map(items.map(({ id, superseded }) => [id, superseded ? 'again' : 'first']))
  return { ...found, requests: found.requests.map((one) => ({ ...one, purchase: purchaseOf.get(one.id) })) }
}
