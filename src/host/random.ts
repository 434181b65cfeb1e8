import { randomBytes, randomUUID } from 'node:crypto'

/** Random values, passed in. */
export interface Random {
  /** `count` random bytes, fit for secrets. */
  bytes(count: number): Uint8Array
  /** A random UUID, version 4. */
  uuid(): string
  /** A number from 0 (included) to 1 (excluded), for jitter only. */
  unit(): number
}

/** Random values of this machine. */
export function nodeRandom(): Random {
  return { bytes: (count) => new Uint8Array(randomBytes(count)), uuid: () => randomUUID(), unit: () => Math.random() }
}
