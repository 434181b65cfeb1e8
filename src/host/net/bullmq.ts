/** The parts of BullMQ 6 that are used, with the types that matter here. */
export interface Bullmq {
  readonly Queue: new (name: string, options: object, backend?: unknown) => Queue
  readonly Worker: new (name: string, handle: unknown, options: object, backend?: unknown) => Worker
  readonly WaitingError: new () => Error
  readonly DelayedError: new () => Error
  readonly createPostgresBackend: unknown
}

/** A connection that adds and reads jobs. */
export interface Queue {
  on(event: 'error', then: (error: Error) => void): unknown
  /** Rejects for ever if the first contact with the server failed. */
  waitUntilReady(): Promise<unknown>
  /** With `true`, its end waits for no answer of the server. */
  getBackend(): { close(force: true): Promise<unknown> }
  add(name: string, data: object, options: { readonly jobId: string; readonly priority?: number }): Promise<unknown>
  getJob(id: string): Promise<Job | undefined>
  getJobState(id: string): Promise<string>
  getJobs(states: readonly string[], from: number, to: number): Promise<readonly (Job | null | undefined)[]>
  remove(id: string): Promise<unknown>
}

/** A connection that takes jobs. */
export interface Worker {
  on(event: 'error', then: (error: Error) => void): unknown
  on(event: 'stalled', then: (id: string) => void): unknown
  /** Rejects for ever if the first contact with the server failed. */
  waitUntilReady(): Promise<unknown>
  startStalledCheckTimer(): Promise<void>
  getNextJob(token: string, options: { readonly block: false }): Promise<Job | undefined>
  /** Takes no further job, and waits for those that it has. While the server is away, that may be for ever. */
  pause(): Promise<unknown>
  /** Waits for nothing. The jobs that it has stay its own until their leases are over. */
  close(force: true): Promise<unknown>
}

/** A job, as it was when it was read. */
export interface Job {
  readonly id?: string
  readonly data: unknown
  readonly progress: unknown
  readonly returnvalue: unknown
  readonly failedReason?: string
  readonly timestamp: number
  readonly processedOn?: number
  readonly finishedOn?: number
  updateProgress(progress: object): Promise<void>
  updateData(data: object): Promise<void>
  changePriority(to: { readonly priority: number }): Promise<void>
  /** 1 if the lock is still this token's. */
  extendLock(token: string, durationMs: number): Promise<number>
  moveToWait(token?: string): Promise<unknown>
  /** @param at Milliseconds since the Unix epoch. */
  moveToDelayed(at: number, token?: string): Promise<unknown>
}
