import type { VNode } from 'preact'
import type { AnimationRow, PanelProgress, RequestRow } from '../../../protocol/protocol.ts'
import { PlaceLink } from '../controls/place-link.tsx'
import { PurchaseBar } from '../controls/progress-bar.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { countWords } from '../state/words.ts'

/** The properties of one line of the list. */
export interface PaidRowProps {
  readonly paid: RequestRow & Partial<Pick<AnimationRow, 'faults'>>
  readonly progress: PanelProgress | undefined
  readonly name: string
  readonly isShown: boolean
  readonly isChosen: boolean
  /** Missing if the request is not approved by itself. */
  readonly onChoose?: (isChosen: boolean) => void
}

/**
 * An animation or a step, with its state and its price. It can be chosen if it can be approved. The list decides which
 * link or box Tab reaches.
 */
export function PaidRow({ paid, progress, name, isShown, isChosen, onChoose }: PaidRowProps): VNode {
  const { faults = 0 } = paid
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
      <PlaceLink class="beside" tabIndex={-1} to={{ view: 'sprites', id: paid.id }} aria-current={isShown ? 'true' : undefined}>
        <span class="grow cut">{name}</span>
        {faults > 0 && (
          <span class="tone small number" data-tone="warn" title={countWords(faults, 'possible fault')}>
            <span aria-hidden="true">⚑{faults}</span>
            <span class="visually-hidden">{countWords(faults, 'possible fault')}</span>
          </span>
        )}
        <StateMark paid={paid} progress={progress} />
        <span class="price number">{paid.canBeApproved ? (paid.price?.credits ?? '') : ''}</span>
      </PlaceLink>
      {paid.state === 'running' && <PurchaseBar paid={paid} progress={progress} />}
    </li>
  )
}
