import { type Credits, formatCredits, isAboveCeiling } from './credits.ts'
import { type ClaimedSignature, fingerprintOf, isSignatureOf, type SigningKey } from './signing-key.ts'

/**
 * How an approval was given:
 *
 * - `typed`: at a question in a terminal.
 * - `clicked`: in the panel of a dev server whose terminal a person watches.
 * - `unattended`: by `--yes`, or in a panel whose address was printed where nobody watches.
 * - `standing`: by a build under ceilings that the person accepted once.
 */
export type Given = 'typed' | 'clicked' | 'unattended' | 'standing'

/** All ways of giving, in the order in which a person sees them. */
export const waysOfGiving: readonly Given[] = ['typed', 'clicked', 'unattended', 'standing']

/** The terms of an approval: the request may cost up to the ceiling, under this price version. */
export interface ApprovalTerms {
  readonly ceiling: Credits
  readonly priceVersion: string
  /** Fingerprint of the approver's key. Approvals of earlier versions hold a random id here. */
  readonly buyer: string
  /** When it was given, ISO 8601. */
  readonly at: string
  /** Missing in approvals of earlier versions, which have no signature. */
  readonly given?: Given | undefined
  /** Name of the checkout's journal beside which the approval was given. */
  readonly checkout?: string | undefined
}

/** A person's approval. It has a signature unless an earlier version wrote it. */
export interface Approval extends ApprovalTerms, ClaimedSignature {}

/** The service at which an approved request is bought. */
export interface ApprovedService {
  readonly host: string
  readonly keyMode: string
  readonly apiVersion: string
}

/** The approvers whose approvals a run may buy on. */
export interface Approvers {
  /** Fingerprint of the user's own key; `undefined` if there is none yet. */
  readonly own: string | undefined
  /** Further fingerprints, from the environment or the user's own settings. */
  readonly others: ReadonlySet<string>
  /**
   * Name of this checkout's journal. The user's own approvals count only if they were given beside it. If
   * `undefined`, they count beside any journal, for example if the environment gives the key.
   */
  readonly checkout?: string | undefined
  /**
   * Whether several machines share that journal. All of them approve beside it, so the name binds the approvals
   * of every approver: one that was given beside another journal may have been used there.
   *
   * @default false
   */
  readonly isShared?: boolean | undefined
  /** Ways of giving that count; all if `undefined`. */
  readonly given?: ReadonlySet<Given> | undefined
}

/**
 * Whether an approval counts here, and why not.
 *
 * - `valid`: the user's own key signed it, or a key that the user trusts.
 * - `unsigned`: it has no signature, because an earlier version wrote it.
 * - `forged`: its signature does not match its terms.
 * - `other`: another key signed it, which the user does not trust.
 * - `elsewhere`: it was signed beside another journal. Only that journal knows whether the request was bought.
 * - `given`: it was given in a way that does not count here.
 */
export type ApprovalVerdict = 'valid' | 'unsigned' | 'forged' | 'other' | 'elsewhere' | 'given'

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

/** Judges an approval of a request for these approvers. Only a `valid` approval allows a purchase. */
export function judgeApproval(approval: Approval, hash: string, service: ApprovedService, approvers: Approvers): ApprovalVerdict {
  const { publicKey, signature, given, buyer } = approval
  if (publicKey === undefined || signature === undefined || given === undefined) return 'unsigned'
  if (fingerprintOf(publicKey) !== buyer) return 'forged'
  if (!isSignatureOf({ publicKey, signature }, approvalText(hash, service, approval))) return 'forged'
  if (!isTrustedKey(publicKey, approvers)) return 'other'
  const isBound = approvers.checkout !== undefined && (approvers.isShared === true || !approvers.others.has(buyer))
  if (isBound && approval.checkout !== approvers.checkout) return 'elsewhere'
  return approvers.given === undefined || approvers.given.has(given) ? 'valid' : 'given'
}

/**
 * Whether signatures by a key count: it is the user's own key, or one that the user trusts.
 *
 * @param publicKey Raw, base64url.
 */
export function isTrustedKey(publicKey: string, { own, others }: Approvers): boolean {
  const fingerprint = fingerprintOf(publicKey)
  return fingerprint === own || others.has(fingerprint)
}

/**
 * The text that is signed. It has every term of the approval. The current name of the sprite is not a term.
 */
function approvalText(hash: string, { host, keyMode, apiVersion }: ApprovedService, terms: ApprovalTerms): string {
  const { ceiling, priceVersion, buyer, at, given, checkout } = terms
  const what = [hash, host, keyMode, apiVersion, formatCredits(ceiling), priceVersion]
  return JSON.stringify(['spritewright approval 1', ...what, buyer, at, given, checkout])
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
