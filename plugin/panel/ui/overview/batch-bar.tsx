import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { type Batch, nextBatch, readBatch } from '../state/batch.ts'
import { usePanel } from '../state/panel-context.ts'
import { allPaid, progressOf } from '../state/words.ts'

/** How far everything is that is being bought. Nothing if nothing is. */
export function BatchBar(): VNode | null {
  const { state, model } = usePanel()
  const batch = useRef<Batch>(undefined)
  const all = allPaid(state)
  const now = performance.now()
  batch.current = nextBatch(batch.current, all, now)
  if (!batch.current) return null
  const { share, words } = readBatch(batch.current, all, (paid) => progressOf(model.progress, paid), now)
  return (
    <section class="batch" aria-label="Purchases in work">
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
