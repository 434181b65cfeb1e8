import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { PanelFrames } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { CheckField } from '../controls/check-field.tsx'
import { Choice } from '../controls/choice.tsx'
import { PlayingPicture } from '../preview/playing-picture.tsx'
import { PlayControls } from '../preview/transport.tsx'
import { useFrames } from '../preview/use-frames.ts'
import { usePlayer } from '../preview/use-player.ts'
import type { Shown } from '../state/panel-context.ts'

/** The properties of a comparison. */
export interface CompareTakesProps extends Shown {
  readonly isLocked: boolean
  readonly onChoose: (take: number) => void
}

/** Two bought takes beside each other, in step. With fewer than two, nothing. */
export function CompareTakes({ sprite, animation, isLocked, onChoose }: CompareTakesProps): VNode | null {
  const bought = animation.takes.filter(({ state }) => state === 'bought').map(({ take }) => take)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<readonly [number, number]>()
  if (bought.length < 2) return null
  const [a, b] = chosen ?? [bought.at(-2) as number, bought.at(-1) as number]
  return (
    <details class="compare" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Compare two takes</summary>
      {isOpen && (
        <Comparison
          key={`${a} ${b}`}
          {...{ sprite, animation, isLocked, onChoose, bought }}
          pair={[a, b]}
          onPair={(pair) => setChosen(pair)}
        />
      )}
    </details>
  )
}

function Comparison({
  sprite,
  animation,
  isLocked,
  onChoose,
  bought,
  pair: [a, b],
  onPair,
}: CompareTakesProps & {
  readonly bought: readonly number[]
  readonly pair: readonly [number, number]
  readonly onPair: (pair: readonly [number, number]) => void
}): VNode {
  const [hasOnion, setOnion] = useState(false)
  const frames = { a: useFrames(animation.id, a, 'bought'), b: useFrames(animation.id, b, 'bought') }
  const count = Math.max(1, frames.a?.frames.length ?? 0, frames.b?.frames.length ?? 0)
  const durations = Array.from({ length: count }, () => 1000 / animation.fps)
  const player = usePlayer({ durations, loop: true, yoyo: animation.yoyo, speed: 1 })
  const side = (name: 'A' | 'B', take: number, own: PanelFrames | undefined, onTake: (next: number) => void): VNode => (
    <div class="card stack tight take" aria-current={take === animation.take}>
      <Choice label={name} value={take} options={bought.map((one) => [one, `Take ${one}`])} onChoose={onTake} />
      <div class="picture-box" data-ground="checker">
        {own && (
          <PlayingPicture
            {...own}
            player={player}
            pixelArt={sprite.pixelArt}
            label={`${name}: take ${take} of ${animation.id}`}
            below={name === 'A' && hasOnion ? frames.b : undefined}
          />
        )}
      </div>
      {take === animation.take ? (
        <span class="soft small">in the game</span>
      ) : (
        <Button label={`Choose ${name}`} disabled={isLocked} onClick={() => onChoose(take)} />
      )}
    </div>
  )
  return (
    <div class="stack">
      <div class="halves">
        {side('A', a, frames.a, (next) => onPair([next, b]))}
        {side('B', b, frames.b, (next) => onPair([a, next]))}
      </div>
      <PlayControls player={player} count={count} />
      <CheckField label="Onion skin: B in blue below A" value={hasOnion} onCommit={setOnion} />
    </div>
  )
}
