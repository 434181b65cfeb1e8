import { basename } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import type { JournalView } from '../../job/records/journal.ts'
import type { Context } from '../../project/context.ts'
import { servicesOf } from '../../project/plan.ts'
import { readWantedAnimations, type WantedAnimation } from '../../project/wanted.ts'
import { requestHash } from '../../sprite-spec/key.ts'
import { animationId, type ServiceIdentity } from '../../sprite-spec/request.ts'
import type { LockEntry, LockFile } from '../../vault/lockfile.ts'
import type { ResultState, ResultUse } from './reports.ts'

/** States by what they mean for a result, the strongest first. */
export const strength: readonly ResultState[] = ['used', 'take', 'superseded', 'unknown']

/** A result that a record names. */
export interface NamedResult extends ResultUse {
  readonly sha256: string
  readonly bytes: number
}

/** Everything in the lock file and the journal about results. */
export interface StoreRecords {
  readonly named: readonly NamedResult[]
  /** Specs and chains of records that cannot be read. The results that they want are unknown. */
  readonly errors: readonly SpritewrightError[]
}

/**
 * Reads the records. A result counts as wanted if its request hash is that of a present spec under any
 * identity that the lock file knows, or that the configured service could have. So rather too many count than
 * too few.
 *
 * @param host Of the configured service, if there is one.
 */
export async function readStoreRecords(context: Context, host: string | undefined): Promise<StoreRecords> {
  const { wanted, errors } = await readWantedAnimations(context)
  const lock = await context.lock.read()
  const asked = askedHashes(wanted, identitiesOf(lock, host))
  const sheets = new Map(wanted.map((target) => [animationId(target.spec, target.animation), target] as const))
  const ids = new Map((await context.ledger.read()).map((move) => [move.hash, move.id] as const))
  // A rename leaves an entry under each name, and a step that is a picture elsewhere one of each kind.
  const entries = [...readLock(lock, asked, sheets, ids)].sort((a, b) => strength.indexOf(b.state) - strength.indexOf(a.state))
  const named = [...new Map(entries.map((one) => [`${one.id} ${one.request} ${one.sha256}`, one])).values()]
  const known = new Set(named.map(({ request, sha256 }) => `${request} ${sha256}`))
  const inLock = new Set([...Object.values(lock.animations), lock.steps ?? {}].flatMap((requests) => Object.keys(requests)))
  const broken: SpritewrightError[] = []
  for (const request of await context.journal.requests()) {
    const view = await readChain(context, request, broken)
    const state = (isLast: boolean): ResultState => (isLast && asked.has(request) ? 'used' : inLock.has(request) ? 'superseded' : 'unknown')
    const id = asked.get(request) ?? ids.get(request) ?? request.slice(0, 12)
    for (const one of readRecords(view, request, id, state)) if (!known.has(`${request} ${one.sha256}`)) named.push(one)
  }
  return { named, errors: [...errors, ...broken] }
}

async function readChain(context: Context, request: string, broken: SpritewrightError[]): Promise<JournalView | undefined> {
  try {
    return await context.journal.peek(request)
  } catch (error) {
    if (!(error instanceof SpritewrightError)) throw error
    broken.push(error)
    return undefined
  }
}

/** Identities under which something was, or could have been, bought. */
function identitiesOf(lock: LockFile, host: string | undefined): readonly ServiceIdentity[] {
  const bought = servicesOf(lock)
  const own = host === undefined ? [] : (['test', 'live'] as const).map((keyMode) => ({ host, keyMode, apiVersion: '1' }))
  const isNew = (one: ServiceIdentity): boolean =>
    bought.every(({ host: known, keyMode, apiVersion }) => known !== one.host || keyMode !== one.keyMode || apiVersion !== one.apiVersion)
  return [...bought, ...own.filter(isNew)]
}

/** Request hashes of present specs, each with the name of one of its animations or steps. */
function askedHashes(wanted: readonly WantedAnimation[], identities: readonly ServiceIdentity[]): ReadonlyMap<string, string> {
  const asked = new Map<string, string>()
  for (const identity of identities) {
    for (const target of wanted) {
      const { steps, request: last } = target.requests(identity)
      for (const request of [...steps, last]) {
        const hash = requestHash(request, identity)
        asked.set(hash, asked.get(hash) ?? request.id)
      }
    }
  }
  return asked
}

function* readLock(
  lock: LockFile,
  asked: ReadonlyMap<string, string>,
  sheets: ReadonlyMap<string, WantedAnimation>,
  ids: ReadonlyMap<string, string>,
): Generator<NamedResult> {
  for (const [id, requests] of Object.entries(lock.animations)) {
    for (const [request, entry] of Object.entries(requests)) {
      const isTake = entry.result !== undefined && isOtherTake(sheets.get(id), request, entry)
      const state = asked.has(request) ? 'used' : isTake ? 'take' : 'superseded'
      // A renamed sprite wants the results of its old name.
      if (entry.result) yield toNamed(asked.get(request) ?? id, request, state, entry, entry.result)
    }
  }
  for (const [request, entry] of Object.entries(lock.steps ?? {})) {
    const id = asked.get(request) ?? ids.get(request) ?? request.slice(0, 12)
    if (entry.result) yield toNamed(id, request, asked.has(request) ? 'used' : 'superseded', entry, entry.result)
  }
}

/** Whether an entry is of the same request as a present animation, apart from the take. */
function isOtherTake(target: WantedAnimation | undefined, request: string, entry: LockEntry): boolean {
  const { take = 1 } = entry.asked
  return target !== undefined && requestHash({ ...target.requests(entry.service).request, take }, entry.service) === request
}

function toNamed(id: string, request: string, state: ResultState, entry: LockEntry, result: NonNullable<LockEntry['result']>): NamedResult {
  const { host, keyMode } = entry.service
  return {
    id,
    request,
    state,
    sha256: result.sha256,
    bytes: result.bytes,
    service: { host, keyMode },
    take: entry.asked.take,
    isPicture: entry.asked.operation !== undefined,
    ...(entry.execution ? { executionId: entry.execution.id } : {}),
  }
}

/**
 * Every result that the records name. The last one counts: an earlier one with other bytes was delivered
 * again since.
 */
function readRecords(
  view: JournalView | undefined,
  request: string,
  id: string,
  state: (isLast: boolean) => ResultState,
): readonly NamedResult[] {
  const results = new Map<string, NamedResult>()
  let executionId: string | undefined
  const last = view?.submission.stored?.sha256
  for (const record of view?.records ?? []) {
    if (record.type === 'accepted' || record.type === 'answerAccepted') executionId = record.body.executionId
    if (record.type !== 'stored') continue
    const { sha256, bytes } = record.body
    // A stray's result may come after the execution that replaced it.
    const madeBy = record.body.executionId ?? executionId
    results.set(sha256, { id, request, sha256, bytes, state: state(sha256 === last), executionId: madeBy })
  }
  return [...results.values()]
}

/** `HASH.MARK` of a quarantined file, without its ending. */
export function quarantineNameOf(path: string): string {
  return basename(path).replace(/\.[a-z]+$/, '')
}
