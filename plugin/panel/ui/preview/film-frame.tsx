import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { PanelFrames } from '../../../protocol/protocol.ts'
import type { Shown } from '../state/panel-context.ts'
import { flagsOfFrame } from './frame-order.ts'
import { FramePicture } from './frame-picture.tsx'

/** One frame of a film strip. */
export interface FilmFrameProps extends Shown {
  readonly delivered: PanelFrames | undefined
  /** Number of the delivered frame. */
  readonly index: number
  /** Place in playing order, from 0. */
  readonly place: number
  readonly isNow: boolean
  readonly mayEdit: boolean
  readonly onChoose: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  /** Another frame was dropped on it. */
  readonly onMoveHere: (from: number) => void
}

/** The data type of a dragged frame. The data is its place. */
const dragType = 'application/x-spritewright-frame'

/** A frame that is selected, or dragged to another place. It shows its flags. */
export function FilmFrame({ onChoose, onKeyDown, onMoveHere, ...props }: FilmFrameProps): VNode {
  const { sprite, animation, index, place, isNow, mayEdit } = props
  const [isTarget, setTarget] = useState(false)
  const flags = flagsOfFrame(animation.flags, index)
  const { pages, frame } = pictureOf(props)
  const words = flags.map((flag) => flag.words).join('; ')
  const isTouchedUp = animation.touchedUp.includes(index)
  const hint = [words, ...(isTouchedUp ? ['touched up by hand'] : [])].filter((part) => part !== '').join('; ')
  return (
    <li>
      <button
        type="button"
        data-frame
        class="film-frame"
        data-ground="checker"
        data-target={isTarget || undefined}
        data-flagged={flags.length > 0 || undefined}
        title={hint}
        tabIndex={isNow ? 0 : -1}
        aria-current={isNow}
        aria-label={`Frame ${index}, number ${place + 1}${isTouchedUp ? ', touched up by hand' : ''}${words === '' ? '' : `. To check: ${words}`}`}
        aria-keyshortcuts={mayEdit ? 'Delete Alt+ArrowLeft Alt+ArrowRight' : undefined}
        draggable={mayEdit}
        onClick={onChoose}
        onKeyDown={onKeyDown}
        onDragStart={(event) => event.dataTransfer?.setData(dragType, String(place))}
        onDragOver={(event) => {
          if (!mayEdit || !event.dataTransfer?.types.includes(dragType)) return
          event.preventDefault()
          setTarget(true)
        }}
        onDragLeave={() => setTarget(false)}
        onDrop={(event) => {
          setTarget(false)
          const from = event.dataTransfer?.getData(dragType) ?? ''
          if (from === '') return
          event.preventDefault()
          onMoveHere(Number(from))
        }}
      >
        <FramePicture pages={pages} frame={frame} pixelArt={sprite.pixelArt} />
        <span class="film-number">
          {index}
          {isTouchedUp && <span aria-hidden="true"> ✎</span>}
        </span>
      </button>
    </li>
  )
}

/** The picture of a frame: from the pages of the game if it is played, or else from those of the delivery. */
function pictureOf({ sprite, animation, delivered, index }: Pick<FilmFrameProps, 'sprite' | 'animation' | 'delivered' | 'index'>) {
  const played = animation.played.find((other) => other.index === index)
  if (played || !delivered) return { pages: sprite.pages, frame: played }
  return { pages: delivered.pages, frame: delivered.frames.find((other) => other.index === index) }
}
