import { parseCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { ServiceClient } from '../../service/client.ts'
import type { Execution, FrameReview } from '../../service/wire.ts'
import { embeddedHost } from '../../sprite-spec/request.ts'
import { findEntry, type LockEntry } from '../../vault/lockfile.ts'
import { adoptExecution } from '../adopt.ts'
import { askedFields, idempotencyKey, type JobPorts, type Order } from '../order.ts'
import type { JournalView } from '../records/journal.ts'
import type { RecordBodies } from '../records/record.ts'
import type { Submission } from '../records/submission.ts'
import { follow, readPatiently } from './follow.ts'
import { compareWithAsset } from './inspect.ts'

/**
 * Watches a known execution until it ends, and records the end. Sends only GET requests.
 *
 * @throws `SW_QUESTION` if the execution waits for an answer.
 */
export async function watch(ports: JobPorts, order: Order, view: JournalView, executionId: string): Promise<void> {
  const { id } = order.request
  await settle(ports, order, view)
  const credits = view.submission.frozen ? parseCredits(view.submission.frozen.maxCredits) : undefined
  const held = credits === undefined ? {} : { held: credits }
  const place = { key: idempotencyKey(order.identity, order.hash, view.submission.attempt), id }
  // An execution that waits for an answer is not active. Its answer starts another execution, which gets the place.
  const isActive = view.submission.question === undefined
  if (isActive) await ports.places.keep(place, { executionId })
  const execution = await follow({ client: ports.client, clock: ports.clock }, executionId, {
    signal: ports.signal,
    onExecution: (seen) => ports.onProgress({ id, phase: seen.status === 'queued' ? 'queued' : 'running', message: seen.status, ...held }),
    onEvent: (event) => {
      if (event.progress === null && event.message === null) return
      ports.onProgress({
        id,
        phase: 'running',
        ...(event.progress === null ? {} : { progress: event.progress }),
        ...(event.message === null ? {} : { message: event.message }),
        ...held,
      })
    },
  }).catch((error: unknown) => {
    throw isGone(error) ? goneError(order, executionId, error) : error
  })
  const { error } = execution
  if (error?.reason === 'too_many_active_jobs') await ports.places.refused(place, error.retryable, ports.signal)
  if (isActive) await ports.places.leave(place.key)
  if (execution.question !== null) {
    await ports.journal.append(order.hash, view, 'asked', { attempt: view.submission.attempt, executionId, question: execution.question })
    throw questionError(id, execution)
  }
  if (execution.status === 'needs_input') {
    const now = await ports.journal.read(order.hash)
    const isLeft = now.submission.accepted?.executionId === executionId
    if (isLeft && (await adoptExecution(ports, order, now, true)) === now) throw answeredElsewhere(id, executionId)
    return
  }
  const attempt = view.submission.attempt
  if (execution.status !== 'completed') {
    const failed = { attempt, executionId, status: execution.status, error: execution.error }
    await appendUntil(ports, order, view, (now) => now.submission.failed !== undefined, 'failed', failed)
  } else {
    const asset = execution.assets[0]
    if (!asset) {
      throw new SpritewrightError('SW_WIRE', {
        message: `The service says that "${id}" is completed and names no file. Nothing is lost: build again later, it is read again for free (execution ${executionId}).`,
        facts: { id, executionId },
      })
    }
    const { downloadUrl, contentType, width, height } = asset
    const completed = { attempt, executionId, downloadUrl, contentType, width, height, review: execution.review }
    await appendUntil(ports, order, view, (now) => now.submission.completed !== undefined, 'completed', completed)
  }
  await settle(ports, order, await ports.journal.read(order.hash))
}

/**
 * Downloads the raw result into the vault, before anything opens it, and records its hash. Repeatable and free.
 */
export async function deliver(ports: JobPorts, order: Order, view: JournalView, downloadUrl: string): Promise<void> {
  ports.onProgress({ id: order.request.id, phase: 'downloading' })
  const executionId = view.submission.accepted?.executionId
  const download = (): ReturnType<typeof downloadResult> => downloadResult(ports.client, executionId, downloadUrl, ports.signal)
  const { bytes } = await readPatiently(ports.clock, download, ports.signal).catch((error: unknown) => {
    throw isGone(error) ? goneError(order, executionId ?? 'unknown', error) : error
  })
  const sha256 = await ports.vault.put(bytes)
  const completed = view.submission.completed
  if (completed !== undefined) for (const warning of compareWithAsset(order.request, completed, bytes)) ports.warn(warning)
  await recordStored(ports, order, view, sha256, bytes.length)
}

/**
 * Records a copy in the vault as the result of the present execution.
 *
 * @throws `SW_DISK` if the copy is only outside the project and its record could not be written.
 * @throws `SW_STORE` if the result is new and the shared store did not accept it. Its record is written.
 */
export async function recordStored(ports: JobPorts, order: Order, view: JournalView, sha256: string, bytes: number): Promise<void> {
  const { attempt, accepted } = view.submission
  const why = ports.vault.unshared.get(sha256)
  const isNew = why !== undefined && !view.submission.stored && !findEntry(await ports.lock.read(), order.request.id, order.hash)?.result
  const stored = { attempt, ...(accepted ? { executionId: accepted.executionId } : {}), sha256, bytes }
  try {
    await appendUntil(ports, order, view, (now) => now.submission.stored?.sha256 === sha256, 'stored', stored)
    await settle(ports, order, await ports.journal.read(order.hash))
  } catch (error) {
    throw ports.vault.rescued.length > 0 ? rescuedError(ports, order.request.id, error) : error
  }
  if (isNew)
    throw new SpritewrightError('SW_STORE', { message: `"${order.request.id}" is bought. ${why}`, facts: { id: order.request.id, sha256 } })
}

/** The error for results that had to be stored elsewhere. Their place comes last in the message. */
export function rescuedError(ports: Pick<JobPorts, 'vault'>, id: string, cause?: unknown): SpritewrightError {
  const { folder, rescued } = ports.vault
  const places = [...new Set(rescued)]
  return new SpritewrightError('SW_DISK', {
    message: `${folder} takes no more files, so nothing more is bought; it stopped at "${id}". Make room, or make the folder writable, and build again: what was paid for is safe. Until then it is kept in ${places.join(' and ')}`,
    facts: { id, folder, rescued: places },
    cause,
  })
}

/**
 * Appends a record, and reads again if another process was first. If that process has recorded the same, or an
 * attempt or an execution that replaces the present one, nothing is appended.
 */
async function appendUntil<T extends 'failed' | 'completed' | 'stored'>(
  ports: JobPorts,
  order: Order,
  first: JournalView,
  isRecorded: (view: JournalView) => boolean,
  type: T,
  body: Parameters<JobPorts['journal']['append']>[3],
): Promise<void> {
  let view = first
  const isPresent = ({ submission }: JournalView): boolean =>
    submission.attempt === first.submission.attempt && submission.accepted?.executionId === first.submission.accepted?.executionId
  while (!isRecorded(view) && isPresent(view)) {
    if (await ports.journal.append(order.hash, view, type, body as never)) return
    view = await ports.journal.read(order.hash)
  }
}

/**
 * Copies the state of the records to the lock file and the ledger. Repeatable: after a crash between record
 * and lock file, the next run repairs the lock file.
 */
export async function settle(ports: Pick<JobPorts, 'lock' | 'ledger' | 'clock'>, order: Order, view: JournalView): Promise<void> {
  const { accepted, completed, failed, stored, frozen, attempt } = view.submission
  if (!accepted) return
  const { id } = order.request
  if (frozen) {
    const move = {
      id,
      hash: order.hash,
      attempt,
      executionId: accepted.executionId,
      credits: parseCredits(frozen.maxCredits),
      at: ports.clock.wall(),
    }
    await ports.ledger.ensure({ ...move, type: 'held' })
    if (completed) await ports.ledger.ensure({ ...move, type: 'settled' })
    if (failed) await ports.ledger.ensure({ ...move, type: 'restored' })
  }
  await ports.lock.change(id, order.hash, (entry) => {
    const base: { -readonly [K in keyof LockEntry]: LockEntry[K] } = {
      service: order.identity,
      asked: askedFields(order.request),
      ...entry,
    }
    if (entry && knowsMore(entry, view.submission)) return entry
    // An approval at the same moment froze another attempt in the lock file. That attempt was never sent.
    const isAhead = frozen !== undefined && entry?.submission !== undefined && entry.submission.attempt > attempt
    if (isAhead) base.submission = toSubmission(frozen)
    if (failed) return { ...base, execution: undefined }
    const execution = { id: accepted.executionId, conversation: accepted.conversationId }
    if (!stored) return { ...base, execution }
    return { ...base, execution, result: { sha256: stored.sha256, bytes: stored.bytes, ...reviewOf(completed?.review ?? null, entry) } }
  })
}

function toSubmission({ attempt, key, body, bodySha256, maxCredits }: RecordBodies['frozen']): NonNullable<LockEntry['submission']> {
  return { attempt, key, body, bodySha256, maxCredits }
}

/**
 * Whether the lock file is ahead of these records: another process froze the next attempt, or another machine
 * has an execution that is not in these records.
 */
function knowsMore(entry: LockEntry, { attempt, executions, stored, abandoned }: Submission): boolean {
  const isAhead = entry.submission !== undefined && entry.submission.attempt > attempt
  // A result that is here takes precedence over bytes that were only frozen.
  if (isAhead && (!stored || abandoned || entry.execution || entry.result)) return true
  return entry.execution !== undefined && executions?.includes(entry.execution.id) !== true
}

function reviewOf(review: FrameReview | null, entry: LockEntry | undefined): { review?: FrameReview } {
  if (review) return { review }
  return entry?.result?.review ? { review: entry.result.review } : {}
}

/** Whether the service certainly does not know the requested execution or file. */
export function isGone(error: unknown): boolean {
  return error instanceof SpritewrightError && (error.facts.status === 404 || error.facts.status === 410)
}

/**
 * The error for an execution that is gone: the service has lost it, or another service answers now. Nothing is
 * sent again before a person has decided.
 */
function goneError({ request: { id }, identity }: Order, executionId: string, cause: unknown): SpritewrightError {
  const giveUp = `npx spritewright recover ${id} --abandon`
  const words =
    identity.host === embeddedHost
      ? `The embedded service of this checkout does not know the execution of "${id}" (${executionId}): each one knows only what was bought in its own checkout. Commit .spritewright/results/ there. Or give it up here, and approve it again with play money: ${giveUp}`
      : `The service does not know the execution of "${id}" (${executionId}), or its file, any more, though it had accepted it. Nothing is sent again. Make sure that this is the service and the account it was bought with; where the service has forgotten it, give it up: ${giveUp}`
  return new SpritewrightError('SW_UNCERTAIN', {
    message: words,
    facts: { id, executionId, status: 404 },
    cause,
  })
}

/** The error for a question that was answered elsewhere, so that the id of the new execution is unknown. */
function answeredElsewhere(id: string, executionId: string): SpritewrightError {
  return new SpritewrightError('SW_QUESTION', {
    message: `The question of "${id}" was answered elsewhere, and the service does not say which execution goes on (the asking one was ${executionId}). Pull sprites.lock* from the machine that answered it. If there is none, its result can be fetched in the service's console; nothing more is sent for it from here, unless it is given up: npx spritewright recover ${id} --abandon`,
    facts: { id, executionId },
  })
}

function questionError(id: string, execution: Execution): SpritewrightError {
  const question = execution.question
  return new SpritewrightError('SW_QUESTION', {
    message: `The execution of "${id}" waits for an answer: ${question?.text ?? ''} Answer it with: npx spritewright answer ${id} "…"${question?.requiresAsset ? ' --asset FILE' : ''}`,
    facts: { id, executionId: execution.executionId, question: question?.text, requiresAsset: question?.requiresAsset },
  })
}

/**
 * Downloads a result from the address in the record of its completion. If the service has another address now
 * (the embedded service takes a free port at every start), the execution is read for the new address. A result
 * is only requested from the service itself.
 *
 * @throws The errors of the client.
 * @throws `SW_WIRE` if the new address is not the service's own either.
 */
export async function downloadResult(
  client: Pick<ServiceClient, 'download' | 'execution'>,
  executionId: string | undefined,
  downloadUrl: string,
  signal?: AbortSignal,
): Promise<{ readonly bytes: Uint8Array }> {
  try {
    return await client.download(downloadUrl, signal)
  } catch (error) {
    const isElsewhere = error instanceof SpritewrightError && error.code === 'SW_WIRE' && error.facts.expectedOrigin !== undefined
    if (!isElsewhere || executionId === undefined) throw error
    const today = (await client.execution(executionId, signal)).assets[0]?.downloadUrl
    if (today === undefined || today === downloadUrl) throw error
    return client.download(today, signal)
  }
}
