import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PanelFrame, PanelPage } from '../../../protocol/protocol.ts'
import { drawnFrame, drawStage } from './drawing.ts'
import type { Player } from './playback.ts'
import { usePages } from './use-frames.ts'

/** Frames on their pages. */
export interface PlayedFrames {
  readonly pages: readonly PanelPage[]
  readonly frames: readonly PanelFrame[]
}

/** The properties of a playing picture. */
export interface PlayingPictureProps extends PlayedFrames {
  readonly player: Player
  readonly pixelArt: boolean
  readonly label: string
  /** Other frames that are shown below, in blue. */
  readonly below?: PlayedFrames | undefined
}

const none: PlayedFrames = { pages: [], frames: [] }

/** Frames that a player plays, fitted into their place by CSS. If there are fewer frames than places, they repeat. */
export function PlayingPicture({ pages, frames, player, pixelArt, label, below = none }: PlayingPictureProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pictures, others] = [usePages(pages), usePages(below.pages)]
  useEffect(() => {
    const draw = (): void => {
      const now = drawnFrame(frames[player.place % frames.length], pictures)
      const after = drawnFrame(below.frames[player.place % below.frames.length], others)
      if (canvas.current && now) drawStage(canvas.current, now, { before: undefined, after })
    }
    draw()
    return player.subscribe(draw)
  })
  return <canvas ref={canvas} class={pixelArt ? 'picture pixels' : 'picture'} width={1} height={1} role="img" aria-label={label} />
}
