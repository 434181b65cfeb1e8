import type { VNode } from 'preact'
import { ProgressBar } from '../controls/progress-bar.tsx'
import { readBatch } from '../state/batch.ts'
import { usePanel } from '../state/panel-context.ts'
import { allPaid, progressOf } from '../state/words.ts'

/** How far everything is that is being bought. Nothing if nothing is. */
export function BatchBar(): VNode | null {
  const { state, model } = usePanel()
  const batch = readBatch(allPaid(state), (paid) => progressOf(model.progress, paid))
  if (!batch) return null
  return (
    <section class="batch band row" aria-label="Purchases in work">
      <ProgressBar label="All purchases in work" share={batch.share} />
      <p class="number">{batch.words}</p>
    </section>
  )
}
