import type { VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

/** A number that is written when a person has finished editing it. */
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

/** A labelled number. A number outside its range is not written, and the field shows the range. */
export function NumberField({ label, value, min, isMinTooSmall = false, max, step, onCommit }: NumberFieldProps): VNode {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isWrong, setWrong] = useState(false)
  const shown = value === undefined ? '' : String(value)
  // While a person types, an update from the server must not replace the text.
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = shown
    setWrong(false)
  }, [shown])
  const commit = async (text: string): Promise<void> => {
    const next = Number(text)
    const isRight = text.trim() !== '' && Number.isFinite(next) && next <= max && (isMinTooSmall ? next > min : next >= min)
    setWrong(!isRight)
    if (!isRight || next === value) return
    const isWritten = await onCommit(next)
    if (!isWritten && input.current) input.current.value = shown
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="number"
        defaultValue={shown}
        min={min}
        max={max}
        step={step === 1 ? 'any' : step}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-wrong` : undefined}
        onChange={(event) => void commit(event.currentTarget.value)}
      />
      {isWrong && (
        <span id={`${id}-wrong`} class="wrong" role="alert">
          {isMinTooSmall ? `above ${min}, at most ${max}` : `${min} to ${max}`}
        </span>
      )}
    </div>
  )
}
