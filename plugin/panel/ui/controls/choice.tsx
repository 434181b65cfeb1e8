import type { HTMLAttributes, VNode } from 'preact'

/** The properties of a choice: its own, and those of the element. */
export interface ChoiceProps<T> extends Omit<HTMLAttributes<HTMLSelectElement>, 'label' | 'role'> {
  /** Words before it; missing if it has its label elsewhere. */
  readonly label?: string
  /** Whether the words are above it, and it is as wide as its place. */
  readonly isWide?: boolean
  readonly value: T
  /** Each value with its words. */
  readonly options: readonly (readonly [value: T, words: string])[]
  readonly onChoose: (value: T) => void
}

/** A list of which one value is chosen. */
export function Choice<T extends string | number>({ label, isWide = false, value, options, onChoose, ...props }: ChoiceProps<T>): VNode {
  const choose = (index: number): void => {
    const option = options[index]
    if (option) onChoose(option[0])
  }
  const list = (
    <select class="input" value={String(value)} onChange={(event) => choose(event.currentTarget.selectedIndex)} {...props}>
      {options.map(([one, words]) => (
        <option key={one} value={String(one)}>
          {words}
        </option>
      ))}
    </select>
  )
  if (label === undefined) return list
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the list is inside.
    <label class={isWide ? 'field stack tight' : 'field row'}>
      <span class="soft small">{label}</span>
      {list}
    </label>
  )
}
