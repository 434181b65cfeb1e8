import picocolors from 'picocolors'

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

// C0 and C1 controls (ESC and the one-byte CSI among them), DEL, line and paragraph separators, and the marks that turn the reading direction around.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Shows what a terminal would obey: ESC becomes `\x1b`, a line break `\n`, a bidi mark `\u202e`. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n') return '\\n'
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** The same for a finished JSON text: it stays the same JSON value. */
export function escapeJson(json: string): string {
  // JSON.stringify has escaped the C0 controls inside strings; line breaks outside are layout.
  return json.replace(unsafe, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
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
