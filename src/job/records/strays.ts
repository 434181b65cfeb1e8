/** An execution of an attempt that others have followed: it is paid, and nobody waits for it. */
export interface Stray {
  readonly attempt: number
  readonly executionId: string
  /** How it ended: its result is in the vault, it cost nothing, or a person gave it up. Undefined while it is still to be fetched. */
  readonly end?: 'stored' | 'failed' | 'givenUp'
}

/** A record, as far as it may tell of the end of a stray. */
interface Told {
  readonly type: string
  readonly body: { readonly attempt: number; readonly executionId?: string; readonly about?: string; readonly decision?: string }
}

/** The strays with one more; the same ones where it is known. */
export function withStray(strays: readonly Stray[] | undefined, { attempt, executionId }: Stray): readonly Stray[] {
  const known = strays ?? []
  return known.some((one) => one.executionId === executionId) ? known : [...known, { attempt, executionId }]
}

/** The strays after a record that tells of the end of one; undefined where it tells of none. */
export function withStrayEnd(strays: readonly Stray[] | undefined, record: Told): readonly Stray[] | undefined {
  const isTold = (one: Stray): boolean => one.end === undefined && one.attempt === record.body.attempt && endOf(one, record) !== undefined
  if (!strays?.some(isTold)) return undefined
  return strays.map((one) => (isTold(one) ? { ...one, end: endOf(one, record) as NonNullable<Stray['end']> } : one))
}

function endOf({ executionId }: Stray, { type, body }: Told): Stray['end'] {
  if ((type === 'stored' || type === 'failed') && body.executionId === executionId) return type
  const isGivenUp = type === 'decided' && body.about === 'execution' && body.decision === 'abandon'
  // Earlier versions did not say which one.
  return isGivenUp && (body.executionId === undefined || body.executionId === executionId) ? 'givenUp' : undefined
}
