import type { Budget } from './budget.ts'
import { type Credits, formatCredits } from './credits.ts'
import { isSignatureOf, type Signature, type SigningKey } from './signing-key.ts'

/** Standing ceilings that a person accepted for one project and one service. */
export interface AcceptedCeilings extends Signature {
  readonly ceilings: Budget
  /** The service for which the ceilings apply: host and key mode. */
  readonly service: { readonly host: string; readonly keyMode: string }
  /** Time of the acceptance, ISO 8601. */
  readonly at: string
}

/**
 * Signs the ceilings that a person accepts.
 *
 * @param place Names the project on this machine.
 */
export function signCeilings(
  key: SigningKey,
  place: string,
  terms: Pick<AcceptedCeilings, 'ceilings' | 'service' | 'at'>,
): AcceptedCeilings {
  return { ...terms, publicKey: key.publicKey, signature: key.sign(ceilingsText(place, terms)) }
}

/** Whether this key signed the ceilings for this project. */
export function areSignedBy(key: SigningKey, place: string, accepted: AcceptedCeilings): boolean {
  return accepted.publicKey === key.publicKey && isSignatureOf(accepted, ceilingsText(place, accepted))
}

/** Whether the ceilings of a configuration are exactly the ceilings that were accepted for this service. */
export function isAccepted(accepted: AcceptedCeilings, ceilings: Budget, service: AcceptedCeilings['service']): boolean {
  const isSameService = accepted.service.host === service.host && accepted.service.keyMode === service.keyMode
  return isSameService && textOf(accepted.ceilings) === textOf(ceilings)
}

/** The lower of two totals, or the only total. Returns `undefined` if both are missing. */
export function lowerTotal(one: Credits | undefined, other: Credits | undefined): Credits | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

function ceilingsText(place: string, { ceilings, service, at }: Pick<AcceptedCeilings, 'ceilings' | 'service' | 'at'>): string {
  return JSON.stringify(['spritewright standing 1', place, service.host, service.keyMode, textOf(ceilings), at])
}

function textOf({ perSprite, perRun, total }: Budget): string {
  const text = (amount: Credits | undefined): string | null => (amount === undefined ? null : formatCredits(amount))
  return JSON.stringify([text(perSprite), text(perRun), text(total)])
}
