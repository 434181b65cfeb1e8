import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { usdWords } from '../../../../src/credit/credits.ts'
import type { PanelPaid } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Card } from '../controls/card.tsx'
import { PurchaseBar } from '../controls/progress-bar.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords, progressOf } from '../state/words.ts'
import { DecisionDialog } from './decision-form.tsx'
import { revokeWords } from './decision-words.ts'

/** The properties of the box with credits. */
export interface MoneyBoxProps {
  readonly paid: PanelPaid
  /** Names of the sprites that need a step. It is approved with their animations. */
  readonly isFor?: readonly string[]
  /** Asks for another approval than that of this request. */
  readonly onApprove?: () => void
}

/** Price, ceiling and cost of one paid request, and the button for an approval. */
export function MoneyBox({ paid, isFor, onApprove }: MoneyBoxProps): VNode {
  const { model, state, store, approve } = usePanel()
  const progress = progressOf(model.progress, paid)
  const { price } = paid
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Price', price && `${creditsWords(price.credits)}${usdWords(price.usd)}`],
    ['Ceiling', paid.ceiling && creditsWords(paid.ceiling)],
    ['Approved', paid.approved],
    ['Held', paid.held && creditsWords(paid.held)],
    ['Spent', paid.spent && creditsWords(paid.spent)],
  ]
  const cancel = async (): Promise<void> => {
    const done = await store.send('cancel', { id: paid.id, hash: paid.hash ?? '' })
    if (done)
      store.say(done.status === 'cancelled' ? `${paid.id} is cancelled.` : `${paid.id} was not cancelled: the service says ${done.status}.`)
  }
  const [isRevoking, setRevoking] = useState(false)
  const revoke = async (): Promise<void> => {
    const done = await store.send('revoke', { id: paid.id, hash: paid.hash ?? '' })
    if (done) store.say(done.words)
  }
  const isStep = paid.id.includes('#')
  // The service cancels no animation.
  const canBeCancelled = isStep || ('isPicture' in paid && paid.isPicture === true)
  return (
    <Card title="Credits">
      <p>{paid.words}</p>
      {(paid.state === 'running' || paid.state === 'approved') && <PurchaseBar paid={paid} progress={progress} />}
      <dl class="facts stack tight">
        {rows.map(([term, words]) =>
          words === undefined ? null : (
            <div key={term} class="spread">
              <dt class="soft">{term}</dt>
              <dd class="number">{words}</dd>
            </div>
          ),
        )}
      </dl>
      {paid.canBeApproved && (
        <Button
          label={isFor ? `Approve what ${isFor.join(', ')} needs…` : price ? `Approve ${creditsWords(price.credits)}…` : 'Approve…'}
          look="primary"
          disabled={!state.access.mayBuy}
          onClick={onApprove ?? (() => approve([paid.id]))}
        />
      )}
      {!isStep && paid.canBeRevoked && <Button label="Take back…" disabled={!state.access.mayAct} onClick={() => setRevoking(true)} />}
      {isRevoking && (
        <DecisionDialog words={revokeWords(paid.id, state.steps)} onClose={() => setRevoking(false)} onDecide={() => void revoke()} />
      )}
      {canBeCancelled && (paid.state === 'running' || paid.state === 'question') && (
        <Button label="Cancel" disabled={!state.access.mayAct} onClick={() => void cancel()} />
      )}
    </Card>
  )
}
