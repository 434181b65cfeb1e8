import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

/** What connects a control to its label, and to the words about a wrong value. */
export interface ControlProps {
  readonly id: string
  readonly class: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** The properties of a labelled control. */
export interface FieldProps {
  readonly label: ComponentChildren
  /** What is wrong with the value; empty if nothing is. */
  readonly wrong?: string
  /** Draws the control. */
  readonly children: (control: ControlProps) => VNode
}

/** A control below its label. The words about a wrong value are below the control. */
export function Field({ label, wrong = '', children }: FieldProps): VNode {
  const id = useId()
  const isWrong = wrong !== ''
  return (
    <div class="field stack tight">
      <label for={id} class="soft small">
        {label}
      </label>
      {children({ id, class: 'input', 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-wrong` : undefined })}
      {isWrong && (
        <span id={`${id}-wrong`} class="wrong small" role="alert">
          {wrong}
        </span>
      )}
    </div>
  )
}

interface WrittenFieldProps {
  readonly label: string
  readonly value: string
  /** Returns what is wrong with a text, or else nothing. */
  readonly check?: (text: string) => string
  /** Returns whether the text was written. */
  readonly onCommit: (text: string) => Promise<boolean>
  readonly children: (control: WrittenControlProps) => VNode
}

type TextControl = HTMLInputElement | HTMLTextAreaElement

interface WrittenControlProps extends ControlProps {
  readonly ref: (control: TextControl | null) => void
  readonly defaultValue: string
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/** A text that is written when a person has finished editing it. A wrong or unchanged text is not written. */
function WrittenField({ label, value, check = () => '', onCommit, children }: WrittenFieldProps): VNode {
  const input = useRef<TextControl>(null)
  const [wrong, setWrong] = useState('')
  // While a person types, an update from the server must not replace the text.
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = value
    setWrong('')
  }, [value])
  const commit = async (text: string): Promise<void> => {
    const found = check(text)
    setWrong(found)
    if (found !== '' || text === value) return
    const isWritten = await onCommit(text)
    if (!isWritten && input.current) input.current.value = value
  }
  const own: Omit<WrittenControlProps, keyof ControlProps> = {
    ref: (control) => {
      input.current = control
    },
    defaultValue: value,
    onChange: (event) => void commit(event.currentTarget.value.trim()),
  }
  return (
    <Field label={label} wrong={wrong}>
      {(control) => children({ ...control, ...own })}
    </Field>
  )
}

/** A text of two lines. */
export function TextField(props: Omit<WrittenFieldProps, 'check' | 'children'>): VNode {
  return <WrittenField {...props}>{(control) => <textarea {...control} rows={2} />}</WrittenField>
}

/** The properties of a field for a number. */
export interface NumberFieldProps {
  readonly label: string
  /** `undefined` shows an empty field. */
  readonly value: number | undefined
  readonly min: number
  /** Whether `min` itself is too small. */
  readonly isMinTooSmall?: boolean
  readonly max: number
  readonly step: number
  /** Returns whether the number was written. */
  readonly onCommit: (value: number) => Promise<boolean>
}

/** A number. If it is outside its range, the field shows the range. */
export function NumberField({ label, value, min, isMinTooSmall = false, max, step, onCommit }: NumberFieldProps): VNode {
  const check = (text: string): string => {
    const next = Number(text)
    if (text !== '' && next <= max && (isMinTooSmall ? next > min : next >= min)) return ''
    return isMinTooSmall ? `above ${min}, at most ${max}` : `${min} to ${max}`
  }
  const commit = async (text: string): Promise<boolean> => Number(text) === value || onCommit(Number(text))
  return (
    <WrittenField label={label} value={String(value ?? '')} check={check} onCommit={commit}>
      {(control) => <input {...control} type="number" min={min} max={max} step={step === 1 ? 'any' : step} />}
    </WrittenField>
  )
}
