import type { VNode } from 'preact'
import { readBatch } from '../state/batch.ts'
import { usePanel } from '../state/panel-context.ts'
import { allPaid, progressOf } from '../state/words.ts'

/** How far everything is that is being bought. Nothing if nothing is. */
export function BatchBar(): VNode | null {
  const { state, model } = usePanel()
  const batch = readBatch(allPaid(state), (paid) => progressOf(model.progress, paid))
  if (!batch) return null
  const { share, words } = batch
  return (
    <section class="batch band row" aria-label="Purchases in work">
      <div
        class="bar"
        role="progressbar"
        aria-label="All purchases in work"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <p class="number">{words}</p>
    </section>
  )
}
