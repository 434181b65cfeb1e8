import type { VNode } from 'preact'
import type { PanelProgress, RequestRow } from '../../../protocol/protocol.ts'
import { progressWords } from '../state/words.ts'

/** Shapes of 11 × 11, so that no state is shown by colour alone. */
const marks: Readonly<Record<RequestRow['state'], string>> = {
  bought: 'M1 1h9v9H1z',
  lost: 'M1 1h9v9H1zm2 2v5h5V3zm2 1h1v3H5z',
  approved: 'M1 1h9v9H1zm1.5 1.5v6L8.5 2.5z',
  adoptable: 'M1 1h9v9H1zm1.5 1.5v6h6v-6z',
  outpriced: 'M1 1h9v9H1zm1.500 1.500v6h6v-6zM5 3.500h1v4H5z',
  running: 'M1 1h3v3H1zm3 3h3v3H4zm3 3h3v3H7z',
  question: 'M2 1h7v5H6.5v1.5h-2V4H7V3H4v1.5H2zm2.5 7.5h2V10.500h-2z',
  uncertain: 'M5.500 0 11 5.500 5.500 11 0 5.500zM5 2.500v4h1v-4zm0 5v1h1v-1z',
  failed: 'M2.400 1 5.500 4.100 8.600 1 10 2.400 6.900 5.500 10 8.600 8.600 10 5.500 6.900 2.400 10 1 8.600 4.100 5.500 1 2.400z',
  own: 'M5.500 0 11 11H0z',
  missing: 'M1 1h9v9H1zm1.200 1.200v6.600h6.600V2.200z',
}

/**
 * The state of a request: a shape, a colour and a word. While the request runs, its progress replaces the
 * word.
 */
export function StateMark({
  paid: { state, word, tone },
  progress,
  isShort = false,
}: {
  readonly paid: Pick<RequestRow, 'state' | 'word' | 'tone'>
  readonly progress?: PanelProgress | undefined
  /** Shows the shape alone. The word is for screen readers. */
  readonly isShort?: boolean
}): VNode {
  const words = progress && state === 'running' ? progressWords(progress) : word
  return (
    <span class="state" data-tone={tone}>
      <svg viewBox="0 0 11 11" aria-hidden="true">
        <path d={marks[state]} fill="currentColor" fill-rule="evenodd" />
      </svg>
      <span class={isShort ? 'visually-hidden' : ''}>{words}</span>
    </span>
  )
}
