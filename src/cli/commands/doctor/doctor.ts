import { count } from '../../../project/states.ts'
import type { DoctorFinding } from '../../../workshop.ts'
import { type CommandArgs, usageError } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { type Ink, ink } from '../../view/ink.ts'
import { contract, openapi } from './contract.ts'

const signs: Readonly<Record<DoctorFinding['verdict'], Ink>> = {
  good: ink('green', '✓'),
  warning: ink('yellow', '!'),
  bad: ink('red', '✗'),
}

/**
 * `spritewright doctor`: prints one line for each check, with advice. With options, checks the service or its
 * description instead. Exit code 1 if a check is bad.
 */
export async function doctor(context: CommandContext, args: CommandArgs): Promise<number> {
  const file = args.text('openapi')
  checkOptions(args, file)
  if (file !== undefined) return openapi(context, file)
  if (args.flag('contract')) return contract(context, args)
  const { printer, withWorkshop } = context
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

/**
 * Refuses `--spend` alone, which would spend nothing but look as if it had. Also refuses `--contract` together with
 * `--openapi`, because they print different documents.
 */
function checkOptions(args: CommandArgs, file: string | undefined): void {
  const found = args.text('spend') !== undefined && !args.flag('contract') ? '--spend without --contract' : undefined
  const both = file !== undefined && args.flag('contract') ? '--contract and --openapi together' : undefined
  const wrong = found ?? both
  if (wrong === undefined) return
  throw usageError(`Expected doctor --contract [--spend C], or doctor --openapi FILE, found ${wrong}.`, { found: wrong })
}
