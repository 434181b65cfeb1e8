import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ActionRequest } from '../../../protocol/actions.ts'
import { PictureDrop } from '../controls/picture-drop.tsx'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'
import { DraftForm, useDraft } from './draft-form.tsx'

/** A dialog that makes a spec from a picture, a name and words. */
export function NewSprite({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: (id: string) => void }): VNode {
  const { state, store } = usePanel()
  const draft = useDraft()
  const [picture, setPicture] = useState<ActionRequest<'answer'>['asset']>()
  const make = async (name: string, prompt: string): Promise<(() => void) | undefined> => {
    const asks = { name, prompt, picture: picture?.base64 ?? '' }
    const made = await store.act('create', asks, ({ message }) => draft.setProblem(message))
    if (!made) return undefined
    return () => {
      onMade(made.id)
      store.say(`${name} is made, with one animation. Nothing is bought before you approve it.`)
    }
  }
  const take = (taken: ActionRequest<'answer'>['asset']): void => {
    setPicture(taken)
    draft.setProblem('')
    // The name of a file is often that of the figure.
    if (taken && draft.name === '')
      draft.setName(
        taken.name
          .replace(/\.[^.]*$/, '')
          .replace(/[^A-Za-z0-9_-]+/g, '-')
          .replace(/^-+|-+$/g, ''),
      )
  }
  return (
    <DraftForm
      title="A new sprite"
      draft={draft}
      promptLabel="What it is, in words"
      isComplete={picture !== undefined}
      action="Make it"
      hint={priceWords(state.service.newSprite?.credits)}
      before={<PictureDrop label="Its picture" isLocked={draft.isSending} picture={picture} onPicture={take} />}
      onWrite={make}
      onClose={onClose}
    />
  )
}

/** What making it means, with the price if the service was asked. */
function priceWords(price: string | undefined): string {
  const later = 'You can change words and frames first; nothing is bought before you approve it.'
  return price === undefined
    ? `Writes a spec with one animation. ${later}`
    : `Writes a spec with one animation, which would cost ${creditsWords(price)}. ${later}`
}
