import { count } from '../../../project/states.ts'
import type { ContractFinding, OpenapiDifference } from '../../../workshop.ts'
import type { CommandArgs } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { refuseAgent } from '../../fence.ts'
import { type Ink, ink } from '../../view/ink.ts'

const verdicts: Readonly<Record<ContractFinding['verdict'], Ink>> = {
  kept: ink('green', 'kept'),
  broken: ink('red', 'broken'),
  'not checkable': ink('yellow', 'not checkable'),
  'not checked': ink('dim', 'not checked'),
}

/** `doctor --contract`: checks every clause of the interface at the service. Exit code 1 if a clause is broken. */
export async function contract(context: CommandContext, args: CommandArgs): Promise<number> {
  const { printer, parts, withWorkshop } = context
  const spend = args.credits('spend')
  if (spend !== undefined) refuseAgent(context, args)
  const findings = await withWorkshop((workshop) =>
    workshop.contract({ spend, onCheck: ({ clause, title }) => printer.note(ink('dim', `${clause} ${title}`)) }, parts.signal),
  )
  const counts = (verdict: ContractFinding['verdict']): number => findings.filter((finding) => finding.verdict === verdict).length
  const broken = counts('broken')
  printer.document({ findings, kept: counts('kept'), broken, notCheckable: counts('not checkable'), notChecked: counts('not checked') })
  printer.table(
    ['clause', 'what', 'verdict'],
    findings.map(({ clause, title, verdict }) => [clause, title, verdicts[verdict]]),
  )
  const told = findings.filter(({ words }) => words !== '')
  if (told.length > 0) printer.line()
  for (const { clause, verdict, words, profilePart } of told) {
    printer.line(
      '  ',
      ink('bold', clause),
      ' ',
      verdicts[verdict],
      ` ${words}${profilePart === '' ? '' : ` Change ${profilePart} in service.profile.`}`,
    )
  }
  printer.line()
  const rest = `${counts('kept')} kept, ${counts('not checkable')} not checkable, ${counts('not checked')} not checked.`
  printer.line(broken > 0 ? ink('red', `${count(broken, 'promise')} broken`) : 'No promise is broken', `; ${rest}`)
  if (spend === undefined)
    printer.hint(ink('dim', 'Nothing was submitted. --spend C lets one execution of seven frames be bought under a ceiling of C credits.'))
  return broken > 0 ? 1 : 0
}

/**
 * `doctor --openapi FILE`: compares a description of the service with our requests and readers. Exit code 1 if a
 * difference matters.
 */
export async function openapi({ printer, withWorkshop }: CommandContext, file: string): Promise<number> {
  const differences = await withWorkshop((workshop) => workshop.compareOpenapi(file))
  const matters = differences.filter((difference) => difference.matters)
  printer.document({ differences, matters: matters.length })
  for (const { where, words, profilePart } of matters)
    printer.line('  ', ink('red', '✗'), ` ${where}  ${toSentence({ words, profilePart })}`)
  for (const { where, words } of differences.filter((difference) => !difference.matters))
    printer.line('  ', ink('dim', `· ${where}  ${words}`))
  if (differences.length > 0) printer.line()
  printer.line(
    matters.length > 0
      ? ink('red', `${count(matters.length, 'difference')} that matter${matters.length === 1 ? 's' : ''}.`)
      : 'The description fits what spritewright sends and reads.',
  )
  return matters.length > 0 ? 1 : 0
}

function toSentence({ words, profilePart }: Pick<OpenapiDifference, 'words' | 'profilePart'>): string {
  return profilePart === '' ? words : `${words} Change ${profilePart} in service.profile.`
}
