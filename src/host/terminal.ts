/** The terminal, handed in. */
export interface Terminal {
  /** Text to stdout, as it is. What a closed stdout cannot take is dropped. */
  write(text: string): void
  /** Text to stderr, as it is: progress, warnings. */
  note(text: string): void
  /** Whether stdout is a terminal that a person watches. */
  readonly isOutputTerminal: boolean
  /** Whether stderr is a terminal that a person watches, so that progress may be drawn. */
  readonly isInteractive: boolean
  /** Whether stdin can be asked. */
  readonly canAsk: boolean
  /** Width in characters. */
  readonly columns: number
}

/** The terminal of this process. */
export function nodeTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignoreClosed)) stream.on('error', ignoreClosed)
  return {
    write: (text) => void process.stdout.write(text),
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

/** A reader that went away is no reason to end paid work. One function, so that many terminals of one process listen once. */
function ignoreClosed(): void {}
