import type { VNode } from 'preact'
import type { PanelProgress } from '../../../protocol/protocol.ts'
import { progressWords } from '../state/words.ts'

/** The progress of a purchase; a wandering bar if the progress is unknown. */
export function ProgressBar({ id, progress }: { readonly id: string; readonly progress: PanelProgress | undefined }): VNode {
  const share = progress?.phase === 'running' ? progress.progress : undefined
  const words = progress ? progressWords(progress) : 'in work'
  return (
    <div
      class={share === undefined ? 'bar waiting' : 'bar'}
      role="progressbar"
      aria-label={`${id}: ${words}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
    >
      <i style={share === undefined ? {} : { width: `${share * 100}%` }} />
    </div>
  )
}
