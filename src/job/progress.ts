import type { Credits } from '../credit/credits.ts'

/** The progress of one request, reported as it happens. It is for display, never a base for decisions. */
export interface JobProgress {
  /** `sprite.animation`. */
  readonly id: string
  readonly phase: 'checking' | 'uploading' | 'submitting' | 'queued' | 'running' | 'waiting' | 'downloading' | 'bought' | 'failed'
  /** 0 to 1 while `running`, if the service reports it. */
  readonly progress?: number
  /** The service's words, or why it waits. */
  readonly message?: string
  /** Credits that are held for this request from now on; 0 once they are settled or restored. */
  readonly held?: Credits
  /** Credits that this request has cost. */
  readonly settled?: Credits
}

/** Receives progress. It must not throw. */
export type ProgressListener = (progress: JobProgress) => void
