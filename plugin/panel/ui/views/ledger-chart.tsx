import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import type { PanelLedger } from '../../../protocol/protocol.ts'
import { useWidth } from '../controls/hooks.ts'
import { creditsWords, timeWords } from '../state/words.ts'
import { niceCeiling, stepsOf } from './chart-steps.ts'

/** The height of the drawing and its margins, in pixels. */
const [height, left, right, top, bottom] = [200, 44, 12, 10, 24]
/** Maximum number of marks. More of them would run into each other. */
const mostMarks = 80

/**
 * Credits paid over time, as steps in our own SVG. It is for the eye; the table below it has the same in
 * words.
 */
export function LedgerChart({ lines, settled }: { readonly lines: PanelLedger['lines']; readonly settled: string }): VNode | null {
  const room = useRef<HTMLElement>(null)
  const width = Math.max(160, useWidth(room))
  const steps = stepsOf(lines)
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last || steps.length < 2) return null
  const ceiling = niceCeiling(Number(last.soFar))
  const yOf = (credits: number): number => round(top + (1 - credits / ceiling) * (height - top - bottom))
  const xOf = (at: number): number => round(left + ((at - first.at) / Math.max(1, last.at - first.at)) * (width - left - right))
  const line = steps.map((step) => `H${xOf(step.at)}V${yOf(Number(step.soFar))}`).join('')
  return (
    <figure class="card chart" ref={room}>
      <figcaption>Credits paid over time</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Credits paid over time, ${creditsWords(settled)} in all; the table below lists each purchase.`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <path class="grid" d={`M${left} ${yOf(ceiling * share)}H${width - right}`} />
            <text x={left - 6} y={yOf(ceiling * share) + 4} text-anchor="end">
              {Math.round(ceiling * share * 1000) / 1000}
            </text>
          </g>
        ))}
        <path class="area" d={`M${left} ${yOf(0)}${line}V${yOf(0)}z`} />
        <path class="line" fill="none" d={`M${left} ${yOf(0)}${line}`} />
        {steps.length <= mostMarks &&
          steps.map((step) => (
            <circle key={`${step.id} ${step.soFar}`} cx={xOf(step.at)} cy={yOf(Number(step.soFar))} r={3}>
              <title>{`${timeWords(step.at)}: ${step.id}, ${creditsWords(step.soFar)} so far`}</title>
            </circle>
          ))}
        <text x={left} y={height - 6}>
          {dayWords(first.at)}
        </text>
        {dayWords(first.at) !== dayWords(last.at) && (
          <text x={width - right} y={height - 6} text-anchor="end">
            {dayWords(last.at)}
          </text>
        )}
      </svg>
    </figure>
  )
}

function round(length: number): number {
  return Math.round(length * 10) / 10
}

function dayWords(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(at)
}
