import { type Reason, reasons } from '../reasons.ts'
import type { Failure } from '../store/records.ts'

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
 * The failure that a prompt asks for at a stage. Words of a prompt trigger rare events, so that anyone can try
 * how a pipeline handles them. Only the embedded service knows these words.
 *
 * | in the prompt | what happens |
 * |---|---|
 * | `[fail quota_exceeded]` | the execution fails with this public reason: `generation_failed`, `insufficient_frames` and `temporarily_unavailable` while it is drawn, the others at admission |
 * | `[fail content_refused at job]` | the same at the named stage, `admission` or `job` |
 * | `[fail generation_failed retryable]` | the failure may be retried; at admission it then never ends |
 * | `[busy 3]` | admission fails three times with a retryable failure, then passes |
 *
 * An unknown reason fails with `invalid_request`, which shows the typing error.
 *
 * @param attempt Counts the attempts of admission, from 1.
 */
export function failureIn(prompt: string, stage: 'admission' | 'job', attempt: number): Failure | undefined {
  const busy = Number(/\[busy (\d{1,3})\]/.exec(prompt)?.[1] ?? 0)
  if (stage === 'admission' && attempt <= busy)
    return { reason: 'temporarily_unavailable', message: 'The service is busy; it tries again by itself.', retryable: true }
  const [fail, word, at, retryable] = /\[fail ([a-z_]+)(?: at (admission|job))?( retryable)?\]/.exec(prompt) ?? []
  if (fail === undefined) return undefined
  const reason = reasons.find((known) => known === word)
  if (reason === undefined) {
    const message = `Expected one of the public reasons in [fail …]: ${reasons.join(', ')}.`
    return stage === 'admission' ? { reason: 'invalid_request', message, retryable: false } : undefined
  }
  if (stage !== (at ?? (ofJobs.includes(reason) ? 'job' : 'admission'))) return undefined
  return { reason, message: sentences[reason] ?? 'The prompt asked for this failure.', retryable: retryable !== undefined }
}

/**
 * The question that a prompt asks for.
 *
 * | in the prompt | what happens |
 * |---|---|
 * | `[ask]`, the word `ambiguous`, or a question mark at the end | one question that an answer in words settles |
 * | `[ask asset]` | one question that needs a picture in its answer |
 */
export function questionIn(prompt: string): { readonly text: string; readonly requiresAsset: boolean } | undefined {
  if (/\[ask asset\]/.test(prompt)) return { text: 'Which picture should this look like? Send one with the answer.', requiresAsset: true }
  const isOpen = /\[ask\]/.test(prompt) || /\bambiguous\b/i.test(prompt) || /\?\s*$/.test(prompt)
  return isOpen ? { text: 'The prompt can be read in more than one way. What is meant?', requiresAsset: false } : undefined
}
