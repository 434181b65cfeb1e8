import type { Approvers } from '../../credit/approval.ts'
import { fingerprintOf } from '../../credit/signing-key.ts'
import { hasCode, SpritewrightError } from '../../errors.ts'
import { inParallel } from '../../host/in-parallel.ts'
import type { JournalView } from '../../job/records/journal.ts'
import type { JournalRecord } from '../../job/records/record.ts'
import { toTrust } from '../../job/records/shared-chain.ts'
import { keyOf, monthTime, type Share } from '../../job/records/shares.ts'
import type { Context } from '../../project/context.ts'
import { readApprovers } from '../../project/trust/approvers.ts'
import { type AttemptMoney, attemptsOf } from './attempts.ts'

/** An attempt, and whether only records of signers that this machine does not trust tell of it. */
export interface GatheredAttempt extends AttemptMoney {
  readonly isUnverified?: true
}

/** `own`: this checkout's own journal. `copy`: the records of a shared journal that this machine has read before. */
type Source = 'own' | 'journal' | 'copy'

/** The money of all requests that a journal knows. */
export interface Gathered {
  readonly source: Source
  /** By request hash. */
  readonly attempts: ReadonlyMap<string, readonly GatheredAttempt[]>
  /** Every share that was ever reserved, by request and attempt. */
  readonly shares: ReadonlyMap<string, Share>
  readonly warnings: readonly string[]
}

/**
 * Reads the records of all requests.
 *
 * @param isTeam Whether the shared journal is read, and the signers of its records are checked. If it cannot be
 * reached, this machine's copy is read, and a warning says so.
 */
export async function gather(context: Context, isTeam: boolean): Promise<Gathered> {
  if (!context.sharedJournal) return gatherFrom(context, 'own')
  if (!isTeam) return gatherFrom(context, 'copy')
  const approvers = await readApprovers(context)
  try {
    return await gatherFrom(context, 'journal', approvers)
  } catch (error) {
    if (!['SW_STORE', 'SW_CONFIG', 'SW_UNTRUSTED_HOST'].some((code) => hasCode(error, code as 'SW_STORE'))) throw error
    const found = await gatherFrom(context, 'copy', approvers)
    const why = `The shared journal could not be read: ${(error as Error).message}`
    return {
      ...found,
      warnings: [`${why} These figures are the copy on this machine, and purchases of others may be missing.`, ...found.warnings],
    }
  }
}

async function gatherFrom(context: Context, source: Source, approvers?: Approvers): Promise<Gathered> {
  const { journal, keys, reservations } = context
  const shares = await reservations.history(source === 'journal' ? 'journal' : 'copy')
  const key = await keys.read()
  const hashes = [...new Set([...(await journal.requests()), ...[...shares.values()].map(({ hash }) => hash)])].sort()
  const strangers = new Set<string>()
  const warnings: string[] = []
  const found = await inParallel(hashes, async (hash): Promise<readonly GatheredAttempt[]> => {
    const view = await readRecords(context, hash, source, shares).catch((error: unknown) => {
      if (source === 'own' || !(error instanceof SpritewrightError) || error.code !== 'SW_JOURNAL') throw error
      warnings.push(`${error.message} Its credits count as uncertain.`)
    })
    if (!view) return toUncertain(hash, shares)
    const records = view.records.map((record) => ({ ...record, at: record.writtenAt ?? record.at }))
    if (!approvers) return attemptsOf(records)
    const isTrusted = toTrust(hash, key, approvers)
    for (const { signed } of records.filter((record) => !isTrusted(record)))
      strangers.add(signed ? fingerprintOf(signed.publicKey) : 'nobody')
    return toChecked(records, isTrusted)
  })
  if (strangers.size > 0) warnings.push(strangerWords([...strangers].sort()))
  return { source, attempts: new Map(hashes.map((hash, index) => [hash, found[index] ?? []])), shares, warnings }
}

/**
 * Reads the records of a request. A delivered purchase whose only attempt is the first does not change any more, so
 * this machine's copy is enough.
 */
async function readRecords(
  { journal }: Context,
  hash: string,
  source: Source,
  shares: ReadonlyMap<string, Share>,
): Promise<Pick<JournalView, 'records'>> {
  if (source !== 'journal') return journal.peek(hash)
  const copy = await journal.peek(hash)
  const isFinal = copy.submission.stored && copy.submission.attempt === 1 && !shares.has(keyOf({ hash, attempt: 2 }))
  return isFinal ? copy : journal.read(hash)
}

/** Records of strangers add attempts. They change none that trusted records tell of. */
function toChecked(records: readonly JournalRecord[], isTrusted: (record: JournalRecord) => boolean): readonly GatheredAttempt[] {
  const trusted = records.filter(isTrusted)
  const own = attemptsOf(trusted)
  if (trusted.length === records.length) return own
  const nameOf = ({ attempt, isReplaced }: AttemptMoney): string => `${attempt} ${isReplaced}`
  const known = new Set(own.map(nameOf))
  const others = attemptsOf(records).filter((money) => !known.has(nameOf(money)))
  return [...own, ...others.map((money) => ({ ...money, isUnverified: true as const }))]
}

/** The attempts of a request whose records are broken, by their shares. */
function toUncertain(hash: string, shares: ReadonlyMap<string, Share>): readonly GatheredAttempt[] {
  return [...shares.values()]
    .filter((share) => share.hash === hash)
    .map((share) => ({
      attempt: share.attempt,
      state: 'uncertain',
      isOurs: true,
      credits: share.credits,
      times: { opened: monthTime(share) },
    }))
}

function strangerWords(fingerprints: readonly string[]): string {
  const named = fingerprints.slice(0, 5).join(', ')
  return `The shared journal has records that count nowhere here, by keys that this machine does not trust: ${named}. If you trust one of them, name its fingerprint in SPRITEWRIGHT_APPROVERS.`
}
