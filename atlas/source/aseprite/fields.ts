import { refuseAseprite } from './refuse.ts'

/** Reads fields one after the other, little-endian, and never beyond their end. The methods have the format's names. */
export class Fields {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #what: string
  #at = 0

  /** @param what Noun for messages. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#what = what
  }

  /** Number of bytes that are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    return this.#view.getUint8(this.#take(1))
  }

  word(): number {
    return this.#view.getUint16(this.#take(2), true)
  }

  short(): number {
    return this.#view.getInt16(this.#take(2), true)
  }

  dword(): number {
    return this.#view.getUint32(this.#take(4), true)
  }

  long(): number {
    return this.#view.getInt32(this.#take(4), true)
  }

  /** Reads a length and a text of that many bytes of UTF-8. A wrong byte becomes U+FFFD. */
  string(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes(this.word()))
  }

  /** The next bytes, not copied. */
  bytes(count: number = this.left): Uint8Array {
    const from = this.#take(count)
    return this.#bytes.subarray(from, from + count)
  }

  skip(count: number): void {
    this.#take(count)
  }

  #take(count: number): number {
    const from = this.#at
    if (count > this.left) refuseAseprite('truncated', `expected ${count} more bytes in ${this.#what}, found ${this.left}.`)
    this.#at += count
    return from
  }
}
