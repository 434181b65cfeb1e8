import { relative } from 'node:path'
import { z } from 'zod'
import { isToBuy, whyNotBought } from '../../../project/states.ts'
import type { PlanReport } from '../../../workshop.ts'
import { rowsOf } from '../../view/plan.ts'
import { defineTool, errorShape, findPrices, nameList, type Tool } from './tool.ts'

/** Rows of one answer. An agent asks for the others by name. */
const mostRows = 200

const optionalText = z.string().optional()
const ceilings = z.object({ perSprite: optionalText, perRun: optionalText, total: optionalText })

/** Prices as data. */
export const priceShape: z.ZodObject<{
  requests: z.ZodArray<z.ZodType>
  total: z.ZodString
  usd: z.ZodOptional<z.ZodString>
  balance: z.ZodOptional<z.ZodString>
  service: z.ZodOptional<z.ZodString>
}> = z.object({
  requests: z.array(z.object({ id: z.string(), state: z.string(), credits: z.string(), usd: optionalText })),
  total: z.string(),
  usd: optionalText,
  balance: optionalText,
  service: optionalText,
})

/** States, faults, prices, spending and ceilings. */
export const sprites: Tool = defineTool({
  name: 'sprites',
  description:
    'Every sprite: state, file, prompt, ceiling, price if not bought, faults of bought frames; credits spent, ceilings, open requests to a person. Start here.',
  input: z.strictObject({ names: nameList }),
  output: z.object({
    sprites: z.array(
      z.object({
        id: z.string(),
        state: z.string(),
        why: optionalText,
        file: optionalText,
        prompt: optionalText,
        frames: z.number().optional(),
        ceiling: optionalText,
        credits: optionalText,
        usd: optionalText,
        faults: z.array(z.string()),
      }),
    ),
    left: z.number(),
    spent: z.object({ settled: z.string(), held: z.string(), uncertain: z.string() }),
    ceilings,
    requests: z.number(),
    priceError: errorShape.optional(),
    warnings: z.array(z.string()),
  }),
  run: async ({ names }, ports) => {
    const { report, ledger, open, approval } = await ports.withWorkshop(async (workshop) => ({
      report: await workshop.status(names),
      ledger: await workshop.ledger(),
      open: await workshop.requests.list(),
      approval: workshop.options.approval,
    }))
    const rows = rowsOf(report)
    const { requests = [], priceError } = rows.some(isToBuy) ? await findPrices(ports, names) : {}
    const priced = new Map(requests.map((one) => [one.id, one]))
    const all = [
      ...rows.map((row) => ({
        ...placeOf(row, ports.root),
        id: row.id,
        state: row.state,
        why: whyNotBought(row),
        prompt: row.request.prompt,
        ceiling: row.ceiling,
        credits: priced.get(row.id)?.credits,
        usd: priced.get(row.id)?.usd,
        faults: faultsOf(report, row.id),
      })),
      ...report.own.map((spec) => ({
        ...toPlace(spec.file, ports.root),
        id: spec.name,
        state: 'own',
        faults: faultsOf(report, spec.name),
      })),
    ]
    return {
      data: {
        sprites: all.slice(0, mostRows),
        left: Math.max(0, all.length - mostRows),
        spent: { settled: ledger.settled, held: ledger.held, uncertain: ledger.uncertain },
        ceilings: approval,
        requests: open.length,
        priceError,
        warnings: report.warnings.slice(0, 20),
      },
    }
  },
})

/** Prices of what is not bought. */
export const price: Tool = defineTool({
  name: 'price',
  description:
    "Today's price of each request that is not bought, in credits and USD, their total and the balance. Estimates, not binding. Spends nothing.",
  input: z.strictObject({ names: nameList }),
  output: priceShape,
  run: async ({ names }, ports) => ({ data: { ...(await ports.prices(names)) } }),
})

function placeOf(row: ReturnType<typeof rowsOf>[number], root: string): { readonly file?: string; readonly frames?: number } {
  return 'spec' in row ? { ...toPlace(row.spec.file, root), frames: row.animation.frames } : {}
}

function toPlace(file: string, root: string): { readonly file: string } {
  return { file: relative(root, file).replaceAll('\\', '/') }
}

function faultsOf({ quality = [] }: PlanReport, id: string): readonly string[] {
  const flags = quality.filter((one) => one.id === id || one.id.startsWith(`${id}.`)).flatMap((one) => one.flags)
  return flags.map(({ fault, frames, words }) => `${fault}, frames ${frames.slice(0, 20).join(' ')}: ${words}`)
}
