import { tempTargetOf } from '../../src/host/publish.ts'

/**
 * The promises about money, I1 to I11. The canary tests check I7 (no secret anywhere) over whole folders and
 * packages.
 */
export type InvariantName = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I8' | 'I9' | 'I10' | 'I11'

/** A promise that a simulated run has broken. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
  readonly invariant: InvariantName

  constructor(invariant: InvariantName, found: string) {
    super(`${invariant}: ${found}`)
    this.invariant = invariant
  }
}

/** One execution as the service knows it. The service is the oracle. */
export interface OracleExecution {
  readonly id: string
  /** The approved request, including its take. */
  readonly request: string
  readonly money: 'none' | 'held' | 'settled' | 'restored'
  /** Ten-thousandths of a credit. */
  readonly credits: bigint
  /** Whether it has a result that can be fetched. */
  readonly isCompleted: boolean
}

/** One POST of a submission as it left the machine, regardless of its outcome. */
export interface SeenPost {
  readonly request: string
  readonly key: string
  readonly bodySha256: string
  readonly maxCredits: bigint
}

/** A record of a journal, with the fields that the promises need. */
export interface SeenRecord {
  readonly type: string
  readonly body: { readonly attempt?: number; readonly key?: string }
}

const isTaken = ({ money }: OracleExecution): boolean => money === 'held' || money === 'settled'

/**
 * I1: at most one charged execution for each approved request, and its charge is at most the ceiling.
 *
 * @param ceilings By request.
 */
export function checkCharges(executions: readonly OracleExecution[], ceilings: ReadonlyMap<string, bigint>): void {
  const charged = new Map<string, OracleExecution>()
  for (const execution of executions) {
    if (!isTaken(execution)) continue
    const other = charged.get(execution.request)
    if (other) throw new BrokenInvariant('I1', `the executions ${other.id} and ${execution.id} are both paid for ${execution.request}`)
    charged.set(execution.request, execution)
    const ceiling = ceilings.get(execution.request)
    if (ceiling === undefined) throw new BrokenInvariant('I1', `${execution.id} is paid, and nobody approved ${execution.request}`)
    if (execution.credits > ceiling)
      throw new BrokenInvariant('I1', `${execution.id} costs ${execution.credits}, above the ceiling of ${ceiling}`)
  }
}

/** I2: no POST has a `max_credits` above the recorded ceiling. */
export function checkCeiling(post: SeenPost, ceiling: bigint | undefined): void {
  if (ceiling === undefined || post.maxCredits > ceiling)
    throw new BrokenInvariant('I2', `a POST offers ${post.maxCredits} for ${post.request}, the recorded ceiling is ${ceiling ?? 'none'}`)
}

/**
 * I2, stricter: a POST offers a price that the service named, because a service may hold all that is offered.
 */
export function checkOffer(post: SeenPost, named: readonly bigint[]): void {
  if (!named.includes(post.maxCredits))
    throw new BrokenInvariant(
      'I2',
      `a POST offers ${post.maxCredits} for ${post.request}, the service named ${named.join(', ') || 'no price'}`,
    )
}

/**
 * I3: settled + held + the worst case of everything uncertain is at most the total ceiling.
 *
 * @param uncertain Sum of the ceilings of requests that may have been bought.
 */
export function checkTotal(executions: readonly OracleExecution[], uncertain: bigint, total: bigint): void {
  const taken = executions.reduce((sum, execution) => (isTaken(execution) ? sum + execution.credits : sum), uncertain)
  if (taken > total) throw new BrokenInvariant('I3', `${taken} is settled, held or uncertain, above the total ceiling of ${total}`)
}

/**
 * I4: for every result at the service, the vault has it, or the disk names its execution, or a person is
 * asked.
 *
 * @param isKept Whether the vault holds the result of an execution.
 * @param isNamed Whether lock file or journal name an execution.
 * @param isAsked Whether the run of a request ended with a question to a person about it.
 */
export function checkKept(
  executions: readonly OracleExecution[],
  isKept: (execution: OracleExecution) => boolean,
  isNamed: (execution: OracleExecution) => boolean,
  isAsked: (request: string) => boolean,
): void {
  for (const execution of executions) {
    if (!execution.isCompleted || isKept(execution) || isNamed(execution) || isAsked(execution.request)) continue
    throw new BrokenInvariant('I4', `the result of ${execution.id} (${execution.request}) is in no vault, and nothing leads to it`)
  }
}

/** I5: a key is never sent with two different bodies. */
export function checkSameBytes(before: Iterable<SeenPost>, post: SeenPost): void {
  for (const other of before) {
    if (other.key !== post.key || other.bodySha256 === post.bodySha256) continue
    throw new BrokenInvariant('I5', `the key ${post.key} is sent with ${post.bodySha256} after ${other.bodySha256}`)
  }
}

/**
 * I6: every POST has a record of intent that was durable before it.
 *
 * @param durable Records of the request that would survive a power loss at this moment.
 * @param posts How many POSTs have left under this key, including this one. Each has a record of its own.
 */
export function checkIntent(post: SeenPost, durable: readonly SeenRecord[], posts: number): void {
  const frozen = durable.find(({ type, body }) => type === 'frozen' && body.key === post.key)
  if (!frozen) throw new BrokenInvariant('I6', `a POST leaves under the key ${post.key}, and no durable record knows it`)
  const sent = durable.filter(({ type, body }) => type === 'sent' && body.attempt === frozen.body.attempt).length
  if (sent < posts) throw new BrokenInvariant('I6', `POST ${posts} leaves under the key ${post.key} with ${sent} durable records of it`)
}

/**
 * I8: no write outside of vault, journal, cache, output and the user's state folder. A temporary file counts
 * as the file that it will become.
 *
 * @param places Files, or folders that end in a slash.
 */
export function checkPlace(path: string, places: readonly string[]): void {
  const target = tempTargetOf(path) ?? path
  if (places.some((place) => (place.endsWith('/') ? `${target}/`.startsWith(place) : target === place))) return
  throw new BrokenInvariant('I8', `something is written to ${path}`)
}

/** Ends after which only a person can go on. */
const ends: Readonly<Record<string, string>> = {
  SW_APPROVAL: 'needs approval',
  SW_CEILING: 'needs approval',
  SW_PRICE_VERSION: 'needs approval',
  SW_BALANCE: 'needs approval',
  SW_BUYER: 'needs approval',
  SW_MISSING: 'needs approval',
  SW_FAILED: 'failed',
  SW_REFUSED: 'failed',
  SW_KEY_REFUSED: 'failed',
  SW_CAPABILITY: 'failed',
  SW_DELIVERY: 'failed',
  SW_QUESTION: 'needs answer',
  SW_CONFLICT: 'needs decision',
  SW_UNCERTAIN: 'needs decision',
}

/**
 * I9: with faults off every run ends.
 *
 * @param code Code of the error that ended the run; `undefined` if it was done.
 * @returns How it ended.
 */
export function checkEnd(code: string | undefined, message = ''): string {
  if (code === undefined) return 'done'
  const end = Object.hasOwn(ends, code) ? ends[code] : undefined
  if (end === undefined) throw new BrokenInvariant('I9', `a run without faults ended with ${code}: ${message}`)
  return end
}

/** I10: a build after "done" makes no request. */
export function checkQuiet(requests: readonly string[]): void {
  if (requests.length > 0) throw new BrokenInvariant('I10', `a build after "done" asks for ${requests.join(', ')}`)
}
