import { SpritewrightError } from '../../src/errors.ts'
import type { Clock } from '../../src/host/clock.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'

/** What a call of the store comes to, instead of what it should. */
export type StoreFault =
  /** The write does not happen, and the caller gets an error. */
  | 'lost'
  /** The write happens, and the caller gets an error. */
  | 'unanswered'
  /** The write is confirmed and does not happen. */
  | 'forgotten'
  /** The write happens, and the caller is told that the name was taken. */
  | 'denied'

/** A file, and when it was written by the store's clock. */
export interface MemoryFile {
  readonly bytes: Uint8Array
  readonly at: number
}

/** A record store in memory. All machines of a test share its files. */
export class MemoryRecordStore implements RecordStore {
  readonly address = 's3://team/game'
  readonly files: Map<string, MemoryFile>
  /** Calls in order, as `put NAME` and `get NAME`. */
  readonly calls: string[] = []
  /** Faults of the next writes, in order; `undefined` for none. */
  readonly faults: (StoreFault | undefined)[] = []
  isDown = false
  /** How often each new file is not found before it shows. */
  lateReads = 0
  readonly #hidden = new Map<string, number>()
  /** Added to the clock of the store. */
  skewMs = 0
  readonly #clock: Pick<Clock, 'wall'>

  constructor(clock: Pick<Clock, 'wall'>, files: ReadonlyMap<string, MemoryFile> = new Map()) {
    this.#clock = clock
    this.files = new Map(files)
  }

  async putIfAbsent(name: string, bytes: Uint8Array): Promise<'mine' | 'taken'> {
    this.calls.push(`put ${name}`)
    this.#checkUp()
    const fault = this.faults.shift()
    if (fault === 'lost') throw down()
    if (fault === 'forgotten') return 'mine'
    const isFree = !this.files.has(name)
    if (isFree) this.files.set(name, { bytes, at: this.#now() })
    if (isFree) this.#hidden.set(name, this.lateReads)
    if (fault === 'unanswered') throw down()
    if (fault === 'denied') return 'taken'
    return isFree ? 'mine' : 'taken'
  }

  async get(name: string): Promise<{ bytes: Uint8Array; ageMs: number } | undefined> {
    this.calls.push(`get ${name}`)
    this.#checkUp()
    const hidden = this.#hidden.get(name) ?? 0
    this.#hidden.set(name, hidden - 1)
    const file = hidden > 0 ? undefined : this.files.get(name)
    return file && { bytes: file.bytes, ageMs: this.#now() - file.at }
  }

  async close(): Promise<void> {}

  #now(): number {
    return this.#clock.wall() + this.skewMs
  }

  #checkUp(): void {
    if (this.isDown) throw down()
  }
}

/** The error of a store that does not answer. */
export function down(): SpritewrightError {
  return new SpritewrightError('SW_STORE', { message: 'The store s3://team/game does not answer. Nothing was sent.' })
}
