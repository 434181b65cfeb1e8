import { useEffect, useRef, useState } from 'preact/hooks'
import type { PanelSprite } from '../../../protocol/protocol.ts'
import { usePanel } from '../state/panel-context.ts'

/** A point of the untrimmed frame, 0 to 1. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The anchor of the engines if a spec sets none. */
const middle: Point = { x: 0.5, y: 0.5 }
/** Pause after the last key before the spec is written, in milliseconds: a run of keys is one edit. */
const restMs = 350

/** An anchor that is being moved. It is shown at once, and written to the spec when it rests. */
export type AnchorEditor = ReturnType<typeof useAnchor>

/** The anchor of a sprite. */
export function useAnchor(sprite: PanelSprite) {
  const { state, store } = usePanel()
  const [moved, setMoved] = useState<Point>()
  const latest = useRef<Point>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { width, height } = sprite.frame
  const end = (): void => {
    latest.current = undefined
    setMoved(undefined)
  }
  const write = (): void => {
    clearTimeout(timer.current)
    const anchor = latest.current
    if (!anchor) return
    if (anchor.x === sprite.anchor?.x && anchor.y === sprite.anchor?.y) {
      end()
      return
    }
    const words = `Anchor of ${sprite.name}: ${anchor.x}, ${anchor.y}.`
    void store.edit(sprite.name, 'edit', { sprite: sprite.name, anchor }, words).then(() => {
      // A later move stays; its own write ends it.
      if (latest.current === anchor) end()
    })
  }
  const atRest = useRef(write)
  atRest.current = write
  // If keys moved the anchor just before another sprite was opened, it is written too.
  useEffect(() => () => atRest.current(), [])
  return {
    point: moved ?? sprite.anchor ?? middle,
    /** Whether the spec has an anchor, or is about to get one. */
    isSet: sprite.anchor !== null || moved !== undefined,
    mayEdit: state.access.mayAct,
    /** Moves the anchor, in pixels of the untrimmed frame from its top left. */
    moveTo: (xPx: number, yPx: number): void => {
      latest.current = { x: shareOf(xPx, width), y: shareOf(yPx, height) }
      setMoved(latest.current)
    },
    /** Writes the anchor now, if it has moved. */
    write,
    /** Writes the anchor after a pause without a move. */
    writeSoon: (): void => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => atRest.current(), restMs)
    },
  }
}

/**
 * Converts a whole pixel inside a length to a share of it, with few digits: four decimals distinguish pixels
 * of 4096.
 */
function shareOf(px: number, length: number): number {
  return Math.round((Math.min(length, Math.max(0, Math.round(px))) / length) * 10_000) / 10_000
}
