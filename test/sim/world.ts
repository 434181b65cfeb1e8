// Loaded before the clock starts, because a module that the workshop loads at its first use takes real time.
import '../../src/service/client.ts'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { createEmbeddedService, type EmbeddedCore } from '../../src/embedded/core.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import type { EmbeddedOptions, Makers } from '../../src/embedded/options/options.ts'
import type { Host } from '../../src/host/host.ts'
import type { Net, NetResponse } from '../../src/host/net.ts'
import type { ServedRequest, ServedResponse } from '../../src/host/server.ts'
import type { Options } from '../../src/options/options.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { VirtualClock } from '../kit/virtual-clock.ts'

export const api = 'http://127.0.0.1:1'
export const assets = 'http://127.0.0.1:2'
const key = 'sw_test_simulated'

/** A whole world in memory: clock, disk, network, service. */
export interface SimulatedWorld {
  readonly clock: VirtualClock
  readonly disk: MemoryDisk
  readonly service: EmbeddedCore
  /** A workshop on the project at `/game`. It uses the world's ports, except those that are given. */
  workshop(
    options?: Options,
    ports?: Partial<Pick<Host, 'disk' | 'net' | 'clock' | 'glob' | 'env' | 'trackedFiles' | 'openQueue' | 'repository'>>,
    mode?: string,
    onWait?: (sentence: string) => void,
  ): Promise<Workshop>
  /** The environment of each process. */
  readonly env: Host['env']
  readonly net: Net
  /** Its ports. */
  readonly host: Host
  /** Writes a file of the project. */
  write(path: string, content: string | Uint8Array): void
}

/** Makers that take `jobMs` of the service's clock and no real time. Every sheet is the same small one. */
async function quickMakers(jobMs: number): Promise<Makers> {
  const frames = Array.from({ length: 7 }, (_, index) => createBitmap(4, 4, new Uint8Array(64).fill(20 * (index + 1))))
  const { zip, width, height } = await packDelivery(frames, defaultShapes.names)
  const png = encodePng(createBitmap(8, 8, new Uint8Array(256).fill(200)))
  const review = { frameCount: 7, background: 'remove' as const, keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [] }
  return {
    sheet: async (_request, _prompt, tools) => {
      await tools.onStep(1, jobMs)
      return { bytes: zip, contentType: 'application/zip', width, height, review }
    },
    image: async (_request, _prompt, tools) => {
      await tools.onStep(1, jobMs)
      return { bytes: png, contentType: 'image/png', width: 8, height: 8, review: null }
    },
  }
}

/**
 * Makes a world.
 *
 * @param jobMs How long a job takes at the service, in milliseconds.
 */
export async function simulatedWorld(jobMs: number, options: EmbeddedOptions = {}): Promise<SimulatedWorld> {
  const clock = new VirtualClock()
  const disk = new MemoryDisk()
  const random = countingRandom()
  const accounts = [{ name: 'studio', credits: '1000000', keys: [{ key }] }]
  const service = await createEmbeddedService(
    { clock, disk, random },
    { accounts, makers: options.makers ?? (await quickMakers(jobMs)), heartbeatMs: 3_600_000, ...options },
    { api, assets },
  )
  const host: Host = {
    clock,
    disk,
    random,
    net: toNet(service),
    glob: async (root) =>
      [...disk.files.keys()].filter((path) => path.startsWith(`${root}/sprites/`) && path.endsWith('.sprite.json')).sort(),
    loadModule: async () => undefined,
    encodeTexture: () => Promise.reject(new Error('Expected no texture to be encoded.')),
    connectDatabase: () => Promise.reject(new Error('Expected no database to be asked.')),
    openQueue: () => {
      throw new Error('Expected no queue to be opened.')
    },
    terminal: { write: () => {}, note: () => {}, isOutputTerminal: false, isInteractive: false, canAsk: false, columns: 80 },
    env: { SPRITEWRIGHT_BASE_URL: api, SPRITEWRIGHT_API_KEY: key },
    stateFolder: '/home/state',
    tempFolder: '/tmp',
    workingFolder: '/game',
    processId: 1,
  }
  const write = (path: string, content: string | Uint8Array): void => {
    disk.files.set(`/game/${path}`, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  }
  write('package.json', '{"name":"game"}')
  return {
    clock,
    disk,
    service,
    write,
    env: host.env,
    net: host.net,
    host,
    workshop: (own = {}, ports = {}, mode = 'development', onWait = undefined) =>
      createWorkshop({ host: { ...host, ...ports }, root: '/game', options: own, mode, ...(onWait ? { onWait } : {}) }),
  }
}

/**
 * Adds a spec of one animation of seven frames. It has a picture of its own unless `picture` names a shared
 * one.
 */
export function addSprite(world: SimulatedWorld, name: string, hue: number, picture = name): void {
  world.write(`sprites/${picture}.png`, figurePng(hue))
  world.write(
    `sprites/${name}.sprite.json`,
    JSON.stringify({ reference: `./${picture}.png`, prompt: `a figure ${name}`, animations: { walk: { frames: 7 } } }),
  )
}

/** Adds a spec of one picture that is made from a file in one step, and costs one credit. */
export function addStill(world: SimulatedWorld, name: string, hue: number): void {
  world.write(`sprites/${name}.png`, figurePng(hue))
  world.write(`sprites/${name}.sprite.json`, JSON.stringify({ reference: `./${name}.png`, pictures: { face: [{ edit: 'its face' }] } }))
}

/** The network between client and service, without latency or loss. */
function toNet(service: EmbeddedCore): Net {
  return {
    close: async () => {},
    request: async (wanted) => {
      const url = new URL(wanted.url)
      const gone = new AbortController()
      wanted.signal?.addEventListener('abort', () => gone.abort(), { once: true })
      const headers = Object.fromEntries(
        Object.entries({ host: url.host, ...wanted.headers }).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const request: ServedRequest = {
        method: wanted.method,
        path: `${url.pathname}${url.search}`,
        headers,
        body: wanted.body ?? new Uint8Array(),
        signal: gone.signal,
      }
      const response = await (url.origin === assets ? service.handleAsset(request) : service.handle(request))
      return toResponse(response, gone)
    },
  }
}

function toResponse(response: ServedResponse, gone: AbortController): NetResponse {
  const { body } = response
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    if (body instanceof Uint8Array) yield body
    else {
      try {
        for await (const part of body) yield part
      } finally {
        gone.abort()
      }
    }
  }
  return { status: response.status, headers, body: whole() }
}
