import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PanelFrame, PanelPage } from '../../../protocol/protocol.ts'
import { useSeen } from '../controls/hooks.ts'
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
