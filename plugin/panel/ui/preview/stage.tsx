import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useWidth } from '../controls/hooks.ts'
import { type Panel, type Shown, usePanel } from '../state/panel-context.ts'
import { scaleOf, type ViewSettings, zoomBy } from '../state/view-settings.ts'
import { AnchorHandle } from './anchor-handle.tsx'
import { type DrawnFrame, drawnFrame, drawStage } from './drawing.ts'
import type { Player } from './playback.ts'
import { usePages } from './use-frames.ts'

/** The properties of a stage. */
export interface StageProps extends Shown {
  readonly player: Player
}

/** Pixels around the picture. */
const marginPx = 16

/** Maximum height of the picture if the zoom is `fit`, in pixels: more beside much room. */
function tallest(width: number): number {
  return Math.min(640, Math.max(320, width / 2))
}

/** The preview: an animation on a background, drawn from the game's pages, with the anchor on top. */
export function Stage({ sprite, animation, player }: StageProps): VNode {
  const { settings, changeSettings } = usePanel()
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(box)
  const pictures = usePages(sprite.pages)
  const { played } = animation
  const scale = scaleOf(settings.zoom, sprite.frame, { width: width - 2 * marginPx, height: tallest(width) })
  useEffect(() => {
    const at = (place: number): DrawnFrame | undefined => drawnFrame(played[place], pictures)
    const draw = (): void => {
      const now = at(player.place)
      if (!canvas.current || !now) return
      const count = played.length
      const around = (by: number): DrawnFrame | undefined =>
        animation.loop || played[player.place + by] ? at((player.place + by + count) % count) : undefined
      drawStage(canvas.current, now, settings.hasOnion ? { before: around(-1), after: around(1) } : undefined)
    }
    draw()
    return player.subscribe(draw)
  })
  const style = { width: `${sprite.frame.width * scale}px`, height: `${sprite.frame.height * scale}px` }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields; this holds a picture that takes keys.
    <div
      ref={box}
      class="stage scroll"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and takes keys.
      tabIndex={0}
      aria-label={`Preview of ${animation.id}. Space plays and pauses, the arrows step, plus and minus zoom, O shows the neighbours.`}
      data-ground={settings.ground}
      style={settings.ground === 'colour' ? { background: settings.colour } : {}}
      onKeyDown={(event) => {
        if (event.target === event.currentTarget && takeKey(event.key, player, settings, changeSettings)) event.preventDefault()
      }}
    >
      <div class="stage-picture" style={style}>
        <canvas
          ref={canvas}
          class={sprite.pixelArt || scale > 1 ? 'picture pixels' : 'picture'}
          width={1}
          height={1}
          role="img"
          aria-label={animation.isPlaceholder ? `${animation.id}, a placeholder` : animation.id}
        />
        {settings.hasAnchor && <AnchorHandle sprite={sprite} scale={scale} />}
      </div>
    </div>
  )
}

/** @returns Whether the key has a meaning. */
function takeKey(key: string, player: Player, settings: ViewSettings, change: Panel['changeSettings']): boolean {
  if (key === ' ') player.setPlaying(!player.isPlaying)
  else if (key === 'ArrowLeft') player.step(-1)
  else if (key === 'ArrowRight') player.step(1)
  else if (key === '+' || key === '=') change({ zoom: zoomBy(settings.zoom, 1) })
  else if (key === '-') change({ zoom: zoomBy(settings.zoom, -1) })
  else if (key.toLowerCase() === 'o') change({ hasOnion: !settings.hasOnion })
  else return false
  return true
}
