import { nodeClock } from '../host/clock.ts'
import { nodeDisk } from '../host/disk.ts'
import { nodeNet } from '../host/net.ts'
import { nodeRandom } from '../host/random.ts'
import { type Listener, listen } from '../host/server.ts'
import { createEmbeddedService, type EmbeddedControl, type EmbeddedCore, type EmbeddedPorts } from './core.ts'
import { type DoorPorts, type JoinedService, joinFolder, takeFolder } from './http/door.ts'
import type { EmbeddedOptions } from './options/options.ts'

/** An embedded service that listens on loopback. */
export interface EmbeddedService extends EmbeddedControl {
  /** The API origin: the base URL for a client, e.g. `http://127.0.0.1:8123`. */
  readonly url: string
  /** The origin of signed links. */
  readonly assetsUrl: string
  /** Port of the API origin. */
  readonly port: number
  /** Stops listening and ends streams and jobs at once. With a `dir`, the next start continues the jobs. */
  close(): Promise<void>
}

/**
 * Starts the hosted service's interface on loopback: real HTTP and real pictures, paid with play money.
 *
 * @param ports Clock, disk and randomness. @default those of this machine
 * @throws `EADDRINUSE` of Node for a port in use; `SW_DISK` if the state is damaged or another process runs
 *   in `dir` (see `joinEmbeddedService`).
 */
export async function startEmbeddedService(options: EmbeddedOptions = {}, ports: Partial<EmbeddedPorts> = {}): Promise<EmbeddedService> {
  let open: (core: EmbeddedCore) => void = () => {}
  // Requests that arrive before the state is loaded wait for it.
  const opened = new Promise<EmbeddedCore>((resolve) => {
    open = resolve
  })
  const world: EmbeddedPorts = { clock: nodeClock(), disk: nodeDisk(), random: nodeRandom(), ...ports }
  const listeners: Listener[] = []
  const closeListeners = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close()))
  }
  const held = async (listening: Promise<Listener>): Promise<Listener> => {
    const listener = await listening
    listeners.push(listener)
    return listener
  }
  try {
    const api = await held(listen(async (request) => (await opened).handle(request), options.port))
    const assets = await held(listen(async (request) => (await opened).handleAsset(request), options.assetsPort))
    const origins = { api: api.url, assets: assets.url }
    const whoIsHere = async (): Promise<JoinedService> => ({ url: api.url, assetsUrl: assets.url, key: await (await opened).mintKey() })
    const { dir } = options
    if (dir !== undefined) await held(withNet((net) => takeFolder({ ...world, net }, dir, whoIsHere)))
    const core = await createEmbeddedService(world, options, origins)
    open(core)
    const { handle: _handle, handleAsset: _handleAsset, stop, ...control } = core
    const close = async (): Promise<void> => {
      await stop()
      await closeListeners()
    }
    return { ...control, url: api.url, assetsUrl: assets.url, port: api.port, close }
  } catch (error) {
    await closeListeners()
    throw error
  }
}

/**
 * Finds the embedded service that another process of this machine runs in a folder. A command uses it beside
 * a dev server.
 *
 * @returns Its address and a new test key, or undefined if no service runs there.
 */
export async function joinEmbeddedService(dir: string): Promise<JoinedService | undefined> {
  return withNet((net) => joinFolder({ disk: nodeDisk(), net }, dir))
}

async function withNet<T>(use: (net: DoorPorts['net']) => Promise<T>): Promise<T> {
  const net = nodeNet()
  try {
    return await use(net)
  } finally {
    await net.close()
  }
}
