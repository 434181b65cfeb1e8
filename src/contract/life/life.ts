import canonicalize from 'canonicalize'
import { type Credits, formatCredits, isAboveCeiling, parseCredits } from '../../credit/credits.ts'
import { sha256 } from '../../host/sha256.ts'
import { toSegment } from '../../service/address.ts'
import { parseJson } from '../../service/json.ts'
import type { StreamEvent } from '../../service/profile.ts'
import type { SheetSubmission } from '../../service/submission.ts'
import type { Reply } from '../caller.ts'
import type { ContractContext } from '../check.ts'
import type { LifeOutcome } from '../outcome.ts'
import { isRecord } from '../records.ts'

/** Number of frames of the one execution: the smallest that the interface allows. */
export const lifeFrames: number = 7

/** Callbacks and times for a bought execution, besides the context. */
export interface LifePorts {
  /** Writes a summary of the submission to disk. If it rejects, nothing is sent. */
  readonly record: (intent: Readonly<Record<string, unknown>>) => Promise<void>
  /** Keeps the paid file. */
  readonly keep: (bytes: Uint8Array, executionId: string) => Promise<void>
  /** Wait between two reads of the execution, in milliseconds. */
  readonly pollMs: number
  /** Longest wait for the end of the execution, in milliseconds. */
  readonly longestMs: number
}

const ended = ['completed', 'failed', 'cancelled']

/**
 * Buys one sheet of seven frames, follows its execution to the file, and records all observations. The function
 * does not use the client's `submit`, because it must send requests that the client never sends (other bytes
 * under a used key).
 *
 * The rules of money apply here too. Nothing is sent without a ceiling. `max_credits` is the fresh estimate
 * and never above the ceiling. Key and bytes are created once, and recorded before they are sent.
 */
export async function liveOnce(context: ContractContext, ports: LifePorts): Promise<LifeOutcome> {
  const seen: LifeOutcome = {}
  try {
    const order = await prepare(context, seen)
    if (order === undefined) return seen
    await ports.record({
      key: order.key,
      otherKey: otherKeyOf(order),
      maxCredits: formatCredits(order.price),
      bodySha256: sha256(order.body),
    })
    await enter(context, seen, order)
    if (seen.executionId === undefined) return seen
    await watch(context, seen, seen.executionId, ports)
    await replayStream(context, seen, seen.executionId)
    if (seen.replayed !== undefined && isSameAcceptance(seen.accepted, seen.replayed))
      seen.initial = await send(context, order, order.body, 'text/event-stream')
    if (statusOf(seen.reads?.at(-1)) === 'completed') await fetchFile(context, seen, seen.executionId, ports)
    seen.balanceAfter = await balance(context)
    await readUnderpriced(context, seen)
  } catch (error) {
    seen.stopped = (error as Error).message
  }
  return seen
}

interface Order {
  readonly key: string
  readonly body: Uint8Array
  readonly price: Credits
  readonly submission: SheetSubmission
}

async function prepare(context: ContractContext, seen: LifeOutcome): Promise<Order | undefined> {
  const { caller, ceiling, profile, random } = context
  if (ceiling === undefined) {
    seen.stopped = 'Nothing may be spent: set a ceiling with --spend.'
    return undefined
  }
  const quoted = await caller.call({ path: `/v1/sprite-pricing?frame_count=${lifeFrames}&background=remove`, isManaged: false })
  if (quoted.status !== 200) {
    seen.stopped = `No estimate could be had for ${lifeFrames} frames (${quoted.status}).`
    return undefined
  }
  const price = parseCredits(String(isRecord(quoted.json) ? quoted.json.credits : ''), "the estimate's credits")
  if (isAboveCeiling(price, ceiling)) {
    seen.stopped = `${lifeFrames} frames cost ${formatCredits(price)} credits, above the ceiling of ${formatCredits(ceiling)}: nothing was bought.`
    return undefined
  }
  const { json: can } = await context.capabilities()
  seen.isFree = isRecord(can) && can.key_mode === 'test' && can.test_mode_uses_credits === false
  seen.balanceBefore = await balance(context)
  if (seen.balanceBefore < price) {
    seen.stopped = `${lifeFrames} frames cost ${formatCredits(price)} credits, ${formatCredits(seen.balanceBefore)} are available: nothing was bought.`
    return undefined
  }
  const submission = {
    operation: 'sprite_sheet',
    prompt: 'a small round creature, side view\nwalk in place',
    referenceId: await context.reference(),
    frames: lifeFrames,
    background: 'remove',
    maxCredits: price,
  } as const
  seen.price = price
  return { key: `sw1-contract-${random.uuid()}`, body: bytesOf(profile.executeBody(submission)), price, submission }
}

/**
 * Submits the order and tests the clauses about keys. After a lost answer it sends the same bytes and key
 * again, as the interface says.
 */
async function enter(context: ContractContext, seen: LifeOutcome, order: Order): Promise<void> {
  const { profile } = context
  seen.accepted = await send(context, order, order.body).catch(() => send(context, order, order.body))
  if (seen.accepted.status !== 202) {
    seen.stopped = `The submission was answered with ${seen.accepted.status}.`
    return
  }
  try {
    seen.executionId = profile.readAccepted(parseJson(seen.accepted.bytes, 'the acceptance')).executionId
  } catch (error) {
    seen.stopped = (error as Error).message
    return
  }
  // No service can buy anything under this ceiling. So a service that forgets keys starts nothing with these
  // bytes.
  const underpriced = bytesOf(profile.executeBody({ ...order.submission, maxCredits: 1n }))
  seen.conflicting = await send(context, order, underpriced)
  // A service that forgets keys would charge twice, and a service that ignores `max_credits` would charge once
  // more. The ceiling must cover these charges.
  const { ceiling = 0n } = context
  if (ceiling >= 2n * order.price) seen.replayed = await send(context, order, order.body)
  if (ceiling >= 3n * order.price) seen.underpriced = await send(context, { ...order, key: otherKeyOf(order) }, underpriced)
}

function otherKeyOf({ key }: Order): string {
  return `${key}-under`
}

function send({ caller }: ContractContext, { key }: Order, body: Uint8Array, accept = 'application/json'): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key, accept }
  return caller.call({ method: 'POST', path: '/v1/execute', headers, body })
}

async function watch(context: ContractContext, seen: LifeOutcome, id: string, ports: LifePorts): Promise<void> {
  const { caller, clock } = context
  const path = `/v1/executions/${toSegment('the execution', id)}`
  const until = clock.mono() + ports.longestMs
  const reads: Reply[] = []
  const held: Credits[] = []
  seen.reads = reads
  seen.balancesHeld = held
  const read = async (): Promise<string> => {
    const reply = await caller.call({ path })
    reads.push(reply)
    if (reply.status !== 200) throw new Error(`The execution could not be read (${reply.status}).`)
    return statusOf(reply) ?? ''
  }
  for (let status = await read(); !ended.includes(status); ) {
    if (status === 'needs_input') throw new Error('The service asked a question about the execution; answer it in its console.')
    if (status === 'running') {
      const now = await balance(context)
      const next = await read()
      if (next === 'running') held.push(now)
      if (next === 'running' && seen.streams === undefined) await tryWhileRunning(context, seen, path)
    }
    if (clock.mono() > until)
      throw new Error(`The execution did not end within ${ports.longestMs / 60_000} minutes; it goes on at the service.`)
    await clock.sleep(ports.pollMs)
    status = await read()
  }
}

/**
 * Tests that need a running execution: five streams at once, and a cancellation. A closed stream must not end
 * the job.
 */
async function tryWhileRunning(context: ContractContext, seen: LifeOutcome, path: string): Promise<void> {
  const { caller } = context
  const open = []
  for (let count = 0; count < 5; count++) open.push(await caller.stream(`${path}/events`))
  const isOn = statusOf(await caller.call({ path })) === 'running'
  for (const stream of open) await stream.close()
  if (isOn) seen.streams = open.map(({ status }) => status)
  seen.versionless = await caller.call({ path, isManaged: false })
  const cancelled = await caller.call({ method: 'POST', path: `${path}/cancel` })
  if (isOn) seen.cancelled = cancelled
}

async function readUnderpriced({ caller, profile }: ContractContext, seen: LifeOutcome): Promise<void> {
  if (seen.underpriced?.status !== 202) return
  const { executionId } = profile.readAccepted(parseJson(seen.underpriced.bytes, 'the acceptance'))
  seen.underpricedStatus = statusOf(await caller.call({ path: `/v1/executions/${toSegment('the execution', executionId)}` })) ?? ''
}

async function replayStream(context: ContractContext, seen: LifeOutcome, id: string): Promise<void> {
  const path = `/v1/executions/${toSegment('the execution', id)}/events`
  const events = await allEvents(context, path)
  seen.events = events
  const middle = events[Math.floor((events.length - 1) / 2)]
  if (middle !== undefined && middle.lastEventId !== '')
    seen.resumed = { after: middle.lastEventId, events: await allEvents(context, path, middle.lastEventId) }
}

async function allEvents({ caller }: ContractContext, path: string, after?: string): Promise<StreamEvent[]> {
  const stream = await caller.stream(path, after)
  const events: StreamEvent[] = []
  for (let event = await stream.next(); event !== null && events.length < 10_000; event = await stream.next()) {
    events.push(event)
    // A service may leave a stream open after its last event.
    if (event.event === 'done') break
  }
  await stream.close()
  return events
}

async function fetchFile(context: ContractContext, seen: LifeOutcome, id: string, ports: LifePorts): Promise<void> {
  const { caller } = context
  const path = downloadPathOf(seen.reads?.at(-1), caller.address.origin, caller.address.path)
  if (path === undefined) return
  seen.redirect = await caller.call({ path })
  const { location } = seen.redirect.headers
  const url = location !== undefined && URL.canParse(location) ? new URL(location) : undefined
  seen.isElsewhere = url !== undefined && url.origin !== caller.address.origin
  const isSafe = url !== undefined && (url.protocol === 'https:' || (caller.address.isLoopback && url.hostname === '127.0.0.1'))
  if (seen.redirect.status === 200) await ports.keep(seen.redirect.bytes, id)
  if (!isSafe) return
  seen.file = await caller.outside(url.href)
  if (seen.file.status === 200) await ports.keep(seen.file.bytes, id)
}

/**
 * The path of the first finished asset under the base URL; undefined if its URL is not on the API's origin.
 */
function downloadPathOf(read: Reply | undefined, origin: string, base: string): string | undefined {
  const job = isRecord(read?.json) && isRecord(read.json.image_job) ? read.json.image_job : {}
  const [asset] = Array.isArray(job.finished_assets) ? (job.finished_assets as unknown[]) : []
  const given = isRecord(asset) && typeof asset.download_url === 'string' ? asset.download_url : ''
  const url = URL.canParse(given, origin) ? new URL(given, origin) : undefined
  if (url === undefined || url.origin !== origin || !url.pathname.startsWith(`${base}/v1/image-jobs/`)) return undefined
  return url.pathname.slice(base.length) + url.search
}

/** Whether two acceptances of any shape name the same execution. */
export function isSameAcceptance(first: Reply | undefined, second: Reply): boolean {
  return first?.status === second.status && first.text === second.text
}

/** Status of an execution in a read; undefined if the read has no status. */
export function statusOf(read: Reply | undefined): string | undefined {
  return isRecord(read?.json) && typeof read.json.status === 'string' ? read.json.status : undefined
}

async function balance({ caller, profile }: ContractContext): Promise<Credits> {
  const reply = await caller.call({ path: '/v1/balance' })
  return parseCredits(profile.readBalance(parseJson(reply.bytes, 'the balance')), 'the balance')
}

function bytesOf(body: Readonly<Record<string, unknown>>): Uint8Array {
  return new TextEncoder().encode(canonicalize(body))
}
