import type { HTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { reveal } from './list-part.tsx'

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }

/**
 * Makes a list one stop of Tab. Up and down go from line to line, left and right to the next link or box; Home and End
 * go to the first and the last line. The links and boxes are rendered with a `tabIndex` of -1.
 *
 * @returns The properties of the list.
 */
export function useRoving(): HTMLAttributes<HTMLDivElement> {
  const list = useRef<HTMLDivElement>(null)
  const stop = useRef<HTMLElement | null>(null)
  /** Whether a person has been at the stop. */
  const wasUsed = useRef(false)
  const all = (lines: string): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>(lines) ?? [])]
  const stay = (next: HTMLElement | undefined): void => {
    if (stop.current) stop.current.tabIndex = -1
    if (next) next.tabIndex = 0
    stop.current = next ?? null
  }
  /** Moves the focus by so many links or boxes of the drawn lines. */
  const move = (from: HTMLElement, by: number, isAlong: boolean): void => {
    const ways = all('a, input').filter((one) => isAlong || one === from || one.matches(`.paid ${from.localName}`))
    ways[Math.max(0, Math.min(ways.length - 1, ways.indexOf(from) + by))]?.focus()
  }
  useLayoutEffect(() => {
    if (!list.current) return undefined
    // Lines come and go while the list scrolls.
    const settle = (): void => {
      if (stop.current?.isConnected && wasUsed.current) return
      wasUsed.current = false
      stay([...all('.paid a[aria-current]'), ...all('.paid a')][0])
    }
    settle()
    const observer = new MutationObserver(settle)
    observer.observe(list.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return {
    ref: list,
    onFocusIn: ({ target }) => {
      wasUsed.current = true
      stay(target as HTMLElement)
    },
    onKeyDown: (event) => {
      const by = steps[event.key]
      const from = event.target as HTMLElement
      if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      const go = (): void => move(from, by, event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      if (Math.abs(by) === 1) return go()
      all('[data-part]')
        .at(by > 0 ? -1 : 0)
        ?.dispatchEvent(new Event(reveal))
      // The part is drawn first.
      queueMicrotask(go)
    },
  }
}
