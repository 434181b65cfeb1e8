import { formatCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import { count } from '../../project/states.ts'
import type { DisclosedAnimation, DisclosedFrame, Disclosure } from '../../workshop.ts'
import { toCsvText } from './csv.ts'
import { type Ink, ink } from './ink.ts'
import { type Printer, toJsonText } from './printer.ts'
import { right } from './table.ts'

/** The forms of a disclosure, by the ending of a file. */
export const disclosureForms: ReadonlyMap<string, (disclosure: Disclosure) => string> = new Map([
  ['csv', toCsv],
  // Warnings are of one run, and name folders of this machine.
  ['json', (disclosure: Disclosure) => `${toJsonText({ ...toDocument(disclosure), warnings: undefined })}\n`],
  ['txt', (disclosure: Disclosure) => `${Object.values(toTexts(disclosure)).join('\n\n')}\n`],
])

/** How the files of {@link disclosureForms} begin, by their ending. */
const beginnings: ReadonlyMap<string, RegExp> = new Map([
  ['csv', /^frame,index/],
  ['json', /^\{\s*"animations": \[/],
  ['txt', /^Steam/],
])

/** Whether a file looks like an earlier disclosure, so that a new one may replace it. */
export function isDisclosure(form: string, text: string): boolean {
  return beginnings.get(form)?.test(text) ?? false
}

/** The failure of a disclosure with frames without an origin; `undefined` if every frame has one. */
export function originFailure({ unexplained }: Disclosure): SpritewrightError | undefined {
  if (unexplained.length === 0) return undefined
  const listed = unexplained.slice(0, 12).map(({ name, why }) => `\n${name}: ${why}`)
  const more = unexplained.length > 12 ? `\nand ${unexplained.length - 12} more` : ''
  return new SpritewrightError('SW_ORIGIN', {
    message: `Expected an origin for every shipped frame, found none for ${unexplained.length}. Put a frame that was edited by hand into NAME.frames/ beside its spec, which is its record, then run npx spritewright build.${listed.join('')}${more}`,
    facts: { frames: unexplained },
  })
}

/** A disclosure as JSON, with the texts for shops. */
export function toDocument(disclosure: Disclosure): Disclosure & { readonly texts: object } {
  return { ...disclosure, texts: toTexts(disclosure) }
}

/** Prints a line for each animation. */
export function printDisclosure(printer: Printer, { animations, compared }: Disclosure): void {
  printer.table(
    ['animation', right('frames'), right('by hand'), 'origin', right('credits'), 'approved', 'when', 'from'],
    animations.map(({ id, origin, purchase, frames, files = [], madeFrom = [], picture }): Ink[] => {
      const { credits, given = '', approvedBy = '', at = '', asked } = purchase ?? {}
      // The source comes first, and the files in its folder follow.
      const from = [files[0], asked?.prompt, ...madeFrom.map((step) => step.asked.prompt), picture].filter((text) => text !== undefined)
      const bought = [credits === undefined ? '' : formatCredits(credits), `${given} ${approvedBy.slice(0, 12)}`, at.slice(0, 10)]
      return [ink('bold', id), `${frames.length}`, `${touchedIn(frames) || ''}`, origin, ...bought, ink('dim', from.join(' · '))]
    }),
  )
  printer.line()
  const [all, made] = [animations, boughtOf(animations)].map((list) => framesOf(list).length) as [number, number]
  printer.line(
    `${count(all, 'shipped frame')}: ${made} bought, ${all - made} drawn, ${touchedIn(framesOf(animations))} touched up by hand.`,
  )
  printer.line(
    compared === undefined ? 'Compared with no output folder.' : `Compared with ${count(compared, 'picture')} of the output folder.`,
  )
}

/** A line for each frame as in RFC 4180, with a column for each field that a frame has. */
function toCsv({ animations }: Disclosure): string {
  const rows = animations.flatMap(({ frames, ...rest }) => frames.map((frame) => flatten({ ...frame, ...rest })))
  const columns = [...new Set(['frame', 'index', ...rows.flatMap((row) => [...row.keys()])])]
  return toCsvText(columns, rows)
}

/** The fields of an object by path: `purchase.asked.prompt`. A list is one field, as JSON unless it is of texts. */
function flatten(value: object, path = ''): Map<string, string> {
  const toText = (one: unknown): string => (typeof one === 'string' ? one : toJsonText(one).replaceAll(/\s*\n\s*/g, ' '))
  return new Map(
    Object.entries(value).flatMap(([key, field]): (readonly [string, string])[] => {
      if (field === undefined || field === null) return []
      if (Array.isArray(field)) return [[path + key, field.map(toText).join('; ')]]
      if (typeof field === 'object') return [...flatten(field, `${path}${key}.`)]
      return [[path + key, typeof field === 'bigint' ? formatCredits(field) : `${field}`]]
    }),
  )
}

/** Answers for the forms of shops, about content that players consume. Steam asks so since January 2026. */
function toTexts({ animations }: Disclosure): { readonly steam: string; readonly itch: string } {
  const bought = boughtOf(animations)
  const [all, made] = [framesOf(animations), framesOf(bought)]
  const sprites = [...new Set(made.map(({ frame }) => frame.split(/[./]/)[0]))].join(', ')
  const hosts = [...new Set(bought.map(({ purchase }) => purchase?.service?.host))].join(', ')
  const what = `${made.length} of ${count(all.length, 'sprite frame')}`
  const edited = `Edited by hand afterwards: ${touchedIn(made)}.`
  const own = all.length - made.length
  const drawn = own === 0 ? '' : `Own art: ${count(own, 'sprite frame')}; these records do not say how it was drawn. `
  const rest = `${drawn}Other parts of the game need answers of your own.`
  if (made.length === 0) return { steam: `Steam: no frame was bought. ${rest}`, itch: `itch.io: no frame was bought. ${rest}` }
  return {
    steam: `Steam, generative AI\nContent that ships with the game and is consumed by players: yes, pre-generated.\nContent that is generated while the game runs: none by these records.\nFor players: ${what} (${sprites}) were pre-generated with generative AI (${hosts}) and ship as fixed pictures. ${edited}\n${rest}`,
    itch: `itch.io, generative AI disclosure\nYes, Graphics: the tags "AI Generated" and "AI Generated Graphics". They apply to edited frames too.\n${what} (${sprites}) are generated. ${edited}\n${rest}`,
  }
}

function boughtOf(animations: readonly DisclosedAnimation[]): readonly DisclosedAnimation[] {
  return animations.filter(({ origin }) => origin === 'bought')
}

function framesOf(animations: readonly DisclosedAnimation[]): readonly DisclosedFrame[] {
  return animations.flatMap(({ frames }) => frames)
}

function touchedIn(frames: readonly DisclosedFrame[]): number {
  return frames.filter(({ touchedUp }) => touchedUp !== undefined).length
}
