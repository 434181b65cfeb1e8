import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PanelFrame, PanelPage } from '../../../protocol/protocol.ts'
import { drawStage } from './drawing.ts'
import { usePages } from './use-frames.ts'

/** A still frame, fitted into a square by CSS. It is fetched when it comes into view. */
export function FramePicture({
  pages,
  frame,
  pixelArt,
}: {
  readonly pages: readonly PanelPage[]
  readonly frame: PanelFrame | undefined
  readonly pixelArt: boolean
}): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const isSeen = useSeen(canvas)
  const pictures = usePages(isSeen ? pages : [])
  const page = frame && pictures[frame.page]
  useEffect(() => {
    if (canvas.current && page && frame) drawStage(canvas.current, { page, frame })
  }, [page, frame])
  return <canvas ref={canvas} class={pixelArt ? 'picture pixels' : 'picture'} width={1} height={1} />
}

/** Whether an element has ever been near the visible part of the page. */
function useSeen(element: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current || isSeen) return undefined
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true), {
      rootMargin: '200px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isSeen])
  return isSeen
}
