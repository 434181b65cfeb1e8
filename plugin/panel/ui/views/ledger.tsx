import type { VNode } from 'preact'
import type { PanelLedgerEntry } from '../../../protocol/protocol.ts'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords, timeWords } from '../state/words.ts'
import { LedgerChart } from './ledger-chart.tsx'

const stateWords: Readonly<Record<PanelLedgerEntry['state'], string>> = {
  held: 'held',
  settled: 'paid',
  restored: 'given back',
  uncertain: 'not known',
}

const tones: Partial<Readonly<Record<PanelLedgerEntry['state'], string>>> = { held: 'busy', uncertain: 'bad', restored: 'soft' }

/** Credits that were held, paid and given back, over time and line by line. */
export function Ledger(): VNode {
  const { ledger } = usePanel().state
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
      {ledger.entries.length === 0 ? (
        <p class="soft">Nothing was bought yet. Your purchases appear here.</p>
      ) : (
        <>
          <LedgerChart entries={ledger.entries} settled={ledger.settled} />
          <EntryTable entries={ledger.entries} />
        </>
      )}
    </div>
  )
}

function EntryTable({ entries }: { readonly entries: readonly PanelLedgerEntry[] }): VNode {
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
        <tbody>
          {[...entries].reverse().map((entry) => (
            <tr key={`${entry.id} ${entry.attempt} ${entry.at} ${entry.executionId}`}>
              <td class="number soft">{timeWords(entry.at)}</td>
              <th scope="row">
                {entry.id}
                {entry.take !== undefined && <span class="soft"> · take {entry.take}</span>}
                {entry.attempt > 1 && <span class="soft"> · attempt {entry.attempt}</span>}
                {entry.origin === 'elsewhere' && <span class="soft"> · bought elsewhere</span>}
                {entry.given !== undefined && <span class="soft"> · approved: {entry.given}</span>}
              </th>
              <td class={tones[entry.state] === undefined ? '' : 'tone'} data-tone={tones[entry.state]}>
                {stateWords[entry.state]}
              </td>
              <td class="number" title={creditsWords(entry.credits)}>
                {entry.credits}
              </td>
              <td class="number soft">{entry.settledSoFar}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
