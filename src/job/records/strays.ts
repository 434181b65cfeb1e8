/** An execution of a replaced attempt, which is paid, and for which no run waits. */
export interface Stray {
  readonly attempt: number
  readonly executionId: string
  /**
   * The end of the stray: its result is in the vault, it cost nothing, or a person gave it up. `undefined` if its
   * result was not fetched yet.
   */
  readonly end?: 'stored' | 'failed' | 'givenUp'
}

/** The part of a record that may report the end of a stray. */
interface Told {
  readonly type: string
  readonly body: { readonly attempt: number; readonly executionId?: string; readonly about?: string; readonly decision?: string }
}

/** Adds a stray. If the list already has it, returns the same list. */
export function withStray(strays: readonly Stray[] | undefined, { attempt, executionId }: Stray): readonly Stray[] {
  const known = strays ?? []
  return known.some((one) => one.executionId === executionId) ? known : [...known, { attempt, executionId }]
}

/** Applies a record that reports the end of a stray. Returns `undefined` for any other record. */
export function withStrayEnd(strays: readonly Stray[] | undefined, record: Told): readonly Stray[] | undefined {
  const isEnding = (one: Stray): boolean => one.end === undefined && one.attempt === record.body.attempt && endOf(one, record) !== undefined
  if (!strays?.some(isEnding)) return undefined
  return strays.map((one) => (isEnding(one) ? { ...one, end: endOf(one, record) as NonNullable<Stray['end']> } : one))
}

function endOf({ executionId }: Stray, { type, body }: Told): Stray['end'] {
  if ((type === 'stored' || type === 'failed') && body.executionId === executionId) return type
  const isGivenUp = type === 'decided' && body.about === 'execution' && body.decision === 'abandon'
  // Records of earlier versions do not name the execution.
  return isGivenUp && (body.executionId === undefined || body.executionId === executionId) ? 'givenUp' : undefined
}
