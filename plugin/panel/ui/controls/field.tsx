import type { InputHTMLAttributes, RefObject, VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

type TextControl = HTMLInputElement & HTMLTextAreaElement
type Attributes = 'value' | 'defaultValue' | 'required' | 'disabled' | 'min' | 'max' | 'step' | 'inputMode' | 'autocomplete' | 'placeholder'

/** The properties of a labelled text: its own, and those of the element. */
export interface FieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, Attributes> {
  readonly label: string
  readonly type?: 'number'
  /** What is wrong with the text; empty if nothing is. */
  readonly wrong?: string
  /**
   * Lines of a longer text.
   *
   * @default an input of one line
   */
  readonly rows?: number
  readonly control?: RefObject<TextControl | null>
  /** A person types. */
  readonly onType?: (text: string) => void
  /** A person has finished typing. */
  readonly onFinish?: (text: string) => void
}

/** A text below its label. The words about a wrong text are below the control. */
export function Field({ label, wrong = '', rows, control, onType, onFinish, ...props }: FieldProps): VNode {
  const id = useId()
  const isWrong = wrong !== ''
  const own: object = {
    ...{ ref: control, id, class: 'input', 'aria-invalid': isWrong, 'aria-describedby': isWrong ? `${id}-wrong` : undefined },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onType?.(event.currentTarget.value),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onFinish?.(event.currentTarget.value),
    ...props,
  }
  return (
    <div class="field stack tight">
      <label for={id} class="soft small">
        {label}
      </label>
      {rows === undefined ? <input {...own} /> : <textarea {...own} rows={rows} />}
      {isWrong && (
        <span id={`${id}-wrong`} class="wrong small" role="alert">
          {wrong}
        </span>
      )}
    </div>
  )
}

/** The properties of a text that is written when a person has finished editing it. */
export interface WrittenFieldProps extends Omit<FieldProps, 'wrong' | 'control' | 'onFinish'> {
  readonly value: string
  /** Returns what is wrong with a text, or else nothing. */
  readonly check?: (text: string) => string
  /** Returns whether the text was written. */
  readonly onCommit: (text: string) => Promise<boolean>
}

/** A text that is written when a person has finished editing it. A wrong or unchanged text is not written. */
export function WrittenField({ value, check = () => '', onCommit, ...props }: WrittenFieldProps): VNode {
  const control = useRef<TextControl>(null)
  const [wrong, setWrong] = useState('')
  const show = (): void => {
    if (control.current) control.current.value = value
  }
  // While a person types, an update from the server must not replace the text.
  useEffect(() => {
    if (document.activeElement !== control.current) show()
    setWrong('')
  }, [value])
  const commit = async (text: string): Promise<void> => {
    const found = check(text)
    setWrong(found)
    if (found === '' && text !== value && !(await onCommit(text))) show()
  }
  return <Field {...props} {...{ wrong, control }} defaultValue={value} onFinish={(text) => void commit(text.trim())} />
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
  const range = { min, max, step: step === 1 ? 'any' : step }
  return <WrittenField {...{ label, check, ...range }} type="number" value={String(value ?? '')} onCommit={commit} />
}
