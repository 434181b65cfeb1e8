import picocolors from 'picocolors'
import { escapeText } from '../../host/terminal.ts'

/** How a piece of text looks on a terminal that shows colours. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** A piece of text, plain or styled. Escape sequences inside the text are never obeyed, whoever wrote it: they are shown. */
export type Ink = string | { readonly text: string; readonly style: Style }

/** Turns pieces into what is written. */
export type Paint = (inks: readonly Ink[]) => string

/** A styled piece. */
export function ink(style: Style, text: string): Ink {
  return { text, style }
}

/** The text of a piece, escaped and without its style. */
export function plainText(piece: Ink): string {
  return escapeText(typeof piece === 'string' ? piece : piece.text)
}

/** Characters that the pieces take, counted by code point. */
export function inkWidth(inks: readonly Ink[]): number {
  let width = 0
  for (const piece of inks) width += [...plainText(piece)].length
  return width
}

/** Cuts pieces to at most `width` characters; what was cut ends in `…`. */
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

/** A painter; without colours only the text is left. */
export function createPaint(hasColor: boolean): Paint {
  const colors = picocolors.createColors(hasColor)
  return (inks) => inks.map((piece) => (typeof piece === 'string' ? escapeText(piece) : colors[piece.style](plainText(piece)))).join('')
}
