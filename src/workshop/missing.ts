import { relative } from 'node:path'
import { formatCredits, sumCredits } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { commandWord } from '../host/terminal.ts'
import type { Context } from '../project/context.ts'
import type { Quotes } from '../project/quotes.ts'
import { count, countItems, missingWords, type UnsentRequest } from '../project/states.ts'
import { spriteOf } from '../sprite-spec/request.ts'
import { isStepId } from '../vault/lockfile.ts'

/** A missing part of a build: an animation, or a step of a chain. */
export type Missing = UnsentRequest & { readonly id: string }

/**
 * Makes the error of a build that lacks something that it must not buy, or may not buy yet: a table of
 * prices, and the command that approves them.
 *
 * @param quotes Undefined if the service cannot be asked. Then the table has no prices.
 * @param standing Why the standing ceilings do not allow it, in sentences.
 * @param mayBuy False under `--frozen`, `generate: 'never'` or CI.
 */
export async function missingError(
  context: Context,
  items: readonly Missing[],
  quotes: Quotes | undefined,
  mayBuy: boolean,
  standing: readonly string[] = [],
): Promise<SpritewrightError> {
  const priced = await Promise.all(items.map(async (item) => ({ item, credits: quotes && (await quotes.of(item.request)).credits })))
  const width = Math.max(...items.map((item) => item.id.length))
  const table = priced.map(
    ({ item, credits }) =>
      `  ${item.id.padEnd(width)}  ${credits === undefined ? '' : `${formatCredits(credits)} credits  `}${missingWords(item)}`,
  )
  const total = quotes ? sumCredits(priced.map(({ credits }) => credits ?? 0n)) : undefined
  const names = [...new Set(items.map((item) => spriteOf(item.id)))].join(' ')
  const cost = total === undefined ? '' : `, together ${formatCredits(total)} credits by today's estimate (not binding)`
  const facts = {
    items: priced.map(({ item, credits }) => ({
      id: item.id,
      state: item.state,
      credits: credits === undefined ? undefined : formatCredits(credits),
    })),
    total: total === undefined ? undefined : formatCredits(total),
  }
  if (mayBuy) {
    const message = `${countWords(items)} not bought and not approved${cost}:\n${[...table, ...standing].join('\n')}\nNothing was bought. Approve with: npx spritewright approve ${names}${rootOption(context)}`
    return new SpritewrightError('SW_APPROVAL', { message, facts })
  }
  const why = context.options.isCi ? 'CI does not buy' : 'nothing may be bought now (frozen, or build.generate is "never")'
  const message = `${countWords(items)} not bought, and ${why}${cost}:\n${table.join('\n')}\nNothing was bought. On a machine that may buy: npx spritewright approve ${names}${rootOption(context)} && npx spritewright build --buy-only${rootOption(context)}, then commit sprites.lock* and .spritewright/results.`
  return new SpritewrightError('SW_MISSING', { message, facts })
}

/** An item may be an animation, a picture, or a step before one of both. */
function countWords(items: readonly Missing[]): string {
  const steps = items.filter(({ id }) => isStepId(id)).length
  const own = items.length - steps
  const words = [...(own > 0 ? [countItems(own, items)] : []), ...(steps > 0 ? [count(steps, 'step')] : [])]
  return `${words.join(' and ')} of the project ${items.length === 1 ? 'is' : 'are'}`
}

/** The options that a command needs if the project is not the working folder. */
function rootOption(context: Context): string {
  const way = relative(context.host.workingFolder, context.options.root)
  return way === '' ? '' : ` --root ${commandWord(way)}`
}
