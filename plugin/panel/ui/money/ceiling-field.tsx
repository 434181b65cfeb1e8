import type { VNode } from 'preact'
import { WrittenField } from '../controls/field.tsx'

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
  const commit = async (text: string): Promise<true> => {
    onDoubt(false)
    onCommit(text)
    return true
  }
  return (
    <details class="ceiling">
      <summary>Another ceiling</summary>
      <WrittenField
        label="Ceiling for each, credits; empty for its price"
        value={ceiling}
        inputMode="decimal"
        autocomplete="off"
        placeholder="its price"
        check={(text) => (amount.test(text) ? '' : 'Credits like 2.4, with four decimals at most')}
        onType={(text) => onDoubt(text.trim() !== ceiling)}
        onCommit={commit}
      />
    </details>
  )
}
