import { createBitmap, encodePng } from '../../atlas/index.ts'
import { createEmbeddedService, type EmbeddedCore, type EmbeddedPorts } from '../../src/embedded/core.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import type { Disk } from '../../src/host/disk.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { ServedRequest, ServedResponse } from '../../src/host/server.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

/** A figure on a clear ground, small enough to be drawn very quickly. */
export const knight: Uint8Array = drawKnight()

function drawKnight(): Uint8Array {
  const bitmap = createBitmap(32, 32)
  for (let y = 6; y < 30; y++) for (let x = 10; x < 22; x++) bitmap.data.set([180, y * 6, x * 8, 255], (y * 32 + x) * 4)
  return encodePng(bitmap)
}

/** An answer with its body. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into JSON as it comes.
  readonly json: any
}

/** How {@link Caller.call} deviates from an ordinary request. */
export interface CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Uint8Array | string
}

/** Calls a service with one key, as a plain HTTP client would. */
export interface Caller {
  call(path: string, options?: CallOptions): Promise<Reply>
  /** Uploads the knight. */
  upload(): Promise<string>
  /** Submits, and returns the answer. */
  submit(reference: string, options?: { key?: string; body?: Record<string, unknown>; accept?: string }): Promise<Reply>
  /** Uploads, submits, waits for the end of the stream, reads the execution. */
  buy(key?: string, body?: Record<string, unknown>): Promise<Reply['json']>
  /** Opens an execution's stream. */
  stream(id: string, lastEventId?: string, signal?: AbortSignal): Promise<Response>
}

/** A caller with a key. */
export function callerOf(service: { readonly url: string }, key: string): Caller {
  const call = async (path: string, options: CallOptions = {}): Promise<Reply> => {
    const headers = new Headers({ authorization: `Bearer ${key}`, 'service-version': '1' })
    for (const [name, value] of Object.entries(options.headers ?? {})) value === undefined ? headers.delete(name) : headers.set(name, value)
    const response = await fetch(service.url + path, {
      method: options.method ?? 'GET',
      redirect: 'manual',
      headers,
      ...(options.body === undefined ? {} : { body: options.body as BodyInit }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  const upload = async (): Promise<string> => {
    const reply = await call('/v1/reference-assets', { method: 'POST', headers: { 'content-type': 'image/png' }, body: knight })
    return reply.json.asset_id
  }
  const submit: Caller['submit'] = (reference, { key: idempotencyKey = 'first', body = {}, accept = 'application/json' } = {}) =>
    call('/v1/execute', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey, accept },
      body: JSON.stringify({ ...submission(reference), ...body }),
    })
  const stream: Caller['stream'] = (id, lastEventId, signal) =>
    fetch(`${service.url}/v1/executions/${id}/events`, {
      headers: { authorization: `Bearer ${key}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      ...(signal ? { signal } : {}),
    })
  return {
    call,
    upload,
    submit,
    stream,
    buy: async (idempotencyKey = 'first', body = {}) => {
      const accepted = await submit(await upload(), { key: idempotencyKey, body })
      await (await stream(accepted.json.execution_id)).text()
      return (await call(`/v1/executions/${accepted.json.execution_id}`)).json
    },
  }
}

/** A body that the service accepts. */
export function submission(reference: string): Record<string, unknown> {
  return {
    operation: 'sprite_sheet',
    prompt: 'a knight\nwalk',
    reference_asset_id: reference,
    max_credits: '2.4',
    animation: { frame_count: 12, background: 'remove' },
  }
}

/** Limits that are never reached. */
export const noLimits = { post: Number.POSITIVE_INFINITY, get: Number.POSITIVE_INFINITY, download: Number.POSITIVE_INFINITY }

const started: EmbeddedService[] = []

/**
 * A service whose jobs take no time besides their work, and a caller with its key. {@link closeAll} closes
 * it.
 */
export async function start(options: EmbeddedOptions = {}, ports: Partial<EmbeddedPorts> = {}): Promise<EmbeddedService & { me: Caller }> {
  const service = await startEmbeddedService({ jobMs: 0, ...options, limits: { ...noLimits, ...options.limits } }, ports)
  started.push(service)
  return { ...service, me: callerOf(service, service.key) }
}

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(started.splice(0).map((service) => service.close()))
}

/** Events of a stream's text: kind, id and payload. */
export function eventsOf(text: string): { kind: string; id: string; data: Record<string, unknown> }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event:'))
    .map((block) => {
      const field = (name: string): string =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))!
          .slice(name.length + 2)
      return { kind: field('event'), id: field('id'), data: JSON.parse(field('data')) }
    })
}

/** A request as a server hands it on. */
export function served(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: Uint8Array | string = '',
): ServedRequest {
  return {
    method,
    path,
    headers,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    signal: new AbortController().signal,
  }
}

/** A service without sockets and jobs that take no time. `send` has its key and the version of the interface. */
export async function inProcess(
  options: EmbeddedOptions = {},
  disk: Disk = new MemoryDisk(),
): Promise<EmbeddedCore & { send(...request: Parameters<typeof served>): Promise<ServedResponse> }> {
  const ports = { clock: new ManualClock(), disk, random: nodeRandom() }
  const core = await createEmbeddedService(ports, { jobMs: 0, ...options, limits: { ...noLimits, ...options.limits } })
  const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: Uint8Array | string) =>
    core.handle(served(method, path, { authorization: `Bearer ${core.key}`, 'service-version': '1', ...headers }, body))
  return { ...core, send }
}

/** The JSON of an answer that was not sent. */
export function jsonOf({ body }: ServedResponse): Reply['json'] {
  return JSON.parse(new TextDecoder().decode(body as Uint8Array))
}
