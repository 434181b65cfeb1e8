import type { PanelAnimation, PanelFrames, PanelSprite } from '../../../protocol/protocol.ts'
import { useDraft } from '../controls/hooks.ts'
import { usePanel } from '../state/panel-context.ts'
import { countWords } from '../state/words.ts'
import { allOf, droppedOf, type FrameOrder, mayDropTogether, orderOf, toUse, withKept, withMoved, withoutPlaces } from './frame-order.ts'

/**
 * The frames of an animation in playing order, and the edits of that order. An edit is written to the spec,
 * and shown before that.
 */
export type FrameOrderEditor = ReturnType<typeof useFrameOrder>

/**
 * The order of an animation, with its edits.
 *
 * @param delivered All delivered frames. Nothing can be edited until they are loaded.
 */
export function useFrameOrder(sprite: PanelSprite, animation: PanelAnimation, delivered: PanelFrames | undefined) {
  const { state, store } = usePanel()
  const count = delivered?.frames.length ?? 0
  const [order, show] = useDraft<FrameOrder>(orderOf(animation, count))
  const mayEdit = state.access.mayAct && count > 0
  const write = (next: FrameOrder, words: string): void => {
    if (next === order || !mayEdit) return
    const change = { id: animation.id, use: toUse(next, count) }
    show(next, store.edit(sprite.name, 'use', change, words))
  }
  const placesOf = (frames: readonly number[]): readonly number[] =>
    order.flatMap((frame, place) => (frames.includes(frame) ? [place] : []))
  return {
    /** Delivered frames by place. */
    order,
    dropped: droppedOf(order, count),
    mayEdit,
    /** Whether frames are dropped, moved or doubled. */
    isChanged: toUse(order, count) !== null,
    dropPlace: (place: number): void => write(withoutPlaces(order, [place]), `Frame ${order[place]} of ${animation.id} is dropped.`),
    /** Drops frames wherever they are played. Does nothing if none would be left. */
    dropFrames: (frames: readonly number[]): void =>
      write(withoutPlaces(order, placesOf(frames)), `${countWords(frames.length, 'frame')} dropped.`),
    mayDropFrames: (frames: readonly number[]): boolean => {
      const { length } = placesOf(frames)
      return mayEdit && mayDropTogether(order, length)
    },
    move: (from: number, to: number): void =>
      write(withMoved(order, from, to), `Frame ${order[from]} is now number ${to + 1} of ${order.length}.`),
    keep: (frame: number): void => write(withKept(order, frame), `Frame ${frame} is played again.`),
    reset: (): void => write(allOf(count), 'All frames are played as they were delivered.'),
  }
}
