import { afterEach } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { Options } from '../../src/options/options.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { createProject, heroSpec, type TestProject } from '../kit/project.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { isTimeLimit } from '../kit/time-limits.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

/** A project, a real service, and workshops over both. */
export interface World {
  readonly service: EmbeddedService
  readonly project: TestProject
  /** Moves the workshop's clocks, but not the service's. */
  skip(ms: number): void
  workshop(options?: Options, env?: Readonly<Record<string, string>>): Promise<Workshop>
  posts(): number
}

/** Makes a project and a real service. The workshop's clock does not wait, so pauses take no time. */
export async function world(options: EmbeddedOptions = {}, spec = heroSpec()): Promise<World> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, makers: rememberedMakers, ...options })
  open.push(service)
  const project = await createProject({ 'sprites/hero.sprite.json': spec })
  open.push({ close: project.remove })
  let skipped = 0
  const base = nodeHost()
  return {
    service,
    project,
    skip: (ms) => {
      skipped += ms
    },
    posts: () => service.requests().filter((note) => note.method === 'POST' && note.path === '/v1/execute').length,
    workshop: async (own = {}, env = {}) => {
      const host: Host = {
        ...base,
        stateFolder: `${project.root}/.state`,
        env: { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: service.key, ...env },
        clock: {
          wall: () => base.clock.wall() + skipped,
          mono: () => base.clock.mono() + skipped,
          sleep: async (ms, signal) => {
            // A time-out that ended early would cut off the answer.
            if (isTimeLimit(ms)) return base.clock.sleep(ms, signal)
            signal?.throwIfAborted()
            skipped += ms
            await base.clock.sleep(Math.min(ms, 5), signal)
          },
        },
      }
      const workshop = await createWorkshop({ host, root: project.root, options: own })
      open.push(workshop)
      return workshop
    },
  }
}

/** Approves everything that is missing, at today's price. */
export const approveAll = (workshop: Workshop, over: object = {}): Promise<unknown> =>
  workshop.approve({ names: [], confirm: async () => true, ...over })
/** Whether a request is a submission. */
export { isExecute } from '../kill/posts.ts'
/** No answer at all. */
export const drop: ServedResponse = { status: 200, headers: {}, body: new Uint8Array(), cutAfter: 0 }
