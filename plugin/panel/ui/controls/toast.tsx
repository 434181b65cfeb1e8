import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { usePanel } from '../state/panel-context.ts'
import { Button } from './button.tsx'

/** The last message, with a button that undoes its edit. It stays until another one comes. */
export function Toast(): VNode | null {
  const { model, store } = usePanel()
  const id = useId()
  const { message } = model
  if (!message) return null
  return (
    <section class="card toast beside" aria-label={message.edited ? 'Last edit' : 'Message'}>
      <p id={`${id}-words`}>{message.words}</p>
      {message.edited && <Button label="Undo" look="quiet" aria-describedby={`${id}-words`} onClick={() => void store.undo()} />}
      <Button label="Dismiss" look="quiet" onClick={() => store.forgetMessage()} />
    </section>
  )
}
