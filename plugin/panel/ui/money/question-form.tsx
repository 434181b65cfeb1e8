import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { ActionRequest } from '../../../protocol/actions.ts'
import type { PanelPaid } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Field } from '../controls/field.tsx'
import { PictureDrop } from '../controls/picture-drop.tsx'
import { usePanel } from '../state/panel-context.ts'
import { progressOf } from '../state/words.ts'

/**
 * A question of the service with a form for its answer: words, and a picture if the question asks for one.
 */
export function QuestionForm({ paid }: { readonly paid: PanelPaid }): VNode | null {
  const { state, store, model } = usePanel()
  const id = useId()
  const [text, setText] = useState('')
  const [asset, setAsset] = useState<ActionRequest<'answer'>['asset']>()
  const [isSending, setSending] = useState(false)
  const [given, setGiven] = useState<number>()
  const { question } = paid
  if (!question) return null
  // A state that still has the question after the answer was given, and does not wait, says that the answer has failed.
  const waits = progressOf(model.progress, paid)?.phase === 'waiting'
  const isGiven = given !== undefined && (waits || state.revision < given)
  const isReady = text.trim() !== '' && (!question.requiresAsset || asset !== undefined) && !isSending && !isGiven
  const send = async (): Promise<void> => {
    setSending(true)
    const done = await store.send('answer', {
      ...{ id: paid.id, hash: paid.hash ?? '', questionId: question.questionId, text: text.trim() },
      ...(asset ? { asset } : {}),
    })
    setSending(false)
    setGiven(done?.revision)
    if (done) store.say(`Your answer for ${paid.id} is on its way.`)
  }
  return (
    <form
      class="notice stack tight"
      data-tone="warn"
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void send()
      }}
    >
      <h2 id={`${id}-title`}>The service asks</h2>
      <blockquote class="large">{question.text}</blockquote>
      <Field label="Your answer" rows={3} value={text} required disabled={!state.access.mayBuy} onType={setText} />
      <PictureDrop
        label={question.requiresAsset ? 'A picture, which the question asks for' : 'A picture, if it helps'}
        isLocked={!state.access.mayBuy}
        picture={asset}
        onPicture={setAsset}
      />
      <div class="row">
        <Button
          label={isSending ? 'Sending…' : isGiven ? 'On its way' : 'Send the answer'}
          type="submit"
          look="primary"
          disabled={!isReady || !state.access.mayBuy}
        />
        <span class="soft small">Answering costs nothing more. The credits that are held now pay for the result.</span>
      </div>
    </form>
  )
}
