import type { VNode } from 'preact'
import type { PanelFrames, PanelTake } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Card } from '../controls/card.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { PlayingPicture } from '../preview/playing-picture.tsx'
import { useFrames } from '../preview/use-frames.ts'
import { usePlayer } from '../preview/use-player.ts'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'
import { CompareTakes } from './compare-takes.tsx'

/** All takes beside each other, playing. A person chooses the one that the spec names. */
export function Takes({ sprite, animation }: Shown): VNode {
  const { state, store } = usePanel()
  const isLocked = !state.access.mayAct
  const choose = (take: number): void =>
    void store.edit(sprite.name, 'choose-take', { id: animation.id, take }, `Take ${take} of ${animation.id} is chosen.`)
  const another = (): void =>
    void store.edit(sprite.name, 'take', { id: animation.id }, `${animation.id} asks for another take. It is bought after you approve it.`)
  return (
    <Card title="Takes" remark="several results for the same prompt; bought takes stay">
      <ul class="takes">
        {animation.takes.map((take) => (
          <TakeCard
            key={take.take}
            sprite={sprite}
            animation={animation}
            take={take}
            isLocked={isLocked}
            onChoose={() => choose(take.take)}
          />
        ))}
        <li class="card stack tight take more">
          <Button label="Another take" disabled={isLocked} onClick={another} />
          <span class="soft small">
            {animation.spent === undefined
              ? 'You see its price before anything is bought.'
              : `The last one cost ${creditsWords(animation.spent)}. Nothing is bought before you approve.`}
          </span>
        </li>
      </ul>
      <CompareTakes sprite={sprite} animation={animation} isLocked={isLocked} onChoose={choose} />
    </Card>
  )
}

interface TakeCardProps extends Shown {
  readonly take: PanelTake
  readonly isLocked: boolean
  readonly onChoose: () => void
}

function TakeCard({ sprite, animation, take, isLocked, onChoose }: TakeCardProps): VNode {
  const frames = useFrames(animation.id, take.take, take.state)
  return (
    <li class="card stack tight take" aria-current={take.isChosen}>
      <div class="picture-box" data-ground="checker">
        {frames && <TakePicture sprite={sprite} animation={animation} frames={frames} />}
      </div>
      <div class="spread">
        <strong>Take {take.take}</strong>
        <StateMark paid={take} />
      </div>
      {take.isChosen ? (
        <span class="soft small">{take.state === 'bought' ? 'in the game' : 'chosen, in the game once it is bought'}</span>
      ) : (
        <Button label="Choose" disabled={isLocked} onClick={onChoose} aria-label={`Choose take ${take.take}`} />
      )}
    </li>
  )
}

function TakePicture({ sprite, animation, frames }: Shown & { readonly frames: PanelFrames }): VNode {
  const durations = frames.frames.map(() => 1000 / animation.fps)
  const player = usePlayer({ durations, loop: animation.loop, yoyo: animation.yoyo, speed: 1 })
  return <PlayingPicture {...frames} player={player} pixelArt={sprite.pixelArt} label={`Take ${frames.take} of ${animation.id}`} />
}
