import { SpritewrightError } from '../errors.ts'
import { findEntry } from '../vault/lockfile.ts'
import { adoptExecution } from './adopt.ts'
import { decide } from './decision.ts'
import { downloadResult, isGone } from './delivery/deliver.ts'
import { factsNow, type JobPorts, type Order } from './order.ts'
import type { JournalView } from './records/journal.ts'
import type { InShell } from './records/record.ts'
import type { Submission } from './records/submission.ts'

/** A case that a person can decide. */
export interface OpenDecision {
  readonly attempt: number
  /**
   * `submission` and `answer`: a POST was sent, and nobody knows whether the service received it. `execution`: the
   * service no longer knows the execution.
   */
  readonly about: 'submission' | 'answer' | 'execution'
  /** Whether the service knows the key with other bytes. */
  readonly isConflict?: boolean
  readonly executionId?: string | undefined
  /** Ceiling that counts as spent, decimal text; `undefined` for a purchase of another machine. */
  readonly ceiling: string | undefined
  /**
   * Wall clock of the first unanswered POST, milliseconds since the Unix epoch; `undefined` if an execution
   * is gone.
   */
  readonly since: number | undefined
  /** Available credits before the first POST, decimal text. */
  readonly balanceBefore: string | undefined
}

/** The exact case that a person has decided. */
export interface ShownDecision {
  readonly attempt: number
  readonly about: 'submission' | 'answer' | 'conflict' | 'execution'
  /** The execution, if the case is about an execution or about an answer to its question. */
  readonly executionId?: string | undefined
}

/** Whether the open case is the case that the person saw. */
function isShown(open: OpenDecision, { accepted }: Submission, shown: ShownDecision): boolean {
  // A conflict is shown as `conflict`, whether it is about a submission or an answer.
  const about = open.isConflict ? 'conflict' : open.about
  const executionId = about === 'answer' ? accepted?.executionId : open.executionId
  return open.attempt === shown.attempt && about === shown.about && executionId === shown.executionId
}

/**
 * Reads the case that waits for a person's decision. If an execution is known and its result is not here, the
 * function asks the service whether the execution still exists. Returns `undefined` if no case waits.
 */
async function readDecision(ports: JobPorts, order: Order, view: JournalView): Promise<OpenDecision | undefined> {
  const { submission } = view
  const step = decide(submission, factsNow(ports, order))
  const rest = { attempt: submission.attempt, ceiling: submission.frozen?.ceiling, balanceBefore: submission.frozen?.balance }
  if (step.do === 'stop' && (step.why.kind === 'uncertain' || step.why.kind === 'conflict')) {
    const since = step.why.kind === 'uncertain' ? step.why.since : submission.sends[0]?.at
    const isConflict = step.why.kind === 'conflict'
    const isForeign = step.why.kind === 'uncertain' && step.why.because === 'records'
    const isAnswer = isForeign ? submission.answer !== undefined && !submission.failed : submission.accepted !== undefined
    return { about: isAnswer ? 'answer' : 'submission', isConflict, since, ...rest }
  }
  const { accepted, stored, failed } = submission
  if (!accepted || failed || submission.abandoned || (stored && (await ports.vault.has(stored.sha256)))) return undefined
  return (await isLost(ports, submission))
    ? { about: 'execution', executionId: accepted.executionId, since: undefined, ...rest }
    : undefined
}

/**
 * Reads a stray that the service no longer knows, or whose file the service no longer has. Returns `undefined` if
 * there is no such stray.
 */
async function readGoneStray(ports: JobPorts, { records, submission }: JournalView): Promise<OpenDecision | undefined> {
  for (const { attempt, executionId, end } of submission.strays ?? []) {
    if (end !== undefined || !(await isStrayGone(ports, executionId))) continue
    const frozen = records.findLast((record) => record.type === 'frozen' && record.body.attempt === attempt)
    const { ceiling, balance } = frozen?.type === 'frozen' ? frozen.body : {}
    return { about: 'execution', executionId, attempt, since: undefined, ceiling, balanceBefore: balance }
  }
  return undefined
}

async function isStrayGone(ports: JobPorts, executionId: string): Promise<boolean> {
  try {
    const { assets, question, status } = await ports.client.execution(executionId, ports.signal)
    if (assets[0]) await ports.client.download(assets[0].downloadUrl, ports.signal)
    // The question was answered in the console, and the service does not name the new execution.
    return status === 'needs_input' && question === null
  } catch (error) {
    ports.signal.throwIfAborted()
    // If a stray cannot be read at the service, it does not count as gone, so that it cannot block a decision about
    // another case.
    return isGone(error)
  }
}

/**
 * Whether the service says for certain that a result can never be fetched. Either the service no longer knows
 * the execution or its file, or an answer has started another execution whose id nobody knows.
 */
async function isLost(ports: JobPorts, { accepted, completed }: Submission): Promise<boolean> {
  try {
    const { status, question } = await ports.client.execution(accepted?.executionId ?? '', ports.signal)
    if (completed) await downloadResult(ports.client, accepted?.executionId, completed.downloadUrl, ports.signal)
    return status === 'needs_input' && question === null
  } catch (error) {
    if (isGone(error)) return true
    throw error
  }
}

/**
 * Records a person's decision. The next purchase acts on it.
 *
 * @param shown The exact case that the person has decided; `undefined` for the case that is open now.
 * @param shell Where the decision was given.
 * @returns The decided case. Returns `undefined` if no case, or another case, waits for a decision; then nothing was
 * written.
 * @throws `SW_USAGE` for a replay of an execution that is gone, because there is nothing to send again.
 * @throws `SW_USAGE` for a replay if the chain has records that the user's own processes did not write.
 */
export async function recordDecision(
  ports: JobPorts,
  order: Order,
  decision: 'replay' | 'abandon',
  shown: ShownDecision | undefined,
  shell: InShell = {},
): Promise<OpenDecision | undefined> {
  for (;;) {
    const view = await adoptExecution(ports, order, await ports.journal.read(order.hash))
    const open = (await readDecision(ports, order, view)) ?? (await readGoneStray(ports, view))
    if (!open || (shown && !isShown(open, view.submission, shown))) return undefined
    if (open.about === 'execution' && decision === 'replay') {
      throw new SpritewrightError('SW_USAGE', {
        message: `The service does not know the execution of "${order.request.id}" any more, so there is nothing to send again. Give it up with: npx spritewright recover ${order.request.id} --abandon`,
        facts: { id: order.request.id },
      })
    }
    if (decision === 'replay' && view.submission.isForeign) {
      throw new SpritewrightError('SW_USAGE', {
        message: `The journal of "${order.request.id}" holds records that were not written with your key, so nothing is sent again because of them. Give up the purchase that they describe: npx spritewright recover ${order.request.id} --abandon, then approve it again.`,
        facts: { id: order.request.id },
      })
    }
    const about = { attempt: open.attempt, about: open.about, ...(open.executionId === undefined ? {} : { executionId: open.executionId }) }
    // If no spec asks for a request any more, the lock file still has its approval. This approval must not
    // count as a new one when a spec asks for the request again.
    const approval = order.approval ?? findEntry(await ports.lock.read(), order.request.id, order.hash)?.approval
    const body = { ...about, decision, approvedAt: approval?.at ?? null, ...shell }
    if (await ports.journal.append(order.hash, view, 'decided', body)) return open
  }
}
