import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { PanelPaid } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Modal } from '../controls/modal.tsx'
import { usePanel } from '../state/panel-context.ts'
import { type Decision, type DecisionWords, openWords, toRecover } from './decision-words.ts'

/**
 * Lets a person decide about an unknown outcome: whether a submission that was never answered is sent again,
 * or given up. Each is confirmed in a dialog, because neither can be undone.
 */
export function DecisionForm({ paid }: { readonly paid: PanelPaid }): VNode | null {
  const { state, store } = usePanel()
  const id = useId()
  const [asking, setAsking] = useState<Decision>()
  const [isBusy, setBusy] = useState(false)
  const open = openWords(paid)
  if (!open) return null
  const decide = async (decision: Decision): Promise<void> => {
    setBusy(true)
    const done = await store.act('recover', toRecover(paid, decision))
    setBusy(false)
    if (done) store.say(decision === 'replay' ? `${paid.id} is sent again.` : `${paid.id} is given up.`)
  }
  const button = (decision: Decision, words: DecisionWords): VNode => (
    <Button label={`${words.name}…`} disabled={isBusy || !state.access.mayBuy} onClick={() => setAsking(decision)} />
  )
  const asked = asking && open[asking]
  return (
    <section class="notice stack tight" data-tone="bad" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{open.title}</h2>
      <p>{open.words}</p>
      <div class="row">
        {open.replay && button('replay', open.replay)}
        {button('abandon', open.abandon)}
      </div>
      {asking && asked && <DecisionDialog words={asked} onClose={() => setAsking(undefined)} onDecide={() => void decide(asking)} />}
    </section>
  )
}

/** The question before a decision, and how it is called. */
export interface DecisionDialogProps {
  readonly words: DecisionWords
  readonly onClose: () => void
  readonly onDecide: () => void
}

/** Asks before a decision that has consequences. */
export function DecisionDialog({ words, onClose, onDecide }: DecisionDialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Modal dialog={dialog} title={words.title} onClose={onClose}>
      <p>{words.words}</p>
      <div class="row">
        <Button label="Cancel" class="button end" onClick={() => dialog.current?.close()} />
        <Button
          label={words.name}
          look="primary"
          onClick={() => {
            dialog.current?.close()
            onDecide()
          }}
        />
      </div>
    </Modal>
  )
}
