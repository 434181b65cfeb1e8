import type { VNode } from 'preact'
import { useDraft } from './hooks.ts'

/** A field for yes or no that is written at once. */
export interface CheckFieldProps {
  readonly label: string
  readonly value: boolean
  /** Resolves when the value is written, or refused. */
  readonly onCommit: (value: boolean) => Promise<unknown>
}

/** A labelled checkbox. */
export function CheckField({ label, value, onCommit }: CheckFieldProps): VNode {
  const [shown, show] = useDraft(value)
  return (
    <label class="check beside">
      <input
        type="checkbox"
        checked={shown}
        onChange={(event) => {
          const { checked } = event.currentTarget
          show(checked, onCommit(checked))
        }}
      />
      {label}
    </label>
  )
}
