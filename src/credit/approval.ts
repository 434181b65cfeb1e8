import { type Credits, formatCredits } from './credits.ts'
import { type ClaimedSignature, fingerprintOf, isSignatureOf, type SigningKey } from './signing-key.ts'

/**
 * How an approval was given: typed at a question in a terminal; clicked in the panel of a dev server whose terminal a
 * person watches; unattended (`--yes`, or a panel whose address was printed where nobody watches); or standing, made
 * by a build under ceilings that the person accepted once.
 */
export type Given = 'typed' | 'clicked' | 'unattended' | 'standing'

/** All ways of giving, in the order in which they are listed to a person. */
export const waysOfGiving: readonly Given[] = ['typed', 'clicked', 'unattended', 'standing']

/** What an approval says: this request may cost up to the ceiling, priced by this version. */
export interface ApprovalTerms {
  readonly ceiling: Credits
  readonly priceVersion: string
  /** Fingerprint of the approver's key. Approvals of earlier versions hold a random id here. */
  readonly buyer: string
  /** When it was given, ISO 8601. */
  readonly at: string
  /** Missing in approvals of earlier versions, which nobody signed. */
  readonly given?: Given | undefined
  /** Name of the journal beside which it was given. */
  readonly checkout?: string | undefined
}

/** A person's word, with a signature unless an earlier version wrote it. */
export interface Approval extends ApprovalTerms, ClaimedSignature {}

/** Where an approved request is bought. */
export interface ApprovedService {
  readonly host: string
  readonly keyMode: string
  readonly apiVersion: string
}

/** Whose approvals a run may spend. */
export interface Approvers {
  /** Fingerprint of the user's own key; undefined while there is none. */
  readonly own: string | undefined
  /** Fingerprints that the environment or the user's own settings name besides. */
  readonly others: ReadonlySet<string>
  /**
   * Name of this checkout's journal: the user's own approvals count beside it alone. Undefined: beside any, as where the
   * environment gives the key.
   */
  readonly checkout?: string | undefined
  /** Ways of giving that count; undefined: all. */
  readonly given?: ReadonlySet<Given> | undefined
}

/**
 * What an approval is worth here.
 *
 * - `valid`: signed by the user's own key, or by one that the user trusts.
 * - `unsigned`: it has no signature, as earlier versions wrote it.
 * - `forged`: its signature is not that of its terms.
 * - `other`: somebody else signed it.
 * - `elsewhere`: the user's own key signed it, beside another journal, which alone knows whether it was bought.
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
  const whole = { ...terms, buyer: key.fingerprint }
  return { ...whole, publicKey: key.publicKey, signature: key.sign(approvalText(hash, service, whole)) }
}

/** Says what an approval of a request is worth to these approvers. Only a `valid` one is ever bought on. */
export function judgeApproval(approval: Approval, hash: string, service: ApprovedService, approvers: Approvers): ApprovalVerdict {
  const { publicKey, signature, given, buyer } = approval
  if (publicKey === undefined || signature === undefined || given === undefined) return 'unsigned'
  if (fingerprintOf(publicKey) !== buyer) return 'forged'
  if (!isSignatureOf({ publicKey, signature }, approvalText(hash, service, approval))) return 'forged'
  if (!isTrustedKey(publicKey, approvers)) return 'other'
  const isBound = approvers.checkout !== undefined && !approvers.others.has(buyer)
  if (isBound && approval.checkout !== approvers.checkout) return 'elsewhere'
  return approvers.given === undefined || approvers.given.has(given) ? 'valid' : 'given'
}

/** Whether what a key has signed may be built upon: it is the user's own, or one that the user trusts. @param publicKey Raw, base64url. */
export function isTrustedKey(publicKey: string, { own, others }: Approvers): boolean {
  const fingerprint = fingerprintOf(publicKey)
  return fingerprint === own || others.has(fingerprint)
}

/** What is signed. Everything that makes the approval is in it; the name that a sprite has today is not. */
function approvalText(hash: string, { host, keyMode, apiVersion }: ApprovedService, terms: ApprovalTerms): string {
  const { ceiling, priceVersion, buyer, at, given, checkout } = terms
  const what = [hash, host, keyMode, apiVersion, formatCredits(ceiling), priceVersion]
  return JSON.stringify(['spritewright approval 1', ...what, buyer, at, given, checkout])
}

/** What speaks against buying at a fresh price, if anything. */
export type PriceVerdict = { readonly fits: true } | { readonly fits: false; readonly why: 'ceiling' | 'priceVersion' }

/** Compares a fresh estimate with an approval. A price version that nobody approved stops, even where the price fits. */
export function judgePrice(approval: Approval, quote: { readonly credits: Credits; readonly priceVersion: string }): PriceVerdict {
  if (quote.priceVersion !== approval.priceVersion) return { fits: false, why: 'priceVersion' }
  if (quote.credits > approval.ceiling) return { fits: false, why: 'ceiling' }
  return { fits: true }
}
