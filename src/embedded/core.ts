import { type Credits, parseCredits } from '../credit/credits.ts'
import type { Clock } from '../host/clock.ts'
import type { Disk } from '../host/disk.ts'
import type { Random } from '../host/random.ts'
import type { RequestHandler } from '../host/server.ts'
import { type Accounts, createAccounts } from './accounts/accounts.ts'
import { createWindows } from './accounts/windows.ts'
import { createApi } from './api/api.ts'
import { createAssets } from './api/assets.ts'
import { createStreams } from './api/streams.ts'
import { createExecutions } from './executions/executions.ts'
import type { Ground } from './executions/ground.ts'
import { createJobs } from './executions/jobs.ts'
import { createSubmissions } from './executions/submissions.ts'
import { createFaultPlay } from './faults/play.ts'
import { type EmbeddedAccount, type EmbeddedOptions, type RequestNote, resolveOptions } from './options/options.ts'
import type { SpritePricing } from './options/pricing.ts'
import type { ExecutionRecord } from './store/records.ts'
import { createMemoryStore, openStore, type Store } from './store/service-store.ts'

/** Ports of the service. */
export interface EmbeddedPorts {
  readonly clock: Clock
  /** Used if the options name a `dir`. */
  readonly disk: Disk
  readonly random: Random
}

/** The money of one execution. Tests compare it with their own count. */
export interface EmbeddedCharge {
  readonly executionId: string
  readonly account: string
  readonly prompt: string
  /** SHA-256 of the submitted body, hexadecimal. */
  readonly bodySha256: string
  readonly credits: Credits
}

/** What the process that runs an embedded service can ask of it and change, beside its HTTP interface. */
export interface EmbeddedControl {
  /** A test key of the first account: the first test key in the options, or a new one. */
  readonly key: string
  /** Answered requests of both origins, oldest first; at most the last 10,000. */
  requests(): readonly RequestNote[]
  /** All charges, oldest first: one entry for each settled execution. */
  charges(): readonly EmbeddedCharge[]
  /** All current holds. */
  holds(): readonly EmbeddedCharge[]
  /**
   * Adds or changes an account: its credits, operations and keys. It can also revoke a key. The change is
   * durable when this resolves.
   */
  putAccount(account: EmbeddedAccount): Promise<void>
  /** Makes one more test key for the first account. The key is durable when this resolves. */
  mintKey(): Promise<string>
  /** Changes prices for later submissions. A restart forgets the change. */
  setPricing(change: Partial<SpritePricing>): void
  /** Errors of the service itself. Clients see them as 503 or `generation_failed`. */
  mistakes(): readonly unknown[]
}

/** The service without sockets. A simulator calls it in its own process. */
export interface EmbeddedCore extends EmbeddedControl {
  /** Answers requests to the API origin. */
  readonly handle: RequestHandler
  /** Answers requests to the assets origin. */
  readonly handleAsset: RequestHandler
  /** Ends streams and jobs at once. Nothing is lost: a new core over the same folder continues them. */
  stop(): Promise<void>
}

/** The addresses of the two origins. */
export interface EmbeddedOrigins {
  readonly api: string
  readonly assets: string
}

/** Maximum length of {@link EmbeddedControl.requests}. */
const MAXIMUM_NOTES = 10_000

/**
 * Opens the service over its state and continues the executions that a stop or a crash left.
 *
 * @throws `SW_DISK` if the state is damaged, `SW_WIRE` if credits are no decimal text.
 */
export async function createEmbeddedService(
  ports: EmbeddedPorts,
  given: EmbeddedOptions = {},
  origins: EmbeddedOrigins = { api: 'http://127.0.0.1:1', assets: 'http://127.0.0.1:2' },
): Promise<EmbeddedCore> {
  const { clock, disk, random } = ports
  const options = resolveOptions(given)
  const store = given.dir === undefined ? createMemoryStore() : await openStore(disk, random, given.dir)
  const accounts = createAccounts(store, random)
  let pricing = options.pricing
  const mistakes: unknown[] = []
  const ground = {
    store,
    clock,
    random,
    options,
    accounts,
    executions: createExecutions(store),
    pricing: () => pricing,
    onMistake: (error: unknown) => void mistakes.push(error),
  }
  const submissions = createSubmissions(ground)
  const jobs = createJobs(ground)
  const streams = createStreams(ground)
  const windows = createWindows(clock, options.limits)
  const assets = createAssets(ground, origins.assets)
  const api = createApi({ ...ground, submissions, jobs, streams, windows, assets, apiUrl: origins.api })
  const { first, key } = openAccounts(accounts, options.accounts)
  await store.flushed()
  for (const { id, status } of store.table('execution').values()) if (status === 'queued' || status === 'running') jobs.start(id)
  const notes: RequestNote[] = []
  const hook = createHooks(ground, notes)
  return {
    key,
    handle: hook('api', api),
    handleAsset: hook('assets', (request) =>
      assets.serve(request).catch((error: unknown) => {
        mistakes.push(error)
        throw error
      }),
    ),
    requests: () => notes,
    charges: () => chargesOf(store, 'settled'),
    holds: () => chargesOf(store, 'held'),
    mistakes: () => mistakes,
    putAccount: async (account) => {
      accounts.put(account)
      await store.flushed()
    },
    mintKey: async () => {
      const minted = accounts.mintKey(first)
      await store.flushed()
      return minted
    },
    setPricing: (change) => {
      pricing = { ...pricing, ...change }
    },
    stop: async () => {
      streams.stop()
      await jobs.stop()
    },
  }
}

function openAccounts(accounts: Accounts, given: readonly EmbeddedAccount[]): { first: ReturnType<Accounts['put']>; key: string } {
  const put = given.map((account) => accounts.put(account))
  const first = put[0] ?? accounts.put({ name: 'demo' })
  const handed = given[0]?.keys?.find(({ mode, isRevoked }) => mode !== 'live' && isRevoked !== true)?.key
  return { first, key: handed ?? accounts.mintKey(first) }
}

/** Lets the faults and the hooks of the options act on each request, and notes it. */
function createHooks(
  { clock, options, random }: Ground,
  notes: RequestNote[],
): (origin: 'api' | 'assets', answer: RequestHandler) => RequestHandler {
  const faults = createFaultPlay(options.faults, clock, random)
  let number = 0
  return (origin, answer) => async (request) => {
    const hooked = { ...request, origin, number: ++number }
    const at = clock.wall()
    const deed = faults.deedFor(hooked)
    const early = deed && (await faults.before(deed, hooked))
    const own = early ?? (await options.after(hooked, (await options.before(hooked)) ?? (await answer(request))))
    const response = deed && early === undefined ? await faults.after(deed, hooked, own) : own
    const path = origin === 'assets' ? request.path.replace(/\?.*$/s, '') : request.path
    const note: RequestNote = { number: hooked.number, origin, method: request.method, path, status: response.status, at }
    notes.push(note)
    if (notes.length > MAXIMUM_NOTES) notes.shift()
    options.onRequest(note)
    return response
  }
}

function chargesOf(store: Store, wanted: ExecutionRecord['money']): EmbeddedCharge[] {
  return [...store.table('execution').values()]
    .filter(({ money }) => money === wanted)
    .map(({ id, accountId, request, bodySha256, price }) => ({
      executionId: id,
      account: store.table('account').get(accountId)?.name ?? '',
      prompt: request.prompt,
      bodySha256,
      credits: parseCredits(price),
    }))
}
