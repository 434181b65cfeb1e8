import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useSeen } from './hooks.ts'

/** The properties of a part of a long list. */
export interface ListPartProps {
  /** @default div */
  readonly tag?: 'div' | 'tbody'
  /** About how high it is before it was drawn, in pixels. */
  readonly guess: number
  readonly children: () => ComponentChildren
}

/** Event that draws a part, wherever it is: the focus is about to go into it. */
export const reveal = 'reveal'

/**
 * A part of a long list. It is drawn near the visible part of the page, and while it has the focus. Elsewhere it takes
 * the room that it had.
 */
export function ListPart({ tag: Part = 'div', guess, children }: ListPartProps): VNode {
  const place = useRef<HTMLElement>(null)
  const isSeen = useSeen(place)
  const [isHeld, setHeld] = useState(false)
  const isDrawn = isSeen || isHeld
  const height = useRef(guess)
  useLayoutEffect(() => {
    if (isDrawn && place.current) height.current = place.current.offsetHeight
  })
  useLayoutEffect(() => {
    place.current?.addEventListener(reveal, () => setHeld(true))
  }, [])
  const room = { height: `${height.current}px` }
  return (
    <Part ref={place as never} data-part onFocusIn={() => setHeld(true)} onFocusOut={() => setHeld(false)}>
      {isDrawn ? children() : Part === 'div' ? <div style={room} /> : <tr style={room} />}
    </Part>
  )
}

/** Cuts a list into parts of so many lines. */
export function inParts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}
