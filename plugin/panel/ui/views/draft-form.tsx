import type { ComponentChildren, VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../controls/button.tsx'
import { Field } from '../controls/field.tsx'
import { Modal } from '../controls/modal.tsx'

/** A name and words of something that a dialog writes into a spec, with the state of its form. */
export type Draft = ReturnType<typeof useDraft>

/** Makes an empty draft. */
export function useDraft() {
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  /** Why the last try was refused; empty if it was not, or if another name was written since. */
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  return { name, prompt, problem, isSending, setName, setPrompt, setProblem, setSending }
}

/** The properties of the form. */
export interface DraftFormProps {
  readonly title: string
  readonly draft: Draft
  /** What the words describe. */
  readonly promptLabel: string
  /** Whether the other fields are complete. */
  readonly isComplete: boolean
  /** Words of the button that writes. */
  readonly action: string
  /** What writing means. */
  readonly hint: string
  /** Fields before the name. */
  readonly before?: ComponentChildren
  /** Fields after the words. */
  readonly after?: ComponentChildren
  /**
   * Writes name and words, without blanks around them. Returns what follows when the dialog has closed;
   * `undefined` if it was refused.
   */
  readonly onWrite: (name: string, prompt: string) => Promise<(() => void) | undefined>
  readonly onClose: () => void
}

/** A dialog that asks for a name and words, and closes when they are written. */
export function DraftForm({ title, draft, promptLabel, isComplete, action, hint, before, after, onWrite, onClose }: DraftFormProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = draft.name.trim()
  const prompt = draft.prompt.trim()
  const isReady = name !== '' && prompt !== '' && isComplete && !draft.isSending
  const write = async (): Promise<void> => {
    draft.setSending(true)
    draft.setProblem('')
    const follow = await onWrite(name, prompt)
    draft.setSending(false)
    if (!follow) return
    dialog.current?.close()
    follow()
  }
  return (
    <Modal dialog={dialog} title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void write()
        }}
      >
        {before}
        <Field
          label="Name"
          value={draft.name}
          required
          onType={(text) => {
            draft.setName(text)
            draft.setProblem('')
          }}
        />
        <Field label={promptLabel} rows={2} value={draft.prompt} required onType={draft.setPrompt} />
        {after}
        <div role="alert">{draft.problem !== '' && <p class="wrong small">{draft.problem}</p>}</div>
        <div class="row">
          <Button label={draft.isSending ? 'Writing…' : action} type="submit" look="primary" disabled={!isReady} />
          <Button label={draft.isSending ? 'Close' : 'Cancel'} onClick={() => dialog.current?.close()} />
        </div>
        <p class="soft small">{hint}</p>
      </form>
    </Modal>
  )
}
