import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../controls/button.tsx'
import { useSeen } from '../controls/hooks.ts'
import { PlaceLink } from '../controls/place-link.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { PlayingPicture } from '../preview/playing-picture.tsx'
import { usePlayer, wantsStillness } from '../preview/use-player.ts'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { progressOf } from '../state/words.ts'

/** Every animation of the project, playing again and again. Those out of sight rest. */
export function Wall(): VNode {
  const { state } = usePanel()
  const [isPlaying, setPlaying] = useState(!wantsStillness())
  return (
    <div class="page whole stack">
      <div class="spread">
        <h1 tabIndex={-1}>Wall</h1>
        <Button label={isPlaying ? 'Pause all' : 'Play all'} onClick={() => setPlaying(!isPlaying)} />
      </div>
      {state.sprites.length === 0 && <p class="soft">No spec was found. "npx spritewright init" writes a first one.</p>}
      <ul class="wall">
        {state.sprites.flatMap((sprite) =>
          sprite.animations.map((animation) => <Cell key={animation.id} sprite={sprite} animation={animation} isPlaying={isPlaying} />),
        )}
      </ul>
    </div>
  )
}

interface CellProps extends Shown {
  readonly isPlaying: boolean
}

function Cell({ sprite, animation, isPlaying }: CellProps): VNode {
  const { model } = usePanel()
  const cell = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(cell)
  return (
    <li ref={cell}>
      <PlaceLink class="card stack tight take" to={{ view: 'sprites', id: animation.id }}>
        <div class="picture-box" data-ground="checker">
          {isSeen && <Playing sprite={sprite} animation={animation} isPlaying={isPlaying} />}
        </div>
        <span>{animation.id}</span>
        <StateMark paid={animation} progress={progressOf(model.progress, animation)} />
      </PlaceLink>
    </li>
  )
}

function Playing({ sprite, animation, isPlaying }: CellProps): VNode {
  const { played, yoyo } = animation
  const player = usePlayer({ durations: played.map((frame) => frame.durationMs), loop: true, yoyo, speed: 1 })
  useEffect(() => player.setPlaying(isPlaying), [player, isPlaying])
  return <PlayingPicture pages={sprite.pages} frames={played} player={player} pixelArt={sprite.pixelArt} label={`${animation.id} plays`} />
}
