import type { Approval, NewestApproval } from '../credit/approval.ts'
import { type Credits, formatCredits, isAboveCeiling, parseCredits } from '../credit/credits.ts'
import { isSignatureOf, type Signature, type SigningKey } from '../credit/signing-key.ts'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { ServiceClient } from '../service/client.ts'
import type { Submission } from '../service/submission.ts'
import { requestHash } from '../sprite-spec/key.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import type { LockEntry } from '../vault/lockfile.ts'
import { idempotencyKey, type JobPorts, type Order } from './order.ts'
import type { RecordBodies } from './records/record.ts'
import { authorise } from './stop.ts'

/** The frozen bytes of an attempt in the lock file. */
export type LockedSubmission = NonNullable<LockEntry['submission']>

/**
 * Makes the canonical bytes of a submission's body. All parts of the body come from the request, the uploaded
 * picture and the price.
 *
 * @param referenceId The service's id of the uploaded picture; `undefined` for a request without a picture.
 */
export function makeBody(
  client: Pick<ServiceClient, 'submissionBody'>,
  request: PaidRequest,
  referenceId: string | undefined,
  maxCredits: Credits,
): Uint8Array {
  return client.submissionBody(toSubmission(request, referenceId, maxCredits))
}

/**
 * Checks invariant I11 right before a POST. The records have the frozen bytes. This function makes the bytes
 * again and compares both. So a record can stop a purchase, but never cause one, raise its limit or change it.
 *
 * If it throws, nothing was sent.
 *
 * @param isReplay Whether the same bytes were sent before. If so, the approval under which they were frozen
 * is enough.
 * @param newest The newest approval that the journal remembers.
 * @throws `SW_JOURNAL` if the frozen bytes, their key or their price do not match this request.
 * @throws `SW_CEILING` if the bytes ask for more than the approval allows.
 * @throws `SW_APPROVAL`, `SW_BUYER` if nobody with the right to approve the request has approved it.
 * @throws `SW_MISSING` if this run must not send the request.
 */
export function checkFrozen(
  ports: Pick<JobPorts, 'client' | 'mayBuy' | 'mayReplay' | 'approvers' | 'clock'>,
  order: Order,
  frozen: RecordBodies['frozen'],
  isReplay: boolean,
  newest: NewestApproval | undefined,
): void {
  const { request, identity, hash } = order
  const approval = authorise(ports, order, newest, isReplay ? approvalOf(frozen) : undefined)
  const maxCredits = parseCredits(frozen.maxCredits)
  const made = new TextDecoder().decode(makeBody(ports.client, request, frozen.referenceId, maxCredits))
  const bytes = new TextEncoder().encode(frozen.body)
  const faults = [
    requestHash(request, identity) === hash ? [] : ['its request'],
    frozen.key === idempotencyKey(identity, hash, frozen.attempt) ? [] : ['its key'],
    frozen.body === made && frozen.bodySha256 === sha256(bytes) ? [] : ['its bytes'],
  ].flat()
  if (faults.length > 0) {
    throw new SpritewrightError('SW_JOURNAL', {
      message: `Expected the frozen submission of "${request.id}" to be the one that its spec and its approval make, found another: ${faults.join(', ')}. Nothing was sent. Somebody else wrote it, or the service's profile has changed. Give it up: npx spritewright recover ${request.id} --abandon, then approve it again.`,
      facts: { id: request.id, hash, differs: faults },
    })
  }
  const inBody = ports.client.maxCreditsOf(bytes) ?? maxCredits
  if (![maxCredits, inBody].some((credits) => isAboveCeiling(credits, approval.ceiling))) return
  throw new SpritewrightError('SW_CEILING', {
    message: `"${request.id}" would be sent with a maximum of ${formatCredits(inBody)} credits, its ceiling is ${formatCredits(approval.ceiling)}. Nothing was sent. Approve it again: npx spritewright approve ${request.id}`,
    facts: { id: request.id, quoted: formatCredits(inBody), ceiling: formatCredits(approval.ceiling) },
  })
}

/**
 * The approval under which an attempt was frozen. In a record of an earlier version, the approval has no
 * signature and does not count.
 */
function approvalOf({ approvedAt, approvedBy, ceiling, priceVersion }: RecordBodies['frozen']): Approval {
  return { ceiling: parseCredits(ceiling), priceVersion, at: approvedAt, buyer: '', ...approvedBy }
}

/** Signs frozen bytes for the lock file, so that other checkouts that trust this key send the same bytes. */
export function signSubmission(key: SigningKey, hash: string, submission: Omit<LockedSubmission, keyof Signature>): LockedSubmission {
  return { ...submission, publicKey: key.publicKey, signature: key.sign(submissionText(hash, submission)) }
}

/**
 * Returns the frozen bytes of a lock entry, if a key that this run trusts signed them. The attempt number and
 * the picture's id in these bytes cannot be derived from the spec, so an editor of the file must not be able
 * to choose them. Returns `undefined` for any other entry.
 */
export function trustedSubmission(
  entry: LockEntry | undefined,
  hash: string,
  isTrusted: (publicKey: string) => boolean,
): LockedSubmission | undefined {
  const submission = entry?.submission
  if (submission?.publicKey === undefined || !isTrusted(submission.publicKey)) return undefined
  return isSignatureOf(submission, submissionText(hash, submission)) ? submission : undefined
}

/** The body contains the picture's id, and the price of a sheet, so the signature covers both. */
function submissionText(hash: string, { attempt, key, body }: Pick<LockedSubmission, 'attempt' | 'key' | 'body'>): string {
  return JSON.stringify(['spritewright submission 1', hash, attempt, key, body])
}

function toSubmission(request: PaidRequest, referenceId: string | undefined, maxCredits: Credits): Submission {
  const { prompt } = request
  if (request.operation !== 'sprite_sheet')
    return { operation: request.operation, prompt, ...(referenceId === undefined ? {} : { referenceId }) }
  if (referenceId === undefined)
    throw new SpritewrightError('SW_JOURNAL', {
      message: `Expected the frozen submission of "${request.id}" to name its uploaded picture, found none. Nothing was sent. Give it up: npx spritewright recover ${request.id} --abandon, then approve it again.`,
      facts: { id: request.id },
    })
  const { operation, frames, background, options } = request
  return { operation, prompt, referenceId, frames, background, maxCredits, ...(options ? { options } : {}) }
}
