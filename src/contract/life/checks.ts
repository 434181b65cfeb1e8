import { AtlasError, type Delivery, readArchive, readDelivery } from '../../../atlas/index.ts'
import { formatCredits } from '../../credit/credits.ts'
import { parseJson } from '../../service/json.ts'
import { readExecution } from '../../service/replies.ts'
import type { Execution } from '../../service/wire.ts'
import type { ContractCheck, ContractContext, Finding } from '../check.ts'
import { judge } from '../check.ts'
import { errorOf, refusalFaults } from '../envelope.ts'
import type { LifeOutcome } from '../outcome.ts'
import { eventKinds, isRecord, records, statuses, wrongKinds } from '../records.ts'
import { isSameAcceptance, lifeFrames, statusOf } from './life.ts'

/** Checks of one bought execution, from its price to its file. */
export const lifeChecks: readonly ContractCheck[] = [
  lifeCheck('C4', 'a submission is accepted with 202, never refused with 402', ({ accepted }) => {
    if (accepted === undefined) return undefined
    if (accepted.status === 402) return { broken: 'Expected credit to be checked after the acceptance, found 402 at submission.' }
    return accepted.status === 202
      ? 'kept'
      : {
          broken: `Expected 202 for the submission, found ${accepted.status} ${words(errorOf(accepted).message)}.`,
          profilePart: 'executeBody',
        }
  }),
  lifeCheck('N3', 'the acceptance names the execution', ({ accepted, executionId, stopped }) => {
    if (accepted?.status !== 202) return undefined
    return executionId === undefined ? { broken: stopped ?? 'It names none.', profilePart: 'readAccepted' } : 'kept'
  }),
  lifeCheck('C3', 'the same bytes under the same key give the same acceptance', ({ accepted, replayed, executionId, price }) => {
    if (executionId === undefined || price === undefined) return undefined
    if (replayed === undefined)
      return { notCheckable: `A service that forgets keys would charge twice: --spend ${formatCredits(2n * price)} would cover it.` }
    if (isSameAcceptance(accepted, replayed)) return 'kept'
    return { broken: `Expected the same 202 for the same bytes under the same key, found ${replayed.status} with another body.` }
  }),
  lifeCheck('C3', 'other bytes under the same key are 409 conflict', ({ conflicting }) => {
    if (conflicting === undefined) return undefined
    return judge(refusalFaults(conflicting, 'other bytes under a used Idempotency-Key', { status: [409], reason: ['conflict'] }))
  }),
  lifeCheck('C15', 'a price above max_credits is refused', ({ underpriced, underpricedStatus, executionId, price }) => {
    if (executionId === undefined || price === undefined) return undefined
    if (underpriced === undefined)
      return {
        notCheckable: `A service that forgets ceilings would charge once more: --spend ${formatCredits(3n * price)} would cover it.`,
      }
    if (underpriced.status !== 202) {
      const isRefused = underpriced.status >= 400 && underpriced.status < 500
      return isRefused ? 'kept' : { broken: `Expected a price above max_credits to be refused, found ${underpriced.status}.` }
    }
    if (underpricedStatus === 'failed') return { kept: 'It is accepted and fails then, with nothing charged.' }
    return { broken: `Expected a price above max_credits to be refused, found it accepted and ${words(underpricedStatus)}.` }
  }),
  lifeCheck('C5', 'a submission may ask for the event stream', ({ initial, executionId }) => {
    if (initial === undefined || executionId === undefined) return undefined
    const isStream = /^text\/event-stream\b/i.test(initial.headers['content-type'] ?? '')
    if (!isStream) return { notCheckable: 'A repeated submission is answered as JSON; only a first submission could show it.' }
    return initial.text.includes(executionId) ? 'kept' : { kept: 'It names no execution; spritewright asks for JSON by default.' }
  }),
  lifeCheck(
    'C2',
    'a read without Service-Version is 422',
    ({ versionless }) =>
      versionless && judge(refusalFaults(versionless, 'a read without Service-Version', { status: [422], reason: ['invalid_request'] })),
  ),
  lifeCheck('C6', 'the statuses are known and move as the table shows', ({ reads }) => {
    if (reads === undefined || reads.length === 0) return undefined
    return judge(moveFaults(reads.map((read) => statusOf(read) ?? '')))
  }),
  lifeCheck('C16', 'the execution has the fields of the interface, each of its kind', ({ reads }) => {
    if (reads === undefined || reads.length === 0) return undefined
    return judge([...new Set(reads.flatMap(({ json }) => executionFaults(json)))])
  }),
  lifeCheck('C9', 'no question while the execution does not wait for an answer', ({ reads }) => {
    if (reads === undefined) return undefined
    const asking = reads.filter(
      ({ json }) => isRecord(json) && json.status !== 'needs_input' && json.question !== null && json.question !== undefined,
    )
    return asking.length === 0
      ? 'kept'
      : { broken: `Expected question as null while the status is not needs_input, found one with ${statusOf(asking[0])}.` }
  }),
  lifeCheck('C11', 'a sprite cannot be cancelled', ({ cancelled }) => {
    if (cancelled === undefined) return undefined
    if (cancelled.status < 300)
      return { broken: `Expected a refusal to cancel a sprite, found ${cancelled.status}.`, profilePart: 'cancellable' }
    return cancelled.status < 500 ? 'kept' : { broken: `Expected a refusal to cancel a sprite, found ${cancelled.status}.` }
  }),
  lifeCheck('C14', 'the price is held while it runs', (seen) => {
    const { balanceBefore, balancesHeld, price } = seen
    const unclear = whyUnclear(seen)
    if (unclear !== undefined) return { notCheckable: unclear }
    if (balanceBefore === undefined || price === undefined || balancesHeld === undefined || balancesHeld.length === 0) return undefined
    const wanted = balanceBefore - price
    if (balancesHeld.every((held) => held === wanted)) return 'kept'
    const found = balancesHeld.map(formatCredits).join(', ')
    return {
      broken: `Expected ${formatCredits(wanted)} credits available while ${formatCredits(price)} are held, found ${found}; somebody else may use the account.`,
    }
  }),
  lifeCheck('C14', 'the hold is settled by the delivery, with exactly the price', (seen) => {
    const { balanceBefore, balanceAfter, price, reads } = seen
    const unclear = whyUnclear(seen)
    if (unclear !== undefined) return { notCheckable: unclear }
    if (balanceBefore === undefined || balanceAfter === undefined || price === undefined) return undefined
    const wanted = statusOf(reads?.at(-1)) === 'completed' ? balanceBefore - price : balanceBefore
    if (balanceAfter === wanted) return 'kept'
    return {
      broken: `Expected ${formatCredits(wanted)} credits at the end, found ${formatCredits(balanceAfter)}; somebody else may use the account.`,
    }
  }),
  lifeCheck('C21', 'the events are of the seven kinds, begin with started and end with done', ({ events }) => {
    if (events === undefined) return undefined
    if (events.length === 0) return { broken: 'Expected the events of the execution, found a stream without any.' }
    const unknown = [...new Set(events.map(({ event }) => event))].filter((kind) => !eventKinds.includes(kind))
    const last = events.at(-1)?.event
    return judge([
      ...(unknown.length === 0
        ? []
        : [`Expected the seven kinds of event, found also ${unknown.join(', ').slice(0, 100)}; they are ignored`]),
      ...(events[0]?.event === 'started' ? [] : [`Expected started first, found ${events[0]?.event}`]),
      ...(last === 'done' ? [] : [`Expected done last, found ${last}`]),
    ])
  }),
  lifeCheck('N6', 'the events can be read', ({ events }, { profile }) => {
    if (events === undefined || events.length === 0) return undefined
    const unread = events.filter((event) => profile.readEvent(event) === null).length
    return unread === 0
      ? 'kept'
      : {
          broken: `Expected each event's data as the profile reads it, found ${unread} of ${events.length} that it cannot read; they are ignored.`,
          profilePart: 'readEvent',
        }
  }),
  lifeCheck('C22', 'Last-Event-ID gives what came after it, and nothing twice', ({ events, resumed }) => {
    if (events === undefined || events.length === 0) return undefined
    if (resumed === undefined) return { broken: 'Expected events with identifiers to resume from, found none.' }
    const from = events.findIndex(({ lastEventId }) => lastEventId === resumed.after)
    const wanted = events.slice(from + 1).map(textOf)
    const found = resumed.events.map(textOf)
    if (wanted.join('\n') === found.join('\n')) return 'kept'
    return {
      broken: `Expected the ${wanted.length} events after the one named by Last-Event-ID, found ${found.length}${found.length > wanted.length ? ': some are repeated' : ''}.`,
    }
  }),
  lifeCheck('C23', 'a closed connection ends no job', ({ streams, reads }) => {
    if (streams === undefined || reads === undefined) return undefined
    return statusOf(reads.at(-1)) === 'completed'
      ? 'kept'
      : { broken: `Expected the execution to complete after its streams were closed, found ${statusOf(reads.at(-1))}.` }
  }),
  lifeCheck('C24', 'a fifth open stream is refused with 429', ({ streams }) => {
    if (streams === undefined) return undefined
    const [fifth] = streams.slice(4)
    if (streams.slice(0, 4).some((status) => status === 429)) return { notCheckable: 'Other streams of this key were open.' }
    if (streams.slice(0, 4).every((status) => status === 200) && fifth === 429) return 'kept'
    return { broken: `Expected four streams and a refusal of the fifth with 429, found ${streams.join(', ')}.` }
  }),
  lifeCheck('C25', 'an asset is a redirect to another origin, where no credentials are needed', ({ redirect, file, isElsewhere }) => {
    if (redirect === undefined) return undefined
    if (redirect.status < 300 || redirect.status > 399) return { broken: `Expected a redirect to a signed URL, found ${redirect.status}.` }
    if (!isElsewhere) return { broken: 'Expected the signed URL on another origin than the API, found it there or found none.' }
    if (file === undefined) return { broken: 'Expected the signed URL as https, found another scheme; it was not followed.' }
    return file.status === 200 ? 'kept' : { broken: `Expected the file at the signed URL without credentials, found ${file.status}.` }
  }),
  lifeCheck('C26', 'the download URL is on the origin of the API', ({ reads, redirect }) => {
    if (statusOf(reads?.at(-1)) !== 'completed') return undefined
    return redirect === undefined
      ? { broken: 'Expected a download_url under /v1/image-jobs/ on the origin of the API, found none.' }
      : 'kept'
  }),
  lifeCheck('C34', 'the delivery is a ZIP of frames', async (seen, context) => {
    const delivery = await deliveryOf(seen, context)
    if (delivery === undefined) return undefined
    if (delivery instanceof Error) return { broken: delivery.message, profilePart: 'readDelivery' }
    return delivery.frames.length === lifeFrames
      ? 'kept'
      : { broken: `Expected ${lifeFrames} frames, found ${delivery.frames.length}.`, profilePart: 'readDelivery' }
  }),
  lifeCheck('C35', "the service's review counts the frames and names frames that are there", ({ reads }) => {
    const execution = lastOf(reads?.at(-1))
    if (execution?.status !== 'completed') return undefined
    const { review } = execution
    if (review === null) return { broken: 'Expected frame_review with a completed sprite, found none.' }
    const named = [...review.keptBackgroundFrames, ...review.inspectionFrames, ...review.sourceShiftedFrames]
    return judge([
      ...(review.frameCount === lifeFrames ? [] : [`Expected frame_review.frame_count as ${lifeFrames}, found ${review.frameCount}`]),
      ...(review.background === 'remove' ? [] : [`Expected frame_review.background as remove, found ${words(review.background)}`]),
      ...(named.every((index) => index < lifeFrames) ? [] : ['Expected frames counted from 0, found one that is not there']),
    ])
  }),
  lifeCheck('C37', 'a finished asset says what its file is', async (seen, context) => {
    const execution = lastOf(seen.reads?.at(-1))
    const bytes = seen.file?.status === 200 ? seen.file.bytes : undefined
    if (execution?.status !== 'completed' || bytes === undefined) return undefined
    const [asset] = execution.assets
    if (asset === undefined) return { broken: 'Expected one finished asset, found none.' }
    const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
    const delivery = await deliveryOf(seen, context)
    const sheet = delivery instanceof Error ? undefined : delivery?.frames[0]
    const isTooSmall =
      sheet !== undefined && asset.width !== null && asset.height !== null && (asset.width < sheet.width || asset.height < sheet.height)
    return judge([
      ...(isZip === /zip/i.test(asset.contentType ?? '')
        ? []
        : [`Expected content_type as that of the file, found ${words(asset.contentType)}`]),
      ...(isTooSmall ? ['Expected width and height of at least one frame, found less'] : []),
    ])
  }),
  lifeCheck('C39', 'what an execution leaves out or adds breaks nothing here', ({ reads }) => {
    if (reads === undefined || reads.length === 0) return undefined
    const further = [...new Set(reads.flatMap(({ json }) => (isRecord(json) ? Object.keys(json) : [])))].filter(
      (field) => !Object.hasOwn(records.execution, field),
    )
    return lastOf(reads.at(-1)) === undefined
      ? { broken: 'Expected an execution that can be read, found one that cannot.' }
      : { kept: further.length === 0 ? '' : `It has ${further.join(', ').slice(0, 100)} too.` }
  }),
]

type JudgeOutcome = (seen: LifeOutcome, context: ContractContext) => Finding | undefined | Promise<Finding | undefined>

/** A check of the observations. `judgeOutcome` returns undefined if there is no observation to judge. */
function lifeCheck(clause: ContractCheck['clause'], title: string, judgeOutcome: JudgeOutcome): ContractCheck {
  return {
    clause,
    title,
    needs: 'spend',
    run: async (context) => {
      const seen = await context.life()
      const finding = await judgeOutcome(seen, context)
      if (finding === undefined) return seen.stopped === undefined ? 'not checkable' : { notCheckable: seen.stopped }
      return typeof finding === 'object' && 'kept' in finding && finding.kept === '' ? 'kept' : finding
    },
  }
}

/** Why the balance does not show the cost of this one execution; undefined if it does. */
function whyUnclear({ accepted, isFree, replayed, underpriced }: LifeOutcome): string | undefined {
  if (isFree) return 'Test mode uses no credits here.'
  const isOther = underpriced?.status === 202 || (replayed !== undefined && !isSameAcceptance(accepted, replayed))
  return isOther ? 'Another execution was started that should not have been.' : undefined
}

const allowedMoves: Readonly<Record<string, readonly string[]>> = {
  queued: ['queued', 'running', 'needs_input', 'completed', 'failed', 'cancelled'],
  running: ['running', 'needs_input', 'completed', 'failed', 'cancelled'],
  needs_input: ['needs_input', 'cancelled'],
}

function moveFaults(seen: readonly string[]): string[] {
  const unknown = seen.find((status) => !statuses.includes(status))
  if (unknown !== undefined) return [`Expected a status of the interface, found ${words(unknown)}; spritewright would wait`]
  const at = seen.findIndex(
    (status, index) => index > 0 && status !== seen[index - 1] && !(allowedMoves[seen[index - 1] ?? ''] ?? []).includes(status),
  )
  return at < 0 ? [] : [`Expected no move from ${seen[at - 1]} to ${seen[at]}, found one`]
}

function executionFaults(json: unknown): string[] {
  const faults = wrongKinds(json, records.execution, 'execution')
  if (!isRecord(json) || !isRecord(json.image_job)) return faults
  faults.push(...wrongKinds(json.image_job, records.image_job, 'image_job'))
  const { finished_assets: assets, frame_review: review } = json.image_job
  if (Array.isArray(assets)) for (const asset of assets) faults.push(...wrongKinds(asset, records.finished_asset, 'finished_assets'))
  if (isRecord(review)) faults.push(...wrongKinds(review, records.frame_review, 'frame_review'))
  return faults
}

function lastOf(read: { readonly bytes: Uint8Array } | undefined): Execution | undefined {
  if (read === undefined) return undefined
  try {
    return readExecution(parseJson(read.bytes, 'the execution').value)
  } catch {
    // The check of the fields reports this fault.
    return undefined
  }
}

/** Returns the delivery, the error if the file cannot be read, or undefined without a file. */
async function deliveryOf({ file }: LifeOutcome, { profile }: ContractContext): Promise<Delivery | Error | undefined> {
  if (file?.status !== 200) return undefined
  try {
    const entries = await readArchive(file.bytes)
    const layout = profile.readDelivery?.(entries)
    if (layout === undefined) return readDelivery(entries, { frames: lifeFrames })
    const named = layout.frames.flatMap((name) => entries.filter((entry) => entry.name === name))
    return readDelivery(named.map((entry, index) => ({ ...entry, name: `frames/${String(index).padStart(4, '0')}.png` })))
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
}

function textOf({ event, data, lastEventId }: { readonly event: string; readonly data: string; readonly lastEventId: string }): string {
  return JSON.stringify([event, data, lastEventId])
}

function words(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : 'none'
}
