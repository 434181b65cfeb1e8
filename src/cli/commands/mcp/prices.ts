import { resolve } from 'node:path'
import { z } from 'zod'
import { type ErrorCode, SpritewrightError } from '../../../errors.ts'
import type { CommandContext } from '../../context.ts'

const amount = z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/)
const usd = z
  .string()
  .regex(/^\d{1,15}(?:\.\d{1,9})?$/)
  .optional()
  .catch(undefined)
const quote = z.object({ credits: amount, usd }).optional()
const rows = z.array(z.object({ id: z.string(), state: z.string(), quote }))
const service = z.object({ host: z.string(), keyMode: z.string() }).optional()
const planSchema = z.object({ items: rows, steps: rows, total: amount, usd, balance: amount.optional(), service })
const failure = z.object({ code: z.string().regex(/^SW_[A-Z_]+$/), message: z.string() })
const failureSchema = z.object({ error: failure, errors: z.array(failure).optional() })

/** Today's prices of what is not bought. Amounts are decimal texts. The balance is missing if nothing is to be bought. */
export interface Prices extends Pick<z.output<typeof planSchema>, 'balance' | 'service'> {
  readonly requests: readonly { readonly id: string; readonly state: string; readonly credits: string; readonly usd?: string | undefined }[]
  readonly total: { readonly credits: string; readonly usd?: string | undefined; readonly covers: string }
}

/**
 * Asks for prices in another process, `spritewright plan --json`, which reads the API key from `.env` files as always.
 * Only amounts and names are taken from its answer.
 *
 * @param config The option `--config`.
 * @throws The errors of that process. `SW_BUILD` if it gave no answer.
 */
export async function askPrices({ parts, root }: CommandContext, config: string | undefined, names: readonly string[]): Promise<Prices> {
  const { ownProcess, host, signal } = parts
  const place = ['--root', root, ...(config === undefined ? [] : ['--config', resolve(host.workingFolder, config)])]
  const answer = parseJson(await ownProcess.run(['plan', '--json', ...place, '--', ...names], root, signal))
  const failed = failureSchema.safeParse(answer)
  if (failed.success) throw new AggregateError((failed.data.errors ?? [failed.data.error]).map(toError))
  const { data } = planSchema.safeParse(answer)
  if (!data)
    throw toError({
      code: 'SW_BUILD',
      message:
        'Expected prices of npx spritewright plan within two minutes, found none. The service may not answer. Run that command in a terminal.',
    })
  const { items, steps, total: credits, usd: usdOfAll, balance, service: asked } = data
  const requests = [...steps, ...items].flatMap(({ quote: own, ...one }) => (own ? [{ ...one, credits: own.credits, usd: own.usd }] : []))
  const covers = `all that is not bought${names.length === 0 ? '' : ` of ${names.join(', ')}`}`
  return { requests, total: { credits, usd: usdOfAll, covers }, balance, service: asked }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toError({ code, message }: z.output<typeof failure>): SpritewrightError {
  const more = code === 'SW_NO_KEY' ? ' The tools do not pass on a key of their environment: a person puts it into .env.local.' : ''
  return new SpritewrightError(code as ErrorCode, { message: message + more })
}
