import { join } from 'node:path'
import { expect } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { createClient, type ServiceClient } from '../../src/service/client.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { type Asked, type Deed, type FaultProxy, startFaultProxy } from '../kit/fault-proxy.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { createProject, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { readRecords } from './desk.ts'
import { type PostWatch, watchPosts } from './posts.ts'

/**
 * A service behind two proxies, a project of many sprites of one picture, and a workshop on real sockets and
 * a real disk.
 */
export interface Wire {
  readonly service: EmbeddedService
  readonly project: TestProject
  readonly posts: PostWatch
  /** The environment in which a CLI uses the proxy. */
  readonly env: Readonly<Record<string, string>>
  /** A client of the same account, without a workshop. */
  readonly client: ServiceClient
  /** Buys everything. */
  build(): Promise<void>
  close(): Promise<void>
}

/** The settings of a wire. */
export interface WireInit {
  /** Sprites, named `s0`, `s1` …, each with one animation. */
  readonly sprites: number
  readonly pick?: (asked: Asked) => Deed | undefined
  readonly onPassed?: (asked: Asked, bytes: number) => void
}

/** Limits under which every sprite passes at once and is forgotten at once. */
const wide = { windowMs: 1, post: 16, get: 64, download: 16, activeJobs: 4, streams: 4 }

/** The sprite whose prompt is in a submission's body. Returns `undefined` for other requests. */
export function spriteOf({ body }: Asked): number | undefined {
  const found = /sprite number (\d+)/.exec(body)?.[1]
  return found === undefined ? undefined : Number.parseInt(found, 10)
}

/**
 * Checks that every sprite has been bought: one charge and one result each, and a further build makes no
 * request.
 */
export async function expectAllBoughtOnce({ service, project, posts, build }: Wire, sprites: number, context: string): Promise<void> {
  expect(service.charges().length, `${context}: charges`).toBe(sprites)
  expect(new Set(service.charges().map(({ bodySha256 }) => bodySha256)).size, `${context}: requests paid for`).toBe(sprites)
  expect([service.holds(), service.mistakes(), posts.wrongs()], context).toEqual([[], [], []])
  expect((await readRecords(project.root)).results.length, `${context}: results`).toBe(sprites)
  const asked = service.requests().length
  await build()
  expect(service.requests().slice(asked), `${context}: requests of one more build`).toEqual([])
}

/** Opens a wire with a standing approval for everything. */
export async function layWire({ sprites, pick, onPassed }: WireInit): Promise<Wire> {
  const spec = (index: number): string =>
    JSON.stringify({ reference: './hero.png', prompt: `sprite number ${index}`, animations: { walk: { frames: 7 } } })
  const files = Object.fromEntries(Array.from({ length: sprites }, (_, index) => [`sprites/s${index}.sprite.json`, spec(index)]))
  const config = { approval: { perSprite: '100' }, limits: wide }
  const project = await createProject({ ...files, 'spritewright.config.mjs': `export default ${JSON.stringify(config)}` })
  await project.remove('sprites/hero.sprite.json')
  const posts = watchPosts(join(project.root, '.spritewright'))
  const before = async (request: HookedRequest): Promise<undefined> => posts.see(request) as undefined
  const accounts = [{ name: 'demo', credits: '10000' }]
  const service = await startEmbeddedService({ jobMs: 0, makers: quickMakers(), limits: wide, accounts, before })
  const { clock, onStall } = impatientClock()
  const rules = { ...(pick ? { pick } : {}), ...(onPassed ? { onPassed } : {}), onStall }
  const assets: FaultProxy = await startFaultProxy(service.assetsUrl, rules)
  const api = await startFaultProxy(service.url, { ...rules, rename: [service.assetsUrl, assets.url] })
  const env = { SPRITEWRIGHT_BASE_URL: api.url, SPRITEWRIGHT_API_KEY: service.key }
  const host: Host = { ...nodeHost(), clock, stateFolder: join(project.root, '.state', 'spritewright'), env }
  const person = await createWorkshop({ host, root: project.root })
  await acceptCeilings(person)
  await person.close()
  return {
    service,
    project,
    posts,
    env,
    client: createClient(host, { baseUrl: api.url, key: service.key, limits: wide }),
    build: async () => {
      const workshop = await createWorkshop({ host, root: project.root })
      try {
        await workshop.build({ buyOnly: true })
      } finally {
        await workshop.close()
      }
    },
    close: async () => {
      await Promise.all([api.close(), assets.close()])
      await service.close()
      await project.remove()
    },
  }
}

/** A clock whose pauses take no time. Its deadlines end only when an answer has stalled. */
function impatientClock(): { readonly clock: Clock; readonly onStall: () => void } {
  const real = nodeClock()
  const deadlines = new Set<() => void>()
  let skipped = 0
  return {
    onStall: () => {
      for (const ring of deadlines) ring()
    },
    clock: {
      wall: () => real.wall() + skipped,
      mono: () => real.mono() + skipped,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted()
        if (ms < 60_000) {
          skipped += ms
          return real.sleep(0, signal)
        }
        await new Promise<void>((resolve, reject) => {
          deadlines.add(resolve)
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
          signal?.addEventListener('abort', () => deadlines.delete(resolve), { once: true })
        })
      },
    },
  }
}
