import { useEffect, useRef, useState } from 'preact/hooks'

/**
 * A value of the spec that shows a person's choice until the spec has it, so that the page does not jump back
 * meanwhile.
 *
 * @returns The shown value, and a function that shows another value until its write has ended, well or not.
 */
export function useDraft<T>(value: T): readonly [shown: T, show: (next: T, written: Promise<unknown>) => void] {
  const [draft, setDraft] = useState<{ readonly value: T }>()
  const latest = useRef<object>(undefined)
  const show = (next: T, written: Promise<unknown>): void => {
    const own = { value: next }
    latest.current = own
    setDraft(own)
    // A later choice stays; its own write ends it.
    const end = (): void => {
      if (latest.current === own) setDraft(undefined)
    }
    written.then(end, end)
  }
  return [draft ? draft.value : value, show]
}

/**
 * Keeps the focus. If the focused element is gone (a button that has done its work), the focus goes to the
 * heading of the shown view, and not to the top of the page. To be called by a component that renders on
 * every change.
 */
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

/** Moves the focus to the heading of the shown page, without scrolling; to the list if that hides the heading. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1')
  const shown = heading?.checkVisibility() ? heading : document.querySelector<HTMLElement>('.list [tabindex="0"]')
  shown?.focus({ preventScroll: true })
}

/** The current width inside an element, in pixels. */
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

/** How far beyond the visible part is near, in the page and in a list that scrolls. */
const near = { rootMargin: '400px', scrollMargin: '400px' } as IntersectionObserverInit

/** Whether an element is near the visible part of the page. */
export function useSeen(element: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting === true), near)
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return isSeen
}

/**
 * What a request answers, and why the last one failed. It is sent again when one of the inputs changes; until then the
 * earlier answer stays.
 */
export function useAnswer<T>(ask: () => Promise<T>, inputs: readonly unknown[]): readonly [answer: T | undefined, fault: string] {
  const [answer, setAnswer] = useState<T>()
  const [fault, setFault] = useState('')
  useEffect(() => {
    let isWanted = true
    const take = (found: T): void => {
      setAnswer(found)
      setFault('')
    }
    ask().then(
      (found) => isWanted && take(found),
      (error: Error) => isWanted && setFault(error.message),
    )
    return () => {
      isWanted = false
    }
  }, inputs)
  return [answer, fault]
}
