import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'

/** The properties of a field for a ceiling other than the price. */
export interface CeilingFieldProps {
  /** Ceiling of the shown offer as a decimal string; empty if each line has its price. */
  readonly ceiling: string
  readonly onCommit: (ceiling: string) => void
  /** Reports whether the field differs from the offer. If it does, nothing may be approved. */
  readonly onDoubt: (isDoubtful: boolean) => void
}

const amount = /^(?:\d{1,15}(?:\.\d{1,4})?)?$/

/**
 * Passes on credits when a person has finished typing. A text that is no amount is not passed on, and the
 * field shows so.
 */
export function CeilingField({ ceiling, onCommit, onDoubt }: CeilingFieldProps): VNode {
  const id = useId()
  const [isWrong, setWrong] = useState(false)
  const commit = (text: string): void => {
    const isRight = amount.test(text)
    setWrong(!isRight)
    if (!isRight) return
    onDoubt(false)
    onCommit(text)
  }
  return (
    <details class="ceiling">
      <summary>Another ceiling</summary>
      <div class="field">
        <label for={id}>Ceiling for each, credits; empty for its price</label>
        <input
          id={id}
          inputMode="decimal"
          autocomplete="off"
          placeholder="its price"
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-wrong` : undefined}
          onInput={(event) => onDoubt(event.currentTarget.value.trim() !== ceiling)}
          onChange={(event) => commit(event.currentTarget.value.trim())}
        />
        {isWrong && (
          <span id={`${id}-wrong`} class="wrong" role="alert">
            Credits like 2.4, with four decimals at most
          </span>
        )}
      </div>
    </details>
  )
}
