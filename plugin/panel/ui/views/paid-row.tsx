import type { VNode } from 'preact'
import type { PanelAnimation, PanelPaid, PanelProgress } from '../../../protocol/protocol.ts'
import { ProgressBar } from '../controls/progress-bar.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { addressOf, isPlainClick } from '../state/address.ts'
import { countWords } from '../state/words.ts'

/** The properties of one line of the list. */
export interface PaidRowProps {
  readonly paid: PanelPaid
  readonly progress: PanelProgress | undefined
  readonly name: string
  readonly isShown: boolean
  readonly isChosen: boolean
  readonly onShow: () => void
  /** Missing if the request is not approved by itself. */
  readonly onChoose?: (isChosen: boolean) => void
}

/**
 * An animation or a step, with its state and its price. It can be chosen if it can be approved. The list decides which
 * link or box Tab reaches.
 */
export function PaidRow({ paid, progress, name, isShown, isChosen, onShow, onChoose }: PaidRowProps): VNode {
  const flags = (paid as Partial<PanelAnimation>).flags?.length ?? 0
  return (
    <li class="paid" data-shown={isShown || undefined}>
      {paid.canBeApproved && onChoose ? (
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isChosen}
          aria-label={`Choose ${paid.id} for approval`}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      ) : (
        <span />
      )}
      <a
        tabIndex={-1}
        href={addressOf({ view: 'sprites', id: paid.id })}
        aria-current={isShown ? 'true' : undefined}
        onClick={(event) => {
          if (!isPlainClick(event)) return
          event.preventDefault()
          onShow()
        }}
      >
        <span class="grow cut">{name}</span>
        {flags > 0 && (
          <span class="flag-count small number" title={countWords(flags, 'possible fault')}>
            <span aria-hidden="true">⚑{flags}</span>
            <span class="visually-hidden">{countWords(flags, 'possible fault')}</span>
          </span>
        )}
        <StateMark paid={paid} progress={progress} />
        <span class="price number">{paid.canBeApproved ? (paid.price?.credits ?? '') : ''}</span>
      </a>
      {paid.state === 'running' && <ProgressBar id={paid.id} progress={progress} />}
    </li>
  )
}
