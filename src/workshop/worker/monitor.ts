import { type Credits, formatCredits, parseCredits, sumCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import { isLoopbackHost } from '../../host/net/address-blocks.ts'
import { type Listener, listen, type RequestHandler, type ServedResponse } from '../../host/server.ts'
import { type EventKind, eventLevels, type Tell } from './events.ts'
import type { WorkerStatus } from './status.ts'

/** What a worker does, for the programs that watch it. */
export interface Monitor {
  readonly tell: Tell
  /** Answers `GET /healthz` and `GET /metrics`. Nothing else has an answer but 404 and 405. */
  readonly handle: RequestHandler
}

/** An address of this machine, and a port; 0 chooses a free one. */
export interface ListenPlace {
  readonly address: string
  readonly port: number
}

/** States of a worker by the event that begins them, and whether it works or stands by in order. */
const states: { readonly [kind in EventKind]?: readonly [name: string, isHealthy: boolean] } = {
  identity: ['starting', true],
  standby: ['standby', true],
  pause: ['pause', true],
  active: ['active', true],
  bought: ['active', true],
  lost: ['lost', false],
  trouble: ['trouble', false],
  stalled: ['stalled', false],
}

/** What happened since the start, by project. */
interface Account {
  purchases: number
  settled: Credits
}

/** A metric: name, type, help, and its values by labels. */
type Metric = readonly [name: string, type: 'gauge' | 'counter', help: string, values: Readonly<Record<string, number | string>>]

/**
 * Creates the monitor of a worker. All that it knows is in the worker's events and in the queue.
 *
 * @param readStatus Reads the queue. If it fails, metrics of the queue are left out.
 */
export function createMonitor(clock: Clock, readStatus: () => Promise<WorkerStatus>): Monitor {
  let [state, isHealthy, why, since] = ['starting', true, '', clock.wall()]
  let boughtAt: number | undefined
  let isStoreAway = false
  const counts = new Map<EventKind, number>(Object.keys(eventLevels).map((kind) => [kind as EventKind, 0]))
  const accounts = new Map<string, Account>()
  const held = new Map<string, Credits>()
  const tell: Tell = ({ kind, message, fields = {} }) => {
    const now = clock.wall()
    const { hash = '', code, ceiling, credits, project = '' } = fields
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const next = states[kind]
    if (next && next[0] !== state) since = now
    if (next) [state, isHealthy, why] = [...next, message]
    if (next) isStoreAway = code === 'SW_STORE'
    else if (code === 'SW_STORE') isStoreAway = true
    if (kind === 'ordered') held.set(hash, ceiling === undefined ? 0n : parseCredits(ceiling))
    else if (next && kind !== 'bought') held.clear()
    else held.delete(hash)
    if (kind !== 'bought') return
    boughtAt = now
    const { purchases, settled } = accounts.get(project) ?? { purchases: 0, settled: 0n }
    if (credits !== undefined) accounts.set(project, { purchases: purchases + 1, settled: settled + parseCredits(credits) })
  }
  const health = (): ServedResponse => {
    const body = { state, since: new Date(since).toISOString(), ...(isHealthy ? {} : { why: why.split('\n')[0] }) }
    return answer(isHealthy ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`)
  }
  const byProject = (value: (account: Account) => number | string): Metric[3] =>
    Object.fromEntries([...accounts].map(([project, account]) => [label('project', project), value(account)]))
  const metrics = async (): Promise<ServedResponse> => {
    const status = await readStatus().catch(() => undefined)
    const own: readonly Metric[] = [
      ['active', 'gauge', 'Whether this worker is the active one.', { '': Number(state === 'active') }],
      ['healthy', 'gauge', 'Whether it works or stands by in order.', { '': Number(isHealthy) }],
      ['store_trouble', 'gauge', 'Whether a store failed since the last purchase.', { '': Number(isStoreAway) }],
      ['queue_up', 'gauge', 'Whether the queue answers.', { '': Number(status !== undefined) }],
      [
        'events_total',
        'counter',
        'Events of this worker since its start.',
        Object.fromEntries([...counts].map(([kind, n]) => [label('event', kind), n])),
      ],
      ['purchases_total', 'counter', 'Purchases of this worker since its start.', byProject(({ purchases }) => purchases)],
      ['credits_settled_total', 'counter', 'Credits that it settled since its start.', byProject(({ settled }) => formatCredits(settled))],
      ['credits_held', 'gauge', 'Ceilings of the orders that it carries out now.', { '': formatCredits(sumCredits([...held.values()])) }],
      ['last_purchase_age_seconds', 'gauge', 'Since its last purchase.', boughtAt === undefined ? {} : { '': age(boughtAt) }],
      ...(status === undefined ? [] : queueMetrics(status, age)),
    ]
    return answer(200, 'text/plain; version=0.0.4; charset=utf-8', own.map(lay).join(''))
  }
  const age = (at: number): number => Math.max(0, clock.wall() - at) / 1000
  return {
    tell,
    handle: async ({ method, path }) => {
      const isKnown = path === '/healthz' || path === '/metrics'
      if (!isKnown) return answer(404, 'text/plain', 'Expected /healthz or /metrics.\n')
      if (method !== 'GET') return answer(405, 'text/plain', 'Expected GET.\n', { allow: 'GET' })
      return path === '/healthz' ? health() : metrics()
    },
  }
}

function queueMetrics({ running, waiting, failed, worker }: WorkerStatus, age: (at: number) => number): readonly Metric[] {
  const at = [...running, ...waiting].map((order) => order.at)
  const counts = {
    [label('state', 'running')]: running.length,
    [label('state', 'waiting')]: waiting.length,
    [label('state', 'failed')]: failed.length,
  }
  const inPlace = running.filter(({ phase }) => phase === 'submitting' || phase === 'queued' || phase === 'running').length
  return [
    ['orders', 'gauge', 'Orders of the queue, at most 200 of each state; failed ones for a day.', counts],
    ['places_used', 'gauge', 'Orders that use a place of the account.', { '': inPlace }],
    ['oldest_order_age_seconds', 'gauge', 'Since the oldest order reached its state.', at.length === 0 ? {} : { '': age(Math.min(...at)) }],
    ['lease_age_seconds', 'gauge', 'Since the last sign of the active worker.', worker && !worker.hasEnded ? { '': age(worker.seen) } : {}],
  ]
}

/**
 * Listens for a monitor. On loopback, only requests that name this machine are answered: a page of another site may have
 * its own name lead here.
 *
 * @throws `SW_USAGE` if the port or the address is not free.
 */
export async function listenAt(monitor: Monitor, { address, port }: ListenPlace, tell: Tell): Promise<Listener> {
  const isHere = ({ host = '' }: Readonly<Record<string, string>>): boolean => {
    const url = `http://${host}`
    return URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
  }
  const handle: RequestHandler = async (request) => {
    if (!isLoopbackHost(address) || isHere(request.headers)) return monitor.handle(request)
    return answer(403, 'text/plain', `Expected the name of this machine, like ${address}.\n`)
  }
  try {
    const listener = await listen(handle, port, address)
    tell({ kind: 'http', message: `Health and metrics: ${listener.url}/healthz and ${listener.url}/metrics` })
    return listener
  } catch (cause) {
    const found = (cause as { code?: string }).code ?? 'an error'
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected --http ${address}:${port} to be free on this machine, found ${found}. Choose another port; 0 takes a free one.`,
      facts: { option: '--http', found },
      cause,
    })
  }
}

/** Formats a metric. One without values is left out. */
function lay([name, type, help, values]: Metric): string {
  const full = `spritewright_${name}`
  const lines = Object.entries(values).map(([labels, value]) => `${full}${labels} ${value}\n`)
  return lines.length === 0 ? '' : `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

function label(name: string, value: string): string {
  return `{${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"}`
}

function answer(status: number, type: string, text: string, headers: Readonly<Record<string, string>> = {}): ServedResponse {
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store', ...headers }, body: new TextEncoder().encode(text) }
}
