import type { Approval, ApprovalVerdict } from './approval.ts'

/**
 * Describes the approver and the way of giving of an approval that does not count here. The words follow
 * "approved". The panel, the plan of the command line and the errors of a run each add the consequence.
 */
export function approverWords(
  { buyer, given, expires }: Pick<Approval, 'buyer' | 'given' | 'expires'>,
  verdict: Exclude<ApprovalVerdict, 'valid'>,
): string {
  const way = given === undefined ? '' : ` (${given})`
  switch (verdict) {
    case 'unsigned':
      return 'before approvals were signed'
    case 'forged':
      return given === 'touched' ? 'under a signature or a touch that does not fit' : 'under a signature that does not fit'
    case 'unenrolled':
      return `by ${shortFingerprint(buyer)}${way} at an authenticator that this machine does not know`
    case 'elsewhere':
      return `in another checkout${way}`
    case 'replaced':
      return `earlier${way}, and a newer approval has replaced that one`
    case 'revoked':
      return `earlier${way}, and that approval was taken back`
    case 'expired':
      return `earlier${way}, and that approval has expired${expires === undefined ? '' : ` (${expires.slice(0, 10)})`}`
    case 'project':
      return `by ${shortFingerprint(buyer)}${way} for another project, as far as this machine knows`
    case 'given':
    case 'other':
      return `by ${shortFingerprint(buyer)}${way}`
  }
}

/** Describes the approvals that were taken back, and those that were already used. */
export function revokedWords(report: { readonly revoked: readonly string[]; readonly inFlight: readonly string[] }): readonly string[] {
  const [revoked, inFlight] = [report.revoked.join(', '), report.inFlight.join(', ')]
  if (revoked + inFlight === '') return ['No approval is waiting to be used.']
  return [
    revoked && `Taken back: ${revoked}. Nothing is bought on what was approved before.`,
    inFlight && `Sent already, so it goes on, and is not sent again if it fails: ${inFlight}. The next build fetches it.`,
  ].filter(Boolean)
}

/** Describes the service that a worker names for an approval. This machine cannot check the service. */
export function workerWords(worker: {
  readonly host: string
  readonly keyMode: 'test' | 'live'
  readonly priceVersions: readonly string[]
}): string {
  return `Where, as the worker says: ${worker.host} (${worker.keyMode} key), price version ${worker.priceVersions.join(', ')}.`
}

/** The first digits of a fingerprint, which distinguish the keys of a team. */
function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 8)
}
