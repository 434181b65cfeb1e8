import { SpritewrightError } from '../errors.ts'

/**
 * An exact amount of money in ten-thousandths of a credit: 2.4 credits are `24000n`. Only a difference can be
 * negative.
 */
export type Credits = bigint

const pattern = /^(\d{1,15})(?:\.(\d{1,4}))?$/
const unit = 10_000n

/**
 * Parses a decimal text with at most four decimals, in the form of the service (`^\d+(\.\d{1,4})?$`). The value
 * never passes through a float.
 *
 * @param what Names the amount in the error, e.g. `--max`.
 * @throws `SW_WIRE` for any other text.
 */
export function parseCredits(text: string, what = 'an amount of credits'): Credits {
  const match = pattern.exec(text)
  if (!match) {
    throw new SpritewrightError('SW_WIRE', {
      message: `Expected ${what} as a decimal with at most four places, like 2.4, found ${JSON.stringify(text.slice(0, 40))}.`,
      facts: { what },
    })
  }
  return BigInt(match[1] ?? '0') * unit + BigInt((match[2] ?? '').padEnd(4, '0'))
}

/** Whether {@link parseCredits} accepts the text. */
export function isCreditsText(text: string): boolean {
  return pattern.test(text)
}

/**
 * The shortest decimal text of an amount: `24000n` is `2.4`, `30000n` is `3`. {@link parseCredits} reads this
 * form.
 */
export function formatCredits(amount: Credits): string {
  const sign = amount < 0n ? '-' : ''
  const size = amount < 0n ? -amount : amount
  const decimals = (size % unit).toString().padStart(4, '0').replace(/0+$/, '')
  return `${sign}${size / unit}${decimals === '' ? '' : `.${decimals}`}`
}

/** `1 credit`, `2.4 credits`. */
export function creditsWords(amount: Credits): string {
  const text = formatCredits(amount)
  return `${text} ${text === '1' ? 'credit' : 'credits'}`
}

/** Whether a price is above a ceiling. A price at the ceiling is allowed. */
export function isAboveCeiling(price: Credits, ceiling: Credits): boolean {
  return price > ceiling
}

/** The sum of amounts. */
export function sumCredits(amounts: Iterable<Credits>): Credits {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return sum
}

/**
 * The sum of prices in USD: a decimal text with two places, each price rounded up to a cent. Not binding.
 *
 * @param creditCents What a credit costs the account, in US cents. A price with a reference of its own does not need it.
 */
export function toUsd(prices: Iterable<{ readonly credits: Credits; readonly referenceUsd?: string }>, creditCents: number): string {
  let cents = 0n
  for (const { credits, referenceUsd = '' } of prices) {
    const isKnown = /^\d+\.\d\d$/.test(referenceUsd)
    cents += isKnown ? BigInt(referenceUsd.replace('.', '')) : (credits * BigInt(creditCents) + unit - 1n) / unit
  }
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

/** The sum of amounts of USD. `undefined` if there is none, or if one of them is unknown. */
export function sumUsd(amounts: readonly (string | undefined)[]): string | undefined {
  const known = amounts.flatMap((referenceUsd) => (referenceUsd === undefined ? [] : { credits: 0n, referenceUsd }))
  return known.length === 0 || known.length < amounts.length ? undefined : toUsd(known, 0)
}

/** ` ≈ 0.24 USD`, to follow an amount of credits; empty if the USD are unknown. */
export function usdWords(usd: string | undefined): string {
  return usd === undefined ? '' : ` ≈ ${usd} USD`
}
