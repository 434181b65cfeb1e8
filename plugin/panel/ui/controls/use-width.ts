import { useEffect, useState } from 'preact/hooks'

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
