import { formatCredits, parseCredits } from '../../credit/credits.ts'
import { chooseMotion } from '../artist/motion.ts'
import type { ExecutionRecord, Failure } from '../store/records.ts'
import type { Store } from '../store/service-store.ts'
import type { Ground } from './ground.ts'

/** Runs executions in the background: admission, hold, question, drawing, settlement. */
export type Jobs = ReturnType<typeof createJobs>

/** Creates jobs over executions. */
export function createJobs(ground: Ground) {
  const running = new Map<string, { readonly task: Promise<void>; readonly stopping: AbortController }>()
  return {
    /** Starts a queued or running execution. After a restart it begins again and comes to the same result. */
    start: (id: string): void => {
      const stopping = new AbortController()
      const task = run(ground, id, stopping.signal)
        .catch((error: unknown) => {
          // If the job was stopped, the execution stays as it is. Otherwise the store is broken, and every
          // later answer is a 503.
          if (!stopping.signal.aborted) ground.onMistake(error)
        })
        .finally(() => running.delete(id))
      running.set(id, { task, stopping })
    },
    /** Stops the job of an execution that was cancelled or deleted. */
    drop: (id: string): void => running.get(id)?.stopping.abort(new Error('The execution was withdrawn.')),
    /** Stops all jobs without ending their executions, and waits for them. A restart continues them. */
    stop: async (): Promise<void> => {
      const jobs = [...running.values()]
      for (const { stopping } of jobs) stopping.abort(new Error('The embedded service is stopping.'))
      await Promise.all(jobs.map(({ task }) => task))
    },
  }
}

async function run(ground: Ground, id: string, stop: AbortSignal): Promise<void> {
  const { executions, store } = ground
  // The checks run only after the acceptance is durable.
  await store.flushed()
  stop.throwIfAborted()
  if (executions.get(id).status === 'queued' && !(await admit(ground, id, stop))) return
  if (ask(ground, executions.get(id))) return
  const failure = await make(ground, executions.get(id), stop).catch((error: unknown): Failure => {
    stop.throwIfAborted()
    ground.onMistake(error)
    return { reason: 'generation_failed', message: 'The result could not be made. Nothing is charged.', retryable: false }
  })
  if (failure !== undefined) {
    const money = executions.get(id).money === 'held' ? 'restored' : 'none'
    executions.advance(id, { status: 'failed', failedAt: 'job', failure, money }, [{ kind: 'done', failure }])
  }
  await store.flushed()
}

/** @returns Whether the execution runs now, with its price held or due. */
async function admit(ground: Ground, id: string, stop: AbortSignal): Promise<boolean> {
  const { clock, executions, options } = ground
  for (let attempt = 1; ; attempt++) {
    stop.throwIfAborted()
    const execution = executions.get(id)
    const { prompt, operation } = execution.request
    const isSheet = operation === 'sprite_sheet'
    const failure = options.verdict({ stage: 'admission', attempt, executionId: id, prompt, operation }) ?? refuse(ground, execution)
    if (failure === undefined) {
      const message = execution.request.referenceId === null ? 'Reading the prompt.' : 'Looking at the reference.'
      executions.advance(id, { status: 'running', money: isSheet ? 'held' : 'due' }, [{ kind: 'thinking', message }])
      return true
    }
    if (!failure.retryable) {
      // A failure releases the hold that an earlier execution of the conversation made.
      const money = execution.money === 'held' ? 'restored' : execution.money
      executions.advance(id, { status: 'failed', failedAt: 'admission', failure, money }, [{ kind: 'done', failure }])
      return false
    }
    await clock.sleep(options.admissionRetryMs, stop)
  }
}

function refuse({ accounts, options }: Ground, execution: ExecutionRecord): Failure | undefined {
  const active = accounts.executions(execution.accountId).filter((other) => other.status === 'running').length
  if (active >= options.limits.activeJobs)
    return { reason: 'too_many_active_jobs', message: `This account runs ${active} jobs already.`, retryable: false }
  if (execution.money === 'held') return undefined
  const spendable = accounts.spendable(execution.accountId)
  if (spendable < parseCredits(execution.price)) {
    const message = `This costs ${execution.price} credits; ${formatCredits(spendable)} are available.`
    return { reason: 'insufficient_credits', message, retryable: false }
  }
  return undefined
}

/**
 * Asks a question if there is one to ask. A waiting image owes nothing; a waiting sprite keeps its hold.
 *
 * @returns Whether the execution waits now.
 */
function ask({ executions, options, random }: Ground, execution: ExecutionRecord): boolean {
  const { id, answers, money, request } = execution
  const about = { executionId: id, operation: request.operation, prompt: request.prompt, answers: answers.map(({ text }) => text) }
  const asked = options.ask(about)
  if (asked === undefined) return false
  const question = { id: random.uuid(), text: asked.text, requiresAsset: asked.requiresAsset ?? false }
  const change = { status: 'needs_input', question, money: money === 'held' ? 'held' : 'none' } as const
  executions.advance(id, change, [{ kind: 'question', message: question.text }])
  return true
}

/** @returns The failure, or undefined if the result is delivered and settled. */
async function make(ground: Ground, execution: ExecutionRecord, stop: AbortSignal): Promise<Failure | undefined> {
  const { clock, executions, options, random, store } = ground
  const { id, request } = execution
  const { operation, prompt } = request
  const failure = options.verdict({ stage: 'job', attempt: 1, executionId: id, prompt, operation })
  if (failure !== undefined) return failure
  const words = [prompt, ...execution.answers.map(({ text }) => text)].join('\n')
  const onStep = async (progress: number, ms: number): Promise<void> => {
    stop.throwIfAborted()
    executions.advance(id, {}, [{ kind: 'progress', progress }])
    await store.flushed()
    if (ms > 0) await clock.sleep(ms, stop)
    stop.throwIfAborted()
  }
  const picture = pictureOf(store, execution)
  const tools = {
    readPicture: async () => (picture === undefined ? undefined : store.bytes(picture)),
    jobMs: options.jobMs,
    names: options.shapes.names,
    earlier: countEarlier(ground, execution, picture),
    onStep,
  }
  const { makers } = options
  const made = request.operation === 'sprite_sheet' ? await makers.sheet(request, words, tools) : await makers.image(request, words, tools)
  if ('reason' in made) return made
  stop.throwIfAborted()
  executions.advance(id, {}, [{ kind: 'job', message: 'Packing the delivery.' }])
  const { bytes, ...rest } = made
  const sha256 = await store.keep(bytes)
  stop.throwIfAborted()
  const delivery = { ...rest, assetId: random.uuid(), sha256 }
  executions.advance(id, { status: 'completed', money: 'settled', delivery }, [{ kind: 'asset', message: 'Delivered.' }, { kind: 'done' }])
  return undefined
}

/** SHA-256 of the reference: the picture of the last answer that has one, else that of the submission. */
function pictureOf(store: Store, { answers, request }: ExecutionRecord): string | undefined {
  const id = answers.findLast(({ referenceId }) => referenceId !== null)?.referenceId ?? request.referenceId
  return id === null ? undefined : store.table('upload').get(id)!.sha256
}

/**
 * Number of executions before this one that would give the same picture: of an image, those with the same words
 * and the same reference; of a sprite, those whose words choose the same motion. Two that run at once differ too.
 */
function countEarlier({ accounts, store }: Ground, { accountId, id, request }: ExecutionRecord, picture: string | undefined): number {
  const { operation, prompt } = request
  const isSame = (other: ExecutionRecord): boolean =>
    ['queued', 'running', 'completed'].includes(other.status) &&
    other.request.operation === operation &&
    (other.request.prompt === prompt || (operation === 'sprite_sheet' && chooseMotion(other.request.prompt) === chooseMotion(prompt))) &&
    pictureOf(store, other) === picture
  const all = accounts.executions(accountId)
  const own = all.findIndex((other) => other.id === id)
  return all.slice(0, own).filter(isSame).length
}
