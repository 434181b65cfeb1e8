/** The terminal, passed in. */
export interface Terminal {
  /** Writes text to stdout, unchanged. Text that a closed stdout cannot take is dropped. */
  write(text: string): void
  /** Writes text to stderr, unchanged: progress, warnings. */
  note(text: string): void
  /** Whether stdout is a terminal that a person watches. */
  readonly isOutputTerminal: boolean
  /** Whether stderr is a terminal that a person watches, so that progress may be drawn. */
  readonly isInteractive: boolean
  /** Whether a question can be asked on stdin. */
  readonly canAsk: boolean
  /** Width in characters. */
  readonly columns: number
}

/** The terminal of this process. */
export function nodeTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreClosed)) stream.on('error', ignoreClosed)
  const write = process.stdout.write.bind(process.stdout)
  return {
    write: (text) => void write(text),
    note: (text) => void process.stderr.write(text),
    get isOutputTerminal() {
      return process.stdout.isTTY === true
    },
    get isInteractive() {
      return process.stderr.isTTY === true
    },
    get canAsk() {
      return process.stdin.isTTY === true && process.stderr.isTTY === true
    },
    get columns() {
      return process.stderr.columns ?? 80
    },
  }
}

/**
 * Ignores a closed stream: a reader that goes away must not end paid work. One function, so that many
 * terminals of one process listen once.
 */
function ignoreClosed(): void {}

// C0 and C1 controls (ESC and the one-byte CSI among them), DEL, line and paragraph separators, and the marks
// that reverse the reading direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * Makes characters visible that a terminal would obey: ESC becomes `\x1b`, a line break `\n`, a bidi mark
 * `\u202e`.
 */
export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n') return '\\n'
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Joins the lines of what others say, so that none of them stands in the output as a line of this program. */
export function toOneLine(words: string): string {
  return words.replace(/[ \t\r]*\n[ \t\r]*/g, ' ')
}

/** {@link escapeText} for a text of several lines. Its line breaks stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}

/** The same for a finished JSON text. It stays the same JSON value. */
export function escapeJson(json: string): string {
  // JSON.stringify has escaped the C0 controls inside strings. Line breaks outside strings are layout.
  return json.replace(unsafe, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Writes a path as one word of a command line that a person copies: in quotes if it has other than plain characters. */
export function commandWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : JSON.stringify(path)
}
