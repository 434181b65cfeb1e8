import { styleText } from 'node:util'
import { escapeText } from '../../host/terminal.ts'

/** A style of text, for terminals with colours. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** A piece of text, plain or styled. Escape sequences inside the text are shown and never executed. */
export type Ink = string | { readonly text: string; readonly style: Style }

/** Formats pieces as text for the output. */
export type Paint = (inks: readonly Ink[]) => string

/** A styled piece. */
export function ink(style: Style, text: string): Ink {
  return { text, style }
}

/** The text of a piece, escaped and without its style. */
export function plainText(piece: Ink): string {
  return escapeText(typeof piece === 'string' ? piece : piece.text)
}

/** Width of the pieces in characters, counted by code point. */
export function inkWidth(inks: readonly Ink[]): number {
  let width = 0
  for (const piece of inks) width += [...plainText(piece)].length
  return width
}

/** Cuts pieces to at most `width` characters. A cut text ends in `…`. */
export function cutInk(inks: readonly Ink[], width: number): Ink[] {
  if (inkWidth(inks) <= width) return [...inks]
  const cut: Ink[] = []
  let room = Math.max(0, width - 1)
  for (const piece of inks) {
    const characters = [...plainText(piece)].slice(0, room)
    room -= characters.length
    const text = characters.join('') + (room === 0 ? '…' : '')
    cut.push(typeof piece === 'string' ? text : { text, style: piece.style })
    if (room === 0) break
  }
  return cut
}

/** Creates a painter. Without colours, it returns the text alone. */
export function createPaint(hasColor: boolean): Paint {
  const paintOne = (piece: Ink): string => {
    const text = plainText(piece)
    // The caller has decided about colours already, also for streams that are no terminal.
    return typeof piece === 'string' || !hasColor || text === '' ? text : styleText(piece.style, text, { validateStream: false })
  }
  return (inks) => inks.map(paintOne).join('')
}
