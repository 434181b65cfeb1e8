import type { HTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }

/**
 * Makes a list one stop of Tab. Up and down go from line to line, left and right to the next link or box; Home and End
 * go to the first and the last line. The links and boxes are rendered with a `tabIndex` of -1. To be called by the
 * component that renders the lines.
 *
 * @returns The properties of the list.
 */
export function useRoving(): HTMLAttributes<HTMLDivElement> {
  const list = useRef<HTMLDivElement>(null)
  const stop = useRef<HTMLElement | null>(null)
  const all = (lines: string): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>(lines) ?? [])]
  const stay = (next: HTMLElement | undefined): void => {
    if (stop.current) stop.current.tabIndex = -1
    if (next) next.tabIndex = 0
    stop.current = next ?? null
  }
  useLayoutEffect(() => {
    if (!stop.current?.isConnected) stay([...all('.paid a[aria-current]'), ...all('.paid a')][0])
  })
  return {
    ref: list,
    onFocusIn: ({ target }) => stay(target as HTMLElement),
    onKeyDown: (event) => {
      const by = steps[event.key]
      const from = event.target as HTMLElement
      if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      const isAlong = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
      const ways = all('a, input').filter((one) => isAlong || one === from || one.matches(`.paid ${from.localName}`))
      ways[Math.max(0, Math.min(ways.length - 1, ways.indexOf(from) + by))]?.focus()
    },
  }
}
