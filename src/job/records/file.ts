import canonicalize from 'canonicalize'
import type { Signature } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import { sha256 } from '../../host/sha256.ts'

/** One record: a file that never changes, with the hash of the previous record. */
export interface ChainedRecord {
  /** Version of this format. */
  readonly v: 1
  /** Place in the chain, from 1. */
  readonly n: number
  /** `sum` of the previous record; empty for the first. */
  readonly prev: string
  readonly type: string
  /** Wall clock, milliseconds since the Unix epoch. */
  readonly at: number
  /**
   * `at` by the clock of the machine that wrote the record, if `at` was changed to the clock of this machine while
   * the record was read. No file has it.
   */
  readonly writtenAt?: number
  /** Monotonic clock, milliseconds. */
  readonly mono: number
  readonly body: unknown
  /** SHA-256 of the canonical form (RFC 8785) of all fields above. */
  readonly sum: string
  /**
   * Seal of the chain's name and `sum` under the writer's key. `sum` covers the previous record, so a seal is
   * valid for exactly this history. Missing in records of earlier versions.
   */
  readonly seal?: string
  /** Random text of the writer, in a shared journal, because two machines may write the same record at one moment. */
  readonly nonce?: string
  /** Signature by the writer's key, in a shared journal. Others cannot check the seal. */
  readonly signed?: Signature
}

/** SHA-256 of a record's canonical form without its `sum`, seal, nonce and signature. */
export function recordSum(record: Omit<ChainedRecord, 'sum' | 'seal' | 'nonce' | 'signed'>): string {
  const { v, n, prev, type, at, mono, body } = record
  return sha256(canonicalize({ v, n, prev, type, at, mono, body }) ?? '')
}

/**
 * The text that the seal of a record covers.
 *
 * @param chain Name of the record's chain.
 */
export function sealText(chain: string, { sum }: Pick<ChainedRecord, 'sum'>): string {
  return JSON.stringify(['spritewright record 1', chain, sum])
}

/** The text that the signature of a record covers. */
export function signedText(chain: string, { sum, nonce }: Pick<ChainedRecord, 'sum' | 'nonce'>): string {
  return JSON.stringify(['spritewright shared record 1', chain, sum, nonce])
}

/** The bytes of a record's file. */
export function formatRecord(record: ChainedRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`)
}

/**
 * Reads a record's file. Returns `undefined` if the file is incomplete or changed.
 *
 * @throws `SW_JOURNAL` for a format that this version does not know.
 */
export function parseRecord<R extends ChainedRecord>(bytes: Uint8Array): R | undefined {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
  if (json === null || typeof json !== 'object') return undefined
  const { v } = json as { v?: unknown }
  if (typeof v === 'number' && v > 1) throw newerVersion(`version ${v}`)
  if (v !== 1) return undefined
  const record = json as R
  return record.sum === recordSum(record) ? record : undefined
}

/**
 * The error for a record of a later version. This version must not skip an unknown record.
 */
export function newerVersion(what: string): SpritewrightError {
  return new SpritewrightError('SW_JOURNAL', {
    message: `The journal holds a record (${JSON.stringify(what.slice(0, 40))}) that this version of spritewright does not know. Nothing was sent. Use the version that wrote it, or a newer one.`,
    facts: { record: what },
  })
}
