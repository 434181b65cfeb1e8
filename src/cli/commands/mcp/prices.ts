import { z } from 'zod'
import { type ErrorCode, SpritewrightError } from '../../../errors.ts'
import type { OwnProcess } from '../../../host/own-process.ts'

const amount = z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/)
const usd = z
  .string()
  .max(20)
  .regex(/^\d+(?:\.\d+)?$/)
const row = z.object({
  id: z.string(),
  state: z.string(),
  quote: z.object({ credits: amount, usd: usd.optional(), referenceUsd: usd.optional() }).optional(),
})
const planSchema = z.object({
  items: z.array(row),
  steps: z.array(row),
  total: amount,
  usd: usd.optional(),
  balance: amount.optional(),
  service: z.object({ host: z.string(), keyMode: z.string() }).optional(),
})
const failure = z.object({ code: z.string().regex(/^SW_[A-Z_]+$/), message: z.string() })
const failureSchema = z.object({ error: failure, errors: z.array(failure).optional() })

/** Today's prices of what is not bought. Amounts of credits are decimal texts. */
export interface Prices {
  readonly requests: readonly { readonly id: string; readonly state: string; readonly credits: string; readonly usd?: string | undefined }[]
  readonly total: string
  readonly usd?: string | undefined
  /** Missing if nothing is to be bought. */
  readonly balance?: string | undefined
  readonly service?: string | undefined
}

/**
 * Asks for prices in another process, `spritewright plan --json`, which reads the API key from `.env` files as always.
 * Only amounts and names are taken from its answer.
 *
 * @param key.hadKey Whether the environment of this process had the key, which the other process does not get.
 * @throws The errors of that process. `SW_BUILD` if it gave no answer.
 */
export async function askPrices(
  own: OwnProcess,
  { root, config }: { readonly root: string; readonly config?: string },
  names: readonly string[],
  { signal, hadKey }: { readonly signal: AbortSignal; readonly hadKey: boolean },
): Promise<Prices> {
  const args = ['plan', '--json', '--root', root, ...(config === undefined ? [] : ['--config', config]), '--', ...names]
  const answer = parseJson(await own.run(args, root, signal))
  const failed = failureSchema.safeParse(answer)
  if (failed.success) throw toThrown(failed.data.errors ?? [failed.data.error], hadKey)
  const { success, data } = planSchema.safeParse(answer)
  if (!success)
    throw new SpritewrightError('SW_BUILD', {
      message: 'Expected the prices of npx spritewright plan --json, found no such document. Run that command in a terminal to see why.',
    })
  const requests = [...data.steps, ...data.items].flatMap(({ id, state, quote }) =>
    quote ? [{ id, state, credits: quote.credits, usd: quote.usd ?? quote.referenceUsd }] : [],
  )
  const { total, balance, service } = data
  return { requests, total, usd: data.usd, balance, service: service && `${service.keyMode} key at ${service.host}` }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toThrown(failures: readonly z.output<typeof failure>[], hadKey: boolean): unknown {
  const errors = failures.map(({ code, message }) =>
    hadKey && code === 'SW_NO_KEY'
      ? new SpritewrightError('SW_NO_KEY', {
          message:
            'Expected the API key in .env.local, found it only in the environment of this server, which keeps it from every tool. A person puts it into .env.local.',
        })
      : new SpritewrightError(code as ErrorCode, { message }),
  )
  return errors.length === 1 ? errors[0] : new AggregateError(errors)
}
