import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'

/** A ceiling other than the price. */
export interface CeilingFieldProps {
  /** Decimal text of what is offered now; empty where each has its price. */
  readonly ceiling: string
  readonly onCommit: (ceiling: string) => void
  /** Whether what stands in the field is not what is offered: nothing may be approved meanwhile. */
  readonly onDoubt: (isDoubtful: boolean) => void
}

const amount = /^(?:\d{1,15}(?:\.\d{1,4})?)?$/

/** Takes credits when a person is done typing; what is no amount is not taken, and says so. */
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
