import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import type { Host } from '../../src/host/host.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { WorkRequest } from '../../src/workshop.ts'
import { type HiredWorker, hireWorker } from './hired-worker.ts'
import { keyEnv, testKey } from './keys.ts'
import { type HereProgram, startHere } from './program.ts'
import { type CliRun, heroSpec, serviceEnv, type TestProject } from './project.ts'
import { quickMakers } from './quick-makers.ts'
import { type RedisServer, startRedis } from './servers/redis.ts'
import { shortPauses } from './short-pauses.ts'
import { createStudio, type Studio } from './studio.ts'

const [keeper, artist] = [1, 2]
const windowMs = 500

/** A studio with a service, a queue, and a machine that has no API key. Its sprite has three animations. */
export interface Team {
  readonly studio: Studio
  readonly service: EmbeddedService
  /** Folder of the shared journal. */
  readonly journal: string
  /** Address of the queue. */
  readonly queue: string
  /** Length of the service's windows. */
  readonly windowMs: number
  /** The machine without a key. */
  readonly desk: TestProject
  /** Environment of an artist's machine. */
  readonly env: Readonly<Record<string, string>>
  /** Runs the CLI's program there to its end, in this process. */
  run(...args: string[]): Promise<CliRun>
  /** Starts it there, or in another clone. */
  start(args: readonly string[], clone?: TestProject): HereProgram
  /** Hires a worker with a clone of its own, which knows the artist. It ends with the team. */
  hire(host?: Partial<Host>, request?: HireRequest): Promise<HiredWorker>
  /** Called before each request to the service. An answer replaces the service's own. */
  before: (request: HookedRequest) => Promise<ServedResponse | undefined>
  /** Called with each answer of the service. Returns what is sent instead. */
  after: (request: HookedRequest, response: ServedResponse) => Promise<ServedResponse>
  /** Called with the running number of each sheet before it is finished. */
  sheetAt: (number: number) => Promise<void>
  close(): Promise<void>
}

/** What is different about a worker. */
interface HireRequest extends Partial<WorkRequest> {
  /** Environment variables beside the usual ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Files that its clone has changed. */
  readonly files?: Readonly<Record<string, string>>
  /** Its clone, if it starts again in one that it had. */
  readonly clone?: TestProject
}

let database = 0

/** Opens a team on a database of its own. */
async function createTeam(redis: RedisServer): Promise<Team> {
  database = (database + 1) % 16
  let sheets = 0
  const limits = { windowMs, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }
  const service = await startEmbeddedService({
    jobMs: 100,
    makers: quickMakers({ until: () => team.sheetAt(++sheets) }),
    limits,
    before: (request) => team.before(request),
    after: (request, response) => team.after(request, response),
  })
  const queue = `redis://127.0.0.1:${redis.port}/${database}`
  let journal = ''
  const studio = await createStudio({ 'sprites/hero.sprite.json': heroSpec(['walk', 'idle', 'jump']) }, (folder) => {
    journal = join(folder, 'journal')
    return {
      service: { queue },
      store: { shared: join(folder, 'results'), journal },
      limits,
    }
  })
  const desk = await studio.clone()
  const hired: HiredWorker[] = []
  const env = { ...redis.env, ...keyEnv(artist) }
  const team: Team = {
    ...{ studio, service, journal, queue, windowMs, desk, env },
    run: (...args) => team.start(args).ended,
    start: (args, clone = desk) => startHere(clone, args, env, { clock: shortPauses() }),
    hire: async (host = {}, { env: other = {}, files = {}, clone: had, ...request } = {}) => {
      const trusts = { SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint }
      const workerEnv = { ...redis.env, ...serviceEnv(service), ...keyEnv(keeper), ...trusts, ...other }
      const clone = had ?? (await studio.clone())
      for (const [path, content] of Object.entries(files)) await clone.write(path, content)
      const worker = await hireWorker(clone, workerEnv, host, request)
      hired.push(worker)
      return worker
    },
    before: async () => undefined,
    after: async (_request, response) => response,
    sheetAt: async () => {},
    close: async () => {
      for (const worker of hired) await worker.end().catch(() => {})
      await service.close()
      await studio.remove()
    },
  }
  return team
}

/** Starts a Redis for the tests of a block, and opens a team before each of them. Ends both. */
export function eachTeam(begin: (team: Team, redis: RedisServer) => void): void {
  let redis: RedisServer
  let team: Team
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(async () => {
    team = await createTeam(redis)
    begin(team, redis)
  })
  afterEach(() => team.close())
}
