import { join } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import { createUploads, type Uploads } from '../job/uploads.ts'
import { openQueues, type Queues } from '../queue/open.ts'
import { openRemoteClient } from '../queue/remote-client.ts'
import type { ServiceClient } from '../service/client.ts'
import { openPlaceFolder, openPlaceRecords, type PlaceFiles } from '../service/limits/place-files.ts'
import { createPlaces, joinPlaces, type Places, unlimitedPlaces } from '../service/limits/places.ts'
import { accountFolder } from '../service/limits/shared-limits.ts'
import type { Capabilities } from '../service/wire.ts'
import { embeddedHost, type ServiceIdentity } from '../sprite-spec/request.ts'
import type { Context } from './context.ts'
import { refuseTrackedRecords } from './store-folder.ts'
import { checkRoute, type KeyRoute, routeOf } from './trust/hosts.ts'

/** A connection to a service that has answered. */
export interface Session {
  readonly client: ServiceClient
  readonly identity: ServiceIdentity
  readonly capabilities: Capabilities
  /** The account's places for active jobs. */
  readonly places: Places
  /** Its uploads. All runs of this process share them. */
  readonly uploads: Uploads
  /** The queues to the worker that answers instead of the service; missing if this machine has the API key. */
  readonly queues?: Queues | undefined
}

/**
 * Opens the connection to the service once, at its first use. `close` also ends everything that was started for
 * the connection.
 */
export interface ServiceConnection {
  /**
   * Host of the configured service, known without a request to it; `undefined` if no service is configured.
   */
  readonly host: string | undefined
  /** Whether requests for prices and states go to a worker instead of the service. */
  readonly isRemote: boolean
  /** Whether prices can be read: the service is embedded, its address and key are here, or a worker has them. */
  readonly canAsk: boolean
  /**
   * @param patienceMs How long an answer may wait for a worker, in milliseconds. Counts for the first call alone.
   * @default one minute
   */
  open(signal?: AbortSignal, patienceMs?: number): Promise<Session>
  /**
   * Returns the address and key of the service, for a caller that sends its own HTTP requests. Starts or
   * joins the embedded service.
   *
   * @throws `SW_NO_SERVICE`, `SW_NO_KEY`
   */
  reach(): Promise<ServiceReach>
  close(): Promise<void>
}

/** Address and key of the configured service. Never print them. */
export interface ServiceReach {
  readonly baseUrl: string
  readonly key: string
}

/**
 * Creates the connection of a workshop. Nothing is sent before its first use.
 *
 * @param onWait Receives a sentence when requests have waited some seconds for the limits, or for a worker.
 */
export function createConnection(context: Context, onWait?: (sentence: string) => void): ServiceConnection {
  let opened: Promise<Session> | undefined
  let reached: Promise<ServiceReach> | undefined
  let joined: string | undefined
  const closers: (() => Promise<void>)[] = []
  const reach = (): Promise<ServiceReach> => {
    reached ??= (
      context.options.service === 'embedded'
        ? reachEmbedded(context, closers, (url) => {
            joined = url
          })
        : reachRemote(context)
    ).catch((error: unknown) => {
      reached = undefined
      throw error
    })
    return reached
  }
  const isRemote = asksWorker(context)
  const open = async (signal?: AbortSignal, patienceMs?: number): Promise<Session> => {
    await refuseTrackedRecords(context.host, context.storeFolder)
    if (isRemote) {
      const queues = await openProjectQueues(context)
      closers.unshift(() => queues.close())
      const remote = await openRemoteClient(context.host, queues, signal, { onWait, patienceMs })
      return { ...remote, queues, places: unlimitedPlaces, ...accountOf(context, remote.client, remote.capabilities) }
    }
    const service = await reach()
    const client = await createSessionClient(context, service, onWait)
    closers.unshift(() => client.close())
    const capabilities = await client.capabilities(signal)
    if (capabilities.apiVersion !== '1')
      context.warnings.push(
        `The service speaks API version ${capabilities.apiVersion}, spritewright knows version 1. Check every price and result.`,
      )
    if (capabilities.assumed.length > 0)
      context.warnings.push(
        `The service leaves ${capabilities.assumed.join(' and ')} out of its capabilities; spritewright assumes the interface's own. Check every price and result.`,
      )
    const account = accountOf(context, client, capabilities)
    return { client, capabilities, ...account, places: openPlaces(context, client, service, account.identity) }
  }
  const host = configuredHost(context)
  const hasKey = context.options.service === 'embedded' || context.credentials.key !== undefined
  return {
    host,
    isRemote,
    canAsk: isRemote || (host !== undefined && hasKey),
    reach,
    open: async (signal, patienceMs) => {
      // The process that runs the joined embedded service may have ended meanwhile.
      if (joined !== undefined && (await findEmbedded(context))?.url !== joined) {
        opened = undefined
        reached = undefined
        joined = undefined
      }
      opened ??= open(signal, patienceMs).catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return opened
    },
    close: async () => {
      await opened?.catch(() => {})
      await reached?.catch(() => {})
      for (const close of closers.splice(0)) await close()
      await context.sharedJournal?.close()
      await context.host.net.close()
    },
  }
}

/** Whether this machine asks a worker, because it has no API key itself. */
function asksWorker({ options, credentials }: Context): boolean {
  return typeof options.service === 'object' && options.service.queue !== undefined && credentials.key === undefined
}

function accountOf(context: Context, client: ServiceClient, capabilities: Capabilities): Pick<Session, 'identity' | 'uploads'> {
  const { keyMode, apiVersion } = capabilities
  const identity: ServiceIdentity = { host: client.host, keyMode, apiVersion }
  return { identity, uploads: createUploads({ ...context.host, client, keys: context.keys }, uploadsFolder(context), identity) }
}

/**
 * Opens the queues between clients and worker.
 *
 * @param makesTables Whether missing tables of PostgreSQL are made.
 * @default no
 * @throws As {@link queueAddress}.
 */
export async function openProjectQueues(context: Context, makesTables = false): Promise<Queues> {
  return openQueues(context.host, queueAddress(context), context.options.root, makesTables)
}

/**
 * The address of the queue between clients and worker.
 *
 * @throws `SW_CONFIG` if no queue is configured, or no stores by which results and records reach every machine.
 */
export function queueAddress({ options }: Pick<Context, 'options'>): string {
  const queue = typeof options.service === 'object' ? options.service.queue : undefined
  const { shared, journal } = options.store
  const missing = Object.entries({ 'service.queue': queue, 'store.journal': journal, 'store.shared': shared }).flatMap(([name, one]) =>
    one === undefined ? [name] : [],
  )
  if (queue !== undefined && missing.length === 0) return queue
  throw new SpritewrightError('SW_CONFIG', {
    message: `A worker and its clients need service.queue for orders, store.journal for records and store.shared for results; found no ${missing.join(' and no ')}. Set ${missing.length === 1 ? 'it' : 'them'} in spritewright.config, the same on every machine.`,
    facts: { missing },
  })
}

function configuredHost(context: Context): string | undefined {
  if (context.options.service === 'embedded') return embeddedHost
  const baseUrl = context.options.service?.baseUrl ?? context.credentials.baseUrl
  return baseUrl === undefined ? undefined : hostOf(baseUrl)
}

/** Host with port and path, as every request's identity contains it. */
function hostOf(baseUrl: string): string | undefined {
  try {
    const url = new URL(baseUrl)
    return `${url.host}${url.pathname.replace(/\/+$/, '')}`
  } catch {
    return undefined
  }
}

async function createSessionClient(
  { host, options }: Context,
  { baseUrl, key }: ServiceReach,
  onWait: ((sentence: string) => void) | undefined,
): Promise<ServiceClient> {
  const { createClient } = await import('../service/client.ts')
  const profile = options.service === 'embedded' ? undefined : options.service?.profile
  return createClient(host, {
    baseUrl,
    key,
    limits: options.limits,
    // An embedded service belongs to one run, so no other process shares its limits.
    ...(options.service === 'embedded' ? { host: embeddedHost } : { limitsFolder: join(host.stateFolder, 'limits') }),
    profile,
    onWait,
  })
}

/**
 * Opens the places of the account, which all processes of this machine share, and all machines that share the journal.
 * Two keys of one account have separate places, because nothing shows that they belong together. The places of an embedded service are
 * in its own folder, because each project has its own, at another port after each start.
 */
function openPlaces(context: Context, client: ServiceClient, { baseUrl, key }: ServiceReach, identity: ServiceIdentity): Places {
  const { host, options, name, sharedJournal } = context
  const [folder, account] =
    options.service === 'embedded' ? [embeddedFolder(context), embeddedHost] : [join(host.stateFolder, 'limits'), baseUrl]
  const open = async (): Promise<string> => join(await accountFolder(host, folder, { baseUrl: account, key }), 'job')
  const openAt = (files: PlaceFiles): Places =>
    createPlaces({ clock: host.clock, client }, files, options.limits.activeJobs, name, options.store.journal)
  const own = openAt(openPlaceFolder(host, open))
  if (!sharedJournal || options.service === 'embedded') return own
  const tag = client.keyTag(JSON.stringify(['places', identity.host, identity.keyMode]))
  return joinPlaces(own, openAt(openPlaceRecords(host, sharedJournal, `places/${tag}`)))
}

/**
 * Returns the API key and the address to which it would be sent, and whether this is allowed. Returns `undefined` if
 * key or address is missing, or if the service is embedded.
 */
export async function readRoute({ host, hosts, options, credentials, configSource }: Context): Promise<KeyRoute | undefined> {
  const { key, keySource } = credentials
  if (options.service === 'embedded' || key === undefined || keySource === undefined) return undefined
  const configured = options.service?.baseUrl
  const baseUrl = configured ?? credentials.baseUrl
  if (baseUrl === undefined) return undefined
  // If the configuration names the same address as the environment, the key goes nowhere else.
  const isGiven = configured === undefined || configured === credentials.baseUrl
  const source = isGiven ? (credentials.baseUrlSource ?? '') : configSource
  return routeOf(host, hosts, { baseUrl, source }, { key, keySource })
}

async function reachRemote(context: Context): Promise<ServiceReach> {
  const { options, credentials } = context
  const service = options.service === 'embedded' ? undefined : options.service
  const baseUrl = service?.baseUrl ?? credentials.baseUrl
  if (baseUrl === undefined) {
    throw new SpritewrightError('SW_NO_SERVICE', {
      message:
        'Expected the address of the service, found none. Set SPRITEWRIGHT_BASE_URL (in the environment or .env.local), or "service" in spritewright.config; to try without an account: service: \'embedded\'.',
    })
  }
  if (credentials.key === undefined) {
    throw new SpritewrightError('SW_NO_KEY', {
      message:
        "Expected an API key, found none. Set SPRITEWRIGHT_API_KEY in the environment or in .env.local (which must not be committed). To try without an account, set service: 'embedded' in spritewright.config.",
    })
  }
  const route = await readRoute(context)
  // The check comes before any request, because only requests send the key.
  if (route) checkRoute(route, options.isCi)
  return { baseUrl, key: credentials.key.reveal() }
}

/**
 * Starts the project's embedded service on loopback, with its state in the store's folder. If another process of
 * this project already runs one, this process uses it. No other function knows the server side of the interface.
 */
async function reachEmbedded(context: Context, closers: (() => Promise<void>)[], onJoin: (url: string) => void): Promise<ServiceReach> {
  const { startEmbeddedService } = await import('../embedded/service.ts')
  const { playMoneyKey } = await import('../embedded/options/options.ts')
  const dir = embeddedFolder(context)
  // The key is always the same, so that the next process can replay a submission that a crash left without an
  // answer.
  const accounts = [{ name: 'demo', keys: [{ key: playMoneyKey }] }]
  let url = (await findEmbedded(context))?.url
  if (url !== undefined) onJoin(url)
  else {
    const { clock, disk, random } = context.host
    const service = await startEmbeddedService({ dir, accounts }, { clock, disk, random })
    closers.push(() => service.close())
    url = service.url
  }
  return { baseUrl: url, key: playMoneyKey }
}

/** Finds the embedded service that another process of this project runs now. */
async function findEmbedded(context: Context): Promise<{ readonly url: string } | undefined> {
  const { joinEmbeddedService } = await import('../embedded/service.ts')
  return joinEmbeddedService(embeddedFolder(context))
}

function embeddedFolder({ storeFolder }: Pick<Context, 'storeFolder'>): string {
  return join(storeFolder, 'embedded')
}

/**
 * Folder of the ids of uploaded pictures. For the embedded service, the ids are in its own folder. A person who
 * deletes that folder for fresh play money deletes the pictures, and must delete their ids with them.
 */
export function uploadsFolder(context: Pick<Context, 'storeFolder' | 'options'>): string {
  return join(context.options.service === 'embedded' ? embeddedFolder(context) : context.storeFolder, 'uploads')
}
