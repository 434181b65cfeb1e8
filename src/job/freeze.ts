import { type Approval, isTrustedKey, judgePrice, type NewestApproval } from '../credit/approval.ts'
import { type Credits, formatCredits, isAboveCeiling } from '../credit/credits.ts'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { Estimate } from '../service/wire.ts'
import type { PaidRequest } from '../sprite-spec/request.ts'
import { findEntry, type LockEntry } from '../vault/lockfile.ts'
import { type LockedSubmission, makeBody, signSubmission, trustedSubmission } from './body.ts'
import { checkUpscale, type UploadPicture } from './chain.ts'
import { askedFields, commandName, idempotencyKey, type JobPorts, type Order } from './order.ts'
import type { RecordBodies } from './records/record.ts'
import { authorise } from './stop.ts'

/** The ports that freezing needs. `approve` freezes too, without an open journal. */
export type FreezePorts = Pick<
  JobPorts,
  'client' | 'lock' | 'uploads' | 'capabilities' | 'signal' | 'mayBuy' | 'approvers' | 'keys' | 'clock'
>

/**
 * Makes the free checks before money is spent: the account's capabilities, and the current price.
 *
 * @param newest The newest approval that the journal remembers.
 * @returns The fresh estimate, which becomes `max_credits`.
 * @throws `SW_CAPABILITY`, `SW_MISSING`, `SW_APPROVAL`, `SW_BUYER`, `SW_CEILING`, `SW_PRICE_VERSION`,
 * `SW_BALANCE`. If it throws, nothing was sent.
 */
export async function checkPurchase(ports: FreezePorts, order: Order, newest: NewestApproval | undefined): Promise<ApprovedPrice> {
  const { id } = order.request
  checkCapabilities(ports, order)
  const approval = authorise(ports, order, newest)
  const quote = await readPrice(ports, order.request)
  const verdict = judgePrice(approval, quote)
  if (!verdict.fits) throw priceError(id, verdict.why, approval, quote)
  const balance = await ports.client.balance(ports.signal)
  if (balance < quote.credits) {
    throw new SpritewrightError('SW_BALANCE', {
      message: `"${id}" costs ${formatCredits(quote.credits)} credits, the account has ${formatCredits(balance)} available. Add credits in the service's console and build again; nothing was sent.`,
      facts: { id, price: formatCredits(quote.credits), balance: formatCredits(balance) },
    })
  }
  return { credits: quote.credits, priceVersion: quote.priceVersion, approval, balance }
}

/** A fresh price that an approval covers. */
export interface ApprovedPrice {
  readonly credits: Credits
  readonly priceVersion: string
  readonly approval: Approval
  /** Available credits when the price was read; `undefined` if the balance was not read. */
  readonly balance?: Credits
}

/**
 * The price version in approvals of single pictures. The capabilities name the price of a picture, which has no
 * version.
 */
const imagePriceVersion = 'live_charge_credits_per_image'

/**
 * Reads the current price of a request: a fresh estimate for a sheet, the price in the capabilities for a
 * picture. The function reads the capabilities again, because a picture's submission has no maximum that would
 * stop a higher price.
 *
 * @throws `SW_CAPABILITY` if the service names no price.
 */
export async function readPrice(
  ports: Pick<FreezePorts, 'client' | 'signal'>,
  request: PaidRequest,
): Promise<
  { readonly credits: Credits; readonly priceVersion: string } & Partial<Pick<Estimate, 'referenceUsd' | 'referenceCreditCents'>>
> {
  if (request.operation === 'sprite_sheet') return ports.client.estimate(request.frames, request.background, ports.signal)
  const { imageCredits } = await ports.client.capabilities(ports.signal)
  if (imageCredits !== null) return { credits: imageCredits, priceVersion: imagePriceVersion }
  throw new SpritewrightError('SW_CAPABILITY', {
    message: `The service names no price for a picture (live_charge_credits_per_image), so "${request.id}" is not bought. Nothing was sent.`,
    facts: { id: request.id },
  })
}

function checkCapabilities(ports: FreezePorts, order: Order): void {
  const { id, operation } = order.request
  const { operations, minimumFrames, maximumFrames } = ports.capabilities
  if (!operations.includes(operation)) {
    throw new SpritewrightError('SW_CAPABILITY', {
      message: `"${id}" needs the operation ${operation}, this account can do: ${operations.join(', ') || 'nothing'}. Ask the service to enable it; nothing was sent.`,
      facts: { id, operation, operations },
    })
  }
  if (order.request.operation !== 'sprite_sheet') return
  const { frames } = order.request
  if ((minimumFrames !== null && frames < minimumFrames) || (maximumFrames !== null && frames > maximumFrames)) {
    throw new SpritewrightError('SW_CAPABILITY', {
      message: `"${id}" asks for ${frames} frames, the service makes ${minimumFrames ?? 1} to ${maximumFrames ?? 'any number of'}. Change "frames" in its spec; nothing was sent.`,
      facts: { id, frames, minimumFrames, maximumFrames },
    })
  }
}

function priceError(
  id: string,
  why: 'ceiling' | 'priceVersion',
  approval: Approval,
  quote: { credits: Credits; priceVersion: string },
): SpritewrightError {
  const facts = {
    id,
    quoted: formatCredits(quote.credits),
    ceiling: formatCredits(approval.ceiling),
    priceVersion: quote.priceVersion,
    approvedVersion: approval.priceVersion,
  }
  if (why === 'ceiling') {
    return new SpritewrightError('SW_CEILING', {
      message: `"${id}" would cost ${facts.quoted} credits, its ceiling is ${facts.ceiling}. Nothing was sent. Raise it with: npx spritewright approve ${commandName(id)} --max ${facts.quoted}`,
      facts,
    })
  }
  return new SpritewrightError('SW_PRICE_VERSION', {
    message: `"${id}" was approved under the price version ${approval.priceVersion}, the service now prices by ${quote.priceVersion}. Nothing was sent. Check the new price and approve it: npx spritewright approve ${commandName(id)}`,
    facts,
  })
}

/**
 * Freezes the bytes and the key of an attempt. Both go into the lock file beside the ceiling, so that everyone who
 * builds this commit sends the same bytes. If the lock file already has bytes for the same attempt and price, signed
 * by a key that this run trusts, these bytes stay.
 *
 * @param picture The source picture of the request; `undefined` for a request without a picture.
 */
export async function freeze(
  ports: FreezePorts,
  order: Order,
  attempt: number,
  price: ApprovedPrice,
  picture: UploadPicture | undefined,
): Promise<RecordBodies['frozen']> {
  const { request, identity, hash } = order
  if (isAboveCeiling(price.credits, price.approval.ceiling))
    throw new SpritewrightError('SW_INTERNAL', { message: `"${request.id}" was about to be frozen above its ceiling. Please report this.` })
  const maxCredits = formatCredits(price.credits)
  const rest = {
    attempt,
    ceiling: formatCredits(price.approval.ceiling),
    priceVersion: price.priceVersion,
    approvedAt: price.approval.at,
    approvedBy: signerOf(price.approval),
    ...(price.balance === undefined ? {} : { balance: formatCredits(price.balance) }),
  }
  const locked = trustedSubmission(findEntry(await ports.lock.read(), request.id, hash), hash, (publicKey) =>
    isTrustedKey(publicKey, ports.approvers),
  )
  const key = idempotencyKey(identity, hash, attempt)
  if (locked && isSame(ports, request, locked, { attempt, key, credits: price.credits }))
    return { ...rest, key, ...frozenBytes(locked), maxCredits }
  if (picture) checkUpscale(order, picture.file.bytes)
  // If the profile cannot make the body, the run stops before the upload.
  makeBody(ports.client, request, picture?.sha256, price.credits)
  // An earlier attempt may have been refused for its upload, so this one uploads its own.
  if (attempt > 1 && picture) await ports.uploads.forget(picture.sha256)
  const referenceId = picture && (await ports.uploads.referenceId(picture.sha256, picture.file, ports.signal))
  const body = makeBody(ports.client, request, referenceId, price.credits)
  const from = referenceId === undefined ? {} : { referenceId }
  const submission = signSubmission(await ports.keys.readOrMake(), hash, {
    ...{ attempt, key, body: new TextDecoder().decode(body), bodySha256: sha256(body), maxCredits },
    ...from,
  })
  await ports.lock.change(request.id, hash, (entry) => {
    const base = { service: identity, asked: askedFields(request), ...entry, submission }
    // An execution of an earlier attempt has ended without a result. Nobody may take it over for this attempt.
    return entry?.submission && entry.submission.attempt < attempt ? { ...base, execution: undefined, result: undefined } : base
  })
  return { ...rest, key, ...frozenBytes(submission), maxCredits }
}

function signerOf(approval: Approval): NonNullable<RecordBodies['frozen']['approvedBy']> {
  const { ceiling: _ceiling, priceVersion: _version, at: _at, ...signer } = approval
  return signer
}

function frozenBytes({
  body,
  bodySha256,
  referenceId,
}: LockedSubmission): Pick<RecordBodies['frozen'], 'body' | 'bodySha256' | 'referenceId'> {
  return { body, bodySha256, ...(referenceId === undefined ? {} : { referenceId }) }
}

/** Whether bytes that were frozen before match this attempt and today's price. */
function isSame(
  ports: Pick<FreezePorts, 'client'>,
  request: PaidRequest,
  locked: LockedSubmission,
  { attempt, key, credits }: { readonly attempt: number; readonly key: string; readonly credits: Credits },
): boolean {
  if (locked.attempt !== attempt || locked.key !== key || locked.maxCredits !== formatCredits(credits)) return false
  if (request.reference !== undefined && locked.referenceId === undefined) return false
  const body = makeBody(ports.client, request, locked.referenceId, credits)
  return new TextDecoder().decode(body) === locked.body && sha256(body) === locked.bodySha256
}

/** An id that is safe to show to a person. */
const plainId = /^[\w.:-]{1,128}$/

/**
 * Finds the frozen bytes that a person takes over with an approval from elsewhere, because they may have been sent.
 * The approval's author must have signed them, and the request must make the same bytes at today's price. Only the
 * attempt and the id of the uploaded picture come from the lock file.
 *
 * @returns `others` if bytes were frozen that cannot be taken over. `undefined` if none were.
 */
export function bytesToTakeOver(
  { client, approvers }: Pick<FreezePorts, 'client' | 'approvers'>,
  { request, identity, hash }: Order,
  entry: LockEntry | undefined,
  credits: Credits,
): LockedSubmission | 'others' | undefined {
  if (!entry?.submission) return undefined
  const isAuthor = (publicKey: string): boolean => publicKey === entry.approval?.publicKey || isTrustedKey(publicKey, approvers)
  const frozen = trustedSubmission(entry, hash, isAuthor)
  if (!frozen || !plainId.test(frozen.referenceId ?? '-')) return 'others'
  const attempt = { attempt: frozen.attempt, key: idempotencyKey(identity, hash, frozen.attempt), credits }
  return isSame({ client }, request, frozen, attempt) ? frozen : 'others'
}
