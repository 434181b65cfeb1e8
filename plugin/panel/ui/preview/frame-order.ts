import type { PanelAnimation, PanelFlag } from '../../../protocol/protocol.ts'

/** Numbers of the played frames, in order. */
export type FrameOrder = readonly number[]

/**
 * The current order of an animation.
 *
 * @param delivered Number of delivered frames.
 */
export function orderOf({ use, played }: PanelAnimation, delivered: number): FrameOrder {
  return use ?? (delivered > 0 ? allOf(delivered) : played.map((frame) => frame.index))
}

/** All delivered frames, in the order of the delivery. */
export function allOf(delivered: number): FrameOrder {
  return Array.from({ length: delivered }, (_, index) => index)
}

/** The value of `use`; null if all frames are played in the order of the delivery. */
export function toUse(order: FrameOrder, delivered: number): readonly number[] | null {
  return order.length === delivered && order.every((index, place) => index === place) ? null : order
}

/** Removes the frames at these places. Returns the same order if none would be left. */
export function withoutPlaces(order: FrameOrder, places: readonly number[]): FrameOrder {
  const left = order.filter((_, place) => !places.includes(place))
  return left.length === 0 ? order : left
}

/** Moves the frame of one place to another. */
export function withMoved(order: FrameOrder, from: number, to: number): FrameOrder {
  const index = order[from]
  if (index === undefined || to < 0 || to >= order.length) return order
  const rest = order.filter((_, place) => place !== from)
  return [...rest.slice(0, to), index, ...rest.slice(to)]
}

/** Puts a dropped frame back, before the first frame that was delivered after it. */
export function withKept(order: FrameOrder, index: number): FrameOrder {
  const at = order.findIndex((other) => other > index)
  return at < 0 ? [...order, index] : [...order.slice(0, at), index, ...order.slice(at)]
}

/** Delivered frames that are not played. */
export function droppedOf(order: FrameOrder, delivered: number): readonly number[] {
  return allOf(delivered).filter((index) => !order.includes(index))
}

/** The flags of one frame; empty if there are none. */
export function flagsOfFrame(flags: readonly PanelFlag[], index: number): readonly PanelFlag[] {
  return flags.filter((flag) => flag.frames.includes(index))
}

/**
 * Whether so many frames may be dropped at once. Faults of more than a third belong to the motion, and dropping
 * them would ruin it.
 */
export function mayDropTogether(order: FrameOrder, count: number): boolean {
  return count > 0 && count <= order.length / 3
}
