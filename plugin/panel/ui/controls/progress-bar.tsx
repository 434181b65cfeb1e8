import type { VNode } from 'preact'
import type { PanelProgress, RequestRow } from '../../../protocol/protocol.ts'
import { progressWords } from '../state/words.ts'

/** A bar of a share, 0 to 1. It wanders if the share is unknown. */
export function ProgressBar({ label, share }: { readonly label: string; readonly share: number | undefined }): VNode {
  const percent = share === undefined ? undefined : share * 100
  return (
    <div
      class={percent === undefined ? 'bar waiting' : 'bar'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent && Math.round(percent)}
    >
      <i style={percent === undefined ? {} : { width: `${percent}%` }} />
    </div>
  )
}

/** The progress of a purchase. */
export function PurchaseBar({ paid, progress }: { readonly paid: RequestRow; readonly progress: PanelProgress | undefined }): VNode {
  const share = progress?.phase === 'running' ? progress.progress : undefined
  return <ProgressBar label={`${paid.id}: ${progress ? progressWords(progress) : 'in work'}`} share={share} />
}
