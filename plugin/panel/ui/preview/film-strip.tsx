import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PanelFrames } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { Card } from '../controls/card.tsx'
import { Icon } from '../controls/icons.tsx'
import type { Shown } from '../state/panel-context.ts'
import { countWords } from '../state/words.ts'
import { FilmFrame } from './film-frame.tsx'
import { FlagList } from './flag-list.tsx'
import { FramePicture } from './frame-picture.tsx'
import type { Player } from './playback.ts'
import { type FrameOrderEditor, useFrameOrder } from './use-frame-order.ts'
import { usePlace } from './use-player.ts'

/** The properties of a film strip. */
export interface FilmStripProps extends Shown {
  readonly player: Player
  /** All delivered frames; `undefined` until they are loaded. */
  readonly delivered: PanelFrames | undefined
}

/**
 * The frames in playing order, with marks on flagged ones. A person drops frames, puts them back and moves
 * them, which writes `use` into the spec.
 */
export function FilmStrip(props: FilmStripProps): VNode {
  const { sprite, animation, player, delivered } = props
  const editor = useFrameOrder(sprite, animation, delivered)
  const { length: dropped } = editor.dropped
  return (
    <Card title="Frames" remark={countWords(editor.order.length, 'frame') + (dropped > 0 ? ` played, ${dropped} dropped` : ' played')}>
      <Film {...props} editor={editor} />
      <DroppedFrames {...props} editor={editor} />
      <FlagList {...{ sprite, animation, player, editor }} />
    </Card>
  )
}

type WithEditor = FilmStripProps & { readonly editor: FrameOrderEditor }

/** The played frames. The arrow keys go along them, with Alt they move a frame, and Delete drops it. */
function Film({ sprite, animation, player, delivered, editor }: WithEditor): VNode {
  const { order, mayEdit } = editor
  const list = useRef<HTMLOListElement>(null)
  const { place, isPlaying } = usePlace(player)
  useHeldFocus(list, place)
  const focus = (at: number): void => list.current?.querySelectorAll('button')[at]?.focus()
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= order.length) return
    editor.move(from, to)
    player.seek(to)
    focus(to)
  }
  const go = (to: number): void => {
    player.seek(Math.min(order.length - 1, Math.max(0, to)))
    focus(player.place)
  }
  const takeKey = (key: string, hasAlt: boolean, at: number): boolean => {
    const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
    if (by !== 0 && hasAlt) move(at, at + by)
    else if (by !== 0) go(at + by)
    else if (key === 'Home') go(0)
    else if (key === 'End') go(order.length - 1)
    else if (key === 'Delete' || key === 'Backspace') editor.dropPlace(at)
    else return false
    return true
  }
  return (
    <>
      <ol class="film row tight" ref={list}>
        {order.map((index, at) => (
          <FilmFrame
            key={at}
            {...{ sprite, animation, delivered, index, mayEdit }}
            place={at}
            isNow={at === place}
            onChoose={() => player.seek(at)}
            onKeyDown={(event) => {
              if (takeKey(event.key, event.altKey, at)) event.preventDefault()
            }}
            onMoveHere={(from) => move(from, at)}
          />
        ))}
      </ol>
      {mayEdit && (
        <div class="row">
          {/* While it plays, the frame under a click would be another than the one that was read. */}
          <span class="number soft">{isPlaying ? 'Pause to change a frame' : `Frame ${order[place] ?? 0}`}</span>
          <Button icon="drop" label="Drop" disabled={isPlaying || order.length < 2} onClick={() => editor.dropPlace(place)} />
          <Button icon="left" label="Earlier" disabled={isPlaying || place === 0} onClick={() => move(place, place - 1)} />
          <Button disabled={isPlaying || place >= order.length - 1} onClick={() => move(place, place + 1)}>
            Later <Icon name="right" />
          </Button>
          {editor.isChanged && <Button label="Play all as delivered" look="quiet" onClick={editor.reset} />}
        </div>
      )}
    </>
  )
}

/**
 * Keeps the focus in the list. A dropped frame loses the focus, and the frame in its place gets it. If the
 * focus has gone elsewhere since, nothing happens.
 */
function useHeldFocus(list: { readonly current: HTMLElement | null }, place: number): void {
  const hadFocus = useRef(false)
  useEffect(() => {
    const come = ({ target }: FocusEvent): void => {
      hadFocus.current = list.current?.contains(target as Node) ?? false
    }
    const leave = ({ target }: FocusEvent): void => {
      // The focus leaves a removed element without any action of the person.
      queueMicrotask(() => {
        if ((target as Node).isConnected && document.activeElement === document.body) hadFocus.current = false
      })
    }
    document.addEventListener('focusin', come)
    document.addEventListener('focusout', leave)
    return () => {
      document.removeEventListener('focusin', come)
      document.removeEventListener('focusout', leave)
    }
  }, [list])
  useEffect(() => {
    const buttons = list.current?.querySelectorAll('button') ?? []
    if (hadFocus.current && document.activeElement === document.body) buttons[Math.min(place, buttons.length - 1)]?.focus()
  })
}

function DroppedFrames({ sprite, delivered, editor }: WithEditor): VNode | null {
  if (editor.dropped.length === 0) return null
  return (
    <div class="stack tight">
      <h3 class="soft small">Dropped</h3>
      <ul class="film row tight">
        {editor.dropped.map((index) => (
          <li key={index}>
            <button
              type="button"
              class="film-frame is-dropped"
              data-ground="checker"
              disabled={!editor.mayEdit}
              aria-label={`Put frame ${index} back`}
              onClick={() => editor.keep(index)}
            >
              <FramePicture
                pages={delivered?.pages ?? []}
                frame={delivered?.frames.find((frame) => frame.index === index)}
                pixelArt={sprite.pixelArt}
              />
              <span class="film-number">
                <Icon name="keep" /> {index}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
