import { join } from 'node:path'
import { isSigned } from '../../credit/approval.ts'
import { parseCredits, sumCredits } from '../../credit/credits.ts'
import type { Given } from '../../credit/given.ts'
import { type LedgerMove, moveKey } from '../../credit/ledger.ts'
import { keyOf } from '../../job/records/shares.ts'
import type { Context } from '../../project/context.ts'
import { readSettings } from '../../project/trust/settings.ts'
import { groupBy } from '../../sheets/group.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import { isStepId, type LockEntry, type LockedRequest, requestsOf } from '../../vault/lockfile.ts'
import type { AttemptMoney } from './attempts.ts'
import { type Gathered, type GatheredAttempt, gather } from './gather.ts'
import { nameRequests, type RequestNames } from './names.ts'
import type { LedgerLine, LedgerReport, LedgerState, LedgerSums } from './report.ts'

/**
 * Reads the ledger, one line for each request and attempt. The journal is the truth: movements that
 * `ledger.jsonl` lacks are written into it. Movements that only `ledger.jsonl` has count too. An entry that
 * only the lock file has was bought elsewhere.
 *
 * With the shared journal of a team, nothing of this machine changes the line of an attempt that the journal has.
 *
 * @param isTeam See {@link LedgerRequest}.
 */
export async function readAccounts(context: Context, isTeam = false): Promise<LedgerReport> {
  const locked = requestsOf(await context.lock.read())
  const kept = await context.ledger.read()
  const { attempts: journal, shares, source, warnings: ofJournal } = await gather(context, isTeam)
  // The first name was noted when a spec still asked for the request.
  const noted = new Map([...shares.values(), ...kept.toReversed()].map(({ hash, id }) => [hash, id] as const))
  const names = await nameRequests(context, locked, noted, [...journal.keys(), ...locked.keys()])
  const moves = [...journal].flatMap(([hash, attempts]) => attempts.flatMap((money) => toMoves(names(hash), hash, money)))
  const isTeams = isTeam && source !== 'own'
  const { repaired, warnings } = isTeams ? { repaired: 0, warnings: [] } : await repair(context, kept, moves)
  const people = (await readSettings(context.host)).names ?? {}
  const own = (await context.keys.read())?.fingerprint
  const lines = toLines({ locked, journal, shares, names, people, isTeams, moves: isTeams ? kept : [...moves, ...kept], own })
  lines.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : a.attempt - b.attempt))
  return { ...toReport(lines), repaired, warnings: [...ofJournal, ...warnings] }
}

/** Sums up some lines of a ledger. */
export function toReport(lines: readonly LedgerLine[]): Omit<LedgerReport, 'repaired' | 'warnings'> {
  const sprites = [...groupBy(lines, ({ id }) => spriteOf(id))].sort(([a], [b]) => (a < b ? -1 : 1))
  return { lines, ...sumsOf(lines), sprites: sprites.map(([sprite, own]) => ({ sprite, ...sumsOf(own) })) }
}

/** The movements of an attempt, in the form in which the ledger stores them. */
function toMoves(id: string, hash: string, money: AttemptMoney): readonly LedgerMove[] {
  const { attempt, credits, executionId, isOurs, state, times } = money
  if (!isOurs || credits === undefined || executionId === undefined || times.held === undefined) return []
  const move = { id, hash, attempt, executionId, credits }
  const held: LedgerMove = { at: times.held, type: 'held', ...move }
  return state === 'settled' || state === 'restored' ? [held, { at: times.ended ?? times.held, type: state, ...move }] : [held]
}

/**
 * Writes missing movements. If that fails, the figures are right all the same, and a warning says why the
 * file is incomplete.
 */
async function repair(
  context: Context,
  kept: readonly LedgerMove[],
  moves: readonly LedgerMove[],
): Promise<{ readonly repaired: number; readonly warnings: readonly string[] }> {
  const known = new Set(kept.map(moveKey))
  const missing = moves.filter((move) => !known.has(moveKey(move)))
  if (missing.length === 0) return { repaired: 0, warnings: [] }
  try {
    return { repaired: await context.ledger.ensureAll(missing), warnings: [] }
  } catch (error) {
    const why = `${join(context.storeFolder, 'ledger.jsonl')} lacks ${missing.length} movements and cannot be written: ${(error as Error).message}`
    return { repaired: 0, warnings: [`${why}. The figures are those of the journal.`] }
  }
}

interface LedgerRecords {
  readonly locked: ReadonlyMap<string, LockedRequest>
  readonly journal: Gathered['attempts']
  readonly shares: Gathered['shares']
  /** Whether only the journal decides about the attempts that it has. */
  readonly isTeams: boolean
  readonly names: RequestNames
  /** Names of people, by fingerprint. */
  readonly people: Readonly<Record<string, string>>
  /** Names from the journal first, then those from `ledger.jsonl`. */
  readonly moves: readonly LedgerMove[]
  /** Fingerprint of the user's own key. */
  readonly own: string | undefined
}

function toLines(records: LedgerRecords): LedgerLine[] {
  const lines = new Map<string, LedgerLine>()
  const add = (line: LedgerLine, beside = ''): void => void lines.set(`${line.hash} ${line.attempt}${beside}`, line)
  const approvals = new Map<string, string | undefined>()
  for (const [hash, attempts] of records.journal) {
    for (const money of attempts) {
      add(fromJournal(records, hash, money), money.isReplaced ? ` ${money.executionId ?? 'ours'}` : '')
      approvals.set(`${hash} ${money.attempt}`, money.approvedAt)
    }
  }
  const isKnown = (key: string): boolean => records.isTeams && lines.has(key)
  for (const move of records.moves) {
    if (isKnown(`${move.hash} ${move.attempt}`)) continue
    const beside = lines.has(`${move.hash} ${move.attempt} ${move.executionId}`) ? ` ${move.executionId}` : ''
    const before = lines.get(`${move.hash} ${move.attempt}${beside}`)
    if (before === undefined || rankOf(move.type) > rankOf(before.state)) add(fromMove(records, move, before), beside)
  }
  for (const [hash, { entry }] of records.locked) {
    const attempt = entry.submission?.attempt ?? 1
    const before = lines.get(`${hash} ${attempt}`)
    if ((entry.execution === undefined && entry.result === undefined) || isKnown(`${hash} ${attempt}`)) continue
    const own = approvals.get(`${hash} ${attempt}`)
    // Another machine's purchase, under an approval of its own, says nothing about our own POSTs.
    if (before?.state === 'uncertain' && own !== undefined && own !== entry.approval?.at)
      add(fromLock(records, hash, attempt, entry, undefined), ' theirs')
    else if (before === undefined || before.state === 'uncertain') add(fromLock(records, hash, attempt, entry, before))
  }
  return [...lines.values()]
}

/**
 * Ranks states: if two sources differ, the one that knows more is right, and a charge outranks a restoration.
 */
function rankOf(state: LedgerState): number {
  return ['uncertain', 'held', 'restored', 'settled'].indexOf(state)
}

function fromJournal(records: LedgerRecords, hash: string, money: GatheredAttempt): LedgerLine {
  const { approvedBy, credits, isOurs, isUnverified, times, ...facts } = money
  const { attempt } = facts
  const entry = records.locked.get(hash)?.entry
  const share = records.shares.get(keyOf({ hash, attempt }))
  return {
    ...commonOf(records, hash, share?.id),
    ...(records.isTeams && approvedBy?.given ? { given: approvedBy.given } : {}),
    ...(share?.project === undefined ? {} : { project: share.project }),
    ...personOf(records, isUnverified ? undefined : (approvedBy?.buyer ?? share?.approver)),
    ...facts,
    credits: (isOurs ? (credits ?? share?.credits) : undefined) ?? priceOf(entry, attempt) ?? credits ?? 0n,
    at: times.ended ?? times.held ?? times.opened,
    origin: isUnverified ? 'unverified' : isOurs ? 'here' : originOf(records, entry),
  }
}

function fromMove(records: LedgerRecords, move: LedgerMove, before: LedgerLine | undefined): LedgerLine {
  const { attempt, at, credits, executionId, hash, type } = move
  const result = records.locked.get(hash)?.entry.result?.sha256
  const found = { ...commonOf(records, hash), attempt, executionId, origin: 'here' as const, ...(result === undefined ? {} : { result }) }
  return { ...found, ...before, state: type, credits, at }
}

/**
 * Makes the line of an attempt whose end only the lock file has. Another checkout bought it, or this one did
 * and lost its journal.
 */
function fromLock(records: LedgerRecords, hash: string, attempt: number, entry: LockEntry, before: LedgerLine | undefined): LedgerLine {
  const { approval, execution, result } = entry
  const given = Date.parse(approval?.at ?? '')
  return {
    ...commonOf(records, hash),
    ...(givenOf(hash, entry) ? personOf(records, approval?.buyer) : {}),
    attempt,
    at: Number.isNaN(given) ? 0 : given,
    origin: originOf(records, entry),
    ...before,
    state: result ? 'settled' : 'held',
    credits: priceOf(entry, attempt) ?? before?.credits ?? 0n,
    ...(execution ? { executionId: execution.id } : {}),
    ...(result ? { result: result.sha256 } : {}),
  }
}

/** The approver of a purchase. */
function personOf({ people }: LedgerRecords, approvedBy: string | undefined): Pick<LedgerLine, 'approvedBy' | 'person'> {
  if (approvedBy === undefined) return {}
  return Object.hasOwn(people, approvedBy) ? { approvedBy, person: people[approvedBy] ?? '' } : { approvedBy }
}

/** @param reserved The name in the record of the share. A name without an animation is that of a picture. */
function commonOf(
  { locked, names }: LedgerRecords,
  hash: string,
  reserved = '.',
): Pick<LedgerLine, 'id' | 'hash' | 'take' | 'isPicture' | 'service' | 'given'> {
  const id = names(hash)
  const found = locked.get(hash)
  const service = found && { host: found.entry.service.host, keyMode: found.entry.service.keyMode }
  const isPicture =
    isStepId(id) || (found === undefined ? !reserved.includes('.') : found.entry.asked.operation !== undefined || found.id === undefined)
  const given = found && givenOf(hash, found.entry)
  const { take = 1 } = found?.entry.asked ?? {}
  return { id, hash, ...(take > 1 ? { take } : {}), isPicture, ...(service ? { service } : {}), ...(given ? { given } : {}) }
}

/** How an approval was given, by any person. Undefined if its signature does not show it. */
function givenOf(hash: string, { approval, service }: LockEntry): Given | undefined {
  if (approval === undefined) return undefined
  const whole = { ...approval, ceiling: parseCredits(approval.ceiling) }
  return isSigned(whole, hash, service) ? approval.given : undefined
}

/** The maximum of an attempt, from its frozen submission; without one, its ceiling. */
function priceOf(entry: LockEntry | undefined, attempt: number): bigint | undefined {
  const frozen = entry?.submission
  const text = frozen && frozen.attempt === attempt ? frozen.maxCredits : entry?.approval?.ceiling
  return text === undefined ? undefined : parseCredits(text)
}

function originOf({ own }: LedgerRecords, entry: LockEntry | undefined): LedgerLine['origin'] {
  return own !== undefined && entry?.approval?.buyer === own ? 'here' : 'elsewhere'
}

/** Sums up credits by their state. */
export function sumsOf(lines: readonly LedgerLine[]): LedgerSums {
  const here = lines.filter(({ origin }) => origin === 'here')
  const sum = (state: LedgerState): bigint => sumCredits(here.filter((line) => line.state === state).map(({ credits }) => credits))
  const sumOf = (of: LedgerLine['origin']): bigint =>
    sumCredits(lines.flatMap(({ origin, state, credits }) => (origin === of && state !== 'restored' ? [credits] : [])))
  const unverified = sumOf('unverified')
  return {
    held: sum('held'),
    settled: sum('settled'),
    restored: sum('restored'),
    uncertain: sum('uncertain'),
    elsewhere: sumOf('elsewhere'),
    ...(unverified > 0n ? { unverified } : {}),
  }
}
