import type { Credits } from '../credit/credits.ts'

/** Where the work on one request stands, told as it happens; for people to look at, never a base for decisions. */
export interface JobProgress {
  /** `sprite.animation`. */
  readonly id: string
  readonly phase: 'checking' | 'uploading' | 'submitting' | 'queued' | 'running' | 'waiting' | 'downloading' | 'bought' | 'failed'
  /** 0 to 1 while `running`, where the service says so. */
  readonly progress?: number
  /** The service's words, or why it waits. */
  readonly message?: string
  /** Credits that are held for this request from now on; 0 once settled or restored. */
  readonly held?: Credits
  /** Credits that this request has cost. */
  readonly settled?: Credits
}

/** Takes progress; it must not throw. */
export type ProgressListener = (progress: JobProgress) => void
