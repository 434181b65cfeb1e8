import { formatCredits, parseCredits, sumCredits } from '../../../../src/credit/credits.ts'
import type { PanelOffer } from '../../../protocol/actions.ts'
import type { PanelProgress, PanelState, PanelStep, RequestRow } from '../../../protocol/protocol.ts'

const phases: Readonly<Record<PanelProgress['phase'], string>> = {
  checking: 'asking for the price',
  uploading: 'sending the picture',
  submitting: 'submitting',
  queued: 'in the queue',
  running: 'being drawn',
  waiting: 'waiting',
  downloading: 'fetching the result',
  bought: 'bought',
  failed: 'failed',
}

/** The progress of a purchase in a few words: `being drawn, 40 %`. */
export function progressWords({ phase, progress, message }: PanelProgress): string {
  const share = progress === undefined || phase !== 'running' ? '' : `, ${Math.round(progress * 100)} %`
  return `${phases[phase]}${share}${phase === 'waiting' && message ? `: ${message}` : ''}`
}

/** All paid requests. */
export function allPaid(state: PanelState): readonly RequestRow[] {
  return [...state.sprites.flatMap((sprite) => sprite.animations), ...state.steps, ...state.orphans]
}

/** The latest progress of a request. A step that several chains share has one name for each of them. */
export function progressOf(
  all: Readonly<Record<string, PanelProgress>>,
  paid: RequestRow & Partial<Pick<PanelStep, 'ids'>>,
): PanelProgress | undefined {
  return [paid.id, ...(paid.ids ?? [])].flatMap((id) => all[id] ?? [])[0] ?? paid.progress
}

/** `2.4 credits`, `1 credit`. */
export function creditsWords(credits: string): string {
  return credits === '1' ? '1 credit' : `${credits} credits`
}

/** The exact sum of prices. Returns `undefined` if one of them is unknown. */
export function sumOf(prices: readonly (string | undefined)[]): string | undefined {
  const known = prices.filter((price) => price !== undefined)
  return known.length === prices.length ? formatCredits(sumCredits(known.map((price) => parseCredits(price)))) : undefined
}

/** Whether the first amount is more than the second. */
export function isMore(credits: string, than: string): boolean {
  return parseCredits(credits) > parseCredits(than)
}

/**
 * The meaning of an approval in a plain sentence: `2.4 credits will be held for knight.walk and knight.idle;
 * at most 2.4 are charged.` Nothing is held for single pictures: they are charged on delivery.
 */
export function offerSentence({ lines }: PanelOffer): string {
  const pictures = lines.filter((line) => line.operation !== 'sprite_sheet')
  const sheets = lines.filter((line) => line.operation === 'sprite_sheet')
  const most = (of: PanelOffer['lines']): string => sumOf(of.map((line) => line.ceiling)) ?? ''
  const held = sheets.length === 0 ? [] : [`${amount(sheets)} will be held for ${namesOf(sheets)}; at most ${most(sheets)} are charged.`]
  const charged =
    pictures.length === 0 ? [] : [`${amount(pictures)} will be charged on delivery of ${namesOf(pictures)}; at most ${most(pictures)}.`]
  return [...held, ...charged].join(' ')
}

function amount(lines: PanelOffer['lines']): string {
  return creditsWords(sumOf(lines.map((line) => line.price)) ?? '')
}

function namesOf(lines: PanelOffer['lines']): string {
  const names = lines.map((line) => line.id)
  if (names.length > 6) return `${names.slice(0, 5).join(', ')} and ${names.length - 5} others`
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** A time as people write it: `2 Mar 2026, 14:05`; `–` if it was not recorded. */
export function timeWords(at: number): string {
  return at === 0 ? '–' : new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

/** `1 frame`, `3 frames`. */
export function countWords(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
