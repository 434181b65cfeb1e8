// C0 and C1 controls (ESC and the one-byte CSI among them), DEL, line and paragraph separators, and the marks that
// turn the reading direction around.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Shows what a terminal would obey: ESC becomes `\x1b`, a line break `\n`, a bidi mark `\u202e`. */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n') return '\\n'
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** {@link escapeText} for a text of several lines: its line breaks stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}

/** The same for a finished JSON text: it stays the same JSON value. */
export function escapeJson(json: string): string {
  // JSON.stringify has escaped the C0 controls inside strings; line breaks outside are layout.
  return json.replace(unsafe, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
