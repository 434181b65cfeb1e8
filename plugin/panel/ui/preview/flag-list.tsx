import type { VNode } from 'preact'
import type { PanelAnimation } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { countWords } from '../state/words.ts'

/** The flags of an animation, and the actions on them. */
export interface FlagListProps {
  readonly animation: PanelAnimation
  readonly onShow: (index: number) => void
  /** Whether frames may be dropped: some of them are played, and other frames remain. */
  readonly mayDrop: (frames: readonly number[]) => boolean
  readonly onDrop: (frames: readonly number[]) => void
  /** Writes which remarks are meant; missing if nothing may be edited. */
  readonly onMeant: ((meant: readonly string[]) => void) | undefined
}

/** The flags of an animation in words. Renders nothing if there are none. */
export function FlagList({ animation, onShow, mayDrop, onDrop, onMeant }: FlagListProps): VNode | null {
  const { flags, meant } = animation
  if (flags.length === 0 && meant.length === 0) return null
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
                  onClick={() => onShow(index)}
                />
              ))}
              {mayDrop(flag.frames) && (
                <Button label={flag.frames.length === 1 ? 'Drop it' : 'Drop them'} look="quiet" onClick={() => onDrop(flag.frames)} />
              )}
              {onMeant && <Button label="This is meant" look="quiet" onClick={() => onMeant([...new Set([...meant, flag.fault])])} />}
            </span>
          </li>
        ))}
      </ul>
      {meant.length > 0 && (
        <p class="soft small">
          Meant to be so: {meant.join(', ')}. {onMeant && <Button label="Check it again" look="quiet" onClick={() => onMeant([])} />}
        </p>
      )}
    </div>
  )
}
