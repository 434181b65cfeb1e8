import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import type { PanelState } from '../../../protocol/protocol.ts'
import { Modal } from '../controls/modal.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'
import { frames as limits } from './paid-fields.tsx'

/** Frames of a new animation, as a new sprite has them, for which the service was asked. */
const firstFrames = 8

/** The properties of the dialog. */
export interface NewAnimationProps {
  /** Name of the sprite. */
  readonly sprite: string
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}

/** A dialog that writes another animation into a sprite's spec. */
export function NewAnimation({ sprite, onClose, onMade }: NewAnimationProps): VNode {
  const { state, store } = usePanel()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const [frames, setFrames] = useState(`${firstFrames}`)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState('')
  const count = Number(frames)
  const isCount = Number.isInteger(count) && count >= limits.least && count <= limits.most
  const isReady = name.trim() !== '' && prompt.trim() !== '' && isCount && !isSending
  const write = async (): Promise<void> => {
    setSending(true)
    setProblem('')
    const made = `${sprite}.${name.trim()}`
    const asks = { sprite, name: name.trim(), prompt: prompt.trim(), frames: count }
    const words = `${made} is added. Nothing is bought before you approve it.`
    const isWritten = await store.edit(sprite, 'add', asks, words, ({ message }) => setProblem(message))
    setSending(false)
    if (!isWritten) return
    dialog.current?.close()
    onMade(made)
  }
  return (
    <Modal dialog={dialog} title={`Another animation of ${sprite}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void write()
        }}
      >
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
          <label for={`${id}-prompt`}>What it does, in words</label>
          <textarea id={`${id}-prompt`} rows={2} value={prompt} required onInput={(event) => setPrompt(event.currentTarget.value)} />
        </div>
        <div class="field">
          <label for={`${id}-frames`}>
            Frames, {limits.least} to {limits.most}
          </label>
          <input
            id={`${id}-frames`}
            type="number"
            min={limits.least}
            max={limits.most}
            value={frames}
            required
            onInput={(event) => setFrames(event.currentTarget.value)}
          />
        </div>
        <div role="alert">{problem !== '' && <p class="wrong">{problem}</p>}</div>
        <div class="row">
          <button type="submit" class="button primary" disabled={!isReady}>
            {isSending ? 'Writing…' : 'Add it'}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <span class="soft small">{priceWords(isCount ? priceOf(state, sprite, count) : undefined)}</span>
        </div>
      </form>
    </Modal>
  )
}

/** The price of another animation of a sprite, if it is known: the service prices by frames and background alone. */
function priceOf({ service, sprites }: PanelState, name: string, count: number): string | undefined {
  const background = sprites.find((sprite) => sprite.name === name)?.background
  const alike = sprites.filter((sprite) => sprite.background === background).flatMap(({ animations }) => animations)
  const price = alike.find(({ frames, price }) => frames === count && price)?.price?.credits
  return price ?? (background === 'remove' && count === firstFrames ? service.newSpritePrice : undefined)
}

function priceWords(price: string | undefined): string {
  return price === undefined
    ? 'Writes it into the spec and shows its price. Nothing is bought before you approve it.'
    : `Writes it into the spec. It would cost ${creditsWords(price)}. Nothing is bought before you approve it.`
}
