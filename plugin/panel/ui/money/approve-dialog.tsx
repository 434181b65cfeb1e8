import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { usdWords } from '../../../../src/credit/credits.ts'
import type { PanelOffer } from '../../../protocol/actions.ts'
import { Button } from '../controls/button.tsx'
import { CheckField } from '../controls/check-field.tsx'
import { focusHeading } from '../controls/hooks.ts'
import { Modal } from '../controls/modal.tsx'
import { Refused } from '../state/api.ts'
import { usePanel } from '../state/panel-context.ts'
import { allPaid, countWords, creditsWords, isMore, offerSentence } from '../state/words.ts'
import { CeilingField } from './ceiling-field.tsx'
import { askTouch, EnrolKey, isAtLocalhost } from './touch.tsx'

/** The requests for which an approval is asked. */
export interface ApproveDialogProps {
  readonly ids: readonly string[]
  readonly onClose: () => void
}

/** So many rows never need to scroll. */
const fewLines = 3

/**
 * Shows what an approval would contain now, and asks for confirmation. If the price has changed meanwhile, it
 * shows the new price and asks again.
 */
export function ApproveDialog({ ids, onClose }: ApproveDialogProps): VNode {
  const { state, store } = usePanel()
  const dialog = useRef<HTMLDialogElement>(null)
  const [offer, setOffer] = useState<PanelOffer>()
  const [ceiling, setCeiling] = useState('')
  const [isDoubtful, setDoubtful] = useState(false)
  const [adopt, setAdopt] = useState(false)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const request = { ids, ...(ceiling === '' ? {} : { ceiling }), adopt }
  const isElsewhere = allPaid(state).some((paid) => paid.next === 'adopt' && ids.includes(paid.id))
  const key = JSON.stringify(request)
  useEffect(() => {
    let isWanted = true
    setOffer(undefined)
    store.api.act('offer', JSON.parse(key) as typeof request).then(
      (found) => {
        if (!isWanted) return
        setOffer(found)
        setProblem('')
      },
      (error: Error) => isWanted && setProblem(error.message),
    )
    return () => {
      isWanted = false
    }
  }, [store, key])
  const approve = async (shown: PanelOffer): Promise<void> => {
    if (shown.touch && !isAtLocalhost()) return store.api.openAtLocalhost()
    setBusy(true)
    try {
      const { touch } = await store.api.act('approve', {
        ...request,
        lines: shown.lines.map(({ id, hash, price, ceiling: limit }) => ({ id, hash, price, ceiling: limit })),
        sum: shown.sum,
      })
      if (touch) await store.api.act('touch', await askTouch(touch.challenge, touch.credentials))
      store.say(`Approved: ${offerSentence(shown)}`)
      void store.refresh()
      dialog.current?.close()
      // Closing returns the focus to the button that opened the dialog. That button is about to be disabled.
      focusHeading()
    } catch (error) {
      if (!dialog.current) return store.say((error as Error).message)
      setBusy(false)
      setProblem((error as Error).message)
      if (!(error instanceof Refused)) return
      const { error: why, offer: next } = error.refusal
      // The shown offer is not valid any more.
      if (next || why.code === 'SW_CEILING') setOffer(next)
    }
  }
  const isPoor = offer !== undefined && isMore(offer.sum, offer.balance)
  return (
    <Modal dialog={dialog} title={titleOf(offer, isElsewhere)} onClose={onClose}>
      <div role="alert">
        {problem !== '' && (
          <p class="notice stack tight" data-tone="bad">
            {problem}
          </p>
        )}
      </div>
      <div aria-live="polite" class="offer stack scroll" tabIndex={offer && offer.lines.length > fewLines ? 0 : undefined}>
        {offer ? (
          <OfferTable offer={offer} isElsewhere={isElsewhere} />
        ) : (
          problem === '' && <p class="soft">Asking the service for today’s prices…</p>
        )}
      </div>
      <CeilingField ceiling={ceiling} onCommit={setCeiling} onDoubt={setDoubtful} />
      {isElsewhere && (
        <CheckField
          label="Take over the purchase of another checkout. I have checked that it was not bought there."
          value={adopt}
          onCommit={setAdopt}
        />
      )}
      {isPoor && (
        <p class="notice stack tight" data-tone="warn">
          Only {creditsWords(offer.balance)} are available. Choose fewer, or add credits at the service.
        </p>
      )}
      {offer && offer.lines.length > 0 && offer.touch !== 'enrolled' && state.access.mayBuy && (
        <>
          {offer.touch === 'needed' && <p class="notice">Only a touch approves here, and no authenticator is enrolled yet.</p>}
          <EnrolKey />
        </>
      )}
      <div class="row">
        <Button label={isBusy ? 'Close' : 'Cancel'} class="button end" onClick={() => dialog.current?.close()} />
        <Button
          label={isBusy ? 'Approving…' : approveLabel(offer)}
          look="primary"
          disabled={
            !offer || offer.lines.length === 0 || offer.touch === 'needed' || isDoubtful || isBusy || isPoor || !state.access.mayBuy
          }
          onClick={() => offer && void approve(offer)}
        />
      </div>
    </Modal>
  )
}

function approveLabel(offer: PanelOffer | undefined): string {
  if (!offer || offer.lines.length === 0) return 'Approve'
  const what = `Approve ${creditsWords(offer.sum)}`
  if (!offer.touch) return what
  return isAtLocalhost() ? `${what} with a touch` : 'Open at localhost, to approve with a touch'
}

function titleOf(offer: PanelOffer | undefined, isElsewhere: boolean): string {
  if (!offer) return 'Approve …'
  if (offer.lines.length === 0) return isElsewhere ? 'Take over a purchase' : 'Nothing to approve'
  return `Approve ${countWords(offer.lines.length, 'purchase')}`
}

function OfferTable({ offer, isElsewhere }: { readonly offer: PanelOffer; readonly isElsewhere: boolean }): VNode {
  if (offer.lines.length === 0)
    return <p>{isElsewhere ? 'Another checkout approved this, and is expected to buy it.' : 'Nothing here needs an approval.'}</p>
  return (
    <>
      <p class="large">{offerSentence(offer)}</p>
      <table>
        <caption class="visually-hidden">What is approved</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Price</th>
            <th scope="col">Ceiling</th>
          </tr>
        </thead>
        <tbody>
          {offer.lines.map((line) => (
            <tr key={line.id}>
              <th scope="row">
                {line.id}
                <span class="offer-prompt soft small">{line.prompt}</span>
                {line.warning !== undefined && (
                  <span class="tone small" data-tone="warn">
                    {line.warning}
                  </span>
                )}
              </th>
              <td class="number">{line.price}</td>
              <td class="number">{line.ceiling}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td class="number">{offer.sum}</td>
            <td class="number">{offer.ceilings}</td>
          </tr>
        </tfoot>
      </table>
      <p class="soft">
        {offer.usd !== undefined && `${usdWords(offer.usd)}, not binding. `}
        {creditsWords(offer.balance)} are available.
      </p>
      {offer.worker !== undefined && <p class="soft">{offer.worker}</p>}
      {offer.untouched.length > 0 && <p class="soft">Not changed: {offer.untouched.join(', ')}.</p>}
    </>
  )
}
