import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PanelAnimation, PanelSprite } from '../../../protocol/protocol.ts'
import { useSeen } from '../controls/hooks.ts'
import { StateMark } from '../controls/state-mark.tsx'
import { PlayingPicture } from '../preview/playing-picture.tsx'
import { usePlayer, wantsStillness } from '../preview/use-player.ts'
import { addressOf, isPlainClick } from '../state/address.ts'
import { usePanel } from '../state/panel-context.ts'
import { progressOf } from '../state/words.ts'

/** The properties of the wall. */
export interface WallProps {
  readonly onShow: (id: string) => void
}

/** Every animation of the project, playing again and again. Those out of sight rest. */
export function Wall({ onShow }: WallProps): VNode {
  const { state } = usePanel()
  const [isPlaying, setPlaying] = useState(!wantsStillness())
  return (
    <div class="page whole stack">
      <div class="spread">
        <h1 tabIndex={-1}>Wall</h1>
        <button type="button" class="button" onClick={() => setPlaying(!isPlaying)}>
          {isPlaying ? 'Pause all' : 'Play all'}
        </button>
      </div>
      {state.sprites.length === 0 && <p class="soft">No spec was found. "npx spritewright init" writes a first one.</p>}
      <ul class="wall">
        {state.sprites.flatMap((sprite) =>
          sprite.animations.map((animation) => (
            <Cell key={animation.id} sprite={sprite} animation={animation} isPlaying={isPlaying} onShow={onShow} />
          )),
        )}
      </ul>
    </div>
  )
}

interface CellProps extends WallProps {
  readonly sprite: PanelSprite
  readonly animation: PanelAnimation
  readonly isPlaying: boolean
}

function Cell({ sprite, animation, isPlaying, onShow }: CellProps): VNode {
  const { model } = usePanel()
  const cell = useRef<HTMLLIElement>(null)
  const isSeen = useSeen(cell)
  return (
    <li ref={cell}>
      <a
        class="card take"
        href={addressOf({ view: 'sprites', id: animation.id })}
        onClick={(event) => {
          if (!isPlainClick(event)) return
          event.preventDefault()
          onShow(animation.id)
        }}
      >
        <div class="picture-box" data-ground="checker">
          {isSeen && <Playing sprite={sprite} animation={animation} isPlaying={isPlaying} />}
        </div>
        <span>{animation.id}</span>
        <StateMark paid={animation} progress={progressOf(model.progress, animation)} />
      </a>
    </li>
  )
}

function Playing({ sprite, animation, isPlaying }: Omit<CellProps, 'onShow'>): VNode {
  const { played, yoyo } = animation
  const player = usePlayer({ durations: played.map((frame) => frame.durationMs), loop: true, yoyo, speed: 1 })
  useEffect(() => player.setPlaying(isPlaying), [player, isPlaying])
  return <PlayingPicture pages={sprite.pages} frames={played} player={player} pixelArt={sprite.pixelArt} label={`${animation.id} plays`} />
}
