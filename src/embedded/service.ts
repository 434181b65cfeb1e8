import { nodeClock } from '../host/clock.ts'
import { nodeDisk } from '../host/disk.ts'
import { nodeRandom } from '../host/random.ts'
import { type Listener, listen, type RequestHandler } from '../host/server.ts'
import { createEmbeddedService, type EmbeddedControl, type EmbeddedCore, type EmbeddedPorts } from './core.ts'
import type { EmbeddedOptions } from './options.ts'

/** An embedded service that listens on loopback. */
export interface EmbeddedService extends EmbeddedControl {
  /** The API origin: the base URL for a client, e.g. `http://127.0.0.1:8123`. */
  readonly url: string
  /** The origin of signed links. */
  readonly assetsUrl: string
  /** Port of the API origin. */
  readonly port: number
  /** Stops listening, ends streams, and stops jobs where they are; with a `dir` the next start goes on with them. */
  close(): Promise<void>
}

/**
 * Starts the hosted service's interface on loopback: real HTTP, real pictures, play money.
 *
 * @param ports Clock, disk and chance; this machine's where left out.
 * @throws `EADDRINUSE` of Node for a port that is taken, `SW_DISK` for damaged state.
 */
export async function startEmbeddedService(options: EmbeddedOptions = {}, ports: Partial<EmbeddedPorts> = {}): Promise<EmbeddedService> {
  const gate = createGate()
  const api = await listen(
    gate.pass((core) => core.handle),
    options.port,
  )
  const listeners: Listener[] = [api]
  try {
    const assets = await listen(
      gate.pass((core) => core.handleAsset),
      options.assetsPort,
    )
    listeners.push(assets)
    const world: EmbeddedPorts = { clock: nodeClock(), disk: nodeDisk(), random: nodeRandom(), ...ports }
    const core = await createEmbeddedService(world, options, { api: api.url, assets: assets.url })
    gate.open(core)
    const { handle: _handle, handleAsset: _handleAsset, stop, ...control } = core
    return {
      ...control,
      url: api.url,
      assetsUrl: assets.url,
      port: api.port,
      close: async () => {
        await stop()
        await Promise.all(listeners.map((listener) => listener.close()))
      },
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()))
    throw error
  }
}

/** Lets requests that come before the state is read wait for it. */
function createGate(): { open(core: EmbeddedCore): void; pass(pick: (core: EmbeddedCore) => RequestHandler): RequestHandler } {
  let open: (core: EmbeddedCore) => void = () => {}
  const opened = new Promise<EmbeddedCore>((resolve) => {
    open = resolve
  })
  return { open: (core) => open(core), pass: (pick) => async (request) => pick(await opened)(request) }
}
