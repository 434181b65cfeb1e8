import { signApproval } from '../../src/credit/approval.ts'
import { formatCredits, parseCredits } from '../../src/credit/credits.ts'
import type { SigningKey } from '../../src/credit/signing-key.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { type LockedSubmission, signSubmission } from '../../src/job/body.ts'
import { idempotencyKey } from '../../src/job/order.ts'
import type { RecordBodies } from '../../src/job/records/record.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'

/** The service of the simulated world. */
export const identity = { host: '127.0.0.1:1', keyMode: 'test', apiVersion: '1' } as const

/**
 * Everything that an attacker has who writes into a project: every name and form, but no key except their
 * own.
 */
export interface Attacker {
  readonly hash: string
  readonly frozen: RecordBodies['frozen']
}

/** A well-formed approval, signed with the attacker's key. */
export function approvalBy(
  key: SigningKey,
  hash: string,
  { at, checkout = 'x' }: Pick<NonNullable<LockEntry['approval']>, 'at' | 'checkout'>,
): NonNullable<LockEntry['approval']> {
  const priceVersion = 'sprite-base-frame-20261017-v1'
  const approval = signApproval(key, hash, identity, { ceiling: parseCredits('90'), priceVersion, at, given: 'typed', checkout })
  return { ...approval, ceiling: formatCredits(approval.ceiling) }
}

/** Bytes that the attacker made, under the right key. The attacker has signed everything about them. */
export function freezeBy(
  key: SigningKey,
  hash: string,
  asked: { readonly maxCredits: string; readonly frames: number; readonly attempt?: number },
): RecordBodies['frozen'] & { readonly locked: LockedSubmission } {
  const { maxCredits, frames, attempt = 1 } = asked
  const body = JSON.stringify({
    animation: { background: 'remove', frame_count: frames },
    max_credits: maxCredits,
    operation: 'sprite_sheet',
    prompt: 'a logo',
    reference_asset_id: '00000000-0000-4000-8000-0000000000aa',
  })
  const bytes = {
    ...{ attempt, key: idempotencyKey(identity, hash, attempt), body, maxCredits },
    ...{ bodySha256: sha256(new TextEncoder().encode(body)), referenceId: '00000000-0000-4000-8000-0000000000aa' },
  }
  const at = '2020-01-01T00:00:00.000Z'
  const { buyer, given, checkout, publicKey, signature } = approvalBy(key, hash, { at, checkout: 'x' })
  return {
    ...bytes,
    ...{ ceiling: '90', priceVersion: 'sprite-base-frame-20261017-v1', approvedAt: at },
    approvedBy: { buyer, given, checkout, publicKey, signature },
    locked: signSubmission(key, hash, bytes),
  }
}
