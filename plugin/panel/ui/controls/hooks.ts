import { useEffect, useRef, useState } from 'preact/hooks'

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

/** Where what had the focus is gone (a button that has done its work), one goes on at the heading of what is shown, and not at the top of the page. Called by what is drawn whenever anything changes. */
export function useFocusKept(): void {
  const last = useRef<Element>(undefined)
  useEffect(() => {
    const note = ({ target }: FocusEvent): void => {
      last.current = target as Element
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useEffect(() => {
    if (document.activeElement !== document.body || last.current?.isConnected !== false) return
    last.current = undefined
    focusHeading()
  })
}

/** Moves the focus to the heading of the shown page, without scrolling. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

/** The width inside an element, pixels, as it is now. */
export function useWidth(element: { readonly current: Element | null }): number {
  const [width, setWidth] = useState(320)
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return width
}
