import { useEffect, useRef } from 'preact/hooks'

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
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  })
}
