import type { VNode } from 'preact'
import type { PanelLedger } from '../../../protocol/protocol.ts'
import { useAnswer } from '../controls/hooks.ts'
import { inParts, ListPart } from '../controls/list-part.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords, timeWords } from '../state/words.ts'
import { withSums } from './chart-steps.ts'
import { LedgerChart } from './ledger-chart.tsx'

type Line = PanelLedger['lines'][number]

const stateWords: Readonly<Record<Line['state'], string>> = {
  held: 'held',
  settled: 'paid',
  restored: 'given back',
  uncertain: 'not known',
}

const tones: Partial<Readonly<Record<Line['state'], string>>> = { held: 'busy', uncertain: 'bad', restored: 'soft' }

/** Lines that are drawn together, and about how high one is, in pixels. */
const [linesOfPart, linePx] = [40, 30]

/** Credits that were held, paid and given back, over time and line by line. */
export function Ledger(): VNode {
  const { state, store } = usePanel()
  const { ledger } = state
  const [found, fault] = useAnswer(store.api.ledger, [store, state.revision])
  const sums = [
    ['Paid', ledger.settled],
    ['Held now', ledger.held],
    ['Given back', ledger.restored],
    ['Not known', ledger.uncertain],
    ['Elsewhere', ledger.elsewhere],
  ] as const
  return (
    <div class="page stack">
      <h1 tabIndex={-1}>Ledger</h1>
      <dl class="card sums">
        {sums.map(([term, credits]) => (
          <div key={term} data-none={credits === '0' || undefined}>
            <dt class="soft small">{term}</dt>
            <dd class="number">{credits}</dd>
          </div>
        ))}
      </dl>
      <div role="alert">{fault !== '' && <p class="wrong small">{fault}</p>}</div>
      {found?.lines.length === 0 && <p class="soft">Nothing was bought yet. Your purchases appear here.</p>}
      {found && found.lines.length > 0 && (
        <>
          <LedgerChart lines={found.lines} settled={ledger.settled} />
          <LineTable lines={withSums(found.lines)} />
        </>
      )}
    </div>
  )
}

function LineTable({ lines }: { readonly lines: ReturnType<typeof withSums> }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where the window is narrow.
    <section class="scroll" tabIndex={0} aria-labelledby="entries-title">
      <table class="entries">
        <caption id="entries-title">Every purchase, the latest first, in credits</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">State</th>
            <th scope="col">Credits</th>
            <th scope="col">Paid so far</th>
          </tr>
        </thead>
        {inParts(lines.toReversed(), linesOfPart).map((part, at) => (
          <ListPart key={at} tag="tbody" guess={part.length * linePx}>
            {() => part.map((line) => <LineRow key={`${line.id} ${line.attempt} ${line.at} ${line.executionId}`} {...line} />)}
          </ListPart>
        ))}
      </table>
    </section>
  )
}

function LineRow({ id, at, take, attempt, origin, given, state, credits, soFar }: ReturnType<typeof withSums>[number]): VNode {
  return (
    <tr>
      <td class="number soft">{timeWords(at)}</td>
      <th scope="row">
        {id}
        {take !== undefined && <span class="soft"> · take {take}</span>}
        {attempt > 1 && <span class="soft"> · attempt {attempt}</span>}
        {origin === 'elsewhere' && <span class="soft"> · bought elsewhere</span>}
        {given !== undefined && <span class="soft"> · approved: {given}</span>}
      </th>
      <td class={tones[state] === undefined ? '' : 'tone'} data-tone={tones[state]}>
        {stateWords[state]}
      </td>
      <td class="number" title={creditsWords(credits)}>
        {credits}
      </td>
      <td class="number soft">{soFar}</td>
    </tr>
  )
}
