import { type Credits, creditsWords, sumCredits, usdWords } from '../../credit/credits.ts'
import { escapeText } from '../../host/terminal.ts'
import { countItems, meaningOf, whyNotBought } from '../../project/states.ts'
import type { PlanPictures, PlanReport } from '../../workshop.ts'
import { creditsCell, framesCell, mirrorWords, type PlanRow, priceCell, rowsOf } from './plan.ts'

/**
 * Formats a plan as a comment on a pull request: a heading, a table of animations to buy, the total, the command,
 * the pictures. The text ends with a line break.
 *
 * @param pictures Pictures of animations, with the address of each.
 */
export function toPlanMarkdown(report: PlanReport, approveCommand: string, pictures: readonly LinkedPictures[] = []): string {
  const open = rowsOf(report).filter((row) => row.state !== 'bought')
  const lost = report.items.filter((item) => item.state === 'lost').length
  const bought = report.items.filter((item) => item.state === 'bought').length
  const unbought = report.items.length - bought - lost
  if (open.length === 0)
    return `${[
      '### Sprites: nothing to buy',
      ...(report.items.length === 0 ? [] : ['', `All ${countItems(report.items.length, report.items)} bought.`]),
      ...pictureTable(pictures),
    ].join('\n')}\n`
  const lines = [
    `### Sprites: ${countItems(unbought, report.items)} not bought, ${report.failure ? 'prices unknown' : creditsWords(report.total) + usdWords(report.usd)}`,
    '',
    '| animation | state | frames | paid before | price | ceiling | why |',
    '|---|---|--:|--:|--:|--:|---|',
    ...open.map((item) => {
      const amounts = [creditsCell(paidBefore(item)), priceCell(item.quote), creditsCell(item.ceiling)]
      const cells = [item.state, framesCell(item), ...amounts, whyNotBought(item)]
      return `| ${[idCell(item.id), ...cells.map(escapeMarkdown)].join(' | ')} |`
    }),
    '',
    `${countItems(bought, report.items)} bought${lost === 0 ? '' : `, ${lost} more whose results are not here`}. Prices are estimates and not binding.`,
    ...mirrorWords(report).map((words) => `${escapeMarkdown(words)}.`),
    ...differenceWords(
      open.filter((row) => row.state !== 'lost'),
      report.total,
    ),
  ]
  if (open.some((row) => meaningOf(row).next === 'approve')) lines.push('', `Approve with \`${approveCommand}\`.`)
  lines.push(...pictureTable(pictures))
  for (const warning of report.warnings) lines.push('', `> ${escapeMarkdown(warning)}`)
  return `${lines.join('\n')}\n`
}

/** Pictures of one animation, by their addresses. */
export interface LinkedPictures {
  readonly id: string
  readonly shows?: NonNullable<PlanPictures['change']>['shows'] | undefined
  readonly change?: string | undefined
  readonly reference?: string | undefined
}

function pictureTable(pictures: readonly LinkedPictures[]): readonly string[] {
  if (pictures.length === 0) return []
  // Markdown has no size for pictures, so HTML limits a large reference.
  const cell = (url: string | undefined): string => (url === undefined ? '–' : `<img src="${url}" alt="" height="160">`)
  return [
    '',
    '| animation | change | made from |',
    '|---|---|---|',
    ...pictures.map(({ id, shows = [], change, reference }) => {
      const words = shows.length === 0 ? '' : `<br>${shows.join(' · ')}`
      return `| ${escapeMarkdown(id)} | ${cell(change)}${words} | ${cell(reference)} |`
    }),
  ]
}

/** A step, `hero#1`, is code, because GitHub makes a link of `#1`. */
function idCell(id: string): string {
  return /^[\w.-]+#\d+$/.test(id) ? `\`${id}\`` : escapeMarkdown(id)
}

/** The cost of the earlier purchase that an animation replaces. */
function paidBefore(item: PlanRow): Credits | undefined {
  return 'superseded' in item ? item.superseded?.credits : undefined
}

function differenceWords(open: readonly PlanRow[], total: Credits): readonly string[] {
  const before = sumCredits(open.flatMap((item) => paidBefore(item) ?? []))
  return before === 0n ? [] : [`They replace purchases of ${creditsWords(before)}, which stay paid: ${creditsWords(total)} are added.`]
}

/** Escapes texts of the service and of specs, so that they make no links, mentions, markup or columns. */
function escapeMarkdown(text: string): string {
  return escapeText(text).replaceAll(/[\\`*_[\]<>|~#@&!()]/g, (character) => `&#${character.charCodeAt(0)};`)
}
