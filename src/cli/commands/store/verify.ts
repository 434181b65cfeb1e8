import { relative } from 'node:path'
import { count } from '../../../project/states.ts'
import type { VerifiedResult } from '../../../workshop.ts'
import type { CommandContext } from '../../context.ts'
import { createCounter } from '../../view/counter.ts'
import { type Ink, ink } from '../../view/ink.ts'
import { shortHash, sizeWords } from './list.ts'

const signs: Readonly<Record<VerifiedResult['outcome'], Ink>> = {
  mended: ink('green', '✓ mended'),
  unmended: ink('red', '✗ not mended'),
  absent: ink('dim', '· not here'),
  unreadable: ink('yellow', '! not readable'),
}

/**
 * `spritewright store verify [names…]`: reads and opens every result, and repairs results if the repair is free. Exit
 * code 1 if a needed result stays missing or unreadable.
 */
export async function verify({ parts, printer, root, withWorkshop }: CommandContext, names: readonly string[]): Promise<number> {
  const counter = createCounter(parts.host, printer, 'results')
  const onFetch = (ids: readonly string[]): void => {
    counter.stop()
    if (parts.host.terminal.isInteractive) printer.note(ink('dim', `asking the service for ${ids.join(', ')} …`))
  }
  const request = { names, onFetch, onProgress: counter.tell, signal: parts.signal }
  const report = await withWorkshop((workshop) => workshop.store.verify(request)).finally(counter.stop)
  printer.report(report)
  if (report.findings.length > 0) {
    printer.table(
      ['now', 'result', 'for', 'why'],
      report.findings.map(({ outcome, sha256, ids, damaged, words }) => [
        signs[outcome],
        ink('bold', shortHash(sha256)),
        ids.join(', '),
        `${damaged.length > 0 ? `damaged (${damaged.join(', ')}), set aside; ` : ''}${words}`,
      ]),
    )
    printer.line()
  }
  const isWhole = report.good === report.checked
  printer.line(
    isWhole ? ink('green', '✓ ') : '',
    `${report.good} of ${count(report.checked, 'result')} good and unchanged, ${sizeWords(report.bytes)} read.`,
  )
  if (report.swept.length > 0)
    printer.hint(ink('dim', `Removed leftovers of a crash: ${report.swept.map((path) => relative(root, path)).join(', ')}`))
  const open = report.findings.filter((finding) => finding.outcome === 'unmended').length
  if (open === 0) return 0
  printer.line(ink('red', `${count(open, 'result')} could not be repaired; nothing was bought.`))
  return 1
}
