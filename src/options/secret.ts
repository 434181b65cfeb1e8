import { inspect } from 'node:util'

/** A text that must not get out by accident: printed, logged, listed or written as JSON it is `[key]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The text itself, for the one header that needs it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[key]'
  }

  toJSON(): string {
    return '[key]'
  }

  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => '[key]' })
  }
}
