import { useRef, useState } from 'preact/hooks'

/**
 * A value of the spec that shows what a person chose until the spec has it: what is drawn meanwhile must not jump back.
 *
 * @returns What is shown, and how another value is shown until its writing has ended, well or not.
 */
export function useDraft<T>(value: T): readonly [shown: T, show: (next: T, written: Promise<unknown>) => void] {
  const [draft, setDraft] = useState<{ readonly value: T }>()
  const latest = useRef<object>(undefined)
  const show = (next: T, written: Promise<unknown>): void => {
    const own = { value: next }
    latest.current = own
    setDraft(own)
    // A later choice goes on; its own writing ends it.
    const end = (): void => {
      if (latest.current === own) setDraft(undefined)
    }
    written.then(end, end)
  }
  return [draft ? draft.value : value, show]
}
