import type { VNode } from 'preact'
import { Button } from '../controls/button.tsx'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { countWords } from '../state/words.ts'
import type { Player } from './playback.ts'
import type { FrameOrderEditor } from './use-frame-order.ts'

/** The properties of a list of flags. */
export interface FlagListProps extends Shown {
  /** Shows a flagged frame. */
  readonly player: Player
  /** Drops flagged frames. */
  readonly editor: FrameOrderEditor
}

/** The flags of an animation in words, and the actions on them. Renders nothing if there are none. */
export function FlagList({ sprite, animation, player, editor }: FlagListProps): VNode | null {
  const { state, store } = usePanel()
  const { flags, meant } = animation
  if (flags.length === 0 && meant.length === 0) return null
  const show = (frame: number): void => {
    const place = editor.order.indexOf(frame)
    if (place >= 0) player.seek(place)
  }
  const mark = (faults: readonly string[]): void => {
    const change = { animations: { [animation.name]: { meant: faults.length > 0 ? faults : null } } }
    const words = faults.length > 0 ? `${faults.join(', ')} is meant` : 'checked again'
    void store.edit(sprite.name, 'edit', { sprite: sprite.name, ...change }, `${animation.id}: ${words}.`)
  }
  const { mayAct } = state.access
  return (
    <div class="stack tight">
      {flags.length > 0 && <h3 class="soft small">{countWords(flags.length, 'thing')} to look at</h3>}
      <ul>
        {flags.map((flag) => (
          <li key={`${flag.fault}:${flag.from}`} class="flag spread">
            <span>
              {flag.words}
              <span class="soft"> · {flag.from === 'service' ? 'the service says' : flag.fault}</span>
            </span>
            <span class="row tight">
              {flag.frames.map((index) => (
                <Button
                  label={`${index}`}
                  key={index}
                  class="button quiet chip small number"
                  aria-label={`Show frame ${index}`}
                  onClick={() => show(index)}
                />
              ))}
              {editor.mayDropFrames(flag.frames) && (
                <Button
                  label={flag.frames.length === 1 ? 'Drop it' : 'Drop them'}
                  look="quiet"
                  onClick={() => editor.dropFrames(flag.frames)}
                />
              )}
              {mayAct && <Button label="This is meant" look="quiet" onClick={() => mark([...new Set([...meant, flag.fault])])} />}
            </span>
          </li>
        ))}
      </ul>
      {meant.length > 0 && (
        <p class="soft small">
          Meant to be so: {meant.join(', ')}. {mayAct && <Button label="Check it again" look="quiet" onClick={() => mark([])} />}
        </p>
      )}
    </div>
  )
}
