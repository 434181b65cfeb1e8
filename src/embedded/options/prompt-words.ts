import { type Reason, reasons } from '../reasons.ts'
import type { Failure } from '../store/records.ts'

/** How the words of a prompt control its execution. */
export interface PromptWords {
  /** A failure and its stage. */
  readonly failure: { readonly stage: 'admission' | 'job'; readonly failure: Failure } | undefined
  /** Number of retryable failures of admission before it passes. */
  readonly busy: number
  /** A question, asked once. */
  readonly question: { readonly text: string; readonly requiresAsset: boolean } | undefined
}

/** Reasons that fail at the job unless the prompt names a stage. The others fail at admission. */
const ofJobs: readonly Reason[] = ['generation_failed', 'insufficient_frames', 'temporarily_unavailable']

const sentences: Partial<Readonly<Record<Reason, string>>> = {
  insufficient_credits: 'There are too few credits for this.',
  too_many_active_jobs: 'This account runs as many jobs as it may.',
  quota_exceeded: 'The quota of this account is used up.',
  content_refused: 'The content of this request was refused.',
  prompt_policy_blocked: 'The prompt is against the policy of the service.',
  generation_failed: 'The result could not be made.',
  insufficient_frames: 'Too few usable frames were made.',
  temporarily_unavailable: 'The service is not available now.',
}

/**
 * Reads the words of a prompt that trigger rare events, so that anyone can try how a pipeline handles them.
 * Only the embedded service knows these words.
 *
 * | in the prompt | what happens |
 * |---|---|
 * | `[fail quota_exceeded]` | the execution fails with this public reason: `generation_failed`, `insufficient_frames` and `temporarily_unavailable` while it is drawn, the others at admission |
 * | `[fail content_refused at job]` | the same at the named stage, `admission` or `job` |
 * | `[fail generation_failed retryable]` | the failure may be retried; at admission it then never ends |
 * | `[busy 3]` | admission fails three times with a retryable failure, then passes |
 * | `[ask]`, the word `ambiguous`, or a question mark at the end | one question that an answer in words settles |
 * | `[ask asset]` | one question that needs a picture in its answer |
 *
 * An unknown reason fails with `invalid_request`, which shows the typing error.
 */
export function readPromptWords(prompt: string): PromptWords {
  const fail = /\[fail ([a-z_]+)(?: at (admission|job))?( retryable)?\]/.exec(prompt)
  const busy = /\[busy (\d{1,3})\]/.exec(prompt)?.[1]
  return {
    failure: fail === null ? undefined : toFailure(fail[1]!, fail[2] as 'admission' | 'job' | undefined, fail[3] !== undefined),
    busy: busy === undefined ? 0 : Number(busy),
    question: toQuestion(prompt),
  }
}

function toFailure(word: string, stage: 'admission' | 'job' | undefined, retryable: boolean): PromptWords['failure'] {
  const reason = reasons.find((known) => known === word)
  if (reason === undefined) {
    const message = `Expected one of the public reasons in [fail …]: ${reasons.join(', ')}.`
    return { stage: 'admission', failure: { reason: 'invalid_request', message, retryable: false } }
  }
  const message = sentences[reason] ?? 'The prompt asked for this failure.'
  return { stage: stage ?? (ofJobs.includes(reason) ? 'job' : 'admission'), failure: { reason, message, retryable } }
}

function toQuestion(prompt: string): PromptWords['question'] {
  if (/\[ask asset\]/.test(prompt)) return { text: 'Which picture should this look like? Send one with the answer.', requiresAsset: true }
  const isOpen = /\[ask\]/.test(prompt) || /\bambiguous\b/i.test(prompt) || /\?\s*$/.test(prompt)
  return isOpen ? { text: 'The prompt can be read in more than one way. What is meant?', requiresAsset: false } : undefined
}
