import { createSigningKey, formatSigningKey, type KeyRing, type SigningKey } from '../../src/credit/signing-key.ts'
import type { Workshop } from '../../src/workshop.ts'

const keys = new Map<number, SigningKey>()

/**
 * A key for tests. Equal numbers give equal keys. Reading one takes a millisecond.
 *
 * @param number 0 to 255.
 */
export function testKey(number: number): SigningKey {
  const key = keys.get(number) ?? createSigningKey(new Uint8Array(32).fill(number))
  keys.set(number, key)
  return key
}

/** A ring that holds one key from the start. */
export function ringOf(key: SigningKey): KeyRing {
  return { read: async () => key, readOrMake: async () => key }
}

/** The environment of a machine that has this key. */
export function keyEnv(number: number): { readonly SPRITEWRIGHT_SIGNING_KEY: string } {
  return { SPRITEWRIGHT_SIGNING_KEY: formatSigningKey(new Uint8Array(32).fill(number)) }
}

/** Accepts the standing ceilings of a workshop's options, as a person would. */
export async function acceptCeilings(workshop: Workshop): Promise<Workshop> {
  await workshop.acceptStanding({ confirm: async () => true })
  return workshop
}
