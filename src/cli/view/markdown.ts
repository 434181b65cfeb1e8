import { escapeText } from '../../host/terminal.ts'
import type { PlanReport } from '../../workshop.ts'
import { count, creditsCell, creditsWords, framesCell, needsApproval, rowsOf, whyNotBought } from './plan.ts'

/**
 * Formats a plan as a comment on a pull request: a heading, a table of what must be bought, the total, the
 * command. It ends in a line break.
 */
export function toPlanMarkdown(report: PlanReport, approveCommand: string): string {
  const open = rowsOf(report).filter((row) => row.state !== 'bought')
  const unbought = report.items.filter((item) => item.state !== 'bought').length
  const bought = report.items.length - unbought
  if (open.length === 0) return `### Sprites: nothing to buy\n\nAll ${count(report.items.length, 'animation')} bought.\n`
  const lines = [
    `### Sprites: ${count(unbought, 'animation')} not bought, ${creditsWords(report.total)}`,
    '',
    '| animation | state | frames | price | ceiling | why |',
    '|---|---|--:|--:|--:|---|',
    ...open.map((item) => {
      const cells = [item.id, item.state, framesCell(item), creditsCell(item.quote?.credits), creditsCell(item.ceiling), whyNotBought(item)]
      return `| ${cells.map(escapeMarkdown).join(' | ')} |`
    }),
    '',
    `${count(bought, 'animation')} bought. Prices are estimates and not binding.`,
  ]
  if (open.some(needsApproval)) lines.push('', `Approve with \`${approveCommand}\`.`)
  for (const warning of report.warnings) lines.push('', `> ${escapeMarkdown(warning)}`)
  return `${lines.join('\n')}\n`
}

/** Escapes texts of the service and of specs, so that they make no links, mentions, markup or columns. */
function escapeMarkdown(text: string): string {
  return escapeText(text).replaceAll(/[\\`*_[\]<>|~#@&!()]/g, (character) => `&#${character.charCodeAt(0)};`)
}
