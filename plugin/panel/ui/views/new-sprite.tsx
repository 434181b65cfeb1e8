import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { AnswerRequest } from '../../../protocol/actions.ts'
import { Modal } from '../controls/modal.tsx'
import { PictureDrop } from '../controls/picture-drop.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'

/** A dialog that makes a spec from a picture, a name and words. */
export function NewSprite({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: (id: string) => void }): VNode {
  const { state, store } = usePanel()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const [picture, setPicture] = useState<AnswerRequest['asset']>()
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState('')
  const isReady = name.trim() !== '' && prompt.trim() !== '' && picture !== undefined && !isSending
  const make = async (base64: string): Promise<void> => {
    setSending(true)
    setProblem('')
    const asks = { name: name.trim(), prompt: prompt.trim(), picture: base64 }
    const made = await store.act('create', asks, ({ message }) => setProblem(message))
    setSending(false)
    if (!made) return
    dialog.current?.close()
    onMade(made.id)
    store.say(`${name.trim()} is made, with one animation. Nothing is bought before you approve it.`)
  }
  const take = (taken: AnswerRequest['asset']): void => {
    setPicture(taken)
    setProblem('')
    // The name of a file is often that of the figure.
    if (taken && name === '')
      setName(
        taken.name
          .replace(/\.[^.]*$/, '')
          .replace(/[^A-Za-z0-9_-]+/g, '-')
          .replace(/^-+|-+$/g, ''),
      )
  }
  return (
    <Modal dialog={dialog} title="A new sprite" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void make(picture.base64)
        }}
      >
        <PictureDrop label="Its picture" isLocked={isSending} picture={picture} onPicture={take} />
        <div class="field">
          <label for={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            type="text"
            value={name}
            required
            onInput={(event) => {
              setName(event.currentTarget.value)
              setProblem('')
            }}
          />
        </div>
        <div class="field">
          <label for={`${id}-prompt`}>What it is, in words</label>
          <textarea id={`${id}-prompt`} rows={2} value={prompt} required onInput={(event) => setPrompt(event.currentTarget.value)} />
        </div>
        <div role="alert">{problem !== '' && <p class="wrong">{problem}</p>}</div>
        <div class="row">
          <button type="submit" class="button primary" disabled={!isReady}>
            {isSending ? 'Writing…' : 'Make it'}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <span class="soft small">{priceWords(state.service.newSpritePrice)}</span>
        </div>
      </form>
    </Modal>
  )
}

/** What making it means, with the price if the service was asked. */
function priceWords(price: string | undefined): string {
  const later = 'You can change words and frames first; nothing is bought before you approve it.'
  return price === undefined
    ? `Writes a spec with one animation. ${later}`
    : `Writes a spec with one animation, which would cost ${creditsWords(price)}. ${later}`
}
