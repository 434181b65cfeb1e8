import type { ErrorCode, SpritewrightError } from '../../errors.ts'
import type { KeySearch } from '../../key-search.ts'
import { orderMessage, parseFailure } from '../../queue/messages.ts'

/** The kinds of events with their levels. JSON lines, metrics and the hook show these names, so they stay. */
export const eventLevels = {
  /** The worker names its signing key. */
  identity: 'info',
  /** Another worker is active. */
  standby: 'info',
  /** The first request of a new active worker waits. */
  pause: 'info',
  /** Health and metrics are served. */
  http: 'info',
  active: 'info',
  ordered: 'info',
  /** An order waits, e.g. because git cannot fetch. */
  waiting: 'warn',
  bought: 'info',
  /** An execution waits for the answer of a person. */
  question: 'warn',
  /** The outcome of a submission is unknown, and a person decides. */
  decision: 'error',
  /** A purchase would exceed a ceiling, a total, a budget or the balance. */
  limit: 'warn',
  /** An approval or an order does not count. */
  refused: 'warn',
  /** An order failed for another reason. */
  failed: 'error',
  /** The worker found something that a person should know. */
  warning: 'warn',
  /** The lease is lost. */
  lost: 'warn',
  /** The worker cannot work now, and tries again. */
  trouble: 'error',
  /** Nothing could be bought for some minutes. */
  stalled: 'error',
} as const satisfies Readonly<Record<string, 'info' | 'warn' | 'error'>>

/** Name of a kind of event. */
export type EventKind = keyof typeof eventLevels

/** Something that a worker reports. It has no secret and no prompt. */
export interface WorkerEvent {
  readonly kind: EventKind
  /** For a person. */
  readonly message: string
  /** Who and what it is about, for machines. */
  readonly fields?: EventFields
}

/** Data of an event. Amounts are decimal texts. */
export interface EventFields {
  readonly project?: string | undefined
  /** `sprite.animation`, or `sprite` for a picture. */
  readonly id?: string | undefined
  /** Request hash. */
  readonly hash?: string | undefined
  readonly commit?: string | undefined
  /** Credits of a purchase. Missing if another machine bought it. */
  readonly credits?: string | undefined
  /** Highest price of an order. */
  readonly ceiling?: string | undefined
  readonly code?: ErrorCode | undefined
}

/** The JSON of an event, for machines. */
export function eventRecord(
  { kind, message, fields }: WorkerEvent,
  now: number,
): Readonly<Record<string, unknown>> & { readonly time: string } {
  return { time: new Date(now).toISOString(), level: eventLevels[kind], event: kind, message, ...fields }
}

/** Receives each event of a worker. It must not throw. */
export type Tell = (event: WorkerEvent) => void

/** Masks the API key in every message. */
export function masked(tell: Tell, { mask }: KeySearch): Tell {
  return (event) => tell({ ...event, message: mask(event.message) })
}

const kinds: { readonly [code in ErrorCode]?: EventKind } = {
  SW_QUESTION: 'question',
  SW_UNCERTAIN: 'decision',
  SW_CONFLICT: 'decision',
  SW_CEILING: 'limit',
  SW_BALANCE: 'limit',
  SW_PRICE_VERSION: 'limit',
  SW_APPROVAL: 'refused',
  SW_BUYER: 'refused',
  SW_ORDER: 'refused',
}

/**
 * The event for an order or an inquiry that failed.
 *
 * @param failure See `formatFailure`.
 */
export function failureEvent(data: unknown, failure: string): WorkerEvent {
  const { code, message } = parseFailure(failure)
  const fields = orderFields(data)
  const whose = fields.project === undefined ? '' : `${fields.project}: `
  return { kind: kinds[code] ?? 'failed', message: `${whose}Refused or failed: ${message}`, fields: { ...fields, code } }
}

/** The fields for an order. Empty for data that is no order: anybody may have written it. */
export function orderFields(data: unknown): EventFields {
  const { success, data: order } = orderMessage.safeParse(data)
  return success ? { project: order.project, id: order.id, hash: order.hash, commit: order.commit } : {}
}

/** The event for an error after which the worker tries again. */
export function troubleEvent({ code, message }: SpritewrightError): WorkerEvent {
  return { kind: 'trouble', message: `${message} This worker gives up its lease, and tries again until it can work.`, fields: { code } }
}
