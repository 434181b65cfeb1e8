import { SpritewrightError } from '../errors.ts'
import { adoptExecution } from './adopt.ts'
import { decide } from './decision.ts'
import { isGone } from './deliver.ts'
import { downloadResult } from './fetch-result.ts'
import type { JournalView } from './journal.ts'
import { factsNow, type JobPorts, type Order } from './order.ts'
import type { Submission } from './submission.ts'

/** What a person can decide about. */
export interface OpenDecision {
  readonly attempt: number
  /** `submission` and `answer`: sent, and nobody knows whether it was heard. `execution`: the service does not know it any more. */
  readonly about: 'submission' | 'answer' | 'execution'
  readonly executionId?: string | undefined
  /** Ceiling that counts as spent, decimal text; undefined where another machine bought it. */
  readonly ceiling: string | undefined
  /** Wall clock of the first unanswered POST, milliseconds since the Unix epoch; undefined where an execution is gone. */
  readonly since: number | undefined
  /** Available credits before it was sent, decimal text. */
  readonly balanceBefore: string | undefined
}

/** What waits for a person's decision, if anything. Asks the service only where an execution is known and its result is not here: whether it still is there. */
async function readDecision(ports: JobPorts, order: Order, view: JournalView): Promise<OpenDecision | undefined> {
  const { submission } = view
  const step = decide(submission, factsNow(ports, order))
  const rest = { attempt: submission.attempt, ceiling: submission.frozen?.ceiling, balanceBefore: submission.frozen?.balance }
  if (step.do === 'stop' && (step.why.kind === 'uncertain' || step.why.kind === 'conflict')) {
    const since = step.why.kind === 'uncertain' ? step.why.since : submission.sends[0]?.at
    return { about: submission.accepted ? 'answer' : 'submission', since, ...rest }
  }
  const { accepted, stored, failed } = submission
  if (!accepted || failed || submission.abandoned || (stored && (await ports.vault.has(stored.sha256)))) return undefined
  return (await isLost(ports, submission))
    ? { about: 'execution', executionId: accepted.executionId, since: undefined, ...rest }
    : undefined
}

/** A stray that the service does not know any more, or whose file it does not have. */
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
    // Answered in the console: which execution went on nobody says.
    return status === 'needs_input' && question === null
  } catch (error) {
    ports.signal.throwIfAborted()
    // What cannot be asked is not gone, and keeps nobody from deciding about something else.
    return isGone(error)
  }
}

/** Whether the service says for certain that a result can never be had: it does not know the execution or its file any more, or the execution was left by an answer whose successor nobody knows. */
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
 * Writes a person's decision down. What follows from it is the next purchase's business.
 *
 * @returns What was decided about; undefined where nothing waits for a decision.
 * @throws `SW_USAGE` for a replay of an execution that is gone: there is nothing to send again.
 */
export async function recordDecision(ports: JobPorts, order: Order, decision: 'replay' | 'abandon'): Promise<OpenDecision | undefined> {
  for (;;) {
    const view = await adoptExecution(ports, order, await ports.journal.read(order.hash))
    const open = (await readDecision(ports, order, view)) ?? (await readGoneStray(ports, view))
    if (!open) return undefined
    if (open.about === 'execution' && decision === 'replay') {
      throw new SpritewrightError('SW_USAGE', {
        message: `The service does not know the execution of "${order.request.id}" any more, so there is nothing to send again. Give it up with: spritewright recover ${order.request.id} --abandon`,
        facts: { id: order.request.id },
      })
    }
    const about = { attempt: open.attempt, about: open.about, ...(open.executionId === undefined ? {} : { executionId: open.executionId }) }
    const body = { ...about, decision, approvedAt: order.approval?.at ?? null }
    if (await ports.journal.append(order.hash, view, 'decided', body)) return open
  }
}
