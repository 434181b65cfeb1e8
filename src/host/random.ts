import { randomBytes, randomUUID } from 'node:crypto'

/** Chance, handed in. */
export interface Random {
  /** `count` bytes fit for secrets. */
  bytes(count: number): Uint8Array
  /** A random UUID, version 4. */
  uuid(): string
  /** A number from 0 (included) to 1 (excluded), for jitter only. */
  unit(): number
}

/** Chance as the operating system gives it. */
export function nodeRandom(): Random {
  return { bytes: (count) => new Uint8Array(randomBytes(count)), uuid: () => randomUUID(), unit: () => Math.random() }
}
