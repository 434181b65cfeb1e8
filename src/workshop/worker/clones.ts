import { mayPass, SpritewrightError } from '../../errors.ts'
import { distinctFolders } from '../../host/real-path.ts'
import type { Purchase } from '../../job/order.ts'
import type { Context } from '../../project/context.ts'
import { queueAddress, type Session } from '../../project/session.ts'
import { readSettings } from '../../project/trust/settings.ts'
import type { Tell, WorkerEvent } from './events.ts'
import { type InFlight, keepInFlight } from './in-flight.ts'
import type { OpenedProject } from './opened-project.ts'
import { createOrderReader, type OrderReader } from './read-order.ts'
import { waitFor } from './wait-for.ts'

/** A project that a worker serves. */
export interface Clone {
  /** Its name, with its folder if another one has this name. */
  readonly name: string
  readonly context: Context
  readonly session: Session
  readonly reader: OrderReader
  /** Purchases of its journal that this process makes now, by request hash. */
  readonly underWay: Map<string, Promise<Purchase>>
  /** Reports an event of it. */
  readonly tell: Tell
  /** Requests of its journal that were active at the service when this worker began to serve it. */
  readonly inFlight: readonly InFlight[]
}

/** The projects that a worker serves: the one in which it starts, and those of its owner's settings. */
export interface Clones {
  /** Those that can be served, in the order of the settings. */
  list(): readonly Clone[]
  /** Reads the settings, and opens all projects without a request to the service. */
  load(): Promise<readonly PromiseSettledResult<OpenedProject>[]>
  /** Why projects wait now: a clause for each store that does not answer. */
  waits(): readonly string[]
  /**
   * Reads the settings, and begins to serve the projects that are not served. A project that cannot be served within a
   * minute is reported once, and is tried again.
   *
   * @param signal Ends what was begun for the projects.
   * @throws The first error, if none can be served.
   */
  open(signal: AbortSignal): Promise<void>
  /** Forgets what was begun under a lease. */
  leave(): void
  /** Reports the new warnings of all projects. */
  tellWarnings(): void
  /** Closes the connections of all projects but its own. */
  close(): Promise<void>
}

/** How long projects that can be served wait for others whose stores do not answer, in milliseconds. */
const beginMs = 60_000

/**
 * Creates the list.
 *
 * @param openOther Opens a project by its folder, with the key and address of `own`.
 */
export function createClones(own: OpenedProject, openOther: (root: string) => Promise<OpenedProject>, onEvent: Tell): Clones {
  const { host, options } = own.context
  const opened = new Map([[options.root, own]])
  const told = new Map<string, string>()
  const warned = new Map<string, number>()
  let ready = new Map<string, Clone>()
  /** Projects that this worker begins to serve. */
  const beginning = new Map<string, Promise<void>>()
  let roots: readonly string[] = [options.root]
  /** A worker of one project names no project. */
  const toName = (root: string): string => {
    const nameOf = (one: string): string | undefined => opened.get(one)?.context.name
    const isShared = roots.some((one) => one !== root && nameOf(one) === nameOf(root))
    return isShared || nameOf(root) === undefined ? root : `${nameOf(root)}`
  }
  const tell = (root: string, { message, fields, ...event }: WorkerEvent): void => {
    const project = toName(root)
    onEvent({ ...event, message: roots.length === 1 ? message : `${project}: ${message}`, fields: { ...fields, project } })
  }
  const readRoots = async (): Promise<void> => {
    const { worker } = await readSettings(host)
    roots = distinctFolders([options.root, ...(worker?.projects ?? []).map(({ dir }) => dir)])
  }
  const load = async (root: string): Promise<OpenedProject> => {
    await checkClone(own.context, root)
    const one = opened.get(root) ?? (await openOther(root))
    checkFit(own, one)
    opened.set(root, one)
    return one
  }
  const begin = async (root: string, signal: AbortSignal): Promise<void> => {
    const { context, connection } = await load(root)
    const session = await connection.open(signal)
    const inFlight = await keepInFlight(context, session, (message) => tell(root, { kind: 'warning', message }))
    signal.throwIfAborted()
    const reader = createOrderReader(context, session, signal)
    const facts = { name: toName(root), context, tell: (event: WorkerEvent) => tell(root, event) }
    ready.set(root, { ...facts, session, reader, underWay: new Map(), inFlight })
    told.delete(root)
  }
  const waitsOf = (root: string): readonly string[] => [...(opened.get(root)?.context.patience.reasons.values() ?? [])]
  /** Begins, or goes on with it, for a minute at most. A store that does not answer must not keep other projects waiting. */
  const beginSoon = async (root: string, signal: AbortSignal): Promise<void> => {
    const begun = beginning.get(root) ?? begin(root, signal).finally(() => beginning.get(root) === begun && beginning.delete(root))
    beginning.set(root, begun)
    const onLate = (): never => {
      const message = `Expected the stores of ${toName(root)} to answer within a minute, found that ${waitsOf(root)[0] ?? 'they are slow'}.`
      throw new SpritewrightError('SW_STORE', { message })
    }
    await waitFor<void>(host.clock, beginMs, begun, onLate, signal)
  }
  return {
    list: () => roots.flatMap((root) => ready.get(root) ?? []),
    load: async () => {
      await readRoots()
      return Promise.allSettled(roots.map(load))
    },
    waits: () => roots.flatMap(waitsOf),
    open: async (signal) => {
      await readRoots()
      const wanting = roots.filter((root) => !ready.has(root))
      const begun = await Promise.allSettled(wanting.map((root) => beginSoon(root, signal)))
      const failed = begun.flatMap((one, at) => (one.status === 'rejected' ? [[wanting[at] ?? '', one.reason as Error] as const] : []))
      if (failed.length === roots.length) throw (failed.find(([, error]) => !mayPass(error)) ?? failed[0])?.[1]
      for (const [root, error] of failed) {
        if (signal.aborted || told.get(root) === error.message) continue
        told.set(root, error.message)
        const message = `${toName(root)} is not served, and is tried again: ${error.message}`
        onEvent({ kind: 'warning', message, fields: { project: toName(root) } })
      }
    },
    leave: () => {
      ready = new Map()
      beginning.clear()
    },
    close: async () => {
      for (const one of opened.values()) if (one !== own) await one.connection.close()
    },
    tellWarnings: () => {
      for (const [root, { context }] of opened) {
        for (const message of context.warnings.slice(warned.get(root))) tell(root, { kind: 'warning', message })
        warned.set(root, context.warnings.length)
      }
    },
  }
}

/** @throws `SW_CONFIG` if one worker cannot serve both: they differ in queue or service. */
function checkFit(own: OpenedProject, other: OpenedProject): void {
  const differs = (what: string, mine: string | undefined, found: string | undefined): void => {
    if (mine === found) return
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected the projects of one worker to name the same ${what}, found ${mine} in ${own.context.options.root} and ${found} in ${other.context.options.root}. Correct its configuration, or start another worker for it.`,
      facts: { root: other.context.options.root },
    })
  }
  differs('service', own.connection.host, other.connection.host)
  differs('queue', queueAddress(own.context), queueAddress(other.context))
}

/** @throws `SW_ORDER` if a folder is in no repository with a commit. */
export async function checkClone({ host }: Pick<Context, 'host'>, root: string): Promise<void> {
  if ((await host.repository?.head(root)) !== undefined) return
  throw new SpritewrightError('SW_ORDER', {
    message: `Expected ${root} to be in a clone of the project's repository, found none. A worker reads what it buys from commits: clone the repository, and start the worker there.`,
  })
}
