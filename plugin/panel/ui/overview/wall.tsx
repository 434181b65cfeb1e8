import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AnimationRow, SpriteRow } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { useSeen, useWidth } from '../controls/hooks.ts'
import { inParts, ListPart } from '../controls/list-part.tsx'
import { PlaceLink } from '../controls/place-link.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { PlayingPicture } from '../preview/playing-picture.tsx'
import { usePictures } from '../preview/use-frames.ts'
import { usePlayer, wantsStillness } from '../preview/use-player.ts'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { progressOf } from '../state/words.ts'

/** Every animation of the project, playing again and again. Those out of sight rest. */
export function Wall(): VNode {
  const { state } = usePanel()
  const [isPlaying, setPlaying] = useState(!wantsStillness())
  const room = useRef<HTMLDivElement>(null)
  const columns = Math.max(1, Math.floor((useWidth(room) + gapPx) / cellPx))
  const cells = state.sprites.flatMap((sprite) => sprite.animations.map((animation) => ({ sprite, animation })))
  return (
    <div class="page whole stack">
      <div class="spread">
        <h1 tabIndex={-1}>Wall</h1>
        <Button label={isPlaying ? 'Pause all' : 'Play all'} onClick={() => setPlaying(!isPlaying)} />
      </div>
      {state.sprites.length === 0 && <p class="soft">No spec was found. "npx spritewright init" writes a first one.</p>}
      <div ref={room}>
        {inParts(cells, columns * rowsOfPart).map((part, at) => (
          <ListPart key={at} guess={Math.ceil(part.length / columns) * rowPx}>
            {() => (
              <ul class="wall">
                {part.map((cell) => (
                  <Cell key={cell.animation.id} {...cell} isPlaying={isPlaying} />
                ))}
              </ul>
            )}
          </ListPart>
        ))}
      </div>
    </div>
  )
}

/** Rows that are drawn together, and about how high one is, in pixels. */
const [rowsOfPart, rowPx] = [3, 220]
/** The least width of a cell with the gap beside it, and that gap, as in the styles. In pixels. */
const [cellPx, gapPx] = [160, 10]

interface CellProps {
  readonly sprite: SpriteRow
  readonly animation: AnimationRow
  readonly isPlaying: boolean
}

function Cell({ sprite, animation, isPlaying }: CellProps): VNode {
  const { model } = usePanel()
  const cell = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(cell)
  const pictures = usePictures(sprite)
  const shown = pictures?.animations.find(({ id }) => id === animation.id)
  return (
    <li ref={cell}>
      <PlaceLink class="card stack tight take" to={{ view: 'sprites', id: animation.id }}>
        <div class="picture-box" data-ground="checker">
          {isSeen && pictures && shown && <Playing sprite={pictures} animation={shown} isPlaying={isPlaying} />}
        </div>
        <span>{animation.id}</span>
        <StateMark paid={animation} progress={progressOf(model.progress, animation)} />
      </PlaceLink>
    </li>
  )
}

function Playing({ sprite, animation, isPlaying }: Shown & Pick<CellProps, 'isPlaying'>): VNode {
  const { played, yoyo } = animation
  const player = usePlayer({ durations: played.map((frame) => frame.durationMs), loop: true, yoyo, speed: 1 })
  useEffect(() => player.setPlaying(isPlaying), [player, isPlaying])
  return <PlayingPicture pages={sprite.pages} frames={played} player={player} pixelArt={sprite.pixelArt} label={`${animation.id} plays`} />
}
