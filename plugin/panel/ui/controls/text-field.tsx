import type { VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A text that is written when a person has finished editing it. */
export interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly rows: number
  /** Returns whether the text was written. */
  readonly onCommit: (value: string) => Promise<boolean>
}

/** A labelled text of several lines. An unchanged text is not written. */
export function TextField({ label, value, rows, onCommit }: TextFieldProps): VNode {
  const id = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  // While a person types, an update from the server must not replace the text.
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = value
  }, [value])
  const commit = async (text: string): Promise<void> => {
    if (text.trim() === value) return
    const isWritten = await onCommit(text.trim())
    if (!isWritten && input.current) input.current.value = value
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea ref={input} id={id} rows={rows} defaultValue={value} onChange={(event) => void commit(event.currentTarget.value)} />
    </div>
  )
}
