import type { VNode } from 'preact'
import { usePanel } from '../state/panel-context.ts'

/** The last edit that was written, with a button that undoes it. It stays until another one comes. */
export function Toast(): VNode | null {
  const { model, store } = usePanel()
  const { written } = model
  if (!written) return null
  return (
    <section class="toast" aria-label="Last edit">
      <p>{written.words}</p>
      <button type="button" class="button quiet" onClick={() => void store.undo()}>
        Undo
      </button>
      <button type="button" class="button quiet" onClick={() => store.forgetWritten()}>
        Dismiss
      </button>
    </section>
  )
}
