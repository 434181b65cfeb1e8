import type { PanelAnimation, PanelFlag } from '../../../protocol/protocol.ts'

/** Which delivered frames are played, in order. */
export type FrameOrder = readonly number[]

/** The order that an animation has now. @param delivered How many frames were delivered. */
export function orderOf({ use, played }: PanelAnimation, delivered: number): FrameOrder {
  return use ?? (delivered > 0 ? allOf(delivered) : played.map((frame) => frame.index))
}

/** All delivered frames as they came. */
export function allOf(delivered: number): FrameOrder {
  return Array.from({ length: delivered }, (_, index) => index)
}

/** What is written as `use`: nothing where all are played as they came. */
export function toUse(order: FrameOrder, delivered: number): readonly number[] | null {
  return order.length === delivered && order.every((index, place) => index === place) ? null : order
}

/** Without the frames at these places; unchanged where none would be left. */
export function withoutPlaces(order: FrameOrder, places: readonly number[]): FrameOrder {
  const left = order.filter((_, place) => !places.includes(place))
  return left.length === 0 ? order : left
}

/** With the frame of one place at another. */
export function withMoved(order: FrameOrder, from: number, to: number): FrameOrder {
  const index = order[from]
  if (index === undefined || to < 0 || to >= order.length) return order
  const rest = order.filter((_, place) => place !== from)
  return [...rest.slice(0, to), index, ...rest.slice(to)]
}

/** With a dropped frame back, before the first that was delivered after it. */
export function withKept(order: FrameOrder, index: number): FrameOrder {
  const at = order.findIndex((other) => other > index)
  return at < 0 ? [...order, index] : [...order.slice(0, at), index, ...order.slice(at)]
}

/** Delivered frames that are not played. */
export function droppedOf(order: FrameOrder, delivered: number): readonly number[] {
  return allOf(delivered).filter((index) => !order.includes(index))
}

/** What is said of one frame; empty where nothing is. */
export function flagsOfFrame(flags: readonly PanelFlag[], index: number): readonly PanelFlag[] {
  return flags.filter((flag) => flag.frames.includes(index))
}
