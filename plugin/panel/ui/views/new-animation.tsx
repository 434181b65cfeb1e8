import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { PanelState } from '../../../protocol/protocol.ts'
import { Field } from '../controls/field.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'
import { DraftForm, useDraft } from './draft-form.tsx'
import { frames as limits } from './paid-fields.tsx'

/** Frames that the dialog begins with: as many as those of a new sprite, whose price is often known. */
const usualFrames = 8

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
  const draft = useDraft()
  const [frames, setFrames] = useState(`${usualFrames}`)
  const count = Number(frames)
  const isCount = Number.isInteger(count) && count >= limits.least && count <= limits.most
  const write = async (name: string, prompt: string): Promise<(() => void) | undefined> => {
    const made = `${sprite}.${name}`
    const words = `${made} is added. Nothing is bought before you approve it.`
    const asks = { sprite, name, prompt, frames: count }
    const isWritten = await store.edit(sprite, 'add', asks, words, ({ message }) => draft.setProblem(message))
    return isWritten ? () => onMade(made) : undefined
  }
  return (
    <DraftForm
      title={`Another animation of ${sprite}`}
      draft={draft}
      promptLabel="What it does, in words"
      isComplete={isCount}
      action="Add it"
      hint={priceWords(isCount ? priceOf(state, sprite, count) : undefined)}
      after={
        <Field
          label={`Frames, ${limits.least} to ${limits.most}`}
          type="number"
          min={limits.least}
          max={limits.most}
          value={frames}
          required
          onType={setFrames}
        />
      }
      onWrite={write}
      onClose={onClose}
    />
  )
}

/** The price of another animation of a sprite, if it is known: the service prices by frames and background alone. */
function priceOf({ service, sprites }: PanelState, name: string, count: number): string | undefined {
  const background = sprites.find((sprite) => sprite.name === name)?.background
  const alike = sprites.filter((sprite) => sprite.background === background).flatMap(({ animations }) => animations)
  const price = alike.find(({ frames, price }) => frames === count && price)?.price?.credits
  const { newSprite } = service
  return price ?? (newSprite?.background === background && newSprite?.frames === count ? newSprite.credits : undefined)
}

function priceWords(price: string | undefined): string {
  return price === undefined
    ? 'Writes it into the spec and shows its price. Nothing is bought before you approve it.'
    : `Writes it into the spec. It would cost ${creditsWords(price)}. Nothing is bought before you approve it.`
}
