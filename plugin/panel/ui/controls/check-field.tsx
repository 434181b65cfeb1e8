import type { ComponentChildren, VNode } from 'preact'
import { useDraft } from './hooks.ts'

/** A field for yes or no. */
export interface CheckFieldProps {
  readonly label: ComponentChildren
  readonly value: boolean
  /** If it writes the value, it resolves when that is done, or refused. */
  readonly onCommit: (value: boolean) => unknown
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
          show(checked, Promise.resolve(onCommit(checked)))
        }}
      />
      {label}
    </label>
  )
}
