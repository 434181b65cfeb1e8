import { type Credits, formatCredits, isAboveCeiling } from './credits.ts'
import type { Given } from './given.ts'
import { type ClaimedSignature, fingerprintOf, isSignatureOf, type SigningKey } from './signing-key.ts'
import { type EnrolledKey, type Touch, verifyTouch } from './touch.ts'

/** The terms of an approval: the request may cost up to the ceiling, under this price version. */
export interface ApprovalTerms {
  readonly ceiling: Credits
  readonly priceVersion: string
  /** Fingerprint of the approver's key. In approvals of earlier versions, a random id. */
  readonly buyer: string
  /** Time of the approval, ISO 8601. */
  readonly at: string
  /** Missing in approvals of earlier versions, which have no signature. */
  readonly given?: Given | undefined
  /** Name of the checkout's journal beside which the approval was given. */
  readonly checkout?: string | undefined
  /** Id of the project. Missing in approvals of earlier versions, like `expires`. */
  readonly project?: string | undefined
  /** The time after which the approval starts no submission, ISO 8601. */
  readonly expires?: string | undefined
}

/** A person's approval. It has a signature unless an earlier version wrote it. */
export interface Approval extends ApprovalTerms, ClaimedSignature {
  /** Of an approval that was `touched`. */
  readonly touch?: Touch | undefined
}

/** The service at which an approved request is bought. */
export interface ApprovedService {
  readonly host: string
  readonly keyMode: string
  readonly apiVersion: string
}

/** The approvers whose approvals allow a run to buy. */
export interface Approvers {
  /** Fingerprint of the user's own key; `undefined` if the user has no key yet. */
  readonly own: string | undefined
  /** Further fingerprints, from the environment or the user's own settings. */
  readonly others: ReadonlySet<string>
  /** Name of this checkout's journal. The user's own approvals count only if they were given beside this journal. */
  readonly checkout?: string | undefined
  /**
   * Whether the environment provides the user's own key. Then the user's own approvals count like those of others:
   * beside this journal, or for the project that the environment names.
   *
   * @default false
   */
  readonly isKeyFromEnvironment?: boolean | undefined
  /** The project that the environment names. */
  readonly project?: string | undefined
  /** The end of approvals without an expiry, in milliseconds since the Unix epoch; `undefined` for no end. */
  readonly oldUntil?: number | undefined
  /** The latest time of earlier runs on this machine, in milliseconds since the Unix epoch. */
  readonly latest?: number | undefined
  /**
   * Whether several machines share this journal. Then the name of the journal is compared for every approver, because
   * an approval that was given beside another journal may have been used there.
   *
   * @default false
   */
  readonly isShared?: boolean | undefined
  /** Ways of giving that count; `undefined` for all ways. */
  readonly given?: ReadonlySet<Given> | undefined
  /**
   * Authenticators whose touches count.
   *
   * @default none
   */
  readonly touchKeys?: readonly EnrolledKey[] | undefined
}

/**
 * Whether an approval counts here, and why not.
 *
 * - `valid`: the user's own key signed it, or a key that the user trusts.
 * - `unsigned`: the approval has no signature, because an earlier version wrote it.
 * - `forged`: its signature or its touch does not match its terms.
 * - `unenrolled`: it was touched at an authenticator that this machine does not know.
 * - `other`: a key that the user does not trust signed it.
 * - `elsewhere`: it was signed beside another journal. Only that journal knows whether the request was bought.
 * - `project`: it was given for another project than the project that this machine's environment names.
 * - `given`: it was given in a way that does not count here.
 * - `replaced`: this machine knows a newer approval of the request.
 * - `revoked`: it was taken back.
 * - `expired`: it was not used in time.
 */
export type ApprovalVerdict = 'valid' | 'unsigned' | 'forged' | 'unenrolled' | 'other' | 'elsewhere' | 'project' | 'given' | Lapse

/** Why an approval starts no submission any more. Earlier submissions under the approval are still followed. */
export type Lapse = 'replaced' | 'revoked' | 'expired'

/** The newest approval of a request that a journal remembers, or the time at which approvals were taken back. */
export interface NewestApproval {
  /** ISO 8601. An approval of an earlier time starts nothing. */
  readonly at: string
  readonly isRevoked: boolean
  /** Whether it was given in the shell of a coding agent. */
  readonly shell?: 'agent' | undefined
}

/** The facts that decide whether an approval may still start a submission. */
export interface ApprovalLife {
  /** Wall clock, milliseconds. */
  readonly now: number
  readonly newest: NewestApproval | undefined
}

/** Signs an approval of a request. */
export function signApproval(
  key: SigningKey,
  hash: string,
  service: ApprovedService,
  terms: Omit<ApprovalTerms, 'buyer'> & { readonly given: Given; readonly checkout: string },
): Approval {
  const allTerms = { ...terms, buyer: key.fingerprint }
  return { ...allTerms, publicKey: key.publicKey, signature: key.sign(approvalText(hash, service, allTerms)) }
}

/**
 * Judges an approval of a request for these approvers. Only a `valid` approval allows a purchase.
 *
 * @param life `used` if only the signature and its author matter: the approval's bytes were sent already.
 */
export function judgeApproval(
  approval: Approval,
  hash: string,
  service: ApprovedService,
  approvers: Approvers,
  life: ApprovalLife | 'used',
): ApprovalVerdict {
  const { publicKey, signature, given, touch, at } = approval
  if (publicKey === undefined || signature === undefined || given === undefined) return 'unsigned'
  if (!isSigned(approval, hash, service)) return 'forged'
  if (!isTrustedKey(publicKey, approvers)) return 'other'
  const text = approvalText(hash, service, approval)
  const touched = given === 'touched' ? touch && verifyTouch(touch, { text, at }, approvers.touchKeys ?? []) : 'valid'
  if (touched !== 'valid') return touched ?? 'forged'
  const stray = life === 'used' ? undefined : (judgePlace(approval, approvers) ?? judgeLife(approval, approvers, life))
  if (stray !== undefined) return stray
  return approvers.given === undefined || approvers.given.has(given) ? 'valid' : 'given'
}

/** Whether the key that an approval names has signed its terms. Whose key that is, and a touch, are not checked. */
export function isSigned(approval: Approval, hash: string, service: ApprovedService): boolean {
  const { publicKey, buyer } = approval
  return publicKey !== undefined && fingerprintOf(publicKey) === buyer && isSignatureOf(approval, approvalText(hash, service, approval))
}

/**
 * An approval counts beside the journal with which it was given, because that journal knows whether the approval was
 * used or taken back. Elsewhere, it counts only if the environment names its project.
 */
function judgePlace({ buyer, checkout, project, expires }: Approval, approvers: Approvers): 'elsewhere' | 'project' | undefined {
  if (checkout !== undefined && checkout === approvers.checkout) return undefined
  const isOthers = approvers.others.has(buyer) || buyer !== approvers.own
  if (approvers.isShared || (!isOthers && !approvers.isKeyFromEnvironment)) return 'elsewhere'
  // An approval of an earlier version names no project. The user's own counts if the environment names none either.
  if (expires === undefined && !isOthers && approvers.project === undefined) return undefined
  return project !== undefined && project === approvers.project ? undefined : 'project'
}

function judgeLife(approval: Approval, approvers: Approvers, { now, newest }: ApprovalLife): Lapse | 'elsewhere' | undefined {
  const { at, expires, checkout } = approval
  if (newest !== undefined && at < newest.at) return newest.isRevoked ? 'revoked' : 'replaced'
  // The journal recorded the approval before anybody could see it, so the journal has lost records.
  if (expires !== undefined && checkout === approvers.checkout && at !== newest?.at) return 'elsewhere'
  const until = expires === undefined ? (approvers.oldUntil ?? Number.POSITIVE_INFINITY) : Date.parse(expires)
  return Math.max(now, approvers.latest ?? 0) < until ? undefined : 'expired'
}

/**
 * Whether an approval has ended, and this machine knows all purchases under it. Then it may be given again like a
 * missing approval, without a takeover.
 */
export function isLapsed({ buyer }: Pick<Approval, 'buyer'>, verdict: ApprovalVerdict, approvers: Approvers): boolean {
  const isLapse = verdict === 'replaced' || verdict === 'revoked' || verdict === 'expired'
  return isLapse && (approvers.isShared === true || buyer === approvers.own)
}

/** The later of a known approval and the approval in a record. */
export function newerApproval(known: NewestApproval | undefined, next: NewestApproval): NewestApproval {
  return known !== undefined && known.at >= next.at ? known : next
}

/**
 * Whether signatures by a key count: the key is the user's own, or a key that the user trusts.
 *
 * @param publicKey Raw, base64url.
 */
export function isTrustedKey(publicKey: string, { own, others }: Approvers): boolean {
  const fingerprint = fingerprintOf(publicKey)
  return fingerprint === own || others.has(fingerprint)
}

/**
 * The text that the key signs, and that a touch is for. It has every term of the approval. The current name of the
 * sprite is not a term.
 */
export function approvalText(hash: string, { host, keyMode, apiVersion }: ApprovedService, terms: ApprovalTerms): string {
  const { ceiling, priceVersion, buyer, at, given, checkout, project, expires } = terms
  const what = [hash, host, keyMode, apiVersion, formatCredits(ceiling), priceVersion, buyer, at, given, checkout]
  if (project === undefined && expires === undefined) return JSON.stringify(['spritewright approval 1', ...what])
  return JSON.stringify(['spritewright approval 2', ...what, project, expires])
}

/** Whether an approval allows a fresh price, and why not. */
export type PriceVerdict = { readonly fits: true } | { readonly fits: false; readonly why: 'ceiling' | 'priceVersion' }

/**
 * Compares a fresh estimate with an approval. If the price version differs from the approved one, the
 * purchase stops, even if the price is within the ceiling.
 */
export function judgePrice(approval: Approval, quote: { readonly credits: Credits; readonly priceVersion: string }): PriceVerdict {
  if (quote.priceVersion !== approval.priceVersion) return { fits: false, why: 'priceVersion' }
  if (isAboveCeiling(quote.credits, approval.ceiling)) return { fits: false, why: 'ceiling' }
  return { fits: true }
}
