import type { DoctorFinding } from '../../workshop.ts'
import type { CommandArgs } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { type Ink, ink } from '../ink.ts'
import { count } from '../plan-view.ts'

const signs: Readonly<Record<DoctorFinding['verdict'], Ink>> = {
  good: ink('green', '✓'),
  warning: ink('yellow', '!'),
  bad: ink('red', '✗'),
}

/** `spritewright doctor`: one line a check, with what to do about it. Exit code 1 when a check is bad. */
export async function doctor({ printer, withWorkshop }: CommandContext, _args: CommandArgs): Promise<number> {
  const findings = await withWorkshop((workshop) => workshop.doctor())
  const bad = findings.filter((finding) => finding.verdict === 'bad').length
  const warnings = findings.filter((finding) => finding.verdict === 'warning').length
  printer.document({ findings, bad, warnings })
  const width = Math.max(0, ...findings.map((finding) => finding.check.length))
  for (const { check, verdict, found, advice } of findings) {
    printer.line('  ', signs[verdict], ` ${check.padEnd(width)}  `, ink('dim', found))
    if (advice !== '') printer.line(`    ${' '.repeat(width)}  ${advice}`)
  }
  printer.line()
  if (bad > 0) printer.line(ink('red', `${count(bad, 'check')} bad`), warnings > 0 ? `, ${count(warnings, 'warning')}.` : '.')
  else printer.line(warnings > 0 ? `Nothing is broken; ${count(warnings, 'warning')}.` : 'All is well.')
  return bad > 0 ? 1 : 0
}
