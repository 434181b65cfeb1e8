import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { Disk } from '../../src/host/disk.ts'
import type { Net } from '../../src/host/net.ts'
import type { Random } from '../../src/host/random.ts'
import { type ClientOptions, createClient, type ServiceClient } from '../../src/service/client.ts'
import { ManualClock } from '../kit/manual-clock.ts'

/** A key that must not appear anywhere. */
export const canary = 'sk-test-canary-5f3a9c7e1b'
export const executionId = '0b9f3c1e-55aa-4c0e-8a77-2f1d6a9b4c21'
export const steadyRandom: Random = { bytes: (count) => new Uint8Array(count), uuid: () => executionId, unit: () => 0.5 }

/** A client over a net in memory, with a clock that the test moves. */
export function testClient(
  net: Net,
  options: Partial<ClientOptions> = {},
  disk?: Disk,
  clock: ManualClock = new ManualClock(),
): { client: ServiceClient; clock: ManualClock } {
  const ports = { net, clock, random: steadyRandom, ...(disk === undefined ? {} : { disk }) }
  const client = createClient(ports, { baseUrl: 'https://api.example.com', key: canary, ...options })
  return { client, clock }
}

/**
 * The error with which a promise rejects. Checks that it is a SpritewrightError and shows no key, however it
 * is printed.
 */
export async function errorOf(promise: Promise<unknown>): Promise<SpritewrightError> {
  const error = await promise.then(
    (value) => {
      throw new Error(`Expected a rejection, found ${inspect(value)}`)
    },
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SpritewrightError)
  expectNoKey(error)
  return error as SpritewrightError
}

/** Checks that no printed form of a value contains the key. */
export function expectNoKey(value: unknown): void {
  expect(inspect(value, { depth: 12, showHidden: true, getters: true })).not.toContain(canary)
  expect(JSON.stringify(value) ?? '').not.toContain(canary)
}

/** The folder of a corpus beside the repository. If it is missing, prints a sentence and returns null. */
export function corpus(name: string): string | null {
  const folder = `${process.env.SPRITEWRIGHT_CORPORA ?? fileURLToPath(new URL('../../../shared/corpora', import.meta.url))}/${name}`
  if (existsSync(folder)) return folder
  console.log(`The corpus "${name}" is not here: its tests are skipped. Set SPRITEWRIGHT_CORPORA to its folder's parent.`)
  return null
}

export const capabilitiesBody: Readonly<Record<string, unknown>> = {
  api_version: '1',
  key_mode: 'test',
  operations: ['sprite_sheet'],
  managed_execute: true,
  server_sent_events: true,
  interactive_questions: true,
  maximum_input_bytes: 1000,
  maximum_input_dimension: 2048,
  staged_input_uploads: false,
  maximum_source_input_bytes: 2000,
  supported_input_extensions: ['png'],
  live_charge_credits_per_image: 1,
  sprite_sheet_credits: 2.4,
  sprite_pricing: { minimum_frames: 7, maximum_frames: 100, default_frames: 12, charge_rounding: 'up_to_tenth' },
  test_mode_uses_credits: false,
}

export const estimateBody: Readonly<Record<string, unknown>> = {
  price_version: 'sprite-base-frame-20261017-v1',
  frame_count: 12,
  background: 'remove',
  credits: '2.4',
  reference_usd: '0.24',
  reference_credit_cents: 10,
  binding: false,
}
