import { readPicture } from '../../atlas/index.ts'
import { formatCredits, parseCredits } from '../credit/credits.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'
import type { Accounts } from './accounts.ts'
import { animate } from './artist.ts'
import { packDelivery } from './delivery.ts'
import type { Executions } from './executions.ts'
import { reviewFrames } from './frame-review.ts'
import type { ResolvedEmbeddedOptions } from './options.ts'
import type { ExecutionRecord, Failure } from './records.ts'
import type { Store } from './store.ts'

/** Runs executions in the background: admission, hold, drawing, settlement. */
export interface Jobs {
  /** Takes an execution on, queued or running (after a restart: from its beginning, to the same result). */
  start(id: string): void
  /** Stops without ending any execution, and waits until nothing runs; a restart goes on with them. */
  stop(): Promise<void>
}

/** What {@link createJobs} stands on. */
export interface JobsGround {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly options: ResolvedEmbeddedOptions
  readonly accounts: Accounts
  readonly executions: Executions
  /** Told of a mistake of the service itself, as the execution can only say `generation_failed`. */
  readonly onMistake: (error: unknown) => void
}

/** Jobs over executions. */
export function createJobs(ground: JobsGround): Jobs {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  return {
    start: (id) => {
      const task = run(ground, id, stopping.signal)
        .catch((error: unknown) => {
          // Stopped on the way: the execution stays as it is. Otherwise the store is broken, which every later answer says by a 503.
          if (!stopping.signal.aborted) ground.onMistake(error)
        })
        .finally(() => running.delete(task))
      running.add(task)
    },
    stop: async () => {
      stopping.abort(new Error('The embedded service is stopping.'))
      await Promise.all(running)
    },
  }
}

async function run(ground: JobsGround, id: string, stop: AbortSignal): Promise<void> {
  const { executions, store } = ground
  // The checks come after the acceptance is safe, never before.
  await store.flushed()
  if (executions.get(id).status === 'queued' && !(await admit(ground, id, stop))) return
  const failure = await draw(ground, executions.get(id), stop).catch((error: unknown): Failure => {
    stop.throwIfAborted()
    ground.onMistake(error)
    return { reason: 'generation_failed', message: 'The animation could not be drawn. Nothing is charged.', retryable: false }
  })
  if (failure !== undefined)
    executions.advance(id, { status: 'failed', failedAt: 'job', failure, money: 'restored' }, [{ kind: 'done', failure }])
  await store.flushed()
}

/** @returns Whether it runs now, its price held. */
async function admit(ground: JobsGround, id: string, stop: AbortSignal): Promise<boolean> {
  const { clock, executions, options } = ground
  for (let attempt = 1; ; attempt++) {
    stop.throwIfAborted()
    const execution = executions.get(id)
    const { prompt } = execution.request
    const failure = options.verdict({ stage: 'admission', attempt, executionId: id, prompt }) ?? refuse(ground, execution)
    if (failure === undefined) {
      executions.advance(id, { status: 'running', money: 'held' }, [{ kind: 'thinking', message: 'Looking at the reference.' }])
      return true
    }
    if (!failure.retryable) {
      executions.advance(id, { status: 'failed', failedAt: 'admission', failure }, [{ kind: 'done', failure }])
      return false
    }
    await clock.sleep(options.admissionRetryMs, stop)
  }
}

function refuse({ accounts, options }: JobsGround, execution: ExecutionRecord): Failure | undefined {
  const active = accounts.executions(execution.accountId).filter((other) => other.status === 'running').length
  if (active >= options.limits.activeJobs)
    return { reason: 'too_many_active_jobs', message: `This account runs ${active} jobs already.`, retryable: false }
  const available = accounts.available(execution.accountId)
  if (available < parseCredits(execution.price)) {
    const message = `This costs ${execution.price} credits; ${formatCredits(available)} are available.`
    return { reason: 'insufficient_credits', message, retryable: false }
  }
  return undefined
}

/** @returns What to fail with, or undefined when it is delivered and settled. */
async function draw(ground: JobsGround, execution: ExecutionRecord, stop: AbortSignal): Promise<Failure | undefined> {
  const { clock, executions, options, random, store } = ground
  const { id, request } = execution
  const failure = options.verdict({ stage: 'job', attempt: 1, executionId: id, prompt: request.prompt })
  if (failure !== undefined) return failure
  const upload = store.table('upload').get(request.referenceId)!
  const frames = await animate({
    reference: await readPicture(await store.bytes(upload.sha256)),
    prompt: request.prompt,
    frames: request.frames,
    background: request.background,
    onFrame: async (index) => {
      executions.advance(id, {}, [{ kind: 'progress', progress: (index + 1) / request.frames }])
      await store.flushed()
      if (options.jobMs > 0) await clock.sleep(options.jobMs / request.frames, stop)
      stop.throwIfAborted()
    },
  })
  if (frames.length < request.frames)
    return { reason: 'insufficient_frames', message: `Only ${frames.length} of ${request.frames} frames were drawn.`, retryable: false }
  executions.advance(id, {}, [{ kind: 'job', message: 'Packing the delivery.' }])
  const { zip, width, height } = await packDelivery(frames, options.shapes.names)
  const sha256 = await store.keep(zip)
  stop.throwIfAborted()
  const review = reviewFrames(frames, request.background)
  const delivery = { assetId: random.uuid(), sha256, contentType: 'application/zip', width, height, review }
  executions.advance(id, { status: 'completed', money: 'settled', delivery }, [{ kind: 'asset', message: 'Delivered.' }, { kind: 'done' }])
  return undefined
}
